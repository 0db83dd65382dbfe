//! Reads the tables of a `.meg` archive.

use super::checksum::{checksum_of_path, checksum_of_stored_name};
use super::records::*;
use crate::archive::{
    AddedName, Archive, Builder, Lookup, NameCase, OnePiece, ROOT, ReadAt, Record, Source,
    decode_1252, wrong_magic,
};
use crate::read::{Cursor, ErrorKind, Format, ParseError, Quoted, file_kind};
use core::fmt::Display;

/// For errors.
const ENCRYPTED_GAMES: &str = " (as in Grey Goo, 8-Bit Armies and The Great War: Western Front)";

/// Opens an archive of version 1, 2 or 3.
///
/// # Errors
/// A [`ParseError`] with the offset of the faulty value: if the tables are damaged or encrypted, or the reader fails. Harmless
/// flaws are reported by [`Archive::warnings`] instead.
pub fn open<R: ReadAt>(reader: R) -> Result<Archive<R>, ParseError> {
    let source = Source::new(&reader, Format::Meg)?;
    let tables = Tables::read(&source)?;
    let mut builder = Builder::new(Format::Meg, NameCase::Ignored, tables.count as usize);
    builder.add_table(0, tables.start + tables.bytes.len() as u64);
    tables.add_files(&source, &mut builder)?;
    builder.check_ranges(source.length, 0);
    let lookup = Lookup::Checksum(checksum_of_path);
    let version = Some(tables.version);
    Ok(Archive::new(
        reader,
        builder.finish(),
        version,
        lookup,
        OnePiece,
    ))
}

/// The name table and the file table.
struct Tables {
    version: u32,
    /// The count of names, and of files.
    count: u32,
    /// The offset of the name table.
    start: u64,
    /// Both tables. All names are within them.
    bytes: Vec<u8>,
}

/// The values of a header.
struct Header {
    /// The offset of the name table.
    start: u64,
    /// The offset of the count of names. The count of files follows.
    counts: u64,
    names: u32,
    files: u32,
}

impl Tables {
    fn read(source: &Source<'_>) -> Result<Self, ParseError> {
        let start = source.start(24)?;
        let mut cursor = source.cursor(&start, 0);
        let header: &HeaderV1 = cursor.record("header")?;
        if header.files.get() != MAGIC {
            // Version 1 has no signature but its two equal counts.
            if header.names != header.files && file_kind(&start).is_some() {
                return Err(source.error(0, "first bytes", ErrorKind::unrecognized(&start)));
            }
            let header = Header {
                start: 8,
                counts: 0,
                names: header.names.get(),
                files: header.files.get(),
            };
            return Self::of_version(source, 1, &header, source.length);
        }
        match header.names.get() {
            PLAIN => {}
            ENCRYPTED => {
                let hint = ENCRYPTED_GAMES;
                return Err(source.error(0, "archive", ErrorKind::Encrypted { hint }));
            }
            flags => {
                let kind = ErrorKind::Unsupported {
                    value: flags.into(),
                    hint: " (supported: 4294967295, which is FFFFFFFF)",
                };
                return Err(source.error(0, "flags", kind));
            }
        }
        let tables = Self::of_version_2_or_3(source, &start)?;
        let header: &HeaderV2 = source.cursor(&start, 0).record("header")?;
        let (data, length) = (u64::from(header.data_start.get()), source.length);
        if data > length {
            let kind = ErrorKind::BadOffset {
                value: header.data_start.get().into(),
                min: tables.start + tables.bytes.len() as u64,
                max: length,
            };
            return Err(source.error(DATA_START_OFFSET, "start of the data", kind));
        }
        Ok(tables)
    }

    /// Reads the names to distinguish versions 2 and 3. The sum of their lengths does not suffice: a file of version 2 whose
    /// first name has one letter can have a sum that is valid in version 3.
    fn of_version_2_or_3(source: &Source<'_>, start: &[u8]) -> Result<Self, ParseError> {
        let mut cursor = source.cursor(start, 0);
        let header: &HeaderV2 = cursor.record("header")?;
        let data_start = u64::from(header.data_start.get());
        let counts = |start| Header {
            start,
            counts: 12,
            names: header.names.get(),
            files: header.files.get(),
        };
        if let Ok(names_size) = cursor.u32("size of the name table") {
            let records = RECORD_SIZE * u64::from(header.files.get());
            let end = 24 + u64::from(names_size) + records;
            if end <= data_start {
                match Self::of_version(source, 3, &counts(24), end) {
                    Ok(tables) if 24 + tables.bytes.len() as u64 == end => return Ok(tables),
                    Err(error) if matches!(error.kind, ErrorKind::Io { .. }) => return Err(error),
                    _ => {}
                }
            }
        }
        let tables = Self::of_version(source, 2, &counts(20), data_start);
        tables.map_err(|error| match error.kind {
            // The names fit neither version. If the file ends within its tables, they may only be cut off.
            ErrorKind::Truncated { .. } if data_start <= source.length => {
                let looks_like = "fits neither version 2 nor version 3 of the format";
                source.error(0, "header", wrong_magic(looks_like))
            }
            _ => error,
        })
    }

    /// Reads the tables of a version, which must end at `limit` or before.
    fn of_version(
        source: &Source<'_>,
        version: u32,
        header: &Header,
        limit: u64,
    ) -> Result<Self, ParseError> {
        let Header {
            start,
            counts,
            names,
            files,
        } = *header;
        if names != files {
            let kind = ErrorKind::CountMismatch {
                elements: "files",
                found: files.into(),
                expected: names.into(),
            };
            return Err(source.error(counts + 4, "header", kind));
        }
        // The length of a name takes 2 bytes.
        let max = source.length.saturating_sub(start) / (2 + RECORD_SIZE);
        if u64::from(names) > max {
            let kind = ErrorKind::BadCount {
                value: names.into(),
                min: 0,
                max: max as i64,
            };
            return Err(source.error(counts, "file count", kind));
        }
        Ok(Self {
            version,
            count: names,
            start,
            bytes: read_tables(source, start, names, limit)?,
        })
    }

    /// Adds the files of the records.
    fn add_files(&self, source: &Source<'_>, builder: &mut Builder) -> Result<(), ParseError> {
        let mut cursor = source.cursor(&self.bytes, self.start);
        let count = self.count as usize;
        let mut names = Vec::with_capacity(count);
        builder.reserve_names(
            self.bytes
                .len()
                .saturating_sub(count * (2 + RECORD_SIZE as usize)),
        );
        for index in 0..self.count {
            let raw = name(&mut cursor, index)?;
            names.push(Name {
                raw,
                checksum: checksum_of_stored_name(raw),
                added: builder.add_name(&decode_1252(raw)),
            });
        }
        let mut last = 0;
        for index in 0..self.count {
            let at = cursor.offset();
            let record = match self.version {
                3 => plain_record(&mut cursor, index)?,
                _ => *cursor.record::<RecordV1>(format_args!("file {index}"))?,
            };
            let name = record.name.get();
            let Some(name) = names.get(name as usize) else {
                let kind = ErrorKind::IndexOutOfRange {
                    element: "name",
                    index: name.into(),
                    count: self.count.into(),
                };
                let at = at + if self.version == 3 { 18 } else { 16 };
                return Err(source.error(at, format_args!("file {index}"), kind));
            };
            let checksum = record.checksum.get();
            let raw = || decode_1252(name.raw).into_owned();
            if checksum != name.checksum {
                builder.warnings.warn("checksum", at, || {
                    let expected = name.checksum;
                    let path = raw();
                    format!("checksum {checksum:08X} of entry {} should be {expected:08X}; the games do not find it", Quoted(&path))
                });
            }
            if checksum < last {
                builder.warnings.warn("order", at, || {
                    format!("file {index} is not sorted by its checksum; the games may not find it")
                });
            }
            last = checksum;
            let stated = record.index.get();
            if stated != index {
                builder.warnings.warn("index", at, || {
                    format!("file {index} has index {stated}, expected {index}")
                });
            }
            let record = Record {
                at,
                folder: ROOT,
                start: record.start.get(),
                size: record.size.get(),
                stored: record.size.get(),
                tag: checksum,
                ..Record::default()
            };
            builder.add_file(name.added, record, raw);
        }
        Ok(())
    }
}

/// A name of the name table.
struct Name<'a> {
    raw: &'a [u8],
    checksum: u32,
    added: AddedName,
}

fn name<'a>(cursor: &mut Cursor<'a>, index: u32) -> Result<&'a [u8], ParseError> {
    let context = format_args!("name {index}");
    let len: &zerocopy::little_endian::U16 = cursor.record(context)?;
    cursor.take(len.get().into(), context)
}

/// Reads a record of version 3 that is not encrypted. An encrypted one is longer, so the next record cannot be found.
fn plain_record(cursor: &mut Cursor<'_>, index: u32) -> Result<RecordV1, ParseError> {
    let at = cursor.offset();
    let context = format_args!("file {index}");
    let record: &RecordV3 = cursor.record(context)?;
    let kind = match record.flags.get() {
        0 => {
            return Ok(RecordV1 {
                checksum: record.checksum,
                index: record.index,
                size: record.size,
                start: record.start,
                name: u32::from(record.name.get()).into(),
            });
        }
        1 => ErrorKind::Encrypted {
            hint: ENCRYPTED_GAMES,
        },
        flags => ErrorKind::Unsupported {
            value: flags.into(),
            hint: " (flag 0 of a file is supported)",
        },
    };
    Err(cursor.error(at, context, kind))
}

/// The bytes of the tables that were read so far.
struct Window<'a> {
    source: &'a Source<'a>,
    /// The offset of `bytes` in the file.
    start: u64,
    /// The offset at which the tables must end, or before.
    limit: u64,
    bytes: Vec<u8>,
}

impl Window<'_> {
    /// Ensures that bytes `begin..end` of the tables are in memory. A read includes the `more` bytes that must follow.
    fn fill(
        &mut self,
        begin: u64,
        end: u64,
        more: u64,
        context: impl Display,
    ) -> Result<(), ParseError> {
        let have = self.bytes.len() as u64;
        if have >= end {
            return Ok(());
        }
        let (offset, needed) = (self.start + begin, end + more - begin);
        let available = self.limit.min(self.source.length).saturating_sub(offset);
        if needed > available {
            let kind = ErrorKind::Truncated { needed, available };
            return Err(self.source.error(offset, context, kind));
        }
        let len = end + more - have;
        self.source
            .append(&mut self.bytes, self.start + have, len, context)
    }

    /// The length of a name, which must have been read.
    fn length(&self, begin: u64) -> u64 {
        let rest = usize::try_from(begin)
            .ok()
            .and_then(|begin| self.bytes.get(begin..));
        let length = rest.and_then(|rest| rest.first_chunk()).copied();
        u16::from_le_bytes(length.unwrap_or_default()).into()
    }
}

/// Reads the name table and the file table, and nothing behind them. The end of the name table is not known before all
/// lengths of names are read, so each step reads what the tables need at least.
fn read_tables(
    source: &Source<'_>,
    start: u64,
    count: u32,
    limit: u64,
) -> Result<Vec<u8>, ParseError> {
    let records = RECORD_SIZE * u64::from(count);
    let mut window = Window {
        source,
        start,
        limit,
        bytes: Vec::new(),
    };
    let mut begin = 0;
    for index in 0..count {
        let context = format_args!("name {index}");
        let more = 2 * u64::from(count - 1 - index) + records;
        window.fill(begin, begin + 2, more, context)?;
        let end = begin + 2 + window.length(begin);
        window.fill(begin, end, more, context)?;
        begin = end;
    }
    window.fill(begin, begin + records, 0, "file table")?;
    Ok(window.bytes)
}
