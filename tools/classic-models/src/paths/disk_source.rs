//! One asset source for files anywhere: in folders on the disk, in archives, and in games. Roots can be added while the app
//! runs.
//!
//! The asset server lists only folders inside its sources, not absolute paths, and textures are found by listing folders,
//! so that the case of their names does not matter. In this source each folder, archive and game has a number:
//! `disk://0/Models/tower.alo`. A path without a number refers to the first root that contains it. Manifests can
//! therefore use paths that are relative to the root of their game's assets.

use crate::paths::archive_file::{Location, absolute, locate};
use bevy::asset::AssetPath;
use bevy::asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, ErasedAssetReader, PathStream, Reader,
    VecReader,
};
use bevy::prelude::*;
use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError};
use futures_lite::future::block_on;
use futures_lite::{StreamExt, stream};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The name of the asset source.
const SOURCE: &str = "disk";

/// What messages call the model from standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// The roots, indexed by their numbers. Clones share them.
#[derive(Resource, Clone, Default)]
pub struct DiskSource {
    roots: Arc<RwLock<Vec<Arc<Root>>>>,
    /// The absolute path of the temporary file with the model from standard input.
    pub input: Option<PathBuf>,
}

/// A folder on the disk, an archive or a game.
struct Root {
    /// The absolute path. Paths of files begin with it.
    path: PathBuf,
    /// `None` for a folder on the disk.
    source: Option<ArchiveSource>,
    reader: OnceLock<Box<dyn ErasedAssetReader>>,
}

impl Root {
    /// The reader of an archive or a game. Its warnings are logged when it is created.
    fn reader(&self) -> Option<&dyn ErasedAssetReader> {
        let source = self.source.as_ref()?;
        let open = || (source.clone().into_builder().reader)();
        Some(&**self.reader.get_or_init(open))
    }

    /// The path inside of an archive or a game. Files can be in a game's folder without being found by the game.
    fn inside<'a>(&self, file: &'a Path) -> Option<&'a Path> {
        let inside = file.strip_prefix(&self.path).ok()?;
        let source = self.source.as_ref()?;
        (self.path.is_file() || source.locate(inside).is_some()).then_some(inside)
    }

    fn has(&self, inside: &Path) -> bool {
        match self.reader() {
            Some(reader) => block_on(reader.is_directory(inside)).is_ok(),
            None => self.path.join(inside).exists(),
        }
    }

    async fn read(&self, inside: &Path) -> Result<VecReader, AssetReaderError> {
        let Some(reader) = self.reader() else {
            let bytes = std::fs::read(self.path.join(inside));
            return bytes
                .map(VecReader::new)
                .map_err(|error| reader_error(inside, error));
        };
        let mut bytes = Vec::new();
        reader.read(inside).await?.read_to_end(&mut bytes).await?;
        Ok(VecReader::new(bytes))
    }

    /// The paths of the files and folders in a folder, from the root.
    async fn list(&self, inside: &Path) -> Result<Vec<PathBuf>, AssetReaderError> {
        if let Some(reader) = self.reader() {
            return Ok(reader.read_directory(inside).await?.collect().await);
        }
        let entries = std::fs::read_dir(self.path.join(inside));
        let entries = entries.map_err(|error| reader_error(inside, error))?;
        let names = entries.filter_map(|entry| Some(inside.join(entry.ok()?.file_name())));
        Ok(names.collect())
    }
}

fn reader_error(path: &Path, error: std::io::Error) -> AssetReaderError {
    match error.kind() {
        ErrorKind::NotFound => AssetReaderError::NotFound(path.to_path_buf()),
        _ => error.into(),
    }
}

impl DiskSource {
    /// Registers the source. Call it before the asset plugin is added.
    pub fn register(&self, app: &mut App) {
        let reader = self.clone();
        let source = AssetSourceBuilder::new(move || {
            for root in reader.roots() {
                root.reader();
            }
            Box::new(reader.clone()) as Box<_>
        });
        app.register_asset_source(SOURCE, source)
            .insert_resource(self.clone());
    }

    fn roots(&self) -> Vec<Arc<Root>> {
        self.roots
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Adds an archive or a game. Paths of its files begin with `path`.
    pub fn mount(&self, path: PathBuf, source: ArchiveSource) {
        self.add(path, Some(source));
    }

    fn add(&self, path: PathBuf, source: Option<ArchiveSource>) -> usize {
        let mut roots = self.roots.write().unwrap_or_else(PoisonError::into_inner);
        let is_same =
            |root: &Arc<Root>| root.path == path && root.source.is_some() == source.is_some();
        if let Some(number) = roots.iter().position(is_same) {
            return number;
        }
        roots.push(Arc::new(Root {
            path,
            source,
            reader: OnceLock::new(),
        }));
        roots.len() - 1
    }

    /// Opens the archives in paths of the form `ARCHIVE/entry`. Other paths are ignored.
    ///
    /// # Errors
    /// If an archive cannot be opened.
    pub fn open_archives<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), ArchiveSourceError> {
        for path in paths {
            if let Ok(Location::Entry { archive, .. }) = locate(path) {
                self.open_archive(&archive)?;
            }
        }
        Ok(())
    }

    /// Opens an archive, unless it is opened already.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open_archive(&self, archive: &Path) -> Result<ArchiveSource, ArchiveSourceError> {
        let archive = absolute(archive);
        let roots = self.roots();
        let opened = roots.iter().find(|root| root.path == archive);
        if let Some(source) = opened.and_then(|root| root.source.clone()) {
            return Ok(source);
        }
        let source = ArchiveSource::new().archive(&archive)?;
        self.mount(archive, source.clone());
        Ok(source)
    }

    /// The number of a folder on the disk. Adds the folder if it is new.
    pub fn number(&self, folder: &Path) -> usize {
        self.add(folder.to_path_buf(), None)
    }

    /// The asset path of a file or folder in `folder`. Adds `folder` if it is new.
    pub fn path(&self, folder: &Path, file: &Path) -> Option<AssetPath<'static>> {
        let within = file.strip_prefix(folder).ok()?;
        Some(numbered(self.number(folder), within))
    }

    /// The number of the archive or the game that has a file or a folder, and its path there. `file` is absolute.
    fn archived(&self, file: &Path) -> Option<(usize, PathBuf)> {
        let roots = self.roots().into_iter().enumerate();
        let mut inside =
            roots.filter_map(|(number, root)| Some((number, root.inside(file)?.into())));
        inside.next()
    }

    /// The asset path of a file or folder in an archive or a game. `None` if it is in none of them. `file` is absolute.
    pub fn archived_path(&self, file: &Path) -> Option<AssetPath<'static>> {
        let (number, inside) = self.archived(file)?;
        Some(numbered(number, &inside))
    }

    /// The folder of the loader settings with which the root of an archive or a game is searched for what its files name.
    pub fn archive_root(&self, file: &Path) -> Option<String> {
        Some(self.archived(file)?.0.to_string())
    }

    /// Where a file or an entry is stored on the disk: for a file of a game, in the layer that wins. Other paths are returned
    /// unchanged. `file` is absolute.
    pub fn stored(&self, file: &Path) -> PathBuf {
        let found = self.roots().iter().find_map(|root| {
            let inside = file.strip_prefix(&root.path).ok()?;
            let found = root.source.as_ref()?.locate(inside)?;
            Some(found.layer_path.join(found.path))
        });
        found.unwrap_or_else(|| file.to_path_buf())
    }

    /// The file of an asset path, if the path belongs to this source.
    pub fn file(&self, path: &AssetPath) -> Option<PathBuf> {
        let is_ours = path.source().as_str() == Some(SOURCE);
        let (_, root, inside) = self.locate(path.path()).ok().filter(|_| is_ours)?;
        Some(root.path.join(inside))
    }

    /// The text of a message with the paths of files in place of asset paths of this source.
    pub fn readable(&self, text: &str) -> String {
        /// Begins a list of paths in the source.
        const TRIED: &str = "; tried ";
        let roots = self.roots();
        // The text after a number and a slash is unchanged.
        let file = |text: &str| {
            let (number, inside) = text.split_once('/')?;
            let root = roots.get(number.parse::<usize>().ok()?)?;
            Some(format!("{}/{inside}", root.path.display()))
        };
        let prefix = format!("{SOURCE}://");
        let mut parts = text.split(&*prefix);
        let mut readable = parts.next().unwrap_or_default().to_owned();
        readable.extend(parts.map(|part| file(part).unwrap_or_else(|| format!("{prefix}{part}"))));
        if let Some((start, tried)) = readable.split_once(TRIED) {
            let paths = tried.split(", ");
            let paths = paths.map(|path| file(path).unwrap_or_else(|| path.to_owned()));
            let paths: Vec<String> = paths.collect();
            readable = format!("{start}{TRIED}{}", paths.join(", "));
        }
        match &self.input {
            Some(input) => readable.replace(&*input.to_string_lossy(), STANDARD_INPUT),
            None => readable,
        }
    }

    /// The root of a path of this source, with its number, and the path from the root.
    fn locate(&self, path: &Path) -> Result<(usize, Arc<Root>, PathBuf), AssetReaderError> {
        let roots = self.roots();
        let mut parts = path.components();
        let number = parts.next().and_then(|part| part.as_os_str().to_str());
        let number = number.and_then(|number| number.parse::<usize>().ok());
        if let Some((number, root)) = number.and_then(|number| Some((number, roots.get(number)?))) {
            return Ok((number, root.clone(), parts.as_path().to_path_buf()));
        }
        let mut roots = roots.into_iter().enumerate();
        let found = roots.find(|(_, root)| root.has(path));
        let found = found.map(|(number, root)| (number, root, path.to_path_buf()));
        found.ok_or_else(|| AssetReaderError::NotFound(path.to_path_buf()))
    }

    /// The paths in a folder. The root has the numbers, and the names in all roots.
    async fn list(&self, path: &Path) -> Result<Vec<PathBuf>, AssetReaderError> {
        if !path.as_os_str().is_empty() {
            let (_, root, inside) = self.locate(path)?;
            let paths = root.list(&inside).await?.into_iter();
            let name = |listed: PathBuf| Some(path.join(listed.file_name()?));
            return Ok(paths.filter_map(name).collect());
        }
        let mut all = Vec::new();
        for (number, root) in self.roots().iter().enumerate() {
            all.push(PathBuf::from(number.to_string()));
            all.extend(root.list(Path::new("")).await.unwrap_or_default());
        }
        all.sort();
        all.dedup();
        Ok(all)
    }
}

fn numbered(number: usize, inside: &Path) -> AssetPath<'static> {
    let path = Path::new(&number.to_string()).join(inside);
    AssetPath::from_path_buf(path).with_source(SOURCE)
}

impl AssetReader for DiskSource {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let (_, root, inside) = self.locate(path)?;
        root.read(&inside).await
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let (_, root, inside) = self.locate(path)?;
        let mut meta = inside.into_os_string();
        meta.push(".meta");
        match root.source {
            // Archives have no settings.
            Some(_) => Err(AssetReaderError::NotFound(path.to_path_buf())),
            None => root.read(Path::new(&meta)).await,
        }
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        Ok(Box::new(stream::iter(self.list(path).await?)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        if path.as_os_str().is_empty() {
            return Ok(true);
        }
        let (_, root, inside) = self.locate(path)?;
        match root.reader() {
            Some(reader) => reader.is_directory(&inside).await,
            None => Ok(root.path.join(inside).is_dir()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DiskSource;
    use crate::paths::{archive_file, folder_with};
    use bevy::asset::io::{AssetReader, AssetReaderError, Reader};
    use bevy_classic_models::archive::ArchiveSource;
    use classic_models_fixtures::archives::{pak, sample_pak};
    use futures_lite::future::block_on;
    use std::path::Path;

    #[test]
    fn messages_have_paths_of_files() {
        let mut disk = DiskSource::default();
        for folder in ["/game", "/tmp/x"] {
            disk.number(Path::new(folder));
        }
        disk.input = Some("/tmp/x/models/stdin.mdl".into());
        let text = "disk://0/a/b.mdl#Scene: \"c.tga\" was not found; tried disk://0/c.tga, disk://7/d, disk://e";
        let expected =
            "/game/a/b.mdl#Scene: \"c.tga\" was not found; tried /game/c.tga, disk://7/d, disk://e";
        assert_eq!(disk.readable(text), expected);
        let text = disk.readable("disk://1/models/stdin.mdl: a flaw");
        assert_eq!(text, "standard input: a flaw");
    }

    #[test]
    fn archives_are_read_once_they_are_opened() {
        let folder = folder_with(&[("pak0.pak", &sample_pak().bytes)]);
        let archive = folder.path().canonicalize().unwrap().join("pak0.pak");
        let source = DiskSource::default();
        let path = Path::new("0/progs/player.mdl");
        let empty = block_on(source.read(path)).err();
        assert!(matches!(empty, Some(AssetReaderError::NotFound(_))));
        source.open_archive(&archive).unwrap();
        let entry = source.archived_path(&archive.join("progs/player.mdl"));
        assert_eq!(entry.unwrap().path(), path);
        let mut bytes = Vec::new();
        let mut reader = block_on(source.read(path)).unwrap();
        block_on(reader.read_to_end(&mut bytes)).unwrap();
        assert!(!bytes.is_empty());
        // With the number of the archive, and without.
        for folder in ["0/progs", "progs"] {
            assert!(block_on(source.is_directory(Path::new(folder))).unwrap());
        }
    }

    #[test]
    fn files_of_a_game_are_read_from_the_layer_that_wins() {
        let archive = pak(&[(b"progs/a.mdl", b"archived")], 0);
        let folder = folder_with(&[
            ("id1/pak0.pak", &archive.bytes),
            ("id1/progs/b.mdl", b"loose"),
            ("other.mdl", b"other"),
        ]);
        let root = folder.path().canonicalize().unwrap();
        let sources = DiskSource::default();
        let source = ArchiveSource::quake(&root, ["id1"]).unwrap();
        sources.mount(root.clone(), source);
        for (path, expected) in [
            ("progs/a.mdl", "archived"),
            ("PROGS/B.mdl", "loose"),
            ("other.mdl", "other"),
        ] {
            let stored = sources.stored(&root.join(path));
            let bytes = archive_file::read(&stored).unwrap();
            assert_eq!(bytes, expected.as_bytes(), "{path}");
        }
    }
}
