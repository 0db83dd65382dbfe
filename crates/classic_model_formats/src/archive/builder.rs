//! Collects the entries of an archive while its tables are parsed, and reports flaws that all formats can have.
//! Independent of any format. It must not do I/O.

use super::hash::short;
use super::listing::{Folder, Listing, Names, ROOT, Record};
use super::names::{NameFlaw, clean, plain};
use super::ranges;
use super::ranks::{Ranks, at, counting_sort};
use crate::read::{Format, Quoted, Warning, WarningCollector};
use core::fmt::Display;
use core::ops::Range;

/// A name that was added to a [`Builder`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddedName {
    /// The index of the name, or the reason why it cannot be one.
    index: Result<u32, NameFlaw>,
    /// Whether the cleaned name differs from the name in the file.
    is_changed: bool,
}

/// How two names of a format are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameCase {
    /// Names that differ in case are different.
    Exact,
    /// Names that differ in case are equal.
    Ignored,
}

/// The entries of an archive that were read so far.
pub(crate) struct Builder {
    format: Format,
    case: NameCase,
    listing: Listing,
    /// The bytes of the header, tables and directories.
    tables: Vec<Range<u64>>,
    /// The offset of each folder's record.
    folder_records: Vec<u64>,
    /// Memory for a name while it is added.
    plain_name: Vec<u8>,
    pub warnings: WarningCollector,
    /// The count of entries that were left out.
    pub skipped: u64,
    /// How many of them are folders, which is no flaw.
    pub folder_entries: u64,
}

/// The result of a [`Builder`].
pub(crate) struct Built {
    pub format: Format,
    pub listing: Listing,
    pub warnings: Vec<Warning>,
    pub skipped: u64,
    pub folder_entries: u64,
}

impl Builder {
    /// Starts without entries. `capacity` is the expected count of entries, which the file must be able to hold.
    pub fn new(format: Format, case: NameCase, capacity: usize) -> Self {
        let mut listing = Listing {
            names: Names::with_capacity(capacity, 0),
            records: Vec::with_capacity(capacity),
            ..Listing::default()
        };
        listing.folders.push(Folder {
            parent: ROOT,
            name: u32::MAX,
            hash: 0,
        });
        Self {
            format,
            case,
            listing,
            tables: Vec::new(),
            folder_records: vec![0],
            plain_name: Vec::new(),
            warnings: WarningCollector::default(),
            skipped: 0,
            folder_entries: 0,
        }
    }

    /// Reserves memory for names that have this length in bytes together, which the file must be able to hold.
    pub fn reserve_names(&mut self, bytes: usize) {
        self.listing.names.reserve(bytes);
    }

    /// Adds the bytes of a table, which no entry should use as its data.
    pub fn add_table(&mut self, offset: u64, len: u64) {
        self.tables.push(offset..offset.saturating_add(len));
    }

    /// Adds a name.
    pub fn add_name(&mut self, name: &str) -> AddedName {
        if let Some(name) = plain(name, &mut self.plain_name) {
            return AddedName {
                index: Ok(self.listing.names.push(name)),
                is_changed: false,
            };
        }
        let cleaned = clean(name);
        AddedName {
            is_changed: matches!(cleaned, Ok((_, true))),
            index: cleaned.map(|(name, _)| self.listing.names.push(&name)),
        }
    }

    /// Adds a file of a format without folders: its name is its path. `record` has everything but the name. `raw` is the name
    /// in the file, for messages. Leaves the entry out if the name cannot be one.
    pub fn add_file(&mut self, name: AddedName, record: Record, raw: impl Fn() -> String) {
        if let Some(name) = self.checked_name(name, record.at, "entry", raw) {
            self.listing.records.push(Record { name, ..record });
        }
    }

    /// Adds a file of a format without folders, as [`add_file`](Self::add_file). Tools of some formats add an empty entry for
    /// each folder, whose name ends with a separator. It is left out without a warning.
    pub fn add_file_or_folder(&mut self, name: &str, record: Record) {
        let is_separator = |letter: char| matches!(letter, '/' | '\\');
        let is_named = !name.trim_matches(is_separator).is_empty();
        if record.size == 0 && name.ends_with(is_separator) && is_named {
            self.skipped += 1;
            self.folder_entries += 1;
            return;
        }
        let added = self.add_name(name);
        self.add_file(added, record, || name.to_owned());
    }

    /// Adds a file of a format that stores folders. `record` has everything but the name. Leaves the entry out if the name
    /// cannot be one, or has separators.
    pub fn add_file_in_folder(&mut self, raw: &str, record: Record) {
        if let Some(name) = self.name_in_folder(raw, record.at, "entry") {
            self.listing.records.push(Record { name, ..record });
        }
    }

    /// Adds a folder, and returns its index. Returns `None` if the name cannot be one: then the folder is left out with its
    /// content.
    pub fn add_folder(&mut self, parent: u32, raw: &str, record: u64) -> Option<u32> {
        let name = self.name_in_folder(raw, record, "folder")?;
        let index = u32::try_from(self.listing.folders.len()).ok()?;
        self.listing.folders.push(Folder {
            parent,
            name,
            hash: 0,
        });
        self.folder_records.push(record);
        Some(index)
    }

    /// The name of a folder for errors. Its path is computed when it is displayed.
    pub fn folder_name(&self, folder: u32) -> impl Display + '_ {
        folder_name(&self.listing, folder)
    }

    /// The records so far.
    pub fn records(&self) -> &[Record] {
        &self.listing.records
    }

    /// Warns about a file.
    pub fn warn_about(
        &mut self,
        record: &Record,
        kind: &'static str,
        flaw: impl FnOnce() -> String,
    ) {
        let Self {
            listing, warnings, ..
        } = self;
        warnings.warn(kind, record.at, || {
            format!("entry {} {}", Quoted(&listing.path(record)), flaw())
        });
    }

    /// Warns about a folder.
    pub fn warn_about_folder(
        &mut self,
        folder: u32,
        kind: &'static str,
        offset: u64,
        flaw: impl FnOnce() -> String,
    ) {
        let Self {
            listing, warnings, ..
        } = self;
        warnings.warn(kind, offset, || {
            format!("{} {}", folder_name(listing, folder), flaw())
        });
    }

    /// Counts an entry that is left out, with a warning.
    pub fn skip(&mut self, kind: &'static str, offset: u64, message: impl FnOnce() -> String) {
        self.skipped += 1;
        self.warnings.warn(kind, offset, message);
    }

    /// Adds a name without separators. Otherwise, a file and a file in a folder could have the same path.
    fn name_in_folder(&mut self, raw: &str, at: u64, what: &str) -> Option<u32> {
        let name = self.add_name(raw);
        let is_path = |index| self.listing.names.get(index).contains('/');
        if name.index.is_ok_and(is_path) {
            self.skip("separator in name", at, || {
                format!(
                    "{what} name {} has a separator; the {what} is left out",
                    Quoted(raw)
                )
            });
            return None;
        }
        self.checked_name(name, at, what, || raw.to_owned())
    }

    fn checked_name(
        &mut self,
        name: AddedName,
        at: u64,
        what: &str,
        raw: impl Fn() -> String,
    ) -> Option<u32> {
        match name.index {
            Ok(index) => {
                if name.is_changed {
                    let cleaned = Quoted(self.listing.names.get(index));
                    self.warnings.warn("cleaned name", at, || {
                        format!(
                            "name {} is not a relative path; read as {cleaned}",
                            Quoted(&raw())
                        )
                    });
                }
                Some(index)
            }
            Err(flaw) => {
                let (kind, flaw) = match flaw {
                    NameFlaw::Empty => ("empty name", "is empty"),
                    NameFlaw::Control => ("control character in name", "has a control character"),
                    NameFlaw::Parent => {
                        ("parent folder in name", "contains a parent folder (`..`)")
                    }
                };
                self.skip(kind, at, || {
                    format!(
                        "{what} name {} {flaw}; the {what} is left out",
                        Quoted(&raw())
                    )
                });
                None
            }
        }
    }

    /// Warns about data past the end of the file, inside tables, or shared in part; with headers, also shared as a whole. Call it for a format that stores each
    /// file as one piece, after a header of at least `header` bytes.
    pub fn check_ranges(&mut self, length: u64, header: u64) {
        let Self {
            listing, warnings, ..
        } = self;
        let end = |record: &Record| u64::from(record.start) + header + u64::from(record.stored);
        let is_empty = |record: &Record| end(record) == record.start.into();
        for record in listing.records.iter().filter(|record| !is_empty(record)) {
            if end(record) > length {
                warnings.warn("entry past the end", record.at, || {
                    let path = listing.path(record);
                    let (path, end) = (Quoted(&path), end(record));
                    format!("entry {path} ends at {end}, but the file has {length} bytes; it cannot be read")
                });
            }
        }
        ranges::merge(&mut self.tables);
        // Entries that cannot be read overlap nothing.
        let range = |record: &Record| match end(record) {
            end if end > length => 0..0,
            end => u64::from(record.start)..end,
        };
        for record in &listing.records {
            if ranges::intersects(&self.tables, &range(record)) {
                warnings.warn("entry in tables", record.at, || {
                    let path = listing.path(record);
                    format!(
                        "the data of entry {} overlap the header or the tables",
                        Quoted(&path)
                    )
                });
            }
        }
        // Entries may be the same piece, unless each has a header with its name.
        let ranges = listing.records.iter().map(range);
        for index in ranges::overlapping(ranges, header > 0) {
            let Some(record) = listing.records.get(index as usize) else {
                continue;
            };
            warnings.warn("overlapping entries", record.at, || {
                let path = listing.path(record);
                format!(
                    "the data of entry {} overlap those of another entry",
                    Quoted(&path)
                )
            });
        }
    }

    /// Sorts the index, and warns about equal names.
    pub fn finish(mut self) -> Built {
        let ranks = Ranks::new(&self.listing.names, self.listing.hashes);
        for folder in &mut self.listing.folders {
            folder.hash = short(ranks.hash(folder.name));
        }
        for record in &mut self.listing.records {
            record.hash = short(ranks.hash(record.name));
        }
        self.merge_folders(&ranks);
        self.index_files(&ranks);
        let conflicts = match self.listing.folders.len() {
            1 => self.files_like_implied_folders(&ranks),
            _ => self.files_like_folders(&ranks),
        };
        for index in conflicts {
            let Self {
                listing, warnings, ..
            } = &mut self;
            if let Some(record) = listing.records.get(index as usize) {
                warnings.warn("file and folder", record.at, || {
                    let path = listing.path(record);
                    format!("file {} has the name of a folder", Quoted(&path))
                });
            }
        }
        self.listing.shrink();
        Built {
            format: self.format,
            listing: self.listing,
            warnings: self.warnings.into_warnings(),
            skipped: self.skipped,
            folder_entries: self.folder_entries,
        }
    }

    /// Replaces folders of the same name in one folder by the first of them.
    fn merge_folders(&mut self, ranks: &Ranks) {
        let Listing {
            folders, records, ..
        } = &mut self.listing;
        let count = folders.len() as u32;
        // The first folder of each name. Parents come before their children.
        let mut first: Vec<u32> = (0..count).collect();
        for level in levels(folders) {
            let mut level = level;
            for index in &level {
                if let Some(folder) = folders.get_mut(*index as usize) {
                    folder.parent = at(&first, folder.parent);
                }
            }
            let key = |index: u32| {
                let folder = folders.get(index as usize).copied();
                folder.map(|folder| (folder.parent, ranks.folded(folder.name)))
            };
            level.sort_unstable_by_key(|index| (key(*index), *index));
            for same in level.chunk_by(|a, b| key(*a) == key(*b)) {
                let [kept, others @ ..] = same else { continue };
                for other in others {
                    if let Some(slot) = first.get_mut(*other as usize) {
                        *slot = *kept;
                    }
                }
            }
        }
        for record in records {
            record.folder = at(&first, record.folder);
        }
        for (index, kept) in (0..count).zip(&first) {
            if index != *kept {
                let record = self.folder_records.get(index as usize).copied();
                self.warn_about_folder(
                    index,
                    "repeated folder",
                    record.unwrap_or_default(),
                    || "appears twice; the folders are merged".to_owned(),
                );
            }
        }
        let folders = &self.listing.folders;
        let mut by_name: Vec<u32> = (1..count)
            .filter(|index| at(&first, *index) == *index)
            .collect();
        by_name.sort_unstable_by_key(|index| {
            let folder = folders.get(*index as usize);
            folder.map(|folder| (folder.parent, folder.hash))
        });
        self.listing.folders_by_name = by_name;
    }

    /// Marks the records whose name an earlier one has, and sorts the others.
    fn index_files(&mut self, ranks: &Ranks) {
        let records = &mut self.listing.records;
        let order = sorted_by_name(records, self.listing.folders.len(), ranks);
        // The keys are looked up only once.
        let key = |index: u32| {
            let record = records.get(index as usize).copied().unwrap_or_default();
            let exact = match self.case {
                NameCase::Exact => ranks.exact(record.name),
                NameCase::Ignored => 0,
            };
            (record.folder, ranks.folded(record.name), exact)
        };
        let mut sorted: Vec<_> = order.iter().map(|index| (key(*index), *index)).collect();
        let is_same = |(a, _): &_, (b, _): &_| a == b;
        for same in sorted.chunk_by(is_same) {
            let first = same.iter().map(|(_, index)| *index).min();
            for (_, index) in same {
                if let Some(record) = records.get_mut(*index as usize) {
                    record.is_shadowed = Some(*index) != first;
                }
            }
        }
        let is_first = |index: u32| {
            let record = records.get(index as usize);
            record.is_some_and(|it| !it.is_shadowed)
        };
        sorted.retain(|(_, index)| is_first(*index));
        // The first of each group is found if no name has the wanted spelling.
        let group = |((folder, folded, _), _): &_| (*folder, *folded);
        for same in sorted.chunk_by_mut(|a, b| group(a) == group(b)) {
            let first = (0..same.len()).min_by_key(|at| same.get(*at).map(|(_, index)| *index));
            if let Some(until_first) = first.and_then(|first| same.get_mut(..=first)) {
                until_first.rotate_right(1);
            }
        }
        self.listing.by_name = sorted.into_iter().map(|(_, index)| index).collect();
        let Self {
            listing, warnings, ..
        } = self;
        for record in listing.records.iter().filter(|it| it.is_shadowed) {
            warnings.warn("repeated name", record.at, || {
                let path = listing.path(record);
                format!(
                    "entry {} appears twice; the first one is used",
                    Quoted(&path)
                )
            });
        }
    }

    /// The records with the name of a folder that the archive stores.
    fn files_like_folders(&self, ranks: &Ranks) -> Vec<u32> {
        let folders = self.listing.folders.iter().skip(1);
        let mut folders: Vec<_> = folders
            .map(|it| (it.parent, ranks.folded(it.name)))
            .collect();
        folders.sort_unstable();
        let is_folder = |record: &Record| {
            let wanted = (record.folder, ranks.folded(record.name));
            folders.binary_search(&wanted).is_ok()
        };
        let records = (0..).zip(&self.listing.records);
        let conflicts = records.filter(|(_, record)| is_folder(record));
        conflicts.map(|(index, _)| index).collect()
    }

    /// The records whose whole path is the folder of another record.
    fn files_like_implied_folders(&self, ranks: &Ranks) -> Vec<u32> {
        // Each name is looked up once, although records may share a name.
        let is_folder = ranks.prefixes_of_paths();
        let records = (0..).zip(&self.listing.records);
        let conflicts =
            records.filter(|(_, record)| is_folder.get(record.name as usize) == Some(&true));
        conflicts.map(|(index, _)| index).collect()
    }
}

/// The name of a folder for messages.
fn folder_name(listing: &Listing, folder: u32) -> impl Display + '_ {
    core::fmt::from_fn(move |f| match listing.folders.get(folder as usize) {
        Some(found) if folder != ROOT => {
            let path = listing.path_of(found.parent, found.name);
            write!(f, "folder {}", Quoted(&path))
        }
        _ => f.write_str("root folder"),
    })
}

/// The indices of records by folder, then by the hashes of their names, then by their names, then in their order.
fn sorted_by_name(records: &[Record], folders: usize, ranks: &Ranks) -> Vec<u32> {
    let rank = |record: &Record| ranks.exact(record.name);
    let by_name = counting_sort(records.iter().map(rank), ranks.len());
    if folders <= 1 {
        return by_name;
    }
    let folder = |index: &u32| records.get(*index as usize).map_or(ROOT, |it| it.folder);
    let order = counting_sort(by_name.iter().map(folder), folders);
    order
        .iter()
        .map(|position| at(&by_name, *position))
        .collect()
}

/// The indices of the folders by depth, without the root.
fn levels(folders: &[Folder]) -> Vec<Vec<u32>> {
    let mut depths: Vec<u16> = Vec::with_capacity(folders.len());
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for (index, folder) in (0..).zip(folders) {
        let depth = match index {
            ROOT => 0,
            _ => depths
                .get(folder.parent as usize)
                .map_or(1, |depth| depth.saturating_add(1)),
        };
        depths.push(depth);
        let Some(level) = usize::from(depth).checked_sub(1) else {
            continue;
        };
        if levels.len() <= level {
            levels.resize_with(level + 1, Vec::new);
        }
        if let Some(level) = levels.get_mut(level) {
            level.push(index);
        }
    }
    levels
}
