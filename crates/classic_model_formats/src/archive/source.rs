//! A file while its tables are read: checks lengths before anything is allocated, and makes errors.
//! It must not know a format.

use super::ReadAt;
use crate::read::{Cursor, ErrorKind, Format, ParseError};
use core::fmt::Display;

/// A reader with its length and format.
pub(crate) struct Source<'a> {
    reader: &'a dyn ReadAt,
    pub format: Format,
    /// The length of the file in bytes.
    pub length: u64,
}

impl<'a> Source<'a> {
    /// Asks the reader for its length.
    pub fn new(reader: &'a dyn ReadAt, format: Format) -> Result<Self, ParseError> {
        let source = Self {
            reader,
            format,
            length: 0,
        };
        match reader.length() {
            Ok(length) => Ok(Self { length, ..source }),
            Err(error) => Err(source.io_error(0, "file length", error)),
        }
    }

    /// Reads bytes that must be in the file.
    pub fn bytes(
        &self,
        offset: u64,
        len: u64,
        context: impl Display,
    ) -> Result<Vec<u8>, ParseError> {
        let mut bytes = Vec::new();
        self.append(&mut bytes, offset, len, context)?;
        Ok(bytes)
    }

    /// Appends bytes that must be in the file to `out`.
    pub fn append(
        &self,
        out: &mut Vec<u8>,
        offset: u64,
        len: u64,
        context: impl Display,
    ) -> Result<(), ParseError> {
        if len == 0 {
            return Ok(());
        }
        let start = out.len();
        let available = self.length.saturating_sub(offset);
        let end = usize::try_from(len)
            .ok()
            .filter(|_| len <= available)
            .and_then(|len| start.checked_add(len));
        let Some(end) = end else {
            let kind = ErrorKind::Truncated {
                needed: len,
                available,
            };
            return Err(self.error(offset, context, kind));
        };
        match start {
            0 => *out = vec![0; end],
            _ => out.resize(end, 0),
        }
        let buffer = out.get_mut(start..).unwrap_or_default();
        self.reader
            .read_exact_at(buffer, offset)
            .map_err(|error| self.io_error(offset, context, error))
    }

    /// Reads the first bytes of the file: at most `len`, fewer if the file is shorter.
    pub fn start(&self, len: u64) -> Result<Vec<u8>, ParseError> {
        self.bytes(0, len.min(self.length), "header")
    }

    /// A cursor over bytes that begin at `base`.
    pub fn cursor<'b>(&self, bytes: &'b [u8], base: u64) -> Cursor<'b> {
        Cursor::at(self.format, bytes, base)
    }

    /// Makes an error about the value at an absolute offset.
    pub fn error(&self, offset: u64, context: impl Display, kind: ErrorKind) -> ParseError {
        self.cursor(&[], 0).error(offset, context, kind)
    }

    fn io_error(&self, offset: u64, context: impl Display, error: std::io::Error) -> ParseError {
        let kind = ErrorKind::Io {
            kind: error.kind(),
            message: error.to_string(),
        };
        self.error(offset, context, kind)
    }
}
