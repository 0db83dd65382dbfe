//! The layers of Empire at War, Forces of Corruption and their mods, and the list of archives, `MegaFiles.xml`.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::entry_path::EntryPath;
use crate::archive::error::{ArchiveSourceError, SourceWarning};
use crate::archive::folder::Folder;
use crate::archive::layer::{ArchiveLayer, Layer, Layers};
use classic_model_formats::read::TextPosition;
use classic_model_formats::xml_list::{XmlList, XmlPart, decode};
use std::collections::HashSet;
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;

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
    let text =
        std::fs::read(&list).map_err(|error| ArchiveSourceError::io(list.clone(), &error))?;
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

/// The path of a file in a folder, in any case.
pub(crate) fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    Folder::new(folder.to_owned(), None).find_listed(&EntryPath::parse(name)?)
}

/// The maximum count of warnings about names in one list.
const MAX_WARNINGS: usize = 8;

/// The listed archives, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct MegaFiles {
    /// The paths from the folder of the game.
    pub files: Vec<EntryPath>,
    /// Names that are left out, and why the end of the file was not read.
    pub flaws: Vec<(TextPosition, String)>,
}

impl MegaFiles {
    /// Reads all elements `File` below the root, whose name does not matter. Of a damaged list, those before the flaw.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = decode(bytes);
        let mut parts = XmlList::new(&text);
        let mut list = Self::default();
        let mut outside = 0_usize;
        let flaw = loop {
            match parts.next_part() {
                Ok(Some(XmlPart::End { tag, text: name }))
                    if tag.eq_ignore_ascii_case("file") && !name.is_empty() =>
                {
                    if let Some(path) = EntryPath::parse(&name) {
                        list.files.push(path);
                        continue;
                    }
                    outside += 1;
                    // The time to compute a position grows with its offset.
                    if outside <= MAX_WARNINGS {
                        let position = parts.position(parts.offset());
                        list.flaws.push((position, outside_message(&name)));
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        if let Some((_, message)) = list.flaws.last_mut()
            && outside > MAX_WARNINGS
        {
            *message += &format!("; so are {} more", outside - MAX_WARNINGS);
        }
        if let Some(error) = flaw {
            let position = parts.position(error.offset);
            let message = format!(
                "{} {}; archives that are listed after it are skipped",
                error.context, error.kind
            );
            list.flaws.push((position, message));
        }
        list
    }
}

fn outside_message(name: &str) -> String {
    format!("{name:?} is not in the game's folder; the archive is skipped")
}

/// Collects the layers of a preset.
#[derive(Debug, Default)]
pub(crate) struct Preset {
    pub layers: Layers,
    pub warnings: Vec<SourceWarning>,
    /// Archives that are already open.
    opened: Layers,
}

impl Preset {
    /// A preset that does not open the archives of these layers again.
    pub fn reusing(opened: Layers) -> Self {
        Self {
            opened,
            ..Self::default()
        }
    }

    /// Adds an archive. One that cannot be opened is skipped with a warning.
    pub fn archive(&mut self, path: PathBuf) {
        let mut opened = self.opened.0.iter();
        let opened = opened.find_map(|layer| match &**layer {
            Layer::Archive(archive) if archive.path == path => Some((layer, archive.current())),
            _ => None,
        });
        if let Some((layer, file)) = opened {
            self.warnings.extend(archive_warnings(&file));
            self.layers.0.push(layer.clone());
            return;
        }
        match ArchiveFile::open(&path) {
            Ok(file) => {
                self.warnings.extend(archive_warnings(&file));
                let layer = Layer::Archive(ArchiveLayer::new(file));
                self.layers.0.push(Arc::new(layer));
            }
            Err(error) => self.warnings.push(SourceWarning::Skipped(error)),
        }
    }

    /// Adds a folder. If `only` is set, only files below the folder of this name are found. `only` is in lower case.
    pub fn folder(&mut self, path: PathBuf, only: Option<&'static str>) {
        let layer = Layer::Folder(Folder::new(path, only));
        self.layers.0.push(Arc::new(layer));
    }

    pub fn warn(&mut self, warning: SourceWarning) {
        self.warnings.push(warning);
    }
}

pub(crate) fn archive_warnings(file: &ArchiveFile) -> impl Iterator<Item = SourceWarning> {
    let warnings = file.archive.warnings().iter();
    warnings.map(|warning| SourceWarning::Archive {
        path: file.path.clone(),
        warning: warning.clone(),
    })
}

pub(crate) fn absolute_path(path: &Path) -> Result<PathBuf, ArchiveSourceError> {
    absolute(path).map_err(|error| ArchiveSourceError::io(path.to_owned(), &error))
}

/// The absolute path of a folder, which must exist.
pub(crate) fn existing_folder(path: &Path) -> Result<PathBuf, ArchiveSourceError> {
    let path = absolute_path(path)?;
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => {
            let error = std::io::ErrorKind::NotADirectory.into();
            Err(ArchiveSourceError::io(path, &error))
        }
        Err(error) => Err(ArchiveSourceError::io(path, &error)),
    }
}
