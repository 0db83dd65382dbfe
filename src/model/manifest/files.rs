//! Where the files are that a manifest names.

use super::document::ModelManifest;
use super::glob::is_glob;
use crate::scene::same_name;
use bevy::asset::AssetPath;
use std::collections::BTreeMap;

/// The files of a manifest, as its loader found them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifestFiles {
    /// The model.
    pub(super) model: Option<AssetPath<'static>>,
    /// The clips that are files, by their places in the manifest's list.
    pub(super) clips: Vec<FoundClip>,
    /// Skins by the manifest's names.
    pub(super) skins: BTreeMap<String, AssetPath<'static>>,
    /// The palette.
    pub(super) palette: Option<AssetPath<'static>>,
    /// Folders of pictures, from the root of the asset source.
    pub(super) texture_folders: Vec<String>,
    /// For each attachment, its model or manifest.
    pub(super) attachments: Vec<Option<AssetPath<'static>>>,
}

/// A clip that is a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FoundClip {
    /// Which of the manifest's clips names it.
    pub(super) entry: usize,
    pub(super) name: String,
    pub(super) path: AssetPath<'static>,
}

impl ManifestFiles {
    /// Those of a manifest that names nothing but a model.
    pub(super) fn of_model(model: AssetPath<'static>) -> Self {
        Self {
            model: Some(model),
            ..Self::default()
        }
    }

    /// The model; `None` if there is none, or it was not found.
    pub fn model(&self) -> Option<&AssetPath<'static>> {
        self.model.as_ref()
    }
}

impl ModelManifest {
    /// The files, and where the manifest was made by code what it names as paths.
    pub(super) fn whereabouts(&self) -> ManifestFiles {
        if self.files != ManifestFiles::default() {
            return self.files.clone();
        }
        let path = |name: &String| AssetPath::try_parse(name).ok().map(AssetPath::into_owned);
        let clip = |(entry, clip): (usize, &super::ManifestClip)| {
            // Only a loader can tell what fits a pattern.
            let path = path(clip.file.as_ref().filter(|file| !is_glob(file))?)?;
            let name = clip_name(&clip.name, &path, "");
            Some(FoundClip { entry, name, path })
        };
        let skin = |(name, file): (&String, &String)| Some((name.clone(), path(file)?));
        ManifestFiles {
            model: path(&self.model),
            clips: self.clips.iter().enumerate().filter_map(clip).collect(),
            skins: self.skins.iter().filter_map(skin).collect(),
            palette: self.palette.as_ref().and_then(path),
            texture_folders: self.texture_folders.clone(),
            attachments: self.attachments.iter().map(|of| path(&of.model)).collect(),
        }
    }
}

/// What a clip of a file is called: as it is stated, else as the file, without the model's name before it.
pub(super) fn clip_name(stated: &str, file: &AssetPath<'_>, model: &str) -> String {
    if !stated.is_empty() {
        return stated.to_owned();
    }
    let stem = file.path().file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy();
    let rest = stem
        .get(..model.len())
        .filter(|start| !start.is_empty() && same_name(start, model))
        .and_then(|_| stem.get(model.len()..)?.strip_prefix('_'))
        .filter(|rest| !rest.is_empty());
    rest.unwrap_or(&stem).to_owned()
}
