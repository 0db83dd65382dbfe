//! Checks that are the same for all archive formats.

mod corpus;
mod detect;
mod files;

use crate::prelude::*;
use classic_model_formats::read::Warning;
use classic_model_formats::{meg, pak, pk3, rez};
use std::io;
use std::sync::Mutex;

/// An archive in memory, or the error of opening it.
pub type Opened<'a> = Result<Archive<&'a [u8]>, ParseError>;

/// The paths and bytes of all entries.
pub fn contents<R: ReadAt>(archive: &Archive<R>) -> Vec<(String, Vec<u8>)> {
    let read = |entry| archive.read(entry).unwrap();
    let entries = archive.entries();
    entries
        .map(|entry| (entry.path().into_owned(), read(entry)))
        .collect()
}

/// Paths and bytes to compare with [`contents`].
pub fn files<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<(String, Vec<u8>)> {
    let files = files.into_iter();
    files
        .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()))
        .collect()
}

/// Files for a writer.
pub fn to_write(files: &[(&str, &[u8])]) -> Vec<ArchiveFile> {
    files
        .iter()
        .map(|(path, bytes)| ArchiveFile::new(*path, *bytes))
        .collect()
}

/// Opens an archive, reads everything that can be read, and returns the warnings.
pub fn open_and_read<'a>(
    bytes: &'a [u8],
    open: fn(&'a [u8]) -> Opened<'a>,
) -> Result<Vec<Warning>, ParseError> {
    let archive = open(bytes)?;
    read_everything(&archive);
    Ok(archive.warnings().to_vec())
}

/// Reads every entry and searches for it.
pub fn read_everything<R: ReadAt>(archive: &Archive<R>) {
    for entry in archive.entries() {
        let path = entry.path();
        assert!(
            path.split('/').all(|part| !matches!(part, "" | "." | "..")),
            "{path}"
        );
        if let Ok(bytes) = archive.read(entry) {
            assert_eq!(bytes.len() as u64, entry.size(), "{path}");
        }
        let found = archive.find_any_case(&path).unwrap();
        assert_eq!(found.path().to_lowercase(), path.to_lowercase());
        if !entry.is_shadowed() {
            assert_eq!(found.record_offset(), entry.record_offset(), "{path}");
        }
        assert!(!found.is_shadowed() || entry.is_shadowed(), "{path}");
        archive.find(&path);
    }
}

/// Opens an archive.
type Open = fn(&[u8]) -> Opened<'_>;

/// An archive of each format and version, and the function that opens it.
fn samples() -> Vec<(Vec<u8>, Open)> {
    let mut samples: Vec<(Vec<u8>, Open)> = vec![
        (sample_pak().bytes, |bytes| pak::open(bytes)),
        (sample_pk3().bytes, |bytes| pk3::open(bytes)),
        (sample_rez().bytes, |bytes| rez::open(bytes)),
        (sample_vfs().build(), |bytes| vfs::open(bytes)),
    ];
    for version in 1..=3 {
        samples.push((sample_meg(version).bytes, |bytes| meg::open(bytes)));
    }
    samples
}

/// An archive that ends at any byte is an error, has a warning, or has all files. What can be read is right.
#[test]
fn truncated_archives_are_handled() {
    for (bytes, open) in samples() {
        let expected = contents(&open(&bytes).unwrap());
        for end in 0..bytes.len() {
            let archive = match open(&bytes[..end]) {
                Ok(archive) => archive,
                Err(error) => {
                    assert!(error.offset <= bytes.len() as u64, "cut at {end}: {error}");
                    continue;
                }
            };
            let mut missing = 0;
            for (entry, (path, bytes)) in archive.entries().zip(&expected) {
                match archive.read(entry) {
                    Ok(read) => {
                        assert_eq!((&*entry.path(), &read), (&**path, bytes), "cut at {end}")
                    }
                    Err(error) => {
                        assert!(error.to_string().contains("entry \""), "{error}");
                        missing += 1;
                    }
                }
            }
            assert_eq!(archive.entries().len(), expected.len(), "cut at {end}");
            assert_eq!(missing > 0, !archive.warnings().is_empty(), "cut at {end}");
        }
    }
}

/// An archive with two files of four bytes, whose records store offsets and sizes in bytes. The offsets are in bytes.
pub struct TwoFiles<'a> {
    /// The archive.
    pub bytes: &'a [u8],
    /// The record of the second file.
    pub record: usize,
    /// The fields of the second record with the offset and the size of the data.
    pub fields: (usize, usize),
    /// The data of the first file.
    pub first: u32,
    /// A byte in the header that is not in its tables.
    pub header: u32,
    /// A byte in the tables.
    pub table: u32,
}

impl TwoFiles<'_> {
    /// Cases of classes 56 to 58, in which the range of the second file's data is wrong. `shared` is expected if it is that of the
    /// first file.
    pub fn push_range_cases(&self, cases: &mut Cases, shared: Expect) {
        let at = self.record as u64;
        let (start, size) = self.fields;
        let in_tables = Warn("overlap the header or the tables", at);
        let in_data = Warn("overlap those of another entry", at);
        for (class, name, offset, expect) in [
            (
                56,
                "start past the end",
                u32::MAX,
                Warn("it cannot be read", at),
            ),
            (57, "data in the header", self.header, in_tables),
            (57, "data in the tables", self.table, in_tables),
            (58, "overlap in part", self.first + 2, in_data),
            (58, "the same data", self.first, shared),
        ] {
            cases.expect(class, expect);
            cases.add(name, with_u32(self.bytes, start, offset));
        }
        let long = with_u32(self.bytes, size, 5000);
        cases.expect(56, Warn("ends at", at));
        cases.add("size past the end", long);
        let within = with_u32(&with_u32(self.bytes, start, self.first + 1), size, 2);
        cases.expect(58, in_data);
        cases.add("data within others", within);
    }
}

#[test]
fn flipped_bits_are_handled() {
    for (mut bytes, open) in samples() {
        let mut opened = 0;
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(archive) = open(&bytes) {
                opened += 1;
                read_everything(&archive);
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(opened > 0, "no archive could be opened");
    }
}

/// A reader that notes the ranges that were read.
pub struct Counting<'a> {
    bytes: &'a [u8],
    read: Mutex<Vec<core::ops::Range<u64>>>,
}

impl<'a> Counting<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let read = Mutex::default();
        Self { bytes, read }
    }

    /// The end of the last byte that was read, and the count of bytes.
    pub fn read(&self) -> (u64, u64) {
        let read = self.read.lock().unwrap();
        let end = read.iter().map(|range| range.end).max();
        (
            end.unwrap_or(0),
            read.iter().map(|range| range.end - range.start).sum(),
        )
    }

    /// Whether bytes of a range were read.
    pub fn has_read(&self, range: core::ops::Range<u64>) -> bool {
        let read = self.read.lock().unwrap();
        read.iter()
            .any(|it| it.start < range.end && range.start < it.end)
    }
}

impl ReadAt for Counting<'_> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let range = offset..offset + buffer.len() as u64;
        self.read.lock().unwrap().push(range);
        self.bytes.read_exact_at(buffer, offset)
    }
}
