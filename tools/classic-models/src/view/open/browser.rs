//! The list of files to open: of a folder, of an archive or of a game, and the search in it. It must not open models.

use crate::file_format::{is_manifest, is_model};
use crate::paths::archive_file::has_archive_extension;
use crate::paths::game::GameKind;
use bevy::prelude::*;
use std::path::{Path, PathBuf};

/// What the list is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    #[default]
    Folder,
    Archive,
    Game,
}

/// The kind of a listed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// The folder of a game: lists the models in all its archives and folders.
    Game(GameKind),
    Folder,
    Archive,
    Model,
}

/// A listed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub label: String,
    pub path: PathBuf,
    pub kind: EntryKind,
}

/// The listed files, and the search for them.
#[derive(Resource, Debug, Default)]
pub struct Browser {
    pub place: Place,
    /// The folder or the archive.
    pub root: PathBuf,
    entries: Vec<Entry>,
    /// The text of the search, which [`search`](Self::search) sets.
    pub text: String,
    /// The indices of the entries that match.
    matches: Vec<usize>,
    /// The model that was opened last.
    opened: Option<PathBuf>,
    /// Whether that model is to be scrolled to.
    reveals_opened: bool,
}

impl Browser {
    /// The models of an archive or a game. `root` precedes their paths.
    pub fn of_models(place: Place, root: PathBuf, models: Vec<String>) -> Self {
        let common = common_folders(&models);
        let entries = models.iter().map(|path| Entry {
            label: path.get(common..).unwrap_or_default().to_owned(),
            path: root.join(path),
            kind: EntryKind::Model,
        });
        let entries = entries.collect();
        Self::new(place, root, entries)
    }

    /// The folders, archives, models and manifests in a folder.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn of_folder(folder: &Path) -> std::io::Result<Self> {
        let mut entries: Vec<Entry> = folder
            .read_dir()?
            .flatten()
            .filter_map(|entry| entry_of(entry.path()))
            .collect();
        entries.sort_by_cached_key(|entry| (entry.kind, entry.label.to_lowercase()));
        let games = games_of(&entries).map(|kind| Entry {
            label: kind.title().to_owned(),
            path: folder.to_path_buf(),
            kind: EntryKind::Game(kind),
        });
        let entries = games.into_iter().chain(entries).collect();
        Ok(Self::new(Place::Folder, folder.to_path_buf(), entries))
    }

    fn new(place: Place, root: PathBuf, entries: Vec<Entry>) -> Self {
        let mut browser = Self {
            place,
            root,
            entries,
            ..Self::default()
        };
        browser.search(String::new());
        browser
    }

    /// Finds the entries whose paths have all words of a text, in any case.
    pub fn search(&mut self, text: String) {
        let entries = self.entries.iter().enumerate();
        let matches = entries.filter(|(_, entry)| has_words(&entry.label, &text));
        self.matches = matches.map(|(index, _)| index).collect();
        self.text = text;
    }

    /// The count of entries, and of those that match.
    pub fn counts(&self) -> (usize, usize) {
        (self.entries.len(), self.matches.len())
    }

    /// An entry that matches, by its index among them.
    pub fn matching(&self, index: usize) -> Option<&Entry> {
        self.entries.get(*self.matches.get(index)?)
    }

    /// Whether a file is in the list, whatever is searched.
    pub fn lists(&self, path: &Path) -> bool {
        self.entries.iter().any(|entry| entry.path == path)
    }

    /// Whether a model was opened last.
    pub fn is_opened(&self, path: &Path) -> bool {
        self.opened.as_deref() == Some(path)
    }

    /// Marks the model that was opened last.
    pub fn set_opened(&mut self, path: &Path) {
        self.opened = Some(path.to_path_buf());
        self.reveals_opened = true;
    }

    /// The index among the matches of a model that was opened since the last call.
    pub fn take_opened(&mut self) -> Option<usize> {
        if !std::mem::take(&mut self.reveals_opened) {
            return None;
        }
        let is_opened = |index: &usize| {
            let entry = self.entries.get(*index);
            entry.is_some_and(|entry| self.is_opened(&entry.path))
        };
        self.matches.iter().position(is_opened)
    }

    /// The model before or after the opened one, among those that match; the first if none is opened. At the end of the list
    /// it is the first again.
    pub fn neighbor(&self, forward: bool) -> Option<&Path> {
        let entries = self.matches.iter().filter_map(|i| self.entries.get(*i));
        let models = entries.filter(|entry| entry.kind == EntryKind::Model);
        let models: Vec<&Path> = models.map(|entry| entry.path.as_path()).collect();
        let opened = models.iter().position(|path| self.is_opened(path));
        let count = models.len();
        let index = match (opened, forward) {
            (None, _) => 0,
            (Some(opened), true) => (opened + 1) % count,
            (Some(opened), false) => (opened + count - 1) % count,
        };
        models.get(index).copied()
    }
}

/// Whether a text has all words of a search, in any case.
pub fn has_words(text: &str, search: &str) -> bool {
    let (text, search) = (text.to_lowercase(), search.to_lowercase());
    search.split_whitespace().all(|word| text.contains(word))
}

/// A file in a folder, if it can be opened.
fn entry_of(path: PathBuf) -> Option<Entry> {
    let label = path.file_name()?.to_string_lossy().into_owned();
    // Reading a pipe could block.
    let kind = if path.is_dir() {
        // Hidden folders have no models.
        (!label.starts_with('.')).then_some(EntryKind::Folder)?
    } else if !path.is_file() {
        return None;
    } else if is_model(&path) || is_manifest(&path) {
        EntryKind::Model
    } else if has_archive_extension(&path) {
        EntryKind::Archive
    } else {
        return None;
    };
    Some(Entry { label, path, kind })
}

/// The game whose folder has these files.
fn games_of(entries: &[Entry]) -> Option<GameKind> {
    let is_named = |entry: &Entry, kind: EntryKind, name: &str| {
        entry.kind == kind && entry.label.eq_ignore_ascii_case(name)
    };
    let has = |kind, name| entries.iter().any(|entry| is_named(entry, kind, name));
    if has(EntryKind::Folder, "id1") {
        return Some(GameKind::Quake);
    }
    if has(EntryKind::Archive, "gamedata.vfs") {
        return Some(GameKind::Aftermath);
    }
    let mut entries = entries.iter();
    let data = entries.find(|entry| is_named(entry, EntryKind::Folder, "data"))?;
    let listed = data.path.read_dir().into_iter().flatten().flatten();
    let mut names = listed.map(|entry| entry.file_name());
    if !names.any(|name| name.eq_ignore_ascii_case("megafiles.xml")) {
        return None;
    }
    let folder = data.path.parent().and_then(Path::file_name);
    let is_expansion = folder.is_some_and(|name| name.eq_ignore_ascii_case("corruption"));
    Some(match is_expansion {
        true => GameKind::ForcesOfCorruption,
        false => GameKind::EmpireAtWar,
    })
}

/// The length of the folders that all paths begin with, with the last `/`.
fn common_folders(paths: &[String]) -> usize {
    let Some((first, others)) = paths.split_first() else {
        return 0;
    };
    let folders = first.rfind('/').map_or(0, |end| end + 1);
    let mut common = first.get(..folders).unwrap_or_default();
    for path in others {
        while !path.starts_with(common) {
            let shorter = common
                .trim_end_matches('/')
                .rfind('/')
                .map_or(0, |end| end + 1);
            common = common.get(..shorter).unwrap_or_default();
        }
    }
    common.len()
}

#[cfg(test)]
mod tests {
    use super::{Browser, EntryKind, Place, common_folders};
    use crate::paths::game::GameKind;
    use classic_models_fixtures::archives::sample_pak;
    use std::path::{Path, PathBuf};

    /// The labels of the entries that match.
    fn listed(browser: &Browser) -> Vec<&str> {
        let entries = (0..browser.counts().1).filter_map(|index| browser.matching(index));
        entries.map(|entry| &*entry.label).collect()
    }

    fn browser(models: &[&str]) -> Browser {
        let models = models.iter().map(|path| (*path).to_owned()).collect();
        Browser::of_models(Place::Game, PathBuf::from("game"), models)
    }

    #[test]
    fn words_find_models_in_any_case_and_order() {
        let mut browser = browser(&[
            "art/models/Walker.alo",
            "art/models/walker_gun.alo",
            "art/models/tower.alo",
        ]);
        assert_eq!(listed(&browser).len(), 3);
        browser.search("GUN walk".to_owned());
        assert_eq!(listed(&browser), ["walker_gun.alo"]);
        browser.search("x".to_owned());
        assert!(listed(&browser).is_empty());
        assert_eq!(browser.counts(), (3, 0));
    }

    #[test]
    fn neighbors_are_those_that_match() {
        let mut browser = browser(&["m/a.mdl", "m/b.mdl", "m/ab.mdl"]);
        let path = |name: &str| Path::new("game/m").join(name);
        assert_eq!(browser.neighbor(true), Some(&*path("a.mdl")));
        browser.set_opened(&path("a.mdl"));
        assert_eq!(browser.neighbor(true), Some(&*path("b.mdl")));
        assert_eq!(browser.neighbor(false), Some(&*path("ab.mdl")));
        browser.search("a".to_owned());
        assert_eq!(browser.neighbor(true), Some(&*path("ab.mdl")));
        browser.search("z".to_owned());
        assert_eq!(browser.neighbor(true), None);
    }

    #[test]
    fn common_folders_are_not_shown() {
        for (paths, expected) in [
            (&["a/b/c", "a/b/d"][..], "a/b/"),
            (&["a/b/c", "a/bc/d"], "a/"),
            (&["a/b", "c/d"], ""),
            (&["a"], ""),
            (&[], ""),
        ] {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            assert_eq!(common_folders(&paths), expected.len(), "{paths:?}");
        }
        assert_eq!(
            listed(&browser(&["a/b/c.mdl", "a/d.mdl"])),
            ["b/c.mdl", "d.mdl"]
        );
    }

    #[test]
    fn folders_list_what_can_be_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["ID1", "maps", ".git"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for name in ["b.MDL", "a.model.ron", "notes.txt", "no_archive.pak"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        std::fs::write(root.join("pak0.pak"), sample_pak().bytes).unwrap();
        let browser = Browser::of_folder(root).unwrap();
        let entries = (0..browser.counts().1).filter_map(|index| browser.matching(index));
        let entries: Vec<_> = entries.map(|entry| (entry.kind, &*entry.label)).collect();
        let kind = GameKind::Quake;
        assert_eq!(
            entries,
            [
                (EntryKind::Game(kind), kind.title()),
                (EntryKind::Folder, "ID1"),
                (EntryKind::Folder, "maps"),
                (EntryKind::Archive, "no_archive.pak"),
                (EntryKind::Archive, "pak0.pak"),
                (EntryKind::Model, "a.model.ron"),
                (EntryKind::Model, "b.MDL"),
            ]
        );
        assert!(Browser::of_folder(&root.join("missing")).is_err());
    }
}
