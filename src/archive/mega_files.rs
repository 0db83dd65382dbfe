//! The layers of Empire at War, Forces of Corruption and their mods, and the list of archives, `MegaFiles.xml`.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::entry_path::EntryPath;
use crate::archive::error::{ArchiveSourceError, SourceWarning};
use crate::archive::folder::Folder;
use crate::archive::layer::{ArchiveLayer, Layer, Layers};
use classic_model_formats::read::TextPosition;
use roxmltree::{Document, Error, Node, TextPos};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
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

/// The maximum size of a list in bytes. Those of the games have about 3,000. The time to read some lists grows with the square
/// of their size.
pub(crate) const MAX_SIZE: usize = 1 << 15;

/// The maximum count of attempts to read the start of a damaged list.
const MAX_ATTEMPTS: usize = 8;

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
    /// Reads all elements `File` below the root, whose name does not matter. Of a damaged list, what is before the flaw.
    ///
    /// Lists of more than [`MAX_SIZE`] bytes are not read.
    pub fn parse(bytes: &[u8]) -> Self {
        if bytes.len() > MAX_SIZE {
            let message =
                format!("the list has more than {MAX_SIZE} bytes; its archives are skipped");
            return Self {
                files: Vec::new(),
                flaws: vec![(TextPosition { line: 1, column: 1 }, message)],
            };
        }
        let text = decode(bytes);
        let error = match Document::parse(&text) {
            Ok(document) => return Self::of(&document),
            Err(error) => error,
        };
        let end = match error {
            // The parser reports the start of the file.
            Error::UnclosedRootNode | Error::NoRootNode => text.len(),
            Error::DtdDetected => text.find("<!DOCTYPE").unwrap_or_default(),
            _ => offset(&text, error.pos()),
        };
        let reason = error.to_string();
        let reason = reason.strip_suffix(&format!(" at {}", error.pos()));
        let reason = reason.map_or_else(|| error.to_string(), str::to_owned);
        let position = TextPosition::new(text.as_bytes(), end as u64, true);
        let message = format!("{reason}; archives that are listed after it are skipped");
        let mut list = Self::before(&text, end);
        list.flaws.push((position, message));
        list
    }

    fn of(document: &Document) -> Self {
        let elements = document.root_element().children();
        let is_file = |node: &Node| node.tag_name().name().eq_ignore_ascii_case("file");
        let mut list = Self::default();
        let mut outside = 0_usize;
        for node in elements.filter(is_file) {
            let text = node.children().filter_map(|child| child.text());
            let name = text.collect::<String>();
            let name = name.trim();
            match EntryPath::parse(name) {
                _ if name.is_empty() => {}
                Some(path) => list.files.push(path),
                None => {
                    outside += 1;
                    if outside <= MAX_WARNINGS {
                        // The time to compute a position grows with its offset.
                        let position = position(document.text_pos_at(node.range().start));
                        list.flaws.push((position, outside_message(name)));
                    }
                }
            }
        }
        if let Some((_, message)) = list.flaws.last_mut()
            && outside > MAX_WARNINGS
        {
            *message += &format!("; so are {} more", outside - MAX_WARNINGS);
        }
        list
    }

    /// The archives that are listed before the offset of a flaw: those in the longest beginning of the text that ends with a
    /// tag and can be parsed.
    fn before(text: &str, end: usize) -> Self {
        let mut start = text.get(..end).unwrap_or_default();
        for _ in 0..MAX_ATTEMPTS {
            let Some(tag) = start.rfind('>') else {
                break;
            };
            if let Some(closed) = start.get(..=tag).and_then(closed) {
                return Document::parse(&closed)
                    .map_or_else(|_| Self::default(), |it| Self::of(&it));
            }
            start = start.get(..tag).unwrap_or_default();
        }
        Self::default()
    }
}

fn outside_message(name: &str) -> String {
    format!("{name:?} is not in the game's folder; the archive is skipped")
}

/// Text in UTF-8. Other text is read as Latin-1, in which every byte is a character.
fn decode(bytes: &[u8]) -> String {
    match core::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Adds the end tags that a text lacks. `None` if it cannot be read for another reason.
fn closed(start: &str) -> Option<String> {
    /// The root, an element `File` and one in it.
    const MAX_DEPTH: usize = 3;
    /// A name that no element has.
    const WRONG_TAG: &str = "</classic_models>";

    let mut text = start.to_owned();
    for _ in 0..=MAX_DEPTH {
        // The parser names the element that is open.
        let wrong = format!("{text}{WRONG_TAG}");
        match Document::parse(&wrong) {
            Err(Error::UnexpectedCloseTag(expected, ..)) => text += &format!("</{expected}>"),
            // No element is open.
            _ => break,
        }
    }
    Document::parse(&text).is_ok().then_some(text)
}

/// The offset of a position in bytes.
fn offset(text: &str, position: TextPos) -> usize {
    let row = (position.row as usize).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    let column = (position.col as usize).saturating_sub(1);
    let in_row: usize = rest.chars().take(column).map(char::len_utf8).sum();
    start + in_row
}

fn position(position: TextPos) -> TextPosition {
    TextPosition {
        line: position.row,
        column: position.col,
    }
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
