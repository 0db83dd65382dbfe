//! The values of an opened archive. Independent of any format.

use super::ReadAt;
use super::builder::Built;
use super::listing::{Listing, Record};
use super::source::Source;
use crate::read::{Format, ParseError, Quoted, Warning};
use core::fmt::{self, Debug, Display};
use core::ops::Range;
use std::borrow::Cow;

/// An opened archive: its entries, and a reader for their bytes.
///
/// Opening reads only the tables. All methods take `&self`, so threads can share an archive and read from it at once.
#[derive(Debug)]
pub struct Archive<R> {
    reader: R,
    format: Format,
    version: Option<u32>,
    listing: Listing,
    lookup: Lookup,
    content: Box<dyn Content>,
    warnings: Vec<Warning>,
    skipped: u64,
    folder_entries: u64,
}

/// How the game finds an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup {
    /// By its name, with the same spelling.
    Exact,
    /// By its name in any case.
    AnyCase,
    /// By a checksum of its path. `None` is never found.
    Checksum(fn(&str) -> Option<u32>),
}

/// How the bytes of an entry are stored.
pub(crate) trait Content: Send + Sync + Debug {
    /// Reads a part of a file. `range` is within its size. `context` names the entry in errors.
    fn read(
        &self,
        source: &Source<'_>,
        record: &Record,
        range: Range<u64>,
        context: &dyn Display,
    ) -> Result<Vec<u8>, ParseError>;
}

/// Each file is stored in one piece and not compressed.
#[derive(Debug)]
pub(crate) struct OnePiece;

impl Content for OnePiece {
    fn read(
        &self,
        source: &Source<'_>,
        record: &Record,
        range: Range<u64>,
        context: &dyn Display,
    ) -> Result<Vec<u8>, ParseError> {
        let offset = u64::from(record.start) + range.start;
        source.bytes(offset, range.end - range.start, context)
    }
}

impl<R: ReadAt> Archive<R> {
    pub(crate) fn new(
        reader: R,
        built: Built,
        version: Option<u32>,
        lookup: Lookup,
        content: impl Content + 'static,
    ) -> Self {
        let Built {
            format,
            mut listing,
            warnings,
            skipped,
            folder_entries,
        } = built;
        if let Lookup::Checksum(_) = lookup {
            let records = &listing.records;
            let mut by_tag: Vec<u32> = (0..records.len() as u32).collect();
            by_tag.sort_unstable_by_key(|index| {
                (records.get(*index as usize).map(|it| it.tag), *index)
            });
            listing.by_tag = by_tag;
        }
        Self {
            reader,
            format,
            version,
            listing,
            lookup,
            content: Box::new(content),
            warnings,
            skipped,
            folder_entries,
        }
    }

    /// Reads the bytes of an entry of this archive. Compressed entries are inflated.
    ///
    /// # Errors
    /// A [`ParseError`] with the path of the entry and an offset in the archive: if the data are not in the file, are damaged,
    /// or cannot be read.
    pub fn read(&self, entry: Entry<'_>) -> Result<Vec<u8>, ParseError> {
        self.read_range(entry, 0..entry.size())
    }

    /// Reads a part of an entry of this archive. The range is in bytes of the (inflated) file, and is cut at its end.
    ///
    /// A compressed entry is inflated from its start, so do not read it in many small parts.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_range(&self, entry: Entry<'_>, range: Range<u64>) -> Result<Vec<u8>, ParseError> {
        let end = range.end.min(entry.size());
        let range = range.start.min(end)..end;
        // The path is computed only for an error.
        let context = core::fmt::from_fn(|f| write!(f, "entry {}", Quoted(&entry.path())));
        let source = Source::new(&self.reader, self.format)?;
        self.content.read(&source, entry.record, range, &context)
    }
}

impl<R> Archive<R> {
    /// The format of the archive.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The version of the format. `None` for a format without versions.
    pub fn version(&self) -> Option<u32> {
        self.version
    }

    /// All entries, in the order of the archive's tables. Folders are not entries; only the files in them are.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Entry<'_>> + DoubleEndedIterator {
        let Self { listing, .. } = self;
        let records = listing.records.iter().enumerate();
        records.map(move |(index, record)| Entry {
            listing,
            record,
            index,
        })
    }

    /// The entry with this index in [`entries`](Self::entries).
    pub fn entry(&self, index: usize) -> Option<Entry<'_>> {
        let Self { listing, .. } = self;
        let record = listing.records.get(index)?;
        Some(Entry {
            listing,
            record,
            index,
        })
    }

    /// Finds an entry by the rule of the games that use the format. The module of the format documents its rule.
    pub fn find(&self, path: &str) -> Option<Entry<'_>> {
        let found = match self.lookup {
            Lookup::Exact => self.listing.find_exact(path),
            Lookup::AnyCase => self.listing.find_any_case(path),
            Lookup::Checksum(checksum) => self.listing.find_tag(checksum(path)?),
        };
        self.entry(found? as usize)
    }

    /// Finds an entry by its path in any case, with `/` or `\`. Several entries can differ only in case. The result is then the
    /// one with the same spelling, if the game distinguishes case, and otherwise the first one.
    ///
    /// Case is ignored as Windows ignores it in file names: for each Unicode character on its own.
    pub fn find_any_case(&self, path: &str) -> Option<Entry<'_>> {
        self.entry(self.listing.find_any_case(path)? as usize)
    }

    /// The warnings about harmless flaws of the tables, one for each kind of flaw.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The count of entries that were left out, because their names cannot be files or their type is unknown. A folder that
    /// was left out counts once.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// How many of the [`skipped`](Self::skipped) entries are folders, which PAK and PK3 archives of some tools have. This is no flaw.
    pub fn folder_entries(&self) -> u64 {
        self.folder_entries
    }

    /// The reader of the archive's bytes.
    pub fn reader(&self) -> &R {
        &self.reader
    }
}

/// A file in an [`Archive`].
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    listing: &'a Listing,
    record: &'a Record,
    index: usize,
}

impl<'a> Entry<'a> {
    /// The index in [`Archive::entries`].
    pub fn index(&self) -> usize {
        self.index
    }

    /// The path from the root of the archive: decoded, with `/`, in the case of the archive, without drive, leading or doubled
    /// slashes, `.` and `..`.
    ///
    /// It may contain characters that other software does not accept in paths, such as `#`, `:` or `?`.
    pub fn path(&self) -> Cow<'a, str> {
        self.listing.path(self.record)
    }

    /// The length of [`path`](Self::path) in bytes, computed without making the path. A damaged archive can have paths that
    /// are much longer than its tables.
    pub fn path_len(&self) -> usize {
        self.listing.path_len(self.record)
    }

    /// The size of the file in bytes. For a compressed entry, the size that its record claims after inflating.
    pub fn size(&self) -> u64 {
        self.record.size.into()
    }

    /// The size of the data in the archive in bytes. It differs from [`size`](Self::size) only for compressed entries.
    pub fn stored_size(&self) -> u64 {
        self.record.stored.into()
    }

    /// Whether the data are compressed.
    pub fn is_compressed(&self) -> bool {
        self.record.is_compressed
    }

    /// Where the data begin: in bytes from the start of the archive. In a PK3 archive, where the header before the data begins. In a
    /// VFS archive, the index of the first cluster, counted from 1.
    pub fn offset(&self) -> u64 {
        self.record.start.into()
    }

    /// The offset of the entry's record in the tables, in bytes from the start of the archive.
    pub fn record_offset(&self) -> u64 {
        self.record.at
    }

    /// Whether an earlier entry has the same path, so that the games do not find this one.
    pub fn is_shadowed(&self) -> bool {
        self.record.is_shadowed
    }
}

impl Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("path", &self.path())
            .field("size", &self.size())
            .field("offset", &self.offset())
            .finish_non_exhaustive()
    }
}
