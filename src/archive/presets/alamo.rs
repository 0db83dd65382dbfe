//! The layers of Empire at War, Forces of Corruption and their mods.

use crate::archive::entry_path::EntryPath;
use crate::archive::error::{ArchiveSourceError, SourceWarning};
use crate::archive::folder::Folder;
use crate::archive::presets::layers::Preset;
use crate::archive::presets::mega_files::{MAX_SIZE, MegaFiles};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The patches of the Alamo games, which need not be listed.
const PATCHES: [&str; 3] = ["Data/Patch.meg", "Data/Patch2.meg", "Data/64Patch.meg"];

/// The folder in which the Alamo games search files outside of archives.
const DATA: &str = "data";

/// The folders of Empire at War or Forces of Corruption.
#[derive(Clone, Debug)]
pub(crate) struct AlamoGame {
    game: PathBuf,
    /// Empire at War, if the game is Forces of Corruption.
    base: Option<PathBuf>,
    /// Those that were named first win.
    mods: Vec<PathBuf>,
}

impl AlamoGame {
    pub fn new(game: PathBuf, base: Option<PathBuf>) -> Self {
        Self {
            game,
            base,
            mods: Vec::new(),
        }
    }

    pub fn add_mod(&mut self, folder: PathBuf) {
        self.mods.push(folder);
    }

    /// Adds the layers, lowest first.
    pub fn add_layers(&self, preset: &mut Preset) -> Result<(), ArchiveSourceError> {
        if let Some(base) = &self.base {
            preset.folder(base.clone(), Some(DATA));
            add_archives(preset, &[base])?;
        }
        let mut folders: Vec<&Path> = self.mods.iter().map(|path| &**path).collect();
        folders.push(&self.game);
        add_archives(preset, &folders)?;
        preset.folder(self.game.clone(), None);
        for folder in self.mods.iter().rev() {
            preset.folder(folder.clone(), Some(DATA));
        }
        Ok(())
    }
}

/// Adds the listed archives and the patches. All are searched in each folder, in this order.
fn add_archives(preset: &mut Preset, folders: &[&Path]) -> Result<(), ArchiveSourceError> {
    const LIST: &str = "Data/MegaFiles.xml";

    let roots: Vec<Folder> = folders
        .iter()
        .map(|folder| Folder::new(folder.to_path_buf(), None))
        .collect();
    let find = |path: &EntryPath| roots.iter().find_map(|root| root.find_listed(path));
    let list = EntryPath::parse(LIST);
    let Some(list) = list.as_ref().and_then(find) else {
        let folder = |path| roots.iter().find_map(|root| root.find_folder(path));
        if let Some(path) = list.as_ref().and_then(folder) {
            let error = std::io::ErrorKind::IsADirectory.into();
            return Err(ArchiveSourceError::io(path, &error));
        }
        let game = folders.last().copied().unwrap_or(Path::new(""));
        return Err(ArchiveSourceError::NotFound {
            path: game.join(LIST),
        });
    };
    let text = read_start(&list).map_err(|error| ArchiveSourceError::io(list.clone(), &error))?;
    let MegaFiles { files, flaws } = MegaFiles::parse(&text);
    for (position, message) in flaws {
        preset.warn(SourceWarning::List {
            path: list.clone(),
            position,
            message,
        });
    }
    let patches = PATCHES.iter().filter_map(|patch| EntryPath::parse(patch));
    // The last place of an archive counts.
    let (mut names, mut known) = (HashSet::new(), HashSet::new());
    let mut archives: Vec<PathBuf> = files
        .into_iter()
        .chain(patches)
        .rev()
        .filter(|path| names.insert(path.text().to_owned()))
        // Lists have archives that few installations have, such as those of other languages.
        .filter_map(|path| find(&path))
        .filter(|file| known.insert(file.clone()))
        .collect();
    archives.reverse();
    archives.into_iter().for_each(|path| preset.archive(path));
    Ok(())
}

/// Reads a list, or enough of it to show that it is too long.
fn read_start(list: &Path) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let limit = MAX_SIZE as u64 + 1;
    File::open(list)?.take(limit).read_to_end(&mut text)?;
    Ok(text)
}

/// The path of a file in a folder, in any case.
pub(crate) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    Folder::new(folder.to_owned(), None).find_listed(&EntryPath::parse(name)?)
}
