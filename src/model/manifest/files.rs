//! Where the files are that a manifest names.

use super::document::{ManifestClip, ModelManifest};
use super::glob::is_glob;
use super::preload::Preloaded;
use super::read::name_of;
use crate::scene::same_name;
use bevy::asset::AssetPath;
use std::collections::BTreeMap;

/// How many clips of a manifest may be files.
pub(super) const MOST_CLIPS: usize = 4096;

/// What the names in a manifest stand for, as its loader found it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifestFiles {
    model: Option<AssetPath<'static>>,
    /// Files by their names in the manifest; none for those that are nowhere.
    pub(super) named: BTreeMap<String, Option<AssetPath<'static>>>,
    /// The files that fit each pattern.
    pub(super) patterns: BTreeMap<String, Vec<AssetPath<'static>>>,
    /// Where each folder of pictures may be, from the root of the asset source.
    pub(super) folders: BTreeMap<String, Vec<String>>,
    /// The name that a skin is chosen by, if it was told that no skin has it.
    pub(super) unknown_skin: Option<String>,
    /// Keeps what they name loaded.
    pub(super) preloaded: Preloaded,
}

impl ManifestFiles {
    /// Those of a manifest that names nothing but a model.
    pub(super) fn of_model(name: &str, model: AssetPath<'static>) -> Self {
        Self {
            named: BTreeMap::from([(name.to_owned(), Some(model.clone()))]),
            model: Some(model),
            ..Self::default()
        }
    }

    /// The model; `None` if there is none, or it was not found.
    pub fn model(&self) -> Option<&AssetPath<'static>> {
        self.model.as_ref()
    }

    /// What a name stands for. One that the loader has not seen is code's: a path from the root.
    fn path(&self, name: &str) -> Option<AssetPath<'static>> {
        match self.named.get(name) {
            Some(found) => found.clone(),
            None => AssetPath::try_parse(name).ok().map(AssetPath::into_owned),
        }
    }
}

/// Where everything is that a manifest names.
pub(super) struct Whereabouts {
    pub(super) model: Option<AssetPath<'static>>,
    /// The clips that are files, by their places in the manifest's list.
    pub(super) clips: Vec<FoundClip>,
    /// Skins by the manifest's names.
    pub(super) skins: BTreeMap<String, AssetPath<'static>>,
    /// Whether it was told that the chosen skin is nowhere.
    pub(super) is_skin_nowhere: bool,
    pub(super) palette: Option<AssetPath<'static>>,
    /// Folders of pictures, from the root of the asset source.
    pub(super) texture_folders: Vec<String>,
    /// For each attachment, its model or manifest.
    pub(super) attachments: Vec<Option<AssetPath<'static>>>,
}

/// A clip that is a file.
pub(super) struct FoundClip {
    /// Which of the manifest's clips names it.
    pub(super) entry: usize,
    pub(super) name: String,
    pub(super) path: AssetPath<'static>,
}

impl ModelManifest {
    /// Where the files are, of a manifest from a file that code has changed since as well.
    pub(super) fn whereabouts(&self) -> Whereabouts {
        let files = &self.files;
        let model = files.path(&self.model);
        let skin = |(name, file): (&String, &String)| Some((name.clone(), files.path(file)?));
        let attachments = self.attachments.iter();
        let mut texture_folders = Vec::new();
        for name in &self.texture_folders {
            let own = files.folders.get(name).cloned();
            for folder in own.unwrap_or_else(|| vec![name.clone()]) {
                if !texture_folders.contains(&folder) {
                    texture_folders.push(folder);
                }
            }
        }
        Whereabouts {
            clips: self.clip_files(model.as_ref()),
            skins: self.skins.iter().filter_map(skin).collect(),
            is_skin_nowhere: self.is_skin_nowhere(),
            palette: self.palette.as_ref().and_then(|name| files.path(name)),
            texture_folders,
            attachments: attachments.map(|of| files.path(&of.model)).collect(),
            model,
        }
    }

    fn is_skin_nowhere(&self) -> bool {
        let Some(name) = name_of(&self.skin) else {
            return false;
        };
        let file = self.skins.iter().find(|(key, _)| same_name(key, name));
        match file {
            Some((_, file)) => self.files.named.get(file) == Some(&None),
            None => self.files.unknown_skin.as_deref() == Some(name),
        }
    }

    fn clip_files(&self, model: Option<&AssetPath<'static>>) -> Vec<FoundClip> {
        let stem = model.and_then(|model| model.path().file_stem());
        let stem = stem.unwrap_or_default().to_string_lossy();
        let of_entry = |(entry, clip): (usize, &ManifestClip)| {
            let paths: Vec<_> = match &clip.file {
                // Only a loader can tell what fits.
                Some(name) if is_glob(name) => {
                    let found = self.files.patterns.get(name);
                    found.into_iter().flatten().cloned().collect()
                }
                Some(name) => self.files.path(name).into_iter().collect(),
                None => Vec::new(),
            };
            let name = |path: &AssetPath<'_>| clip_name(&clip.name, path, &stem);
            let clips = paths.into_iter().map(|path| FoundClip {
                entry,
                name: name(&path),
                path,
            });
            clips.collect::<Vec<_>>()
        };
        let clips = self.clips.iter().enumerate().flat_map(of_entry);
        clips.take(MOST_CLIPS).collect()
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
