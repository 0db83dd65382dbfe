//! Finds the files that a model names: without regard to case, in the folders the games used.
//!
//! Game files name other files as Windows let them: in any case, with backslashes, sometimes with a
//! path of the author's disk. What is found is told under the name the disk has, because the asset
//! server's watcher knows no other.

use bevy::asset::io::ErasedAssetReader;
use bevy::asset::{AssetPath, AssetServer, AssetServerMode};
use futures_lite::StreamExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Looks for files beside models. Loaders keep one.
#[derive(Clone)]
pub struct FileFinder {
    server: AssetServer,
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
        Self { server }
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
        let candidates = candidates(model.path(), name, folders);
        let not_found = |candidates: &[PathBuf]| NotFound {
            name: name.to_owned(),
            tried: candidates
                .iter()
                .map(|path| path.display().to_string())
                .collect(),
        };
        let Ok(source) = self.server.get_source(model.source()) else {
            return Err(not_found(&candidates));
        };
        let reader = match self.server.mode() {
            AssetServerMode::Unprocessed => source.reader(),
            AssetServerMode::Processed => match source.processed_reader() {
                Ok(reader) => reader,
                Err(_) => return Err(not_found(&candidates)),
            },
        };
        for candidate in &candidates {
            if let Some(found) = on_disk(reader, candidate).await {
                return Ok(AssetPath::from(found).with_source(model.source().clone_owned()));
            }
        }
        Err(not_found(&candidates))
    }
}

/// Where a file may be, in the order of trying.
fn candidates(model: &Path, name: &str, folders: &[String]) -> Vec<PathBuf> {
    let whole = clean(name);
    let bare = whole.file_name().map(PathBuf::from).unwrap_or_default();
    let own = model.parent().unwrap_or(Path::new("")).to_path_buf();
    let sibling = own.parent().map(|parent| parent.join("Textures"));
    let folders = folders.iter().map(|folder| clean(folder));
    let mut candidates = Vec::new();
    for folder in [own]
        .into_iter()
        .chain(sibling)
        .chain(folders)
        .chain([PathBuf::new()])
    {
        for name in [&whole, &bare] {
            let candidate = folder.join(name);
            if candidate.file_name().is_some() && !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
    }
    candidates
}

/// A path in the manner of Windows as one that stays inside the asset source.
fn clean(name: &str) -> PathBuf {
    let part = |part: &&str| !matches!(*part, "" | "." | "..") && !part.ends_with(':');
    name.split(['/', '\\']).filter(part).collect()
}

/// The path under the name that the disk has, if there is such a file.
async fn on_disk(reader: &dyn ErasedAssetReader, path: &Path) -> Option<PathBuf> {
    // Bevy lists nothing outside its root, where models are that somebody loaded by a whole path.
    if path.has_root() {
        return probe(reader, path).await;
    }
    let mut found = PathBuf::new();
    for part in path.components() {
        let part = part.as_os_str().to_string_lossy();
        match entry(reader, &found, &part).await {
            Listing::Entry(entry) => found = entry,
            Listing::Absent => return None,
            Listing::Unavailable => return probe(reader, path).await,
        }
    }
    Some(found)
}

/// What the listing of a folder says of a name.
enum Listing {
    Entry(PathBuf),
    Absent,
    /// The source cannot list folders (a web server cannot).
    Unavailable,
}

/// The entry of a folder with this name: the exact one if there is one, else one that differs in
/// case alone, the first by order.
async fn entry(reader: &dyn ErasedAssetReader, folder: &Path, name: &str) -> Listing {
    let Ok(mut entries) = reader.read_directory(folder).await else {
        return Listing::Unavailable;
    };
    let mut any = false;
    let mut best: Option<PathBuf> = None;
    while let Some(entry) = entries.next().await {
        any = true;
        let Some(entry_name) = entry.file_name().map(|name| name.to_string_lossy()) else {
            continue;
        };
        if *entry_name == *name {
            return Listing::Entry(folder.join(name));
        }
        if entry_name.to_lowercase() == name.to_lowercase() {
            let entry = folder.join(&*entry_name);
            best = Some(best.map_or(entry.clone(), |best| best.min(entry)));
        }
    }
    match best {
        Some(entry) => Listing::Entry(entry),
        None if any => Listing::Absent,
        None => Listing::Unavailable,
    }
}

/// Asks for the file itself, as named and with its name in lower case.
async fn probe(reader: &dyn ErasedAssetReader, path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    for path in [path.to_path_buf(), path.with_file_name(name)] {
        if reader.read(&path).await.is_ok() {
            return Some(path);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_leave_the_source() {
        assert_eq!(
            clean(r"C:\art\..\..\gfx\Palette.lmp"),
            Path::new("art/gfx/Palette.lmp")
        );
        assert_eq!(clean("/etc/passwd"), Path::new("etc/passwd"));
        assert_eq!(clean("../.."), Path::new(""));
    }

    #[test]
    fn folders_are_tried_in_order_and_once() {
        let tried = candidates(
            Path::new("progs/Models/ogre.mdl"),
            r"gfx\palette.lmp",
            &["gfx".into()],
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
