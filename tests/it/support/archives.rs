//! Folders with archives, and assets that show which layer a file came from.

use crate::support::prelude::*;
use bevy_classic_models::archive::{ArchiveFile, meg, pak, pk3, rez, vfs};
use futures_lite::StreamExt;

/// The extensions of the archives that can be written.
pub const FORMATS: [&str; 5] = ["meg", "pak", "pk3", "rez", "vfs"];

/// How a program writes a file again.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// It renames another file over the file.
    Rename,
    /// It writes into the file.
    Write,
}

/// A folder on disk with games, mods and archives.
pub struct Games(pub TempDir);

impl Games {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Writes a file.
    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// A source of layers, of which the last wins: archives, and folders, which have no extension.
    pub fn source<const N: usize>(&self, layers: [&str; N]) -> ArchiveSource {
        let add = |source: ArchiveSource, path: &str| match path.contains('.') {
            true => source.archive(self.path(path)).unwrap(),
            false => source.folder(self.path(path)),
        };
        layers.into_iter().fold(ArchiveSource::new(), add)
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).unwrap();
    }

    /// Writes an archive in the format of its extension.
    pub fn pack<B: AsRef<[u8]>>(&self, path: &str, files: &[(&str, B)]) {
        self.put(path, packed(path, files));
    }

    /// Writes an archive again, by one of the ways of programs.
    pub fn update<B: AsRef<[u8]>>(&self, way: Way, path: &str, files: &[(&str, B)]) {
        match way {
            Way::Rename => self.replace(path, files),
            Way::Write => self.pack(path, files),
        }
    }

    /// Replaces an archive by renaming another file over it, as most programs do.
    pub fn replace<B: AsRef<[u8]>>(&self, path: &str, files: &[(&str, B)]) {
        let new = self.0.path().join("replacement");
        std::fs::write(&new, packed(path, files)).unwrap();
        std::fs::rename(new, self.path(path)).unwrap();
    }
}

/// An archive in the format of a path's extension.
pub fn packed<B: AsRef<[u8]>>(path: &str, files: &[(&str, B)]) -> Vec<u8> {
    let files: Vec<_> = files
        .iter()
        .map(|(path, bytes)| ArchiveFile::new(*path, bytes.as_ref()))
        .collect();
    let extension = Path::new(path).extension().unwrap().to_ascii_lowercase();
    let bytes = match extension.to_str().unwrap() {
        "meg" => meg::write::write(1, &files),
        "pak" => pak::write::write(&files),
        "pk3" | "kpf" => pk3::write::write(&files),
        "rez" => rez::write::write(&files),
        "vfs" => vfs::write::write(&files, |file| file.bytes.len() % 2 == 0),
        other => panic!("{other} is not an archive"),
    };
    bytes.unwrap()
}

/// A source as Bevy uses it, without an app.
pub struct Opened(pub AssetSource);

impl Opened {
    pub fn new(source: &ArchiveSource) -> Self {
        let mut builder = source.clone().into_builder();
        Self(builder.build(AssetSourceId::Default, false, false))
    }

    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        block_on(async {
            let reader = self.0.reader().read(Path::new(path)).await;
            let mut bytes = Vec::new();
            let mut reader = reader.map_err(|error| error.to_string())?;
            let read = reader.read_to_end(&mut bytes).await;
            read.map_err(|error| error.to_string())?;
            Ok(bytes)
        })
    }

    /// The text of a file. Empty if it is not found.
    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path).unwrap_or_default()).unwrap()
    }

    /// The sorted paths in a folder. `None` if there is no such folder.
    pub fn list(&self, folder: &str) -> Option<Vec<String>> {
        block_on(async {
            let paths = self.0.reader().read_directory(Path::new(folder)).await;
            let mut paths = paths.ok()?;
            let paths: Vec<PathBuf> = StreamExt::collect(&mut *paths).await;
            let mut paths: Vec<_> = paths.iter().map(|it| it.to_str().unwrap().into()).collect();
            paths.sort();
            Some(paths)
        })
    }

    pub fn is_folder(&self, path: &str) -> Option<bool> {
        block_on(self.0.reader().is_directory(Path::new(path))).ok()
    }
}

/// The text of a file `.txt`.
#[derive(Asset, TypePath, Debug)]
pub struct Text(pub String);

/// Loads [`Text`], and records the paths of loads without their source.
#[derive(Clone, Default, TypePath)]
pub struct TextLoader {
    pub loads: Arc<Mutex<Vec<String>>>,
}

impl AssetLoader for TextLoader {
    type Asset = Text;
    /// Added to the text.
    type Settings = String;
    type Error = std::io::Error;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &String,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Text, std::io::Error> {
        let path = load_context.path().path().to_string_lossy().into_owned();
        self.loads.lock().unwrap().push(path);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        Ok(Text(
            String::from_utf8_lossy(&bytes).into_owned() + settings,
        ))
    }

    fn extensions(&self) -> &[&str] {
        &["txt", "TXT"]
    }
}
