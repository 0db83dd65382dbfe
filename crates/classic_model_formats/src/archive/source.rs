//! A file while its tables are read: checks lengths before anything is allocated, and makes errors.
//! Independent of any format.

use super::ReadAt;
use crate::read::{Cursor, ErrorKind, Format, ParseError};
use core::fmt::Display;
use std::collections::TryReserveError;

/// The length in bytes from which memory is reserved with an error if there is not enough.
const LARGE: usize = 1 << 24;

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
            Err(error) => Err(source.io_error(0, "file length", &error)),
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
        // Zeroed memory of the system is the fastest buffer, but it aborts if there is not enough.
        match out.capacity() {
            0 if end <= LARGE => *out = vec![0; end],
            _ => {
                let reserved = out.try_reserve(end - start);
                reserved.map_err(|error| self.no_memory(offset, &context, error))?;
                out.resize(end, 0);
            }
        }
        let buffer = out.get_mut(start..).unwrap_or_default();
        self.reader
            .read_exact_at(buffer, offset)
            .map_err(|error| self.io_error(offset, context, &error))
    }

    /// Fills a buffer, as [`ReadAt::read_exact_at`].
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        self.reader.read_exact_at(buffer, offset)
    }

    /// An empty buffer with space for `len` bytes, which are read from `offset`.
    pub fn buffer(
        &self,
        len: u64,
        offset: u64,
        context: impl Display,
    ) -> Result<Vec<u8>, ParseError> {
        let mut buffer = Vec::new();
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let reserved = buffer.try_reserve_exact(len);
        reserved.map_err(|error| self.no_memory(offset, &context, error))?;
        Ok(buffer)
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

    fn no_memory(&self, offset: u64, context: impl Display, error: TryReserveError) -> ParseError {
        let error = std::io::Error::new(std::io::ErrorKind::OutOfMemory, error);
        self.io_error(offset, context, &error)
    }

    /// Makes an error about bytes that the system cannot read.
    pub fn io_error(
        &self,
        offset: u64,
        context: impl Display,
        error: &std::io::Error,
    ) -> ParseError {
        let kind = ErrorKind::Io {
            kind: error.kind(),
            message: error.to_string(),
        };
        self.error(offset, context, kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// A file that is longer than any memory.
    struct Endless;

    impl ReadAt for Endless {
        fn length(&self) -> io::Result<u64> {
            Ok(u64::MAX)
        }

        fn read_exact_at(&self, _: &mut [u8], _: u64) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn too_little_memory_is_an_error() {
        let source = Source::new(&Endless, Format::Pak).unwrap();
        // More than the address space of any 64-bit system. On others, the length is not a `usize`.
        let len = 1 << 62;
        let is_memory = |error: &ParseError| {
            let kind = io::ErrorKind::OutOfMemory;
            error.offset == 7
                && matches!(&error.kind, ErrorKind::Io { kind: it, .. } if *it == kind)
        };
        let error = source.buffer(len, 7, "entry").unwrap_err();
        assert!(is_memory(&error), "{error}");
        if cfg!(target_pointer_width = "64") {
            let error = source.bytes(7, len, "entry").unwrap_err();
            assert!(is_memory(&error), "{error}");
            let mut bytes = vec![1];
            let error = source.append(&mut bytes, 7, len, "entry").unwrap_err();
            assert!(is_memory(&error) && bytes == [1], "{error}");
        }
        assert_eq!(
            source.bytes(7, LARGE as u64 + 1, "entry").unwrap().len(),
            LARGE + 1
        );
    }
}
