//! Finds the files that a model names: case-insensitively, in the folders that the games used.
//!
//! Game files name other files by the rules of Windows: in any case, with backslashes, sometimes with an absolute path
//! of the author's disk (`paths`). [`names`](crate::load::names) compares names. If several files match, an exact match is
//! preferred, otherwise the first in sort order. Results have the names as stored on disk, because the asset server's
//! watcher recognizes only these.
//!
//! Loads share the indices of folders: see `folder_index`.
//!
//! If a source cannot be listed, such as a web server, three spellings of each candidate are requested: as spelled,
//! with the file's name in lower case, and entirely in lower case. An HTML page in place of a file counts as missing.

pub(crate) mod folder_index;
pub(crate) mod paths;

#[cfg(test)]
mod tests;

use crate::load::concurrent::{Inputs, RunningLoad};
use crate::load::find::folder_index::SourceIndex;
use crate::load::find::folder_index::{FolderIndex, SourceFolders, remove_untimed};
use crate::load::find::paths::{
    as_named, as_texture, candidates, clean_source_path, in_source, split_source,
};
use crate::load::watch::missing_files::is_archive_source;
use crate::load::watch::missing_files::{FileQueries, MissingFileIndex};
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::io::{AssetSource, AssetSourceId, ErasedAssetReader};
use bevy::asset::processor::AssetProcessor;
use bevy::asset::{AssetPath, AssetServerMode};
use bevy::prelude::*;
#[cfg(not(any(target_arch = "wasm32", target_os = "android")))]
use futures_lite::AsyncReadExt;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Finds files that models name. Each loader holds a clone.
#[derive(Clone)]
pub(crate) struct FileFinder {
    server: AssetServer,
    /// Records the queries of each model, if files are watched.
    missing_files: Option<MissingFileIndex>,
    /// Whether assets are processed while the app runs.
    has_processor: bool,
    /// `None` if each search lists the folders itself.
    folders: Option<SourceFolders>,
}

/// The error for a file that was not found.
#[derive(Debug, Error)]
#[error("\"{name}\" was not found; tried {}", tried.join(", "))]
pub(crate) struct NotFound {
    /// The name in the model or in the settings.
    name: String,
    /// The candidate paths; none of them exists.
    tried: Vec<String>,
}

impl FileFinder {
    /// Creates a finder for the asset sources of a server.
    pub(crate) fn new(server: AssetServer) -> Self {
        Self {
            server,
            missing_files: None,
            has_processor: false,
            folders: None,
        }
    }

    /// The finder of this app, for a loader. A model is reloaded when a missing file is added that it searched for.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            server: world.resource::<AssetServer>().clone(),
            missing_files: world.get_resource::<MissingFileIndex>().cloned(),
            has_processor: world.contains_resource::<AssetProcessor>(),
            folders: Some(world.resource::<SourceFolders>().clone()),
        }
    }

    /// The first `length` bytes of a file; `None` if it is shorter or cannot be read.
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

    /// Begins a search for several files of one model, in which each folder is listed at most once. Inside the asset processor
    /// it searches the unprocessed source, because the processor waits for the load.
    ///
    /// A loader must use one search per load. When the search is dropped, its queries replace those of the previous
    /// load; they determine which added files reload the model.
    pub(crate) fn search_for(&self, load: &RunningLoad) -> FileSearch<'_> {
        self.begin(load.path().clone(), Some(load))
    }

    fn begin(&self, model: AssetPath<'static>, load: Option<&RunningLoad>) -> FileSearch<'_> {
        let is_processing = load.is_some_and(RunningLoad::is_processing);
        let is_processed = self.is_processed() && !is_processing;
        FileSearch {
            finder: self,
            index: self.index(model.source(), is_processed),
            others: HashMap::new(),
            model,
            is_processed,
            inputs: load.map(|load| load.inputs().clone()).unwrap_or_default(),
            queries: self
                .missing_files
                .as_ref()
                .filter(|_| !is_processing)
                .map(|_| Default::default()),
        }
    }

    /// `None` if there is no such asset source.
    fn index(&self, source: &AssetSourceId<'_>, is_processed: bool) -> Option<SourceIndex<'_>> {
        let found = self.server.get_source(source).ok()?;
        // The processor does not know files of sources that it does not process, such as archives.
        let has_processor = self.has_processor && found.should_process();
        let lists_processed = is_processed && !has_processor;
        Some(SourceIndex {
            reader: reader(found, is_processed)?,
            lister: reader(found, lists_processed)?,
            shared: self.folders.clone().unwrap_or_default(),
            source: source.clone_owned(),
            folders: HashMap::new(),
        })
    }
}

fn reader(source: &AssetSource, is_processed: bool) -> Option<&dyn ErasedAssetReader> {
    if is_processed {
        source.processed_reader().ok()
    } else {
        Some(source.reader())
    }
}

/// Registers the resources and systems of searches.
pub(crate) fn register(app: &mut App) {
    let is_archive = is_archive_source(app, AssetSourceId::Default);
    let root = if is_archive { None } else { root(app) };
    app.insert_resource(SourceFolders::new(root))
        .add_systems(PreUpdate, remove_untimed);
}

/// The folder on disk that is listed for the default source, if Bevy's `AssetPlugin` is used. The asset processor's
/// output is listed only in an app without a processor.
#[cfg(not(any(target_arch = "wasm32", target_os = "android")))]
fn root(app: &App) -> Option<PathBuf> {
    let plugin = *app
        .get_added_plugins::<bevy::asset::AssetPlugin>()
        .first()?;
    let mode = app.world().resource::<AssetServer>().mode();
    let has_processor = app.world().contains_resource::<AssetProcessor>();
    let path = match mode {
        AssetServerMode::Processed if !has_processor => &plugin.processed_file_path,
        _ => &plugin.file_path,
    };
    Some(FileAssetReader::get_base_path().join(path))
}

#[cfg(any(target_arch = "wasm32", target_os = "android"))]
fn root(_: &App) -> Option<PathBuf> {
    None
}

/// A search for several files of one model: see [`FileFinder::search_for`].
pub(crate) struct FileSearch<'a> {
    finder: &'a FileFinder,
    model: AssetPath<'static>,
    /// `None` if there is no such asset source.
    index: Option<SourceIndex<'a>>,
    /// Other sources that paths of manifests name. Added files of these do not reload the model.
    others: HashMap<String, Option<SourceIndex<'a>>>,
    /// Whether files are read from the output of the asset processor.
    is_processed: bool,
    /// The hash of the results, which the load depends on.
    inputs: Inputs,
    /// The recorded queries. `None` inside the asset processor, and if no files are watched.
    queries: Option<FileQueries>,
}

impl Drop for FileSearch<'_> {
    fn drop(&mut self) {
        if let (Some(missing_files), Some(queries)) =
            (&self.finder.missing_files, self.queries.take())
        {
            missing_files.replace(&self.model, queries, &self.finder.server);
        }
    }
}

impl<'a> FileSearch<'a> {
    /// The index of the asset source that a path begins with, otherwise of the model's source, and the path in it.
    fn index_of<'p>(&mut self, path: &'p Path) -> (Option<&mut SourceIndex<'a>>, &'p Path) {
        let Some((source, rest)) = path.to_str().and_then(split_source) else {
            return (self.index.as_mut(), path);
        };
        let other = self.others.entry(source.to_owned()).or_insert_with(|| {
            let id = AssetSourceId::from(source.to_owned());
            self.finder.index(&id, self.is_processed)
        });
        (other.as_mut(), Path::new(rest))
    }

    /// The asset path of the first candidate that exists, with the names as stored on disk.
    ///
    /// Folders are searched in this order: the model's own, its sibling `Textures`, each of
    /// `folders` (from the root of the asset source), the root. In each, `name` is tried unchanged,
    /// then without its directories.
    ///
    /// # Errors
    /// [`NotFound`] with all candidates. The search never leaves the asset source: drives, leading slashes and `..` in
    /// `name` are ignored.
    pub(crate) async fn find(
        &mut self,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        self.find_variant(name, folders, as_named).await
    }

    /// Like [`find`](Self::find), but with the folder of `file` in place of the model's own. Both are in one asset source.
    /// A name with an asset source is searched from the root of that source only.
    pub(crate) async fn find_beside(
        &mut self,
        file: &AssetPath<'_>,
        name: &str,
    ) -> Result<AssetPath<'static>, NotFound> {
        let candidates = match split_source(name) {
            Some(_) => vec![clean_source_path(name)],
            None => candidates(file.path(), None, name, &[], as_named),
        };
        self.find_first(name, &candidates).await
    }

    /// Like [`find`](Self::find), for a texture, which can have a different extension. In each folder, `name` is tried
    /// unchanged, then with `.dds`, then with `.tga`.
    ///
    /// A name without the extension of an image is tried only with these two. The caller must handle placeholder names
    /// such as "none".
    ///
    /// # Errors
    /// [`NotFound`] as for [`find`](Self::find).
    pub(crate) async fn find_texture(
        &mut self,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        self.find_texture_from(None, name, folders).await
    }

    /// Like [`find_texture`](Self::find_texture), but searches the folder `first` before all others.
    pub(crate) async fn find_texture_from(
        &mut self,
        first: Option<&str>,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        let candidates = candidates(self.model.path(), first, name, folders, as_texture);
        self.find_first(name, &candidates).await
    }

    /// Like [`find`](Self::find), but tries each of the names that `variants` returns for a name.
    pub(crate) async fn find_variant(
        &mut self,
        name: &str,
        folders: &[String],
        variants: fn(&Path) -> Vec<PathBuf>,
    ) -> Result<AssetPath<'static>, NotFound> {
        let candidates = candidates(self.model.path(), None, name, folders, variants);
        self.find_first(name, &candidates).await
    }

    /// The files with these extensions that begin with `prefix` (case-insensitive) in the model's own folder, then in each of
    /// `folders` (from the root of the asset source). The files of a folder are sorted by name, with the names as stored on
    /// disk. Other added files do not reload the model.
    ///
    /// Empty if the source cannot be listed: for a web server, or for a model outside Bevy's asset root.
    pub(crate) async fn files_beginning(
        &mut self,
        prefix: &str,
        folders: &[String],
        extensions: &[impl AsRef<str>],
    ) -> Vec<AssetPath<'static>> {
        let own = self.model.path().parent().unwrap_or(Path::new(""));
        let mut found: Vec<PathBuf> = Vec::new();
        let mut unique = HashSet::new();
        let folders = folders.iter().map(|folder| clean_source_path(folder));
        for folder in core::iter::once(own.to_path_buf()).chain(folders) {
            if let Some(queries) = &mut self.queries {
                queries.add_listing(&folder, prefix, extensions);
            }
            let (Some(index), within) = self.index_of(&folder) else {
                continue;
            };
            for path in index.files_beginning(within, prefix, extensions).await {
                let path = in_source_of(&folder, path);
                if unique.insert(path.clone()) {
                    found.push(path);
                }
            }
        }
        self.inputs.add(&found);
        found
            .into_iter()
            .map(|path| self.asset_path(path))
            .collect()
    }

    /// The files and folders in a folder, sorted by name, with the names as stored on disk. Paths are relative to the
    /// root of the asset source. Empty if the source cannot be listed.
    pub(crate) async fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        let names = |index: &FolderIndex| {
            let entries = index.entries().iter();
            entries.map(|entry| entry.name.clone()).collect()
        };
        let entries = match self.index_of(folder) {
            (Some(index), within) => index.paths(within, names).await,
            _ => Vec::new(),
        };
        self.inputs.add(&entries);
        let entries = entries.into_iter();
        entries.map(|path| in_source_of(folder, path)).collect()
    }

    /// Whether a path that [`entries`](Self::entries) returned is a folder.
    pub(crate) async fn is_folder(&mut self, path: &Path) -> bool {
        match self.index_of(path) {
            (Some(index), within) => index.is_folder(within).await,
            _ => false,
        }
    }

    /// Reloads the model when a file is added whose path relative to `folder` matches these patterns, component by
    /// component.
    pub(crate) fn watch_patterns(&mut self, folder: &Path, patterns: &[&str]) {
        if let Some(queries) = &mut self.queries {
            queries.add_patterns(folder, patterns);
        }
    }

    /// The first `length` bytes of a file; `None` if it is shorter or cannot be read. The model is reloaded when they
    /// change.
    pub(crate) async fn start(&mut self, path: &AssetPath<'_>, length: usize) -> Option<Vec<u8>> {
        let start = self.finder.start_of(path, length, self.is_processed);
        let found = start.await;
        self.inputs.add(&found);
        if let Some(queries) = &mut self.queries {
            queries.add_start(path.path(), length, found.clone());
        }
        found
    }

    /// Converts a path from the root of the asset source to an asset path in the source that it begins with, otherwise in
    /// the model's source.
    pub(crate) fn asset_path(&self, path: PathBuf) -> AssetPath<'static> {
        if let Some((source, rest)) = path.to_str().and_then(split_source) {
            return AssetPath::from(PathBuf::from(rest)).with_source(source.to_owned());
        }
        AssetPath::from(path).with_source(self.model.source().clone_owned())
    }

    /// Records that the model depends on a file that is not loaded as an asset.
    pub(crate) fn note_read(&mut self, path: &AssetPath<'_>) {
        if let Some(queries) = &mut self.queries {
            queries.add_read(path.path());
        }
    }

    /// Records that a file is missing or unusable, so that a change of it reloads the model.
    pub(crate) fn note_unusable(&mut self, path: &Path) {
        if let Some(queries) = &mut self.queries {
            queries.add_missing(path);
        }
    }

    /// The first candidate that exists (case-insensitive), with the names as stored on disk. Candidates are relative to
    /// the root of the asset source.
    pub(crate) async fn find_first(
        &mut self,
        name: &str,
        candidates: &[PathBuf],
    ) -> Result<AssetPath<'static>, NotFound> {
        let mut tried = Vec::new();
        for candidate in candidates {
            let shown = candidate.display();
            let (Some(index), path) = self.index_of(candidate) else {
                tried.push(format!("{shown} (there is no such asset source)"));
                continue;
            };
            if let Some(found) = index.find(path).await {
                let found = in_source_of(candidate, found);
                self.inputs.add(&found);
                return Ok(self.asset_path(found));
            }
            tried.push(shown.to_string());
            self.note_unusable(candidate);
        }
        let name = name.to_owned();
        Err(NotFound { name, tried })
    }
}

/// Prepends the asset source that `path` begins with, if any, to a path that was found in it.
fn in_source_of(path: &Path, found: PathBuf) -> PathBuf {
    match path.to_str().and_then(split_source) {
        Some((source, _)) => in_source(source, &found),
        None => found,
    }
}
