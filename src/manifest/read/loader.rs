//! [`ManifestLoader`]: the asset loader of manifests. It reads the text of a manifest and finds the files that it names.

use crate::load::alternatives::alternatives;
use crate::load::concurrent::LoadTracker;
use crate::load::find::paths::{clean_path, clean_source_path, split_source};
use crate::load::find::{FileFinder, FileSearch};
use crate::load::labels::SCENE;
use crate::load::names::same_name;
use crate::manifest::apply::models::manifest_scene;
use crate::manifest::check::values::{as_name, check, check_values, is_glob};
use crate::manifest::classic_model::is_manifest;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::Step::{Element, Field, Key};
use crate::manifest::read::error::{ManifestLoaderError, Problem, Step};
use crate::manifest::read::extends::read_with_bases;
use crate::manifest::read::glob::Globs;
use crate::manifest::read::parse::MAX_TEXT_LENGTH;
use crate::manifest::read::paths::{ManifestFiles, SharedSources, Source, Sources};
use crate::manifest::read::preload::Preloader;
use crate::manifest::read::resolve::{MAX_CLIP_FILES, is_clip_file};
use crate::spawn::formats::ModelFormats;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, LoadContext};
use bevy::prelude::*;
use futures_lite::AsyncReadExt;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Loads manifests. The model, clips, skins and attachments of a manifest, and their dependencies, are dependencies of
/// its asset.
#[derive(TypePath)]
#[type_path = "bevy_classic_models::manifest"]
pub struct ManifestLoader {
    finder: FileFinder,
    tracker: LoadTracker,
    preloader: Preloader,
}

impl FromWorld for ManifestLoader {
    fn from_world(world: &mut World) -> Self {
        Self {
            finder: FileFinder::of(world),
            tracker: LoadTracker::of(world),
            preloader: Preloader::from_world(world),
        }
    }
}

/// The extension of manifests.
pub(crate) const EXTENSION: &str = "model.ron";

impl AssetLoader for ManifestLoader {
    type Asset = ModelManifest;
    type Settings = ManifestLoaderSettings;
    type Error = ManifestLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &ManifestLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<ModelManifest, ManifestLoaderError> {
        let path = load_context.path().clone_owned();
        if !is_manifest(&path) {
            let path = path.to_string();
            return Err(ManifestLoaderError::NotAManifest { path });
        }
        let load = self.tracker.begin(load_context);
        let mut bytes = Vec::new();
        // One byte more than the maximum, so that longer files are detected.
        let mut start = reader.take(MAX_TEXT_LENGTH as u64 + 1);
        if let Err(source) = start.read_to_end(&mut bytes).await {
            let path = path.to_string();
            return Err(ManifestLoaderError::Io { path, source });
        }
        load.add_input(&bytes);
        let mut search = self.finder.search_for(&load);
        let check = if settings.allow_missing_model {
            check_values
        } else {
            check
        };
        let read = read_with_bases(&bytes, &load, &mut search, load_context, check);
        let (sources, mut manifest) = read.await?;
        let mut finder = ManifestFileFinder {
            search,
            globs: Some(Globs::new()),
            sources: &sources,
            warnings: 0,
        };
        let model = if manifest.model.is_empty() {
            None
        } else {
            let formats = &self.preloader.formats;
            Some(finder.model(&mut manifest.model, formats).await?)
        };
        manifest.files = finder.all(&mut manifest, model).await;
        finder.finish();
        manifest.files.sources = Some(SharedSources(Arc::new(sources)));
        self.preloader.preload(load_context, &manifest);
        let scene = manifest_scene(path);
        load_context.add_labeled_asset(SCENE.to_owned(), scene);
        Ok(manifest)
    }
}

/// The settings of [`ManifestLoader`](crate::manifest::ManifestLoader).
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ManifestLoaderSettings {
    /// Loads a manifest that has no model, not even through a manifest that it extends. Otherwise that is an error. Nothing is
    /// spawned for it, so this is only useful for tools that check manifests which others extend. `false` by default.
    pub allow_missing_model: bool,
}

/// The maximum count of warnings about one manifest.
const MAX_WARNINGS: usize = 8;

/// Finds the files of one manifest.
struct ManifestFileFinder<'a> {
    search: FileSearch<'a>,
    /// `None` once the patterns have exceeded their limit.
    globs: Option<Globs>,
    sources: &'a Sources,
    /// The count of warnings so far.
    warnings: usize,
}

impl ManifestFileFinder<'_> {
    /// The path of the model.
    async fn model(
        &mut self,
        name: &mut String,
        formats: &ModelFormats,
    ) -> Result<AssetPath<'static>, ManifestLoaderError> {
        let source = self.sources.of(&[Field("model")]);
        let invalid = |message| source.error(Problem::new([Field("model")], message));
        let found = self.search.find_beside(&source.path, name);
        let model = found
            .await
            .map_err(|not_found| invalid(not_found.to_string()))?;
        if !formats.is_model(&model) {
            let message = formats.unknown_extension();
            return Err(invalid(format!("{model} {message}")));
        }
        self.rename(name, Some(&model), source);
        Ok(model)
    }

    /// The path of a file. Warns if the file is missing.
    async fn file(&mut self, value: &[Step<'_>], name: &str) -> Option<AssetPath<'static>> {
        let file = &self.sources.of(value).path;
        match self.search.find_beside(file, name).await {
            Ok(path) => Some(path),
            Err(not_found) => {
                self.warn(Problem::new(value.iter().copied(), not_found));
                None
            }
        }
    }

    /// Finds a file and adds its path to the table.
    async fn add(
        &mut self,
        value: &[Step<'_>],
        name: &mut String,
        files: &mut ManifestFiles,
    ) -> Option<AssetPath<'static>> {
        let found = self.file(value, name).await;
        self.rename(name, found.as_ref(), self.sources.of(value));
        files.named.insert(name.clone(), found.clone());
        found
    }

    /// Replaces a name by the path from the root of the asset source if the manifest extends another one, because equal
    /// names in two folders can be different files.
    fn rename(&self, name: &mut String, found: Option<&AssetPath<'static>>, source: &Source) {
        if self.sources.has_bases() {
            *name = match found {
                Some(path) => path.to_string(),
                None if split_source(name).is_some() => return,
                None => path_text(folder_of(source).join(clean_path(name))),
            };
        }
    }

    fn warn(&mut self, problem: Problem<'_>) {
        self.warnings += 1;
        if self.warnings <= MAX_WARNINGS {
            self.log(problem);
        }
    }

    fn log(&self, problem: Problem<'_>) {
        // In the form of compiler messages, so that terminals and editors can link to the position.
        warn!("{}", self.sources.of(&problem.steps).error(problem));
    }

    fn finish(self) {
        if let Some(others @ 1..) = self.warnings.checked_sub(MAX_WARNINGS) {
            let path = &self.sources.of(&[]).path;
            warn!("{path}: {others} more warnings are not logged");
        }
    }

    async fn all(
        &mut self,
        manifest: &mut ModelManifest,
        model: Option<AssetPath<'static>>,
    ) -> ManifestFiles {
        let mut files = match &model {
            Some(model) => ManifestFiles::of_model(&manifest.model, model.clone()),
            None => ManifestFiles::default(),
        };
        self.clips(manifest, model.as_ref(), &mut files).await;
        files.unknown_skin = self.unknown_skin(manifest);
        for name in &mut manifest.texture_folders {
            let source = self.sources.of(&[Field("texture_folders")]);
            let folders = texture_folders(name, source);
            self.rename(name, None, source);
            files.folders.insert(name.clone(), folders);
        }
        for (name, file) in &mut manifest.skins {
            let steps = [Field("skins"), Key(name)];
            self.add(&steps, file, &mut files).await;
        }
        if let Some(palette) = &mut manifest.palette {
            self.add(&[Field("palette")], palette, &mut files).await;
        }
        for (index, attachment) in manifest.attachments.iter_mut().enumerate() {
            let steps = [Field("attachments"), Element(index), Field("model")];
            self.add(&steps, &mut attachment.model, &mut files).await;
        }
        files
    }

    /// Finds the clips that are files.
    async fn clips(
        &mut self,
        manifest: &mut ModelManifest,
        model: Option<&AssetPath<'static>>,
        files: &mut ManifestFiles,
    ) {
        let mut count = 0;
        for (entry, clip) in manifest.clips.iter_mut().enumerate() {
            let Some(file) = &mut clip.file else {
                continue;
            };
            let steps = [Field("clips"), Element(entry), Field("file")];
            if is_glob(file) {
                let limit = MAX_CLIP_FILES - count;
                let found = self.pattern(steps, file, limit).await;
                count = MAX_CLIP_FILES.min(count + found.len());
                self.rename(file, None, self.sources.of(&steps));
                files.patterns.entry(file.clone()).or_insert(found);
            } else {
                let found = self.add(&steps, file, files).await;
                match found {
                    Some(path) if is_clip_file(&path, model) => {
                        count = MAX_CLIP_FILES.min(count + 1)
                    }
                    Some(path) => {
                        let message = format!("{path} is not a file of clips");
                        self.warn(Problem::new(steps, message));
                    }
                    None => {}
                }
            }
        }
    }

    /// The files that match a pattern, at most `limit` and one.
    async fn pattern(
        &mut self,
        steps: [Step<'_>; 3],
        pattern: &str,
        limit: usize,
    ) -> Vec<AssetPath<'static>> {
        let folder = folder_of(self.sources.of(&steps));
        let Some(globs) = &mut self.globs else {
            return Vec::new();
        };
        let found = globs.matching(&mut self.search, folder, pattern, limit);
        let Ok(found) = found.await else {
            self.globs = None;
            let message = "is skipped, as are all patterns after it: the search takes too long";
            self.log(Problem::new(steps, message));
            return Vec::new();
        };
        if found.is_empty() {
            self.warn(Problem::new(steps, format!("{pattern:?} matches no file")));
        } else if found.len() > limit {
            let message =
                format!("matches more than {MAX_CLIP_FILES} files; the others are ignored");
            self.warn(Problem::new(steps, message));
        }
        found
    }

    /// The name in the field `skin` if no skin has it. There is no such check for `play`, because it may be a clip of
    /// the model's file, which is not loaded here.
    fn unknown_skin(&mut self, manifest: &ModelManifest) -> Option<String> {
        let has_skin = |name: &str| manifest.skins.keys().any(|key| same_name(key, name));
        let name = as_name(&manifest.skin).filter(|name| !has_skin(name))?;
        let names = manifest.skins.keys().map(String::as_str);
        let alternatives = alternatives(name, "skins", names);
        let message = format!("is {name:?}, but `skins` has no entry of this name{alternatives}");
        self.warn(Problem::new([Field("skin")], message));
        Some(name.to_owned())
    }
}

fn folder_of(source: &Source) -> &Path {
    source.path.path().parent().unwrap_or(Path::new(""))
}

/// The possible paths of a texture folder: relative to the manifest, then to the root of the asset source. Only one with an
/// asset source.
fn texture_folders(name: &str, source: &Source) -> Vec<String> {
    let name = clean_source_path(name);
    if split_source(&name.to_string_lossy()).is_some() {
        return vec![path_text(name)];
    }
    let mut folders = Vec::from([folder_of(source).join(&name), name]);
    folders.dedup();
    folders.into_iter().map(path_text).collect()
}

fn path_text(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}
