//! Finds the files that a model names: without regard to case, in the folders the games used.
//!
//! Game files name other files as Windows let them: in any case, with backslashes, sometimes with a
//! path of the author's disk. What is found is told under the name the disk has, because the asset
//! server's watcher knows no other. When two names are the same, [`matching`](super::matching) says; of several
//! files of one name the one that is spelled as it is looked for counts, else the first by order.
//! Listings of large folders are shared by loads: see `listings`.
//! A source that cannot be listed, as a web server, is asked for each place as it is spelled, with the
//! file's name in lower case, and all in lower case.

mod candidates;
mod entries;
mod folders;
mod frames;
mod listings;
mod names;
mod source_index;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod starts;
#[cfg(test)]
mod tests;

pub(crate) use candidates::clean_path;
#[cfg(feature = "lithtech")]
pub(crate) use candidates::in_kinds;
pub(crate) use listings::Listings;

use crate::scene::concurrent_loads::{ConcurrentLoads, Inputs, RunningLoad};
use crate::scene::labels::scene_path;
use crate::scene::watch::{FileQueries, MissingFileIndex};
use bevy::app::{App, PreUpdate};
#[cfg(not(any(target_arch = "wasm32", target_os = "android")))]
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::io::{AssetSource, ErasedAssetReader};
use bevy::asset::processor::AssetProcessor;
use bevy::asset::{AssetPath, AssetServer, AssetServerMode};
use bevy::ecs::world::World;
use bevy::platform::time::Instant;
use candidates::{as_named, as_picture, candidates, in_folder, names};
use frames::{FrameWakers, wake_tasks};
use futures_lite::AsyncReadExt;
use listings::check_aged_listings;
use source_index::Disk;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Looks for files beside models. Loaders keep one.
#[derive(Clone)]
pub struct FileFinder {
    server: AssetServer,
    /// Where it is told what was looked for, if anybody follows files that come later.
    wishes: Option<MissingFileIndex>,
    /// The asset processor, if it runs in this app.
    processor: Option<AssetProcessor>,
    frames: FrameWakers,
    listings: Listings,
}

/// A file that a model names is nowhere.
#[derive(Debug, Error)]
#[error("\"{name}\" was not found; looked for {}", tried.join(", "))]
pub struct NotFound {
    /// The name, as the model or the settings have it.
    pub name: String,
    /// The paths that do not exist.
    pub tried: Vec<String>,
}

impl FileFinder {
    /// Searches through the sources of this server.
    pub fn new(server: AssetServer) -> Self {
        Self {
            server,
            wishes: None,
            processor: None,
            frames: FrameWakers::default(),
            listings: Listings::default(),
        }
    }

    /// For a loader: models that it loads are loaded anew when a file comes that they would have taken.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            server: world.resource::<AssetServer>().clone(),
            wishes: world.get_resource::<MissingFileIndex>().cloned(),
            processor: world.get_resource::<AssetProcessor>().cloned(),
            frames: world.resource::<FrameWakers>().clone(),
            listings: world.resource::<Listings>().clone(),
        }
    }

    /// The asset path of the first file that exists, under the name that the disk has.
    ///
    /// Folders are searched in this order: the model's own, its sibling `Textures`, each of
    /// `folders` (from the root of the asset source), the root. In each, `name` is tried as it is,
    /// then without its directories.
    ///
    /// # Errors
    /// [`NotFound`] with everything that was tried. Nothing outside the asset source is looked at:
    /// drives, leading slashes and `..` in `name` are ignored.
    pub async fn find(
        &self,
        model: &AssetPath<'_>,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        self.search(model).find(name, folders).await
    }

    /// As [`find`](Self::find), for a picture, which may be there under another extension: in each
    /// place `name` is tried as it is, then as `.dds`, then as `.tga`.
    ///
    /// A name without an extension is tried under those two alone. Models that say "none" where
    /// they wear nothing are the caller's to know.
    ///
    /// # Errors
    /// [`NotFound`] as [`find`](Self::find) has it.
    pub async fn find_texture(
        &self,
        model: &AssetPath<'_>,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        self.search(model).find_texture(name, folders).await
    }

    /// Whether a file can be read and begins with these bytes.
    ///
    /// Nothing is loaded anew when that changes.
    pub async fn begins_with(&self, path: &AssetPath<'_>, expected: &[u8]) -> bool {
        let found = self.start(path, expected.len()).await;
        found.is_some_and(|found| found == expected)
    }

    /// The first bytes of a file; `None` if it has not so many, or cannot be read.
    pub(crate) async fn start(&self, path: &AssetPath<'_>, length: usize) -> Option<Vec<u8>> {
        self.start_of(path, length, self.is_processed()).await
    }

    async fn start_of(
        &self,
        path: &AssetPath<'_>,
        length: usize,
        is_processed: bool,
    ) -> Option<Vec<u8>> {
        let source = self.server.get_source(path.source()).ok()?;
        let reader = reader(source, is_processed)?;
        let mut file = reader.read(path.path()).await.ok()?;
        let mut found = vec![0; length];
        file.read_exact(&mut found).await.ok()?;
        Some(found)
    }

    fn is_processed(&self) -> bool {
        matches!(self.server.mode(), AssetServerMode::Processed)
    }

    /// Begins a search for several files of one model, in which each folder is listed at most once.
    ///
    /// A loader does all its looking in one search, at whose end is known which files, should they
    /// come, are reason to load the model anew.
    pub fn search(&self, model: &AssetPath<'_>) -> FileSearch<'_> {
        self.begin(model.clone_owned(), None)
    }

    /// As [`search`](Self::search), for a load. Inside the asset processor it searches the unprocessed source, because
    /// the processor waits for the load.
    pub(crate) fn search_for(&self, load: &RunningLoad) -> FileSearch<'_> {
        self.begin(load.path().clone(), Some(load))
    }

    fn begin(&self, model: AssetPath<'static>, load: Option<&RunningLoad>) -> FileSearch<'_> {
        let is_processing = load.is_some_and(RunningLoad::is_processing);
        let is_processed = self.is_processed() && !is_processing;
        let source = self.server.get_source(model.source()).ok();
        let processor = self.processor.as_ref().filter(|_| is_processed);
        let lists_processed = is_processed && processor.is_none();
        let readers = source.and_then(|source| {
            let lister = reader(source, lists_processed)?;
            Some((reader(source, is_processed)?, lister))
        });
        let disk = readers.map(|(reader, lister)| Disk {
            reader,
            lister,
            processor: processor.map(|processor| (processor, &self.frames)),
            listings: &self.listings,
            is_processed: lists_processed,
            model: model.clone(),
            is_reload: is_known(&self.server, &model),
            since: Instant::now(),
            folders: HashMap::new(),
        });
        FileSearch {
            finder: self,
            model,
            disk,
            inputs: load.map(|load| load.inputs().clone()).unwrap_or_default(),
            hopes: self
                .wishes
                .as_ref()
                .filter(|_| !is_processing)
                .map(|_| FileQueries::default()),
        }
    }
}

fn reader(source: &AssetSource, is_processed: bool) -> Option<&dyn ErasedAssetReader> {
    match is_processed {
        true => source.processed_reader().ok(),
        false => Some(source.reader()),
    }
}

/// Whether a load of a model has ended before.
fn is_known(server: &AssetServer, model: &AssetPath<'static>) -> bool {
    let scene = scene_path(model);
    let ids = server.get_path_ids(model).into_iter();
    let mut ids = ids.chain(server.get_path_ids(scene));
    ids.any(|id| {
        let state = server.load_state(id);
        state.is_loaded() || state.is_failed()
    })
}

/// Registers what searches need.
pub(super) fn register(app: &mut App) {
    let roots = roots(app);
    let loads = app.world().resource::<ConcurrentLoads>().clone();
    app.insert_resource(Listings::new(roots, loads))
        .init_resource::<FrameWakers>()
        .add_systems(PreUpdate, (wake_tasks, check_aged_listings));
}

/// Where the files of the default source are on disk if it is Bevy's, and those that the asset processor has made.
#[cfg(not(any(target_arch = "wasm32", target_os = "android")))]
fn roots(app: &App) -> [Option<PathBuf>; 2] {
    let plugins = app.get_added_plugins::<bevy::asset::AssetPlugin>();
    let folder = |path: &String| FileAssetReader::get_base_path().join(path);
    let plugin = plugins.first();
    [
        plugin.map(|plugin| folder(&plugin.file_path)),
        plugin.map(|plugin| folder(&plugin.processed_file_path)),
    ]
}

#[cfg(any(target_arch = "wasm32", target_os = "android"))]
fn roots(_: &App) -> [Option<PathBuf>; 2] {
    [None, None]
}

/// A search for several files of one model: see [`FileFinder::search`].
pub struct FileSearch<'a> {
    finder: &'a FileFinder,
    model: AssetPath<'static>,
    /// `None` if there is no such asset source.
    disk: Option<Disk<'a>>,
    /// What the load has found.
    inputs: Inputs,
    /// What would have been taken, had it been there. `None` inside the asset processor, and if no files are watched.
    hopes: Option<FileQueries>,
}

impl Drop for FileSearch<'_> {
    fn drop(&mut self) {
        if let (Some(wishes), Some(hopes)) = (&self.finder.wishes, self.hopes.take()) {
            wishes.renew(&self.model, hopes, &self.finder.server);
        }
    }
}

impl FileSearch<'_> {
    /// As [`FileFinder::find`].
    ///
    /// # Errors
    /// [`NotFound`] with everything that was tried.
    pub async fn find(
        &mut self,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        self.find_variant(name, folders, as_named).await
    }

    /// As [`FileFinder::find_texture`].
    ///
    /// # Errors
    /// [`NotFound`] with everything that was tried.
    pub async fn find_texture(
        &mut self,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        self.find_texture_from(None, name, folders).await
    }

    /// As [`find_texture`](Self::find_texture), but looks into one folder before all others.
    pub(crate) async fn find_texture_from(
        &mut self,
        first: Option<&str>,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        let mut all = Vec::new();
        if let Some(first) = first {
            in_folder(&clean_path(first), &names(name, as_picture), &mut all);
        }
        let others = candidates(self.model.path(), name, folders, as_picture);
        in_folder(Path::new(""), &others, &mut all);
        self.first(name, &all).await
    }

    /// As [`find`](Self::find), under each of the names that `variants` returns for a name.
    pub(crate) async fn find_variant(
        &mut self,
        name: &str,
        folders: &[String],
        variants: fn(&Path) -> Vec<PathBuf>,
    ) -> Result<AssetPath<'static>, NotFound> {
        let candidates = candidates(self.model.path(), name, folders, variants);
        self.first(name, &candidates).await
    }

    /// The files of some extensions in the model's own folder, then in each of `folders` (from the
    /// root of the asset source): each folder's by name, under the names that the disk has.
    ///
    /// Nothing where the source cannot be listed: a web server cannot, nor can Bevy list what is
    /// outside its root.
    pub async fn files(
        &mut self,
        folders: &[String],
        extensions: &[&str],
    ) -> Vec<AssetPath<'static>> {
        self.files_beginning("", folders, extensions).await
    }

    /// As [`files`](Self::files), but the caller uses none whose names do not begin with `prefix`, in
    /// any case: they may be told all the same, but when others come that is no reason to load the
    /// model anew.
    pub(crate) async fn files_beginning(
        &mut self,
        prefix: &str,
        folders: &[String],
        extensions: &[&str],
    ) -> Vec<AssetPath<'static>> {
        let own = self.model.path().parent().unwrap_or(Path::new(""));
        let mut found: Vec<PathBuf> = Vec::new();
        let mut known = HashSet::new();
        let folders = folders.iter().map(|folder| clean_path(folder));
        for folder in core::iter::once(own.to_path_buf()).chain(folders) {
            let Some(disk) = &mut self.disk else {
                break;
            };
            if let Some(hopes) = &mut self.hopes {
                hopes.list(&folder, prefix, extensions);
            }
            for path in disk.files_beginning(&folder, prefix, extensions).await {
                if known.insert(path.clone()) {
                    found.push(path);
                }
            }
        }
        self.inputs.add(&found);
        found.into_iter().map(|path| self.asset(path)).collect()
    }

    /// A path from the root of the asset source as one of the model's source.
    pub(crate) fn asset(&self, path: PathBuf) -> AssetPath<'static> {
        AssetPath::from(path).with_source(self.model.source().clone_owned())
    }

    /// Tells that the model is made of a file that nobody holds as an asset.
    #[cfg(feature = "quake")]
    pub(crate) fn reads(&mut self, path: &AssetPath<'_>) {
        if let Some(hopes) = &mut self.hopes {
            hopes.read(path.path());
        }
    }

    /// Tells that a file is there, but of no use as it is.
    pub(crate) fn cannot_use(&mut self, path: &Path) {
        if let Some(hopes) = &mut self.hopes {
            hopes.miss(path);
        }
    }

    /// The first of some paths from the root of the asset source that exists, in any case, under the name that the disk
    /// has.
    pub(crate) async fn first(
        &mut self,
        name: &str,
        candidates: &[PathBuf],
    ) -> Result<AssetPath<'static>, NotFound> {
        for candidate in candidates {
            let Some(disk) = &mut self.disk else {
                break;
            };
            if let Some(found) = disk.find(candidate).await {
                self.inputs.add(&found);
                return Ok(self.asset(found));
            }
            self.cannot_use(candidate);
        }
        let tried = candidates.iter().map(|path| path.display().to_string());
        Err(NotFound {
            name: name.to_owned(),
            tried: tried.collect(),
        })
    }
}
