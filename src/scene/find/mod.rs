//! Finds the files that a model names: without regard to case, in the folders the games used.
//!
//! Game files name other files as Windows let them: in any case, with backslashes, sometimes with a
//! path of the author's disk. What is found is told under the name the disk has, because the asset
//! server's watcher knows no other. When two names are the same, [`matching`](super::matching) says; of several
//! files of one name the one that is spelled as it is looked for counts, else the first by order.
//! A source that cannot be listed, as a web server, is asked for each place as it is spelled, with the
//! file's name in lower case, and all in lower case.

mod candidates;
mod disk;
#[cfg(test)]
mod tests;

pub(crate) use candidates::clean_path;

use crate::scene::matching::has_extension;
use crate::scene::watch::{Hopes, Wishes};
use bevy::asset::io::{AssetSource, ErasedAssetReader};
use bevy::asset::processor::AssetProcessor;
use bevy::asset::{AssetPath, AssetServer, AssetServerMode};
use bevy::ecs::world::World;
use candidates::{as_named, as_picture, candidates, in_folder, names};
use disk::Disk;
use futures_lite::AsyncReadExt;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Looks for files beside models. Loaders keep one.
#[derive(Clone)]
pub struct FileFinder {
    server: AssetServer,
    /// Where it is told what was looked for, if anybody follows files that come later.
    wishes: Option<Wishes>,
    /// What makes the assets, where that goes on while they are used.
    processor: Option<AssetProcessor>,
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
        }
    }

    /// For a loader: models that it loads are loaded anew when a file comes that they would have taken.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            server: world.resource::<AssetServer>().clone(),
            wishes: world.get_resource::<Wishes>().cloned(),
            processor: world.get_resource::<AssetProcessor>().cloned(),
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
        let source = self.server.get_source(path.source()).ok()?;
        let mut file = self.reader(source)?.read(path.path()).await.ok()?;
        let mut found = vec![0; length];
        file.read_exact(&mut found).await.ok()?;
        Some(found)
    }

    fn reader<'a>(&self, source: &'a AssetSource) -> Option<&'a dyn ErasedAssetReader> {
        match self.server.mode() {
            AssetServerMode::Unprocessed => Some(source.reader()),
            AssetServerMode::Processed => source.processed_reader().ok(),
        }
    }

    /// Begins a search for several files of one model, in which each folder is listed once.
    ///
    /// A loader does all its looking in one search, at whose end is known which files, should they
    /// come, are reason to load the model anew.
    pub fn search(&self, model: &AssetPath<'_>) -> FileSearch<'_> {
        let source = self.server.get_source(model.source()).ok();
        let reader = source.and_then(|source| self.reader(source));
        let disk = reader.map(|reader| Disk::new(reader, self.processor.as_ref()));
        FileSearch {
            finder: self,
            model: model.clone_owned(),
            disk,
            hopes: Hopes::default(),
        }
    }
}

/// A search for several files of one model: see [`FileFinder::search`].
pub struct FileSearch<'a> {
    finder: &'a FileFinder,
    model: AssetPath<'static>,
    /// `None` if there is no such asset source.
    disk: Option<Disk<'a>>,
    /// What would have been taken, had it been there.
    hopes: Hopes,
}

impl Drop for FileSearch<'_> {
    fn drop(&mut self) {
        if let Some(wishes) = &self.finder.wishes {
            let hopes = core::mem::take(&mut self.hopes);
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
        let candidates = candidates(self.model.path(), name, folders, as_named);
        self.first(name, &candidates).await
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
        let candidates = candidates(self.model.path(), name, folders, as_picture);
        self.first(name, &candidates).await
    }

    /// As [`find_texture`](Self::find_texture), but looks into one folder before all others.
    pub(crate) async fn find_texture_below(
        &mut self,
        first: &str,
        name: &str,
        folders: &[String],
    ) -> Result<AssetPath<'static>, NotFound> {
        let mut all = Vec::new();
        in_folder(&clean_path(first), &names(name, as_picture), &mut all);
        let others = candidates(self.model.path(), name, folders, as_picture);
        in_folder(Path::new(""), &others, &mut all);
        self.first(name, &all).await
    }

    /// The first of some paths from the root of the asset source that exists, in any case, under the
    /// name that the disk has.
    pub(crate) async fn first_of(&mut self, paths: &[PathBuf]) -> Option<AssetPath<'static>> {
        self.first("", paths).await.ok()
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
            self.hopes.list(&folder, prefix, extensions);
            for path in disk.files(&folder).await {
                if has_extension(&path, extensions) && known.insert(path.clone()) {
                    found.push(path);
                }
            }
        }
        found.into_iter().map(|path| self.asset(path)).collect()
    }

    /// What is in a folder, from the root of the asset source: files and folders, by name, under the names that
    /// the disk has. Nothing where the source cannot be listed.
    pub(crate) async fn entries(&mut self, folder: &Path) -> Vec<PathBuf> {
        match &mut self.disk {
            Some(disk) => disk.files(folder).await,
            None => Vec::new(),
        }
    }

    /// Whether something that [`entries`](Self::entries) told is a folder.
    pub(crate) async fn is_folder(&self, path: &Path) -> bool {
        match &self.disk {
            Some(disk) => disk.is_folder(path).await,
            None => false,
        }
    }

    /// Tells that files which come are for the model if what leads to them from a folder fits these patterns, part
    /// by part.
    pub(crate) fn awaits(&mut self, folder: &Path, patterns: &[&str]) {
        self.hopes.fit(folder, patterns);
    }

    /// A path from the root of the asset source as one of the model's source.
    pub(crate) fn asset(&self, path: PathBuf) -> AssetPath<'static> {
        AssetPath::from(path).with_source(self.model.source().clone_owned())
    }

    /// Tells that the model is made of a file that nobody holds as an asset.
    pub(crate) fn reads(&mut self, path: &AssetPath<'_>) {
        self.hopes.read(path.path());
    }

    /// Tells that a file is there, but of no use as it is.
    pub(crate) fn cannot_use(&mut self, path: &AssetPath<'_>) {
        self.hopes.miss(path.path());
    }

    /// The first bytes of a file; `None` if it has not so many, or cannot be read. Should they change,
    /// the model is loaded anew.
    pub(crate) async fn start(&mut self, path: &AssetPath<'_>, length: usize) -> Option<Vec<u8>> {
        let found = self.finder.start(path, length).await;
        self.hopes.start(path.path(), length, found.clone());
        found
    }

    /// The first candidate that exists.
    async fn first(
        &mut self,
        name: &str,
        candidates: &[PathBuf],
    ) -> Result<AssetPath<'static>, NotFound> {
        if let Some(disk) = &mut self.disk {
            for candidate in candidates {
                if let Some(found) = disk.find(candidate).await {
                    return Ok(self.asset(found));
                }
                self.hopes.miss(candidate);
            }
        }
        let tried = candidates.iter().map(|path| path.display().to_string());
        Err(NotFound {
            name: name.to_owned(),
            tried: tried.collect(),
        })
    }
}
