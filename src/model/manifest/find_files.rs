//! Reads the text of a manifest, and finds the files that it names.

use super::check::{is_glob, name_of};
use super::files::ManifestFiles;
use super::glob::Globs;
use super::loader::ManifestLoaderError;
use super::manifest::ModelManifest;
use super::preload::Preloader;
use super::problem::Flaw;
use super::problem::Step::{self, Element, Field, Key};
use super::read::{LONGEST_TEXT, parse, text};
use super::resolve::MOST_CLIPS;
use super::spawn::manifest_scene;
use crate::scene::ModelFormats;
use crate::scene::{FileFinder, FileSearch, LoadTracker, clean_path, same_name};
use bevy::asset::io::Reader;
use bevy::asset::{AssetPath, LoadContext};
use bevy::ecs::world::World;
use bevy::log::warn;
use futures_lite::AsyncReadExt;
use std::path::{Path, PathBuf};

/// How many missing files are logged for one manifest.
const MOST_WARNINGS: usize = 8;

/// What the loader of manifests reads their files with.
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
        // One byte more shows that the file is longer.
        let mut start = reader.take(LONGEST_TEXT as u64 + 1);
        if let Err(source) = start.read_to_end(&mut bytes).await {
            let path = path.to_string();
            return Err(ManifestLoaderError::Io { path, source });
        }
        let refused = |source| ManifestLoaderError::Manifest {
            path: path.to_string(),
            source,
        };
        load.reads(&bytes);
        let mut manifest = parse(&bytes).map_err(refused)?;
        let text = text(&bytes).map_err(refused)?;
        let mut finding = Finding {
            search: self.finder.search_for(&load),
            globs: Some(Globs::new()),
            path: &path,
            text,
            flaws: 0,
        };
        let model = match finding.search.find(&manifest.model, &[]).await {
            Ok(model) => model,
            Err(not_found) => {
                let flaw = Flaw::new([Field("model")], not_found).in_text(text);
                return Err(refused(flaw));
            }
        };
        if !self.formats.has(&model) {
            let message = self.formats.unknown(&model);
            return Err(refused(Flaw::new([Field("model")], message).in_text(text)));
        }
        manifest.files = finding.all(&manifest, model).await;
        finding.finish();
        preloader.preload(load_context, &manifest);
        let scene = manifest_scene(path);
        load_context.add_labeled_asset("Scene".to_owned(), scene);
        Ok(manifest)
    }
}

/// The search for the files of one manifest.
struct Finding<'a> {
    search: FileSearch<'a>,
    /// `None` once the patterns have taken too long.
    globs: Option<Globs>,
    path: &'a AssetPath<'static>,
    text: &'a str,
    /// How many warnings there were.
    flaws: usize,
}

impl<'f> Finding<'f> {
    fn folder(&self) -> &'f Path {
        self.path.path().parent().unwrap_or(Path::new(""))
    }

    /// Where a file is; where it is nowhere there is a warning.
    async fn file<'a>(
        &mut self,
        steps: impl IntoIterator<Item = Step<'a>>,
        name: &str,
    ) -> Option<AssetPath<'static>> {
        match self.search.find(name, &[]).await {
            Ok(path) => Some(path),
            Err(not_found) => {
                self.warn(Flaw::new(steps, not_found));
                None
            }
        }
    }

    fn warn(&mut self, flaw: Flaw<'_>) {
        self.flaws += 1;
        if self.flaws <= MOST_WARNINGS {
            self.tell(flaw);
        }
    }

    fn tell(&self, flaw: Flaw<'_>) {
        // As compilers do, so that terminals and editors find the place.
        warn!("{}:{}", self.path, flaw.in_text(self.text));
    }

    fn finish(self) {
        if let Some(others @ 1..) = self.flaws.checked_sub(MOST_WARNINGS) {
            warn!("{}: so it is with {others} more", self.path);
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

    /// A folder as one beside the manifest, then as one below the root.
    fn texture_folders(&self, name: &str) -> Vec<String> {
        let name = clean_path(name);
        let mut folders = Vec::from([self.folder().join(&name), name]);
        folders.dedup();
        let text = |folder: PathBuf| folder.to_string_lossy().into_owned();
        folders.into_iter().map(text).collect()
    }

    /// Clips that are files.
    async fn clips(&mut self, manifest: &ModelManifest, files: &mut ManifestFiles) {
        let mut count = 0;
        for (entry, clip) in manifest.clips.iter().enumerate() {
            let Some(file) = &clip.file else {
                continue;
            };
            let steps = [Field("clips"), Element(entry), Field("file")];
            if is_glob(file) {
                let found = self.pattern(steps, file, MOST_CLIPS - count).await;
                count = MOST_CLIPS.min(count + found.len());
                files.patterns.entry(file.clone()).or_insert(found);
            } else {
                let path = self.file(steps, file).await;
                count = MOST_CLIPS.min(count + usize::from(path.is_some()));
                files.named.insert(file.clone(), path);
            }
        }
    }

    /// The files that fit a pattern.
    async fn pattern(
        &mut self,
        steps: [Step<'_>; 3],
        pattern: &str,
        room: usize,
    ) -> Vec<AssetPath<'static>> {
        let folder = self.folder();
        let Some(globs) = &mut self.globs else {
            return Vec::new();
        };
        let found = globs.matching(&mut self.search, folder, pattern, room);
        let Ok(found) = found.await else {
            self.globs = None;
            let message = "is left out, as are all patterns after it: \
                           to look for what fits takes too long";
            self.tell(Flaw::new(steps, message));
            return Vec::new();
        };
        if found.is_empty() {
            self.warn(Flaw::new(steps, format!("{pattern:?} fits no file")));
        } else if found.len() > room {
            let message = format!("fits more than {MOST_CLIPS} files, and the others are left out");
            self.warn(Flaw::new(steps, message));
        }
        found
    }

    /// A skin that is chosen by a name which none has. A clip may have that of one of the model's own, which are
    /// not known here.
    fn unknown_skin(&mut self, manifest: &ModelManifest) -> Option<String> {
        let has_skin = |name: &str| manifest.skins.keys().any(|key| same_name(key, name));
        let name = name_of(&manifest.skin).filter(|name| !has_skin(name))?;
        let message = format!("is {name:?}, which none of `skins` is called");
        self.warn(Flaw::new([Field("skin")], message));
        Some(name.to_owned())
    }
}
