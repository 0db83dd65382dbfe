//! A bounds-checked position in the bytes of a file.

use super::{ErrorKind, Format, ParseError};
use core::fmt::Display;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// Reads little-endian values and borrowed arrays from the bytes of a file, front to back.
///
/// Every reading method takes a `context`: the name of the value that is read, for the error message. A failed read does
/// not move the cursor.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    format: Format,
    bytes: &'a [u8],
    /// At most `bytes.len()`.
    offset: usize,
    /// The offset of `bytes` in the file.
    base: u64,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte of a file.
    pub fn new(format: Format, bytes: &'a [u8]) -> Self {
        Self::at(format, bytes, 0)
    }

    /// Starts at the first byte of a part of a file. `base` is the offset of the part in the file.
    pub fn at(format: Format, bytes: &'a [u8], base: u64) -> Self {
        Self {
            format,
            bytes,
            offset: 0,
            base,
        }
    }

    /// The absolute offset of the next value, in bytes from the start of the file.
    pub fn offset(&self) -> u64 {
        self.base.saturating_add(self.offset as u64)
    }

    /// The count of bytes that are not read yet.
    pub fn remaining(&self) -> u64 {
        self.rest().len() as u64
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }

    /// Makes an error about the value at an absolute offset.
    pub fn error(&self, offset: u64, context: impl Display, kind: ErrorKind) -> ParseError {
        ParseError {
            format: self.format,
            offset,
            position: None,
            context: context.to_string(),
            kind,
        }
    }

    /// Makes an error about a file of another format, with what the file is by the bytes that are not read yet.
    pub fn unrecognized(&self, context: impl Display) -> ParseError {
        let start = self.rest();
        let start = start.get(..super::SIGNATURE_SIZE).unwrap_or(start);
        self.error(self.offset(), context, ErrorKind::unrecognized(start))
    }

    /// An error about a value that needs more bytes than remain.
    #[cold]
    fn truncated(&self, context: impl Display, needed: u64) -> ParseError {
        let kind = ErrorKind::Truncated {
            needed,
            available: self.remaining(),
        };
        self.error(self.offset(), context, kind)
    }

    /// Reads the next `len` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer bytes remain.
    pub fn take(&mut self, len: u64, context: impl Display) -> Result<&'a [u8], ParseError> {
        let taken = usize::try_from(len)
            .ok()
            .and_then(|len| self.rest().get(..len));
        match taken {
            Some(taken) => {
                self.offset = self.offset.saturating_add(taken.len());
                Ok(taken)
            }
            None => Err(self.truncated(context, len)),
        }
    }

    /// Reads the next `len` bytes as a cursor of their own. Its offsets are still relative to the start of the file.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer bytes remain.
    pub fn part(&mut self, len: u64, context: impl Display) -> Result<Self, ParseError> {
        let offset = self.offset;
        self.take(len, context)?;
        Ok(Self {
            format: self.format,
            bytes: self.bytes.get(..self.offset).unwrap_or_default(),
            offset,
            base: self.base,
        })
    }

    /// Reads all remaining bytes.
    pub fn remainder(&mut self) -> &'a [u8] {
        let rest = self.rest();
        self.offset = self.bytes.len();
        rest
    }

    /// Reads the next `count` records, borrowed from the file. Allocates nothing, except for an error.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer than `count × size` bytes remain.
    pub fn array<T>(&mut self, count: u64, context: impl Display) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        // A saturated product exceeds the length of any file, so `take` fails.
        let len = count.saturating_mul(size_of::<T>() as u64);
        let bytes = self.take(len, &context)?;
        <[T]>::ref_from_bytes(bytes).map_err(|_| self.truncated(context, len))
    }

    /// Reads the next record, borrowed from the file.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer bytes than its size remain.
    pub fn record<T>(&mut self, context: impl Display) -> Result<&'a T, ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        match T::ref_from_prefix(self.rest()) {
            Ok((record, _)) => {
                self.offset = self.offset.saturating_add(size_of::<T>());
                Ok(record)
            }
            Err(_) => Err(self.truncated(context, size_of::<T>() as u64)),
        }
    }

    /// Reads a signed integer of four bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer bytes remain.
    pub fn i32(&mut self, context: impl Display) -> Result<i32, ParseError> {
        Ok(self.record::<zerocopy::little_endian::I32>(context)?.get())
    }

    /// Reads an unsigned integer of four bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer bytes remain.
    pub fn u32(&mut self, context: impl Display) -> Result<u32, ParseError> {
        Ok(self.record::<zerocopy::little_endian::U32>(context)?.get())
    }

    /// Reads a floating-point number of four bytes. It may be NaN or infinite.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer bytes remain.
    pub fn f32(&mut self, context: impl Display) -> Result<f32, ParseError> {
        Ok(self.record::<zerocopy::little_endian::F32>(context)?.get())
    }

    /// Reads a count of four bytes, which must be from `min` to `max`. `min` must not be negative.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer bytes remain, [`ErrorKind::BadCount`] at the offset of the count if it is out of
    /// range.
    pub fn count(&mut self, min: i32, max: i32, context: impl Display) -> Result<u32, ParseError> {
        let offset = self.offset();
        let value = self.i32(&context)?;
        self.check_count(value, offset, min, max, context)
    }

    /// Checks a count that was read at `offset`. It must be from `min` to `max`, and `min` must not be negative.
    ///
    /// # Errors
    /// [`ErrorKind::BadCount`] if it is out of range.
    pub fn check_count(
        &self,
        value: i32,
        offset: u64,
        min: i32,
        max: i32,
        context: impl Display,
    ) -> Result<u32, ParseError> {
        match u32::try_from(value) {
            Ok(count) if (min..=max).contains(&value) => Ok(count),
            _ => Err(self.error(
                offset,
                context,
                ErrorKind::BadCount {
                    value: value.into(),
                    min: min.into(),
                    max: max.into(),
                },
            )),
        }
    }

    /// Checks a floating-point number that was read at `offset`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFinite`] if it is NaN or infinite.
    pub fn check_finite(
        &self,
        value: f32,
        offset: u64,
        context: impl Display,
    ) -> Result<f32, ParseError> {
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(offset, context, ErrorKind::NotFinite))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::little_endian::U16;

    #[test]
    fn reading_past_the_last_byte_is_an_error() {
        let mut cursor = Cursor::new(Format::Mdl, &[1, 0, 0, 0, 2, 0, 3, 0]);
        assert_eq!(cursor.i32("first").unwrap(), 1);
        let values = cursor.array::<U16>(2, "values").unwrap();
        assert_eq!([values[0].get(), values[1].get()], [2, 3]);
        assert_eq!(cursor.remaining(), 0);
        let error = cursor.i32("more").unwrap_err();
        assert_eq!(
            error.to_string(),
            "MDL: more at offset 8 needs 4 bytes, but only 0 remain"
        );
    }

    #[test]
    fn array_with_huge_count_is_truncated() {
        let mut cursor = Cursor::new(Format::Mdl, &[0; 16]);
        let error = cursor.array::<U16>(u64::MAX, "values").unwrap_err();
        assert_eq!(error.offset, 0);
        assert!(matches!(error.kind, ErrorKind::Truncated { .. }));
        assert_eq!(cursor.offset(), 0, "a failed read moved the cursor");
    }

    #[test]
    fn part_is_bounded_and_keeps_absolute_offsets() {
        let mut cursor = Cursor::new(Format::Mdl, &[0, 0, 0, 0, 7, 0, 0, 0, 9]);
        cursor.i32("first").unwrap();
        let mut part = cursor.part(4, "part").unwrap();
        assert_eq!((part.offset(), part.remaining()), (4, 4));
        assert_eq!(part.u32("second").unwrap(), 7);
        assert_eq!(part.u32("third").unwrap_err().offset, 8);
        assert_eq!((cursor.offset(), cursor.remainder()), (8, &[9][..]));
        assert!(cursor.part(1, "fourth").is_err());
    }

    #[test]
    fn part_of_a_file_has_offsets_in_the_file() {
        let mut cursor = Cursor::at(Format::Mdl, &[7, 0, 0, 0, 9, 0, 0, 0, 1], 100);
        assert_eq!(cursor.u32("first").unwrap(), 7);
        let mut part = cursor.part(4, "part").unwrap();
        assert_eq!((part.offset(), part.u32("second").unwrap()), (104, 9));
        assert_eq!(cursor.u32("third").unwrap_err().offset, 108);
    }

    #[test]
    fn bad_count_has_the_offset_of_the_count() {
        let mut cursor = Cursor::new(Format::Mdl, &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(cursor.count(0, 9, "some").unwrap(), 0);
        let error = cursor.count(0, 9, "more").unwrap_err();
        assert_eq!(error.offset, 4);
        assert_eq!(
            error.kind,
            ErrorKind::BadCount {
                value: -1,
                min: 0,
                max: 9
            }
        );
    }
}
