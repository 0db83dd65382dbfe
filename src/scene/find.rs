//! Finds the files that a model names: without regard to case, in the folders the games used.
//!
//! Game files name other files as Windows let them: in any case, with backslashes, sometimes with a
//! path of the author's disk. What is found is told under the name the disk has, because the asset
//! server's watcher knows no other. When two names are the same, [`matching`](super::matching) says; of several
//! files of one name the one that is spelled as it is looked for counts, else the first by order.
//! A source that cannot be listed, as a web server, is asked for each place as it is spelled, with the
//! file's name in lower case, and all in lower case.

use crate::scene::matching::{file_key, folded, has_extension, path_part};
use crate::scene::watch::{Hopes, Wishes};
use bevy::asset::io::{AssetSource, ErasedAssetReader};
use bevy::asset::{AssetPath, AssetServer, AssetServerMode};
use bevy::ecs::world::World;
use bevy::image::ImageLoader;
use futures_lite::{AsyncReadExt, StreamExt};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Looks for files beside models. Loaders keep one.
#[derive(Clone)]
pub struct FileFinder {
    server: AssetServer,
    /// Where it is told what was looked for, if anybody follows files that come later.
    wishes: Option<Wishes>,
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
        }
    }

    /// For a loader: models that it loads are loaded anew when a file comes that they would have taken.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            server: world.resource::<AssetServer>().clone(),
            wishes: world.get_resource::<Wishes>().cloned(),
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
        let disk = source
            .and_then(|source| self.reader(source))
            .map(|reader| Disk {
                reader,
                folders: HashMap::new(),
            });
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
            Some(disk) => disk.reader.is_directory(path).await.unwrap_or(false),
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

/// Where a file may be, in the order of trying; `variants` are the names it may have there.
fn candidates(
    model: &Path,
    name: &str,
    folders: &[String],
    variants: fn(&Path) -> Vec<PathBuf>,
) -> Vec<PathBuf> {
    let own = model.parent().unwrap_or(Path::new("")).to_path_buf();
    let sibling = own.parent().map(|parent| parent.join("Textures"));
    let folders = folders.iter().map(|folder| clean_path(folder));
    let names = names(name, variants);
    let mut candidates = Vec::new();
    for folder in [own]
        .into_iter()
        .chain(sibling)
        .chain(folders)
        .chain([PathBuf::new()])
    {
        in_folder(&folder, &names, &mut candidates);
    }
    candidates
}

/// What a file may be called in a folder: with its own folders, then without.
fn names(name: &str, variants: fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let whole = clean_path(name);
    let bare = whole.file_name().map(PathBuf::from).unwrap_or_default();
    [whole, bare]
        .iter()
        .filter(|name| name.file_name().is_some())
        .flat_map(|name| variants(name))
        .collect()
}

/// Adds names in a folder to candidates, each once.
fn in_folder(folder: &Path, names: &[PathBuf], candidates: &mut Vec<PathBuf>) {
    for name in names {
        let candidate = folder.join(name);
        if !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    }
}

fn as_named(name: &Path) -> Vec<PathBuf> {
    vec![name.to_path_buf()]
}

/// Games shipped one kind of picture and named the other. What follows a dot may be a part of the name.
fn as_picture(name: &Path) -> Vec<PathBuf> {
    const KINDS: [&str; 2] = ["dds", "tga"];
    let named = match has_loader(name) {
        true => vec![name.to_path_buf()],
        false => Vec::from(KINDS.map(|kind| name.with_added_extension(kind))),
    };
    let others = KINDS.map(|kind| name.with_extension(kind));
    named.into_iter().chain(others).collect()
}

/// Whether a picture's extension is one that this crate or Bevy, with the features that the app has,
/// loads.
fn has_loader(name: &Path) -> bool {
    has_extension(name, &["dds", "tga"])
        || cfg!(feature = "lithtech") && has_extension(name, &["dtx"])
        || has_extension(name, ImageLoader::SUPPORTED_FILE_EXTENSIONS)
}

/// A path in the manner of Windows as one that stays inside the asset source.
pub(crate) fn clean_path(name: &str) -> PathBuf {
    let parts = name.split(['/', '\\']).map(path_part);
    parts.filter(|part| !part.is_empty()).collect()
}

/// An asset source during one search: every folder is listed once.
struct Disk<'a> {
    reader: &'a dyn ErasedAssetReader,
    folders: HashMap<PathBuf, Listing>,
}

/// A folder that the source cannot list.
struct Unlisted;

/// The names in a folder by their [keys](file_key); none if the source cannot list it (a web server
/// cannot list any).
type Listing = Option<HashMap<String, Vec<String>>>;

impl Disk<'_> {
    /// The path under the name that the disk has, if there is such a file.
    async fn find(&mut self, path: &Path) -> Option<PathBuf> {
        match self.spelled(path).await {
            Ok(found) => {
                let found = found?;
                if is_hidden(&found) {
                    return probe(self.reader, &found).await;
                }
                let is_folder = self.reader.is_directory(&found).await.unwrap_or(false);
                (!is_folder).then_some(found)
            }
            Err(Unlisted) => probe(self.reader, path).await,
        }
    }

    /// What is in a folder, by name. Folders in it are there too.
    async fn files(&mut self, folder: &Path) -> Vec<PathBuf> {
        let Ok(Some(folder)) = self.spelled(folder).await else {
            return Vec::new();
        };
        let names = self.list(&folder).await.into_iter().flatten();
        let mut names: Vec<&String> = names.flat_map(|(_, names)| names).collect();
        names.sort();
        let path = |name: &String| {
            let mut path = folder.to_string_lossy().into_owned();
            push_part(&mut path, name);
            PathBuf::from(path)
        };
        names.into_iter().map(path).collect()
    }

    /// A path under the names that the disk has; `None` if there is no such thing.
    async fn spelled(&mut self, path: &Path) -> Result<Option<PathBuf>, Unlisted> {
        // Bevy lists nothing outside its root, where models are that somebody loaded by a whole path.
        if path.has_root() {
            return Err(Unlisted);
        }
        // With the same separator on every system.
        let mut found = String::new();
        for part in path.components() {
            let part = part.as_os_str().to_string_lossy();
            let names = self.list(Path::new(&found)).await.ok_or(Unlisted)?;
            let entry = match entry(names, &part) {
                Some(entry) => entry.to_owned(),
                None if is_hidden(Path::new(&*part)) => part.into_owned(),
                None => return Ok(None),
            };
            push_part(&mut found, &entry);
        }
        Ok(Some(found.into()))
    }

    async fn list(&mut self, folder: &Path) -> Option<&HashMap<String, Vec<String>>> {
        if !self.folders.contains_key(folder) {
            let listing = list(self.reader, folder).await;
            self.folders.insert(folder.to_path_buf(), listing);
        }
        self.folders.get(folder)?.as_ref()
    }
}

fn push_part(path: &mut String, part: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(part);
}

/// Whether Bevy leaves it out of lists; it may be there all the same.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with('.')
}

async fn list(reader: &dyn ErasedAssetReader, folder: &Path) -> Listing {
    let mut entries = reader.read_directory(folder).await.ok()?;
    let mut names: HashMap<String, Vec<String>> = HashMap::new();
    while let Some(entry) = entries.next().await {
        if let Some(name) = entry.file_name() {
            let name = name.to_string_lossy().into_owned();
            names.entry(file_key(&name)).or_default().push(name);
        }
    }
    (!names.is_empty()).then_some(names)
}

/// The entry of a folder with this name: the exact one if there is one, else one that differs in
/// case alone, else any that is the same; of several the first by order.
fn entry<'a>(names: &'a HashMap<String, Vec<String>>, name: &str) -> Option<&'a String> {
    let same = names.get(&file_key(name))?;
    let rank = |entry: &&'a String| (*entry != name, folded(entry) != folded(name), *entry);
    same.iter().min_by_key(rank)
}

/// Asks for the file itself, as named, with its name in lower case, and with its folders as well.
async fn probe(reader: &dyn ErasedAssetReader, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    let mut spellings = vec![path.to_path_buf(), path.with_file_name(folded(&name))];
    // Outside the source other folders are none of the model's.
    if !path.has_root() {
        spellings.push(folded(&path.to_string_lossy()).into());
    }
    spellings.dedup();
    for path in spellings {
        if reader.read(&path).await.is_ok() {
            return Some(path);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::app::{App, TaskPoolPlugin};
    use bevy::asset::io::memory::{Dir, MemoryAssetReader};
    use bevy::asset::io::{
        AssetReader, AssetReaderError, AssetSourceBuilder, AssetSourceId, PathStream, Reader,
        VecReader,
    };
    use bevy::asset::{AssetApp, AssetPlugin};
    use bevy::tasks::block_on;
    use std::sync::{Arc, Mutex};

    /// Files in memory that tell which folders were listed.
    struct Listed {
        files: MemoryAssetReader,
        folders: Arc<Mutex<Vec<PathBuf>>>,
    }

    impl AssetReader for Listed {
        async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
            AssetReader::read(&self.files, path).await
        }

        async fn read_meta<'a>(
            &'a self,
            path: &'a Path,
        ) -> Result<impl Reader + 'a, AssetReaderError> {
            Err::<VecReader, _>(AssetReaderError::NotFound(path.to_owned()))
        }

        async fn read_directory<'a>(
            &'a self,
            path: &'a Path,
        ) -> Result<Box<PathStream>, AssetReaderError> {
            self.folders.lock().unwrap().push(path.to_owned());
            AssetReader::read_directory(&self.files, path).await
        }

        async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
            AssetReader::is_directory(&self.files, path).await
        }
    }

    struct Stage {
        finder: FileFinder,
        folders: Arc<Mutex<Vec<PathBuf>>>,
    }

    impl Stage {
        fn new(files: &[&str]) -> Self {
            let root = Dir::default();
            for path in files {
                root.insert_asset(Path::new(path), Vec::new());
            }
            let folders = Arc::<Mutex<Vec<PathBuf>>>::default();
            let listed = folders.clone();
            let reader = move || -> Box<dyn ErasedAssetReader> {
                let files = MemoryAssetReader { root: root.clone() };
                let folders = listed.clone();
                Box::new(Listed { files, folders })
            };
            let mut app = App::new();
            app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
                .add_plugins((TaskPoolPlugin::default(), AssetPlugin::default()));
            let server = app.world().resource::<AssetServer>().clone();
            Self {
                finder: FileFinder::new(server),
                folders,
            }
        }

        /// Of a picture that `art/Models/ship.alo` names.
        fn texture(&self, name: &str, folders: &[&str]) -> Option<String> {
            let model = AssetPath::from("art/Models/ship.alo");
            let folders: Vec<String> = folders.iter().map(|&folder| folder.into()).collect();
            let found = block_on(self.finder.find_texture(&model, name, &folders));
            found.ok().map(|path| path.to_string())
        }
    }

    #[test]
    fn pictures_are_found_in_any_case_and_kind() {
        let stage = Stage::new(&["Art/TEXTURES/Hull.DDS", "Art/Models/other.tga"]);
        let expected = Some("Art/TEXTURES/Hull.DDS".to_owned());
        assert_eq!(stage.texture("hull.tga", &["art/textures"]), expected);
        assert_eq!(stage.texture("HULL", &["Art\\Textures"]), expected);
        let authors = r"W:\Project\Art\hull.tga";
        assert_eq!(stage.texture(authors, &["art/textures"]), expected);
        assert_eq!(stage.texture("hulk.tga", &["art/textures"]), None);
    }

    #[test]
    fn every_kind_is_tried_in_a_folder_before_the_next_folder() {
        let near = "art/Models/hull.tga";
        let far = "art/Textures/hull.dds";
        let named = "more/hull.tga";
        let twin = "more/hull.dds";
        let root = "hull.dds";
        let found = |files: &[&str]| Stage::new(files).texture("hull.tga", &["more"]).unwrap();
        assert_eq!(found(&[near, far, named, twin, root]), near);
        assert_eq!(found(&[far, named, twin, root]), far);
        assert_eq!(found(&[named, twin, root]), named);
        assert_eq!(found(&[twin, root]), twin);
        assert_eq!(found(&[root]), root);
    }

    #[test]
    fn a_folder_may_come_before_all_others() {
        let below = "Game/art/hull.dds";
        let bare = "Game/hull.tga";
        let near = "art/Models/hull.tga";
        let found = |files: &[&str]| {
            let stage = Stage::new(files);
            let model = AssetPath::from("art/Models/ship.lgw");
            let mut search = stage.finder.search(&model);
            let found = block_on(search.find_texture_below("game", r"ART\hull.tga", &[]));
            found.map(|path| path.to_string())
        };
        assert_eq!(found(&[near, bare, below]).unwrap(), below);
        assert_eq!(found(&[near, bare]).unwrap(), bare);
        assert_eq!(found(&[near]).unwrap(), near);
        let tried = found(&[]).unwrap_err().tried;
        assert_eq!(tried[0], "game/ART/hull.tga");
        assert_eq!(tried.last().unwrap(), "hull.dds");
    }

    #[test]
    fn files_are_listed_by_extension_and_folder() {
        let stage = Stage::new(&[
            "Art/Models/b.ALA",
            "Art/Models/a.ala",
            "Art/Models/a.alo",
            "Art/Models/deep/c.ala",
            "Other/d.Ala",
            "e.ala",
        ]);
        let listed = |folders: &[&str]| {
            let model = AssetPath::from("art/models/ship.alo");
            let folders: Vec<String> = folders.iter().map(|&folder| folder.into()).collect();
            let mut search = stage.finder.search(&model);
            let found = block_on(search.files(&folders, &["ala"]));
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(listed(&[]), ["Art/Models/a.ala", "Art/Models/b.ALA"]);
        let more = ["Art/Models/a.ala", "Art/Models/b.ALA", "Other/d.Ala"];
        assert_eq!(listed(&["other", "nowhere", r"ART\Models"]), more);
    }

    #[test]
    fn what_is_hidden_is_found_by_its_name_alone() {
        let stage = Stage::new(&["art/.new/hull.tga", "art/Models/.hull.dds", "a/b.tga"]);
        assert_eq!(
            stage.texture("hull.tga", &["art/.new"]).unwrap(),
            "art/.new/hull.tga"
        );
        assert_eq!(
            stage.texture(".hull.dds", &[]).unwrap(),
            "art/Models/.hull.dds"
        );
        assert_eq!(stage.texture(".cab.dds", &["art/.old"]), None);
    }

    #[test]
    fn a_folder_is_no_picture() {
        let stage = Stage::new(&["art/Models/hull/x.txt", "art/Models/hull.tga"]);
        assert_eq!(stage.texture("hull", &[]).unwrap(), "art/Models/hull.tga");
    }

    #[test]
    fn a_search_lists_each_folder_once() {
        let stage = Stage::new(&["art/Models/ship.alo", "art/Textures/a.dds", "b.dds"]);
        assert_eq!(stage.texture(r"deep\c.tga", &["art"]), None);
        let mut listed = stage.folders.lock().unwrap().clone();
        let all = listed.len();
        listed.sort();
        listed.dedup();
        assert_eq!(listed.len(), all);
        assert_eq!(all, 4, "the root, art, Models, Textures");
    }

    #[test]
    fn pictures_are_tried_under_each_extension_once() {
        let tried = |name| {
            let tried = candidates(Path::new("ship.alo"), name, &[], as_picture);
            let tried = tried.iter().map(|path| path.to_string_lossy().into_owned());
            tried.collect::<Vec<_>>()
        };
        assert_eq!(tried("hull.tga"), ["hull.tga", "hull.dds"]);
        assert_eq!(tried("hull.png"), ["hull.png", "hull.dds", "hull.tga"]);
        assert_eq!(tried("hull"), ["hull.dds", "hull.tga"]);
        assert_eq!(
            tried("hull.v2"),
            ["hull.v2.dds", "hull.v2.tga", "hull.dds", "hull.tga"]
        );
        assert_eq!(
            tried(r"a\hull.dds"),
            ["a/hull.dds", "a/hull.tga", "hull.dds", "hull.tga"]
        );
    }

    #[test]
    fn names_never_leave_the_source() {
        assert_eq!(
            clean_path(r"C:\art\..\..\gfx\Palette.lmp"),
            Path::new("art/gfx/Palette.lmp")
        );
        assert_eq!(clean_path("/etc/passwd"), Path::new("etc/passwd"));
        assert_eq!(clean_path("../.."), Path::new(""));
        assert_eq!(clean_path(r"W:hull.tga"), Path::new("hull.tga"));
        assert_eq!(
            clean_path(r".. \art. \hull.tga. "),
            Path::new("art/hull.tga")
        );
    }

    #[test]
    fn folders_are_tried_in_order_and_once() {
        let tried = candidates(
            Path::new("progs/Models/ogre.mdl"),
            r"gfx\palette.lmp",
            &["gfx".into()],
            as_named,
        );
        let tried: Vec<_> = tried.iter().map(|path| path.to_string_lossy()).collect();
        assert_eq!(
            tried,
            [
                "progs/Models/gfx/palette.lmp",
                "progs/Models/palette.lmp",
                "progs/Textures/gfx/palette.lmp",
                "progs/Textures/palette.lmp",
                "gfx/gfx/palette.lmp",
                "gfx/palette.lmp",
                "palette.lmp",
            ]
        );
    }
}
