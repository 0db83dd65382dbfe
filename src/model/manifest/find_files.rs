//! Reads the text of a manifest and finds the files that it names.

use super::check::{as_name, is_glob};
use super::files::ManifestFiles;
use super::glob::Globs;
use super::manifest_error::ManifestLoaderError;
use super::model_manifest::ModelManifest;
use super::preload::Preloader;
use super::problem::Problem;
use super::problem::Step::{self, Element, Field, Key};
use super::read::{MAX_TEXT_LENGTH, parse, text};
use super::resolve::MAX_CLIP_FILES;
use super::spawn::manifest_scene;
use crate::scene::{
    FileFinder, FileSearch, LoadTracker, ModelFormats, SCENE, clean_path, same_name,
};
use bevy::asset::io::Reader;
use bevy::asset::{AssetPath, LoadContext};
use bevy::ecs::world::World;
use bevy::log::warn;
use futures_lite::AsyncReadExt;
use std::path::{Path, PathBuf};

/// The maximum count of warnings about one manifest.
const MAX_WARNINGS: usize = 8;

/// Reads manifests and finds their files, for the manifest loader.
pub(super) struct ManifestReader {
    finder: FileFinder,
    tracker: LoadTracker,
    formats: ModelFormats,
}

impl ManifestReader {
    pub(super) fn of(world: &World) -> Self {
        Self {
            finder: FileFinder::of(world),
            tracker: LoadTracker::of(world),
            formats: world.resource::<ModelFormats>().clone(),
        }
    }

    /// Loads a manifest from its text.
    pub(super) async fn load(
        &self,
        preloader: &Preloader,
        reader: &mut dyn Reader,
        load_context: &mut LoadContext<'_>,
    ) -> Result<ModelManifest, ManifestLoaderError> {
        let path = load_context.path().clone_owned();
        let load = self.tracker.begin(load_context);
        let mut bytes = Vec::new();
        // One byte more than the maximum, so that longer files are detected.
        let mut start = reader.take(MAX_TEXT_LENGTH as u64 + 1);
        if let Err(source) = start.read_to_end(&mut bytes).await {
            let path = path.to_string();
            return Err(ManifestLoaderError::Io { path, source });
        }
        let invalid = |source| ManifestLoaderError::Manifest {
            path: path.to_string(),
            source,
        };
        load.add_input(&bytes);
        let mut manifest = parse(&bytes).map_err(invalid)?;
        let text = text(&bytes).map_err(invalid)?;
        let mut finder = ManifestFileFinder {
            search: self.finder.search_for(&load),
            globs: Some(Globs::new()),
            path: &path,
            text,
            warnings: 0,
        };
        let model = match finder.search.find(&manifest.model, &[]).await {
            Ok(model) => model,
            Err(not_found) => {
                let problem = Problem::new([Field("model")], not_found).in_text(text);
                return Err(invalid(problem));
            }
        };
        if !self.formats.is_model(&model) {
            let message = self.formats.unknown_extension(&model);
            return Err(invalid(
                Problem::new([Field("model")], message).in_text(text),
            ));
        }
        manifest.files = finder.all(&manifest, model).await;
        finder.finish();
        preloader.preload(load_context, &manifest);
        let scene = manifest_scene(path);
        load_context.add_labeled_asset(SCENE.to_owned(), scene);
        Ok(manifest)
    }
}

/// Finds the files of one manifest.
struct ManifestFileFinder<'a> {
    search: FileSearch<'a>,
    /// `None` once the patterns have exceeded their limit.
    globs: Option<Globs>,
    path: &'a AssetPath<'static>,
    text: &'a str,
    /// The count of warnings so far.
    warnings: usize,
}

impl<'f> ManifestFileFinder<'f> {
    fn folder(&self) -> &'f Path {
        self.path.path().parent().unwrap_or(Path::new(""))
    }

    /// The path of a file. Warns if the file is missing.
    async fn file<'a>(
        &mut self,
        steps: impl IntoIterator<Item = Step<'a>>,
        name: &str,
    ) -> Option<AssetPath<'static>> {
        match self.search.find(name, &[]).await {
            Ok(path) => Some(path),
            Err(not_found) => {
                self.warn(Problem::new(steps, not_found));
                None
            }
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
        warn!("{}:{}", self.path, problem.in_text(self.text));
    }

    fn finish(self) {
        if let Some(others @ 1..) = self.warnings.checked_sub(MAX_WARNINGS) {
            warn!("{}: {others} more warnings are not logged", self.path);
        }
    }

    async fn all(&mut self, manifest: &ModelManifest, model: AssetPath<'static>) -> ManifestFiles {
        let mut files = ManifestFiles::of_model(&manifest.model, model);
        self.clips(manifest, &mut files).await;
        files.unknown_skin = self.unknown_skin(manifest);
        for name in &manifest.texture_folders {
            let folders = self.texture_folders(name);
            files.folders.insert(name.clone(), folders);
        }
        for (name, file) in &manifest.skins {
            let path = self.file([Field("skins"), Key(name)], file).await;
            files.named.insert(file.clone(), path);
        }
        if let Some(palette) = &manifest.palette {
            let path = self.file([Field("palette")], palette).await;
            files.named.insert(palette.clone(), path);
        }
        for (index, attachment) in manifest.attachments.iter().enumerate() {
            let steps = [Field("attachments"), Element(index), Field("model")];
            let path = self.file(steps, &attachment.model).await;
            files.named.insert(attachment.model.clone(), path);
        }
        files
    }

    /// The possible paths of a texture folder: relative to the manifest, then to the root of the asset source.
    fn texture_folders(&self, name: &str) -> Vec<String> {
        let name = clean_path(name);
        let mut folders = Vec::from([self.folder().join(&name), name]);
        folders.dedup();
        let text = |folder: PathBuf| folder.to_string_lossy().into_owned();
        folders.into_iter().map(text).collect()
    }

    /// Finds the clips that are files.
    async fn clips(&mut self, manifest: &ModelManifest, files: &mut ManifestFiles) {
        let mut count = 0;
        for (entry, clip) in manifest.clips.iter().enumerate() {
            let Some(file) = &clip.file else {
                continue;
            };
            let steps = [Field("clips"), Element(entry), Field("file")];
            if is_glob(file) {
                let found = self.pattern(steps, file, MAX_CLIP_FILES - count).await;
                count = MAX_CLIP_FILES.min(count + found.len());
                files.patterns.entry(file.clone()).or_insert(found);
            } else {
                let path = self.file(steps, file).await;
                count = MAX_CLIP_FILES.min(count + usize::from(path.is_some()));
                files.named.insert(file.clone(), path);
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
        let folder = self.folder();
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
        let message = format!("is {name:?}, but `skins` has no entry of this name");
        self.warn(Problem::new([Field("skin")], message));
        Some(name.to_owned())
    }
}
