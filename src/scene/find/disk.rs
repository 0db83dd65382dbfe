//! The files and folders of an asset source, by names in any case.

use crate::scene::matching::{file_key, folded};
use bevy::asset::io::ErasedAssetReader;
use bevy::asset::processor::{AssetProcessor, ProcessorState};
use futures_lite::StreamExt;
use futures_lite::future::yield_now;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// An asset source during one search: every folder is listed once.
pub(super) struct Disk<'a> {
    reader: &'a dyn ErasedAssetReader,
    processor: Option<&'a AssetProcessor>,
    folders: HashMap<PathBuf, Listing>,
}

/// A folder that the source cannot list.
struct Unlisted;

/// The names in a folder by their [keys](file_key); none if the source cannot list it (a web server
/// cannot list any).
type Listing = Option<HashMap<String, Vec<String>>>;

impl<'a> Disk<'a> {
    pub(super) fn new(
        reader: &'a dyn ErasedAssetReader,
        processor: Option<&'a AssetProcessor>,
    ) -> Self {
        Self {
            reader,
            processor,
            folders: HashMap::new(),
        }
    }

    /// The path under the name that the disk has, if there is such a file.
    pub(super) async fn find(&mut self, path: &Path) -> Option<PathBuf> {
        match self.spelled(path).await {
            Ok(found) => {
                let found = found?;
                if is_hidden(&found) {
                    return probe(self.reader, &found).await;
                }
                let is_folder = self.is_folder(&found).await;
                (!is_folder).then_some(found)
            }
            Err(Unlisted) => probe(self.reader, path).await,
        }
    }

    /// Whether a path, as the disk spells it, is that of a folder.
    pub(super) async fn is_folder(&self, path: &Path) -> bool {
        self.wait_for_processor().await;
        self.reader.is_directory(path).await.unwrap_or(false)
    }

    /// Waits until the asset processor has made all that it knows of. Readers of processed folders wait as well, but
    /// panic where it has come to its end twice before: see Bevy's `ProcessingState::wait_until_finished`.
    async fn wait_for_processor(&self) {
        if let Some(processor) = self.processor {
            while processor.get_state().await == ProcessorState::Processing {
                yield_now().await;
            }
        }
    }

    /// What is in a folder, by name. Folders in it are there too.
    pub(super) async fn files(&mut self, folder: &Path) -> Vec<PathBuf> {
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
            self.wait_for_processor().await;
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
