//! Archives and games as asset sources, so that models in them are loaded like files. It must not spawn anything.

use crate::archive_file::{Location, absolute, locate};
use crate::archive_slot::Slot;
use bevy::asset::{AssetApp, AssetPath};
use bevy::prelude::App;
use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError};
use std::path::{Path, PathBuf};

/// How many archives and games can be opened while the app runs.
const SLOTS: usize = 32;

/// Asset sources whose files have paths below an archive or a game's folder.
#[derive(Clone, Debug, Default)]
pub struct ArchiveSources {
    mounted: Vec<Mounted>,
    /// The sources that are registered, but not used yet.
    free: Vec<(String, Slot)>,
}

#[derive(Clone, Debug)]
struct Mounted {
    /// The absolute path of the archive or folder.
    root: PathBuf,
    /// The name of the asset source.
    name: String,
    source: ArchiveSource,
}

impl ArchiveSources {
    /// The archives in paths of the form `ARCHIVE/entry`. Other paths are ignored.
    ///
    /// # Errors
    /// If an archive cannot be opened.
    pub fn of<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self, ArchiveSourceError> {
        let mut sources = Self::default();
        for path in paths {
            let Ok(Location::Entry { archive, .. }) = locate(path) else {
                continue;
            };
            let archive = absolute(&archive);
            if sources.source(&archive).is_none() {
                let source = ArchiveSource::new().archive(&archive)?;
                sources.add(archive, source);
            }
        }
        Ok(sources)
    }

    /// Adds a source before it is registered. Paths of its files begin with `root`.
    pub fn add(&mut self, root: PathBuf, source: ArchiveSource) {
        let name = format!("archive{}", self.mounted.len());
        self.mounted.push(Mounted { root, name, source });
    }

    /// Adds sources that can be filled while the app runs. Call it before [`register`](Self::register).
    pub fn add_slots(&mut self) {
        let slots = (0..SLOTS).map(|number| (format!("opened{number}"), Slot::default()));
        self.free = slots.rev().collect();
    }

    /// Adds a source while the app runs. Paths of its files begin with `root`.
    ///
    /// # Errors
    /// If too many sources were added.
    pub fn open(&mut self, root: PathBuf, source: ArchiveSource) -> Result<(), String> {
        let Some((name, slot)) = self.free.pop() else {
            return Err(format!(
                "{SLOTS} archives and games were opened: restart to open more"
            ));
        };
        slot.fill(source.clone());
        self.mounted.push(Mounted { root, name, source });
        Ok(())
    }

    /// The source whose files have paths below `root`.
    pub fn source(&self, root: &Path) -> Option<&ArchiveSource> {
        let mounted = self.mounted.iter().find(|mounted| mounted.root == root)?;
        Some(&mounted.source)
    }

    /// Registers the sources. Call it before the asset plugin is added.
    pub fn register(&self, app: &mut App) {
        for Mounted { name, source, .. } in &self.mounted {
            app.register_asset_source(name.clone(), source.clone().into_builder());
        }
        for (name, slot) in &self.free {
            app.register_asset_source(name.clone(), slot.builder());
        }
    }

    /// The asset path of a file or folder. `None` if it is in none of the sources. `file` is absolute.
    pub fn asset_path(&self, file: &Path) -> Option<AssetPath<'static>> {
        self.mounted.iter().find_map(|mounted| {
            let inside = file.strip_prefix(&mounted.root).ok()?;
            // Files can be in a game's folder without being found by the game.
            let is_found = mounted.root.is_file() || mounted.source.locate(inside).is_some();
            let path = AssetPath::from_path_buf(inside.to_path_buf());
            is_found.then(|| path.with_source(mounted.name.clone()))
        })
    }

    /// Where a file or an entry is stored on the disk: for a file of a game, in the layer that wins. Other paths are returned
    /// unchanged. `file` is absolute.
    pub fn stored(&self, file: &Path) -> PathBuf {
        let found = self.mounted.iter().find_map(|mounted| {
            let inside = file.strip_prefix(&mounted.root).ok()?;
            let found = mounted.source.locate(inside)?;
            Some(found.layer_path.join(found.path))
        });
        found.unwrap_or_else(|| file.to_path_buf())
    }

    /// The file of a path that [`asset_path`](Self::asset_path) returned.
    pub fn file_of(&self, path: &AssetPath) -> Option<PathBuf> {
        let name = path.source().as_str()?;
        let mounted = self.mounted.iter().find(|mounted| mounted.name == name)?;
        Some(mounted.root.join(path.path()))
    }
}

#[cfg(test)]
mod tests {
    use super::ArchiveSources;
    use crate::archive_file;
    use bevy_classic_models::archive::ArchiveSource;
    use classic_models_fixtures::archives::pak;
    use std::fs::{create_dir_all, write};

    #[test]
    fn files_of_a_game_are_read_from_the_layer_that_wins() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        create_dir_all(root.join("id1/progs")).unwrap();
        let bytes = pak(&[(b"progs/a.mdl", b"archived")], 0).bytes;
        write(root.join("id1/pak0.pak"), bytes).unwrap();
        write(root.join("id1/progs/b.mdl"), "loose").unwrap();
        write(root.join("other.mdl"), "other").unwrap();
        let mut sources = ArchiveSources::default();
        let source = ArchiveSource::quake(&root, ["id1"]).unwrap();
        sources.add(root.clone(), source);
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
