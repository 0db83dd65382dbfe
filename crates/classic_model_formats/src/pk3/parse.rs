//! Reads the directory of a ZIP archive.

use super::content::Zipped;
use super::records::*;
use crate::archive::{
    Archive, Builder, Lookup, NameCase, ROOT, ReadAt, Record, Source, decode_utf8_or_1252,
    unrecognized,
};
use crate::read::{ErrorKind, Format, ParseError};
use core::fmt::Display;
use rawzip::{
    Error, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, ReaderAt, ZipArchive, ZipFileHeaderRecord, ZipLocator,
};
use std::io;

/// Opens an archive.
///
/// # Errors
/// A [`ParseError`] with the offset of the faulty value: if the end record or the directory is damaged, the archive is longer
/// than 4 GiB, or the reader fails. Harmless flaws are reported by [`Archive::warnings`] instead.
pub fn open<R: ReadAt>(reader: R) -> Result<Archive<R>, ParseError> {
    let source = Source::new(&reader, Format::Pk3)?;
    if source.length > u32::MAX.into() {
        let limit = "an archive is at most 4 GiB long";
        return Err(source.error(0, "file", ErrorKind::LimitExceeded { limit }));
    }
    let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let located = ZipLocator::new().locate_in_reader(Bytes(&source), &mut buffer, source.length);
    let zip = located.map_err(|(_, error)| end_error(&source, error))?;
    let directory = zip.directory_offset()..zip.eocd_offset();
    let capacity = (directory.end - directory.start) / size_of::<CentralRecord>() as u64;
    let capacity = capacity.min(zip.entries_hint()) as usize;
    let mut builder = Builder::new(Format::Pk3, NameCase::Ignored, capacity);
    let end = add_files(&mut builder, &source, &zip, &mut buffer)?;
    builder.add_table(directory.start, end - directory.start);
    builder.add_table(directory.end, source.length - directory.end);
    builder.check_ranges(source.length, size_of::<LocalHeader>() as u64);
    Ok(Archive::new(
        reader,
        builder.finish(),
        None,
        Lookup::AnyCase,
        Zipped,
    ))
}

/// Adds the files of the directory, and returns the offset of its end.
fn add_files<R: ReaderAt>(
    builder: &mut Builder,
    source: &Source<'_>,
    zip: &ZipArchive<R>,
    buffer: &mut [u8],
) -> Result<u64, ParseError> {
    let mut entries = zip.entries(buffer);
    let mut last = None;
    let mut count = 0;
    let error = loop {
        match entries.next_entry() {
            Ok(None) => break None,
            Err(error) => break Some(error),
            Ok(Some(record)) => {
                last = Some(record.central_directory_offset());
                count += 1;
                add_file(builder, &record);
            }
        }
    };
    let end = match last {
        Some(at) => at + central_record(source, at, "file")?.len(),
        None => zip.directory_offset(),
    };
    // The count of an archive without 64-bit records has 16 bits.
    let declared = zip.entries_hint();
    let is_declared = count == declared || count % (1 << 16) == declared;
    match error {
        // Bytes that are not a record can follow the last one.
        Some(error) if !is_declared => return Err(record_error(source, zip, count, end, error)),
        _ if is_declared => {}
        _ => {
            let at = zip.eocd_offset() + FILES_OFFSET;
            builder.warnings.warn("count of files", at, || {
                format!("the end record declares {declared} entries, but the directory has {count}")
            });
        }
    }
    Ok(end)
}

fn add_file(builder: &mut Builder, raw: &ZipFileHeaderRecord<'_>) {
    let name = raw.file_path();
    let name = decode_utf8_or_1252(name.as_bytes());
    // The archive has at most 4 GiB, so larger values are wrong, and are errors when the entry is read.
    let value = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    let method = raw.compression_method().as_u16();
    let record = Record {
        at: raw.central_directory_offset(),
        folder: ROOT,
        start: value(raw.local_header_offset()),
        size: value(raw.uncompressed_size_hint()),
        stored: value(raw.compressed_size_hint()),
        tag: raw.crc32(),
        method: match raw.flags().is_encrypted() {
            true => ENCRYPTED,
            false => method,
        },
        is_compressed: method != STORED,
        ..Record::default()
    };
    builder.add_file_or_folder(&name, record);
}

fn central_record(
    source: &Source<'_>,
    at: u64,
    context: impl Display,
) -> Result<CentralRecord, ParseError> {
    let bytes = source.bytes(at, size_of::<CentralRecord>() as u64, &context)?;
    source.cursor(&bytes, at).record(&context).copied()
}

/// The error for the record of the directory at `at`, which could not be read.
fn record_error<R>(
    source: &Source<'_>,
    zip: &ZipArchive<R>,
    index: u64,
    at: u64,
    error: Error,
) -> ParseError {
    let context = format_args!("directory record {index}");
    if let rawzip::ErrorKind::IO(error) = error.kind() {
        return source.io_error(at, context, error);
    }
    let record = match central_record(source, at, context) {
        Ok(record) => record,
        Err(error) => return error,
    };
    let kind = match record.magic == CENTRAL_MAGIC {
        true => ErrorKind::Truncated {
            needed: record.len(),
            available: zip.eocd_offset().saturating_sub(at),
        },
        false => ErrorKind::Missing {
            what: "the signature of a directory record",
        },
    };
    source.error(at, context, kind)
}

/// The error for an archive whose end record is missing or damaged.
fn end_error(source: &Source<'_>, error: Error) -> ParseError {
    let Some(at) = error.eocd_offset() else {
        return match error.kind() {
            rawzip::ErrorKind::IO(error) => source.io_error(0, "end record", error),
            _ => missing_end(source),
        };
    };
    let record = source.bytes(at, size_of::<EndRecord>() as u64, "end record");
    let record = record.and_then(|bytes| {
        let mut cursor = source.cursor(&bytes, at);
        cursor.record::<EndRecord>("end record").copied()
    });
    let record = match record {
        Ok(record) => record,
        Err(error) => return error,
    };
    let needed = size_of::<EndRecord>() as u64 + u64::from(record.comment_len.get());
    let available = source.length - at;
    if needed > available {
        let kind = ErrorKind::Truncated { needed, available };
        return source.error(at, "end record", kind);
    }
    match error.into_kind() {
        rawzip::ErrorKind::IO(error) => source.io_error(at, "end record", &error),
        _ => {
            let kind = ErrorKind::BadOffset {
                value: record.start.get().into(),
                min: 0,
                max: at,
            };
            source.error(at + START_OFFSET, "offset of the directory", kind)
        }
    }
}

fn missing_end(source: &Source<'_>) -> ParseError {
    match source.start(LOCAL_MAGIC.len() as u64) {
        Ok(start) if start == LOCAL_MAGIC || start == END_MAGIC || start.is_empty() => {
            let kind = match source.length < size_of::<EndRecord>() as u64 {
                true => ErrorKind::Truncated {
                    needed: size_of::<EndRecord>() as u64,
                    available: source.length,
                },
                false => ErrorKind::Missing {
                    what: "the end record of a ZIP archive: it is cut off or damaged",
                },
            };
            source.error(0, "file", kind)
        }
        Ok(_) => unrecognized(source, LOCAL_MAGIC.len(), "\"PK\""),
        Err(error) => error,
    }
}

/// A source for the crate `rawzip`, which finds no bytes past its end.
struct Bytes<'s, 'r>(&'s Source<'r>);

impl ReaderAt for Bytes<'_, '_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let available = self.0.length.saturating_sub(offset);
        let len = usize::try_from(available).map_or(buffer.len(), |it| it.min(buffer.len()));
        let buffer = buffer.get_mut(..len).unwrap_or_default();
        self.0.read_exact_at(buffer, offset)?;
        Ok(len)
    }
}
