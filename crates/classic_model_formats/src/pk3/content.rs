//! Reads the bytes of files in a ZIP archive. It must not parse the directory.

use super::records::*;
use crate::archive::{Content, Record, Source};
use crate::read::{ErrorKind, ParseError};
use core::fmt::Display;
use core::ops::Range;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

/// The largest size of a compressed file in bytes. Deflate can expand a file by a factor of 1032, so that the size of the
/// archive is no limit.
const MAX_INFLATED: u32 = 1 << 30;

/// Each file has a header before its data, and is stored or deflated.
#[derive(Debug)]
pub(super) struct Zipped;

impl Content for Zipped {
    fn read(
        &self,
        source: &Source<'_>,
        record: &Record,
        range: Range<u64>,
        context: &dyn Display,
    ) -> Result<Vec<u8>, ParseError> {
        let error = |kind| Err(source.error(record.at, context, kind));
        let size = u64::from(record.size);
        match record.method {
            ENCRYPTED => return error(ErrorKind::Encrypted { hint: "" }),
            STORED if record.stored != record.size => {
                return error(ErrorKind::WrongLength {
                    found: record.stored.into(),
                    expected: size,
                });
            }
            DEFLATED if record.size > MAX_INFLATED => {
                let limit = "a compressed entry has at most 1 GiB";
                return error(ErrorKind::LimitExceeded { limit });
            }
            STORED | DEFLATED => {}
            method => {
                let kind = ErrorKind::Unsupported {
                    value: method.into(),
                    hint: " (supported are 0, stored, and 8, Deflate)",
                };
                let context = format_args!("compression method of {context}");
                return Err(source.error(record.at, context, kind));
            }
        }
        let is_whole = range == (0..size);
        let start = data_start(source, record, context)?;
        let bytes = match record.method {
            STORED => source.bytes(start + range.start, range.end - range.start, context)?,
            _ => {
                let stored = source.bytes(start, record.stored.into(), context)?;
                let inflated = inflate(&stored, range.end, range.end == size);
                let mut inflated = inflated.map_err(|reason| {
                    source.error(start, context, ErrorKind::Inflate { reason })
                })?;
                inflated.drain(..usize::try_from(range.start).unwrap_or_default());
                inflated
            }
        };
        let found = rawzip::crc32(&bytes);
        if is_whole && found != record.tag {
            let expected = record.tag;
            return Err(source.error(start, context, ErrorKind::Checksum { found, expected }));
        }
        Ok(bytes)
    }
}

/// The offset of a file's data, behind its header.
fn data_start(
    source: &Source<'_>,
    record: &Record,
    context: &dyn Display,
) -> Result<u64, ParseError> {
    let at = u64::from(record.start);
    let bytes = source.bytes(at, size_of::<LocalHeader>() as u64, context)?;
    let header: &LocalHeader = source.cursor(&bytes, at).record(context)?;
    if header.magic != LOCAL_MAGIC {
        let what = "the signature of a file's header";
        return Err(source.error(at, context, ErrorKind::Missing { what }));
    }
    let names = u64::from(header.fields.name_len.get()) + u64::from(header.fields.extra_len.get());
    Ok(at + size_of::<LocalHeader>() as u64 + names)
}

/// Inflates the first `end` bytes of a file, which are all of it if `is_end`. The error is the reason.
fn inflate(stored: &[u8], end: u64, is_end: bool) -> Result<Vec<u8>, &'static str> {
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let inflated = match decompress_to_vec_with_limit(stored, end) {
        Ok(inflated) => inflated,
        Err(error) if error.status != TINFLStatus::HasMoreOutput => {
            return Err("the data are not a valid Deflate stream");
        }
        Err(_) if is_end => return Err("the data inflate past the entry's size"),
        Err(error) => error.output,
    };
    if inflated.len() < end {
        return Err("the data inflate to less than the entry's size");
    }
    Ok(inflated)
}
