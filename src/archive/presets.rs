//! The layers of games, as the games search their files.

use crate::archive::entry_path::EntryPath;
use crate::archive::error::ArchiveSourceError;
use crate::archive::folder::Folder;
use crate::archive::mega_files::{AlamoGame, Preset, existing_folder, find};
use crate::archive::source::ArchiveSource;
use crate::load::names::folded;
use std::path::{Path, PathBuf};

impl ArchiveSource {
    /// Star Wars: Empire at War, from the folder that contains `Data`, such as `GameData`.
    ///
    /// Layers, lowest first: the archives in `Data/MegaFiles.xml` in their order, the three patches, the files of the folder.
    /// Listed archives that do not exist are skipped. Add mods with [`mod_folder`](Self::mod_folder).
    ///
    /// # Errors
    /// [`ArchiveSourceError`] if the folder or its `MegaFiles.xml` does not exist or cannot be read. Archives that cannot be
    /// opened are skipped with a [warning](Self::warnings).
    pub fn empire_at_war(game: impl AsRef<Path>) -> Result<Self, ArchiveSourceError> {
        alamo(existing_folder(game.as_ref())?, None)
    }

    /// Star Wars: Empire at War: Forces of Corruption, from its folder (such as `corruption`) and that of Empire at War. Both
    /// must contain `Data`.
    ///
    /// Layers, lowest first: the files of Empire at War, its listed archives and patches, the listed archives and patches of
    /// Forces of Corruption, the files of Forces of Corruption. Of Empire at War's folder, only files below `Data` are found.
    ///
    /// # Errors
    /// As [`empire_at_war`](Self::empire_at_war).
    pub fn forces_of_corruption(
        game: impl AsRef<Path>,
        empire_at_war: impl AsRef<Path>,
    ) -> Result<Self, ArchiveSourceError> {
        let base = existing_folder(empire_at_war.as_ref())?;
        alamo(existing_folder(game.as_ref())?, Some(base))
    }

    /// Quake and games that search files like it, from the folder of the game, and the names of the folders in it: first
    /// the base folder, such as `id1` or LibreQuake's `lq1`, then a mission pack or a mod.
    ///
    /// Layers, lowest first: the `.kpf` archives beside these folders, then for each folder its files, `pak0.pak`, `pak1.pak` and
    /// so on, until one is missing, and the `.pk3` and `.kpf` archives by their names. So, as in the game, archives win over the
    /// files of their folder. To change that, use [`new`](Self::new).
    ///
    /// # Errors
    /// [`ArchiveSourceError`] if one of the folders does not exist. Archives that cannot be opened are skipped with a
    /// [warning](Self::warnings).
    pub fn quake(
        game: impl AsRef<Path>,
        folders: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<Self, ArchiveSourceError> {
        let game = existing_folder(game.as_ref())?;
        let mut preset = Preset::default();
        // `QuakeEX.kpf` of the re-release, which Ironwail also reads (`COM_InitFilesystem`).
        let archives = archives_in(&game, &["kpf"])?;
        archives.into_iter().for_each(|path| preset.archive(path));
        for folder in folders {
            let folder = folder.as_ref();
            let root = Folder::new(game.clone(), None);
            let found = EntryPath::new(folder).and_then(|path| root.find_folder(&path));
            let folder = existing_folder(&found.unwrap_or_else(|| game.join(folder)))?;
            preset.folder(folder.clone(), None);
            let paks = (0..).map_while(|number: u32| find(&folder, &format!("pak{number}.pak")));
            paks.for_each(|pak| preset.archive(pak));
            // As DarkPlaces (`FS_AddGameDirectory`). Quake, QuakeSpasm and Ironwail have no archives of these formats in
            // folders.
            let zips = archives_in(&folder, &["pk3", "kpf"])?;
            zips.into_iter().for_each(|path| preset.archive(path));
        }
        Ok(Self::from_preset(preset, None))
    }

    /// UFO: Aftermath, Aftershock or Afterlight, from the folder that contains `gamedata.vfs`.
    ///
    /// Layers, lowest first: `gamedata.vfs`, the other `.vfs` files of the folder by name, the files of the folder. The order
    /// of several archives in the games is not known; use [`new`](Self::new) if it matters. Archives in `Localization` are not
    /// included.
    ///
    /// # Errors
    /// [`ArchiveSourceError`] if the folder or `gamedata.vfs` does not exist. Archives that cannot be opened are skipped with a
    /// [warning](Self::warnings).
    pub fn aftermath(game: impl AsRef<Path>) -> Result<Self, ArchiveSourceError> {
        let game = existing_folder(game.as_ref())?;
        let Some(main) = find(&game, "gamedata.vfs") else {
            let path = game.join("gamedata.vfs");
            return Err(ArchiveSourceError::NotFound { path });
        };
        let mut others = archives_in(&game, &["vfs"])?;
        others.retain(|path| *path != main);
        let mut preset = Preset::default();
        preset.archive(main);
        others.into_iter().for_each(|path| preset.archive(path));
        preset.folder(game, None);
        Ok(Self::from_preset(preset, None))
    }
}

/// The files in a folder with one of these extensions, by their names without case.
fn archives_in(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, ArchiveSourceError> {
    let io_error = |error| ArchiveSourceError::io(folder.to_owned(), &error);
    let mut found = Vec::new();
    for entry in folder.read_dir().map_err(io_error)? {
        let path = entry.map_err(io_error)?.path();
        let has = |extension: &&str| {
            let own = path.extension();
            own.is_some_and(|own| own.eq_ignore_ascii_case(extension))
        };
        if extensions.iter().any(has) && path.is_file() {
            found.push(path);
        }
    }
    found.sort_by_cached_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (folded(&name), path.clone())
    });
    Ok(found)
}

fn alamo(game: PathBuf, base: Option<PathBuf>) -> Result<ArchiveSource, ArchiveSourceError> {
    let game = AlamoGame::new(game, base);
    let mut preset = Preset::default();
    game.add_layers(&mut preset)?;
    Ok(ArchiveSource::from_preset(preset, Some(game)))
}
