//! The names and records of an archive, with an index by name. Independent of any format. It must not do I/O.

use super::hash::NameHasher;
use super::names::{equals_folded, folded};
use std::borrow::Cow;

/// The index of the folder that contains everything.
pub(crate) const ROOT: u32 = 0;

/// The maximum depth of folders.
pub(crate) const MAX_DEPTH: usize = 64;

/// Names in one block of memory.
#[derive(Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// The end of each name in `text`.
    ends: Vec<usize>,
}

impl Names {
    pub fn with_capacity(count: usize, bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            ends: Vec::with_capacity(count),
        }
    }

    /// Adds a name that `push` appends to the text, and returns its index.
    pub fn push_with(&mut self, push: impl FnOnce(&mut String)) -> u32 {
        // No archive can have so many names: its offsets have 32 bits.
        let index = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        push(&mut self.text);
        self.ends.push(self.text.len());
        index
    }

    pub fn push(&mut self, name: &str) -> u32 {
        self.push_with(|text| text.push_str(name))
    }

    /// The name with this index. Empty if it does not exist.
    pub fn get(&self, index: u32) -> &str {
        let index = index as usize;
        let start = match index.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        let name = start
            .zip(self.ends.get(index))
            .and_then(|(start, end)| self.text.get(start..*end));
        name.unwrap_or_default()
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The length of all names together, in bytes.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Reserves memory for names that have this length in bytes together.
    pub fn reserve(&mut self, bytes: usize) {
        self.text.reserve_exact(bytes);
    }

    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

/// A folder of a format that stores folders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folder {
    /// The index of the parent, smaller than the folder's own index. The root is its own parent.
    pub parent: u32,
    /// The index of the name.
    pub name: u32,
    /// The hash of the folded name.
    pub hash: u32,
}

/// The entry of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// The offset of the record in the archive's tables, for warnings and errors.
    pub at: u64,
    /// The index of the folder.
    pub folder: u32,
    /// The index of the name. In a format without folders, the name is the whole path.
    pub name: u32,
    /// The hash of the folded name.
    pub hash: u32,
    /// Where the data begin: an offset, or a cluster.
    pub start: u32,
    /// The size of the file in bytes.
    pub size: u32,
    /// The size of the data in the archive in bytes.
    pub stored: u32,
    /// The checksum of the name, in a format that finds files by it, or of the file.
    pub tag: u32,
    /// The compression method, in a format that has several.
    pub method: u16,
    pub is_compressed: bool,
    /// Whether an earlier entry has the same name.
    pub is_shadowed: bool,
}

/// All entries of an archive.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub names: Names,
    pub folders: Vec<Folder>,
    /// In the order of the archive.
    pub records: Vec<Record>,
    /// Indices of the records that are not shadowed, by folder and hash. Those whose names differ only in case are next to
    /// each other: the first in the archive, then the others by their names.
    pub by_name: Vec<u32>,
    /// Indices of folders by parent and hash.
    pub folders_by_name: Vec<u32>,
    pub hashes: NameHasher,
    /// Indices of records by tag. Empty in a format without tags.
    pub by_tag: Vec<u32>,
}

impl Listing {
    pub fn shrink(&mut self) {
        self.names.shrink();
        self.folders.shrink_to_fit();
        self.records.shrink_to_fit();
    }

    /// The path of a record from the root.
    pub fn path(&self, record: &Record) -> Cow<'_, str> {
        self.path_of(record.folder, record.name)
    }

    /// The length of the path of a record in bytes.
    pub fn path_len(&self, record: &Record) -> usize {
        let mut len = self.names.get(record.name).len();
        let mut folder = record.folder;
        while let Some(found) = self.folders.get(folder as usize).filter(|_| folder != ROOT) {
            len += self.names.get(found.name).len() + 1;
            folder = found.parent;
        }
        len
    }

    /// The path of a name in a folder.
    pub fn path_of(&self, mut folder: u32, name: u32) -> Cow<'_, str> {
        let name = self.names.get(name);
        if folder == ROOT {
            return Cow::Borrowed(name);
        }
        let mut parts = vec![name];
        // A parent's index is smaller, so this ends.
        while let Some(found) = self.folders.get(folder as usize).filter(|_| folder != ROOT) {
            parts.push(self.names.get(found.name));
            folder = found.parent;
        }
        parts.reverse();
        Cow::Owned(parts.join("/"))
    }

    /// The record with this path and spelling that is not shadowed.
    pub fn find_exact(&self, path: &str) -> Option<u32> {
        let path = separated(path);
        let (group, name) = self.same_paths(&path)?;
        self.first_exact(group, name)
    }

    /// The record with this path and spelling that is not shadowed; if there is none, the first with this path in any case.
    pub fn find_any_case(&self, path: &str) -> Option<u32> {
        let path = separated(path);
        let (group, name) = self.same_paths(&path)?;
        self.first_exact(group, name).or(group.first().copied())
    }

    /// The first record with this tag.
    pub fn find_tag(&self, tag: u32) -> Option<u32> {
        let tag_of = |index: &u32| self.record(*index).tag;
        let first = self.by_tag.partition_point(|index| tag_of(index) < tag);
        self.by_tag
            .get(first)
            .copied()
            .filter(|index| tag_of(index) == tag)
    }

    fn record(&self, index: u32) -> Record {
        self.records
            .get(index as usize)
            .copied()
            .unwrap_or_default()
    }

    fn name(&self, index: u32) -> &str {
        self.names.get(self.record(index).name)
    }

    /// The record with this spelling among those whose names differ only in case.
    fn first_exact(&self, group: &[u32], name: &str) -> Option<u32> {
        let (first, others) = group.split_first()?;
        if self.name(*first) == name {
            return Some(*first);
        }
        let found = others.binary_search_by(|index| self.name(*index).cmp(name));
        others.get(found.ok()?).copied()
    }

    /// The records whose paths are equal to this one except for case, and the end of the path that is their name.
    fn same_paths<'p>(&self, path: &'p str) -> Option<(&[u32], &'p str)> {
        let folded = folded(path);
        let (mut folder, mut rest, mut name) = (ROOT, &*folded, path);
        // In a format without folders, the name of a record is its path.
        let has_folders = self.folders.len() > 1;
        while let Some((first, after)) = rest.split_once('/').filter(|_| has_folders) {
            folder = self.folder_named(folder, first)?;
            (rest, name) = (after, name.split_once('/')?.1);
        }
        Some((self.records_named(folder, rest), name)).filter(|(group, _)| !group.is_empty())
    }

    fn records_named(&self, folder: u32, folded: &str) -> &[u32] {
        let wanted = (folder, self.hashes.hash(folded));
        let key = |index: &u32| {
            let record = self.record(*index);
            (record.folder, record.hash)
        };
        let start = self.by_name.partition_point(|index| key(index) < wanted);
        let rest = self.by_name.get(start..).unwrap_or_default();
        let mut rest = rest
            .split_at_checked(rest.partition_point(|index| key(index) == wanted))
            .map_or(rest, |(same_hash, _)| same_hash);
        // Different names of the same hash are very rare.
        while let Some(first) = rest.first() {
            let name = super::names::folded(self.name(*first));
            let len = rest.partition_point(|index| equals_folded(self.name(*index), &name));
            let (group, others) = rest.split_at_checked(len.max(1)).unwrap_or((rest, &[]));
            if name == folded {
                return group;
            }
            rest = others;
        }
        &[]
    }

    fn folder_named(&self, parent: u32, folded: &str) -> Option<u32> {
        let wanted = (parent, self.hashes.hash(folded));
        let folder = |index: &u32| self.folders.get(*index as usize);
        let key = |index: &u32| folder(index).map(|it| (it.parent, it.hash));
        let start = self
            .folders_by_name
            .partition_point(|index| key(index) < Some(wanted));
        let rest = self.folders_by_name.get(start..).unwrap_or_default().iter();
        let mut same_hash = rest.take_while(|index| key(index) == Some(wanted));
        let is_named = |index: &u32| {
            folder(index).is_some_and(|it| equals_folded(self.names.get(it.name), folded))
        };
        same_hash.find(|index| is_named(index)).copied()
    }
}

/// A path with `/` for `\`, and without one leading separator.
fn separated(path: &str) -> Cow<'_, str> {
    let rest = path.strip_prefix(['/', '\\']).unwrap_or(path);
    match rest.contains('\\') {
        true => Cow::Owned(rest.replace('\\', "/")),
        false => Cow::Borrowed(rest),
    }
}
