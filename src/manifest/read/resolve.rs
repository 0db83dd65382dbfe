//! [`ResolvedFiles`]: the paths of the files of a manifest, including a manifest that code has changed since it was
//! loaded.

use crate::load::names::same_name;
use crate::manifest::check::values::{as_name, is_glob};
use crate::manifest::classic_model::is_manifest;
use crate::manifest::model_manifest::{ManifestClip, ModelManifest};
use bevy::asset::AssetPath;
use std::collections::BTreeMap;

/// The maximum count of a manifest's clips that are files.
pub(crate) const MAX_CLIP_FILES: usize = 4096;

/// The paths of the files that a manifest names.
#[derive(Default)]
pub(crate) struct ResolvedFiles {
    pub(crate) model: Option<AssetPath<'static>>,
    /// The clips that are files, in the order of the manifest's list.
    pub(crate) clips: Vec<ClipFile>,
    /// The paths of skins, by name.
    pub(crate) skins: BTreeMap<String, AssetPath<'static>>,
    /// Whether the selected skin is missing and the loader has warned about that.
    pub(crate) is_skin_missing: bool,
    pub(crate) palette: Option<AssetPath<'static>>,
    /// Texture folders, from the root of the asset source.
    pub(crate) texture_folders: Vec<String>,
    /// The model or manifest of each attachment. `None` if it was not found.
    pub(crate) attachments: Vec<Option<AssetPath<'static>>>,
}

/// A clip that is a file.
pub(crate) struct ClipFile {
    /// The index in the manifest's `clips`.
    pub(crate) entry: usize,
    pub(crate) name: String,
    pub(crate) path: AssetPath<'static>,
}

impl ModelManifest {
    /// The paths of the files, also if code has changed the manifest since it was loaded.
    pub(crate) fn resolve_files(&self) -> ResolvedFiles {
        let files = &self.files;
        let has_model = !self.model.is_empty();
        let model = has_model.then(|| files.path(&self.model)).flatten();
        let skin = |(name, file): (&String, &String)| Some((name.clone(), files.path(file)?));
        let attachments = self.attachments.iter();
        let mut texture_folders = Vec::new();
        for name in &self.texture_folders {
            let found = files.folders.get(name).cloned();
            for folder in found.unwrap_or_else(|| vec![name.clone()]) {
                if !texture_folders.contains(&folder) {
                    texture_folders.push(folder);
                }
            }
        }
        ResolvedFiles {
            clips: self.clip_files(model.as_ref()),
            skins: self.skins.iter().filter_map(skin).collect(),
            is_skin_missing: self.is_skin_missing(),
            palette: self.palette.as_ref().and_then(|name| files.path(name)),
            texture_folders,
            attachments: attachments
                .map(|attachment| files.path(&attachment.model))
                .collect(),
            model,
        }
    }

    fn is_skin_missing(&self) -> bool {
        let Some(name) = as_name(&self.skin) else {
            return false;
        };
        let file = self.skins.iter().find(|(key, _)| same_name(key, name));
        match file {
            Some((_, file)) => self.files.named.get(file) == Some(&None),
            None => self.files.unknown_skin.as_deref() == Some(name),
        }
    }

    fn clip_files(&self, model: Option<&AssetPath<'static>>) -> Vec<ClipFile> {
        let stem = model.and_then(|model| model.path().file_stem());
        let stem = stem.unwrap_or_default().to_string_lossy();
        let of_entry = |(entry, clip): (usize, &ManifestClip)| {
            let paths: Vec<_> = match &clip.file {
                // Only the loader can list the files that match.
                Some(name) if is_glob(name) => {
                    let found = self.files.patterns.get(name);
                    found.into_iter().flatten().cloned().collect()
                }
                Some(name) => self.files.path(name).into_iter().collect(),
                None => Vec::new(),
            };
            let name = |path: &AssetPath<'_>| clip_name(&clip.name, path, &stem);
            let paths = paths.into_iter();
            let paths = paths.filter(|path| is_clip_file(path, model));
            let clips = paths.map(|path| ClipFile {
                entry,
                name: name(&path),
                path,
            });
            clips.collect::<Vec<_>>()
        };
        let clips = self.clips.iter().enumerate().flat_map(of_entry);
        clips.take(MAX_CLIP_FILES).collect()
    }
}

/// Whether a file can be a clip of a model. A manifest cannot, because it could wait for itself.
pub(crate) fn is_clip_file(path: &AssetPath<'_>, model: Option<&AssetPath<'_>>) -> bool {
    Some(path) != model && !is_manifest(path)
}

/// The name of a clip that is a file: the one in the manifest, otherwise that of the file without the model's name
/// before it.
pub(crate) fn clip_name(name: &str, file: &AssetPath<'_>, model: &str) -> String {
    if !name.is_empty() {
        return name.to_owned();
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
