//! Reads the directory of a `.pak` archive.

use super::records::*;
use crate::archive::{
    Archive, Builder, Lookup, NameCase, OnePiece, ROOT, ReadAt, Record, Source,
    decode_utf8_or_1252, unrecognized, until_nul, wrong_magic,
};
use crate::read::{ErrorKind, Format, ParseError};

/// Opens an archive.
///
/// # Errors
/// A [`ParseError`] with the offset of the faulty value: if the header or the directory is damaged, or the reader fails.
/// Harmless flaws are reported by [`Archive::warnings`] instead.
pub fn open<R: ReadAt>(reader: R) -> Result<Archive<R>, ParseError> {
    let source = Source::new(&reader, Format::Pak)?;
    let header = header(&source)?;
    let (start, size) = (u64::from(header.start.get()), u64::from(header.size.get()));
    let directory = source.bytes(start, size, "directory")?;
    let count = size / size_of::<RawRecord>() as u64;
    let rest = size % size_of::<RawRecord>() as u64;
    if is_daikatana(&source, &directory) {
        let kind = wrong_magic("looks like an archive of Daikatana, which is not supported");
        return Err(source.error(SIZE_OFFSET, "directory size", kind));
    }
    let mut builder = Builder::new(Format::Pak, NameCase::Exact, count as usize);
    if rest != 0 {
        builder.warnings.warn("directory size", SIZE_OFFSET, || {
            format!(
                "directory size {size} is not a multiple of 64; the last {rest} bytes are ignored"
            )
        });
    }
    if count == 0 {
        builder.warnings.warn("no files", SIZE_OFFSET, || {
            "the archive has no files".to_owned()
        });
    }
    builder.add_table(0, size_of::<Header>() as u64);
    builder.add_table(start, size);
    let mut cursor = source.cursor(&directory, start);
    for index in 0..count {
        let at = cursor.offset();
        let record: &RawRecord = cursor.record(format_args!("file {index}"))?;
        add_file(&mut builder, record, at);
    }
    builder.check_ranges(source.length, 0);
    Ok(Archive::new(
        reader,
        builder.finish(),
        None,
        Lookup::Exact,
        OnePiece,
    ))
}

fn header(source: &Source<'_>) -> Result<Header, ParseError> {
    let start = source.start(size_of::<Header>() as u64)?;
    let header: Header = *source.cursor(&start, 0).record("header")?;
    if header.magic != MAGIC {
        return Err(unrecognized(source, MAGIC.len(), "\"PACK\""));
    }
    let size = header.size.get();
    if u64::from(size) > source.length {
        let kind = ErrorKind::BadCount {
            value: size.into(),
            min: 0,
            max: i64::try_from(source.length).unwrap_or(i64::MAX),
        };
        return Err(source.error(SIZE_OFFSET, "directory size", kind));
    }
    Ok(header)
}

/// Whether a directory has the records of Daikatana. If its size is a multiple of both record sizes, all records decide.
fn is_daikatana(source: &Source<'_>, directory: &[u8]) -> bool {
    const SIZE: usize = size_of::<DaikatanaRecord>();
    if directory.is_empty() || !directory.len().is_multiple_of(SIZE) {
        return false;
    }
    if !directory.len().is_multiple_of(size_of::<RawRecord>()) {
        return true;
    }
    let count = (directory.len() / SIZE) as u64;
    let mut cursor = source.cursor(directory, 0);
    let records = cursor.array::<DaikatanaRecord>(count, "directory");
    let is_plausible = |record: &DaikatanaRecord| {
        let [first, ..] = record.name;
        first != 0 && record.is_compressed.get() <= 1 && record.stored.get() <= record.size.get()
    };
    records.is_ok_and(|records| records.iter().all(is_plausible))
}

fn add_file(builder: &mut Builder, raw: &RawRecord, at: u64) {
    let name = decode_utf8_or_1252(until_nul(&raw.name));
    let size = raw.size.get();
    let record = Record {
        at,
        folder: ROOT,
        start: raw.start.get(),
        size,
        stored: size,
        ..Record::default()
    };
    builder.add_file_or_folder(&name, record);
}
