//! Where the files are that a manifest names, also of one that code has changed since.

use crate::model::manifest::check::{is_glob, name_of};
use crate::model::manifest::manifest::{ManifestClip, ModelManifest};
use crate::scene::same_name;
use bevy::asset::AssetPath;
use std::collections::BTreeMap;

/// How many clips of a manifest may be files.
pub(super) const MOST_CLIPS: usize = 4096;

/// Where everything is that a manifest names.
pub(super) struct ResolvedFiles {
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
    pub(super) fn whereabouts(&self) -> ResolvedFiles {
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
        ResolvedFiles {
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
