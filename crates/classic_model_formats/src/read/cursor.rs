//! A position in a file's bytes that cannot leave them.

use super::{ErrorKind, Format, ParseError};
use core::fmt::Display;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// Reads little-endian values and borrowed arrays from the bytes of a file, front to back.
///
/// Every method takes a `context`, the name of what is read, which a failure carries to the user.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    format: Format,
    bytes: &'a [u8],
    /// Never greater than `bytes.len()`.
    offset: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte of a file.
    pub fn new(format: Format, bytes: &'a [u8]) -> Self {
        Self {
            format,
            bytes,
            offset: 0,
        }
    }

    /// Bytes read so far: the absolute offset of the next value.
    pub fn offset(&self) -> u64 {
        self.offset as u64
    }

    /// Bytes not read yet.
    pub fn remaining(&self) -> u64 {
        self.rest().len() as u64
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }

    /// An error about a value at an absolute offset.
    pub fn error(&self, offset: u64, context: impl Display, kind: ErrorKind) -> ParseError {
        ParseError {
            format: self.format,
            offset,
            position: None,
            context: context.to_string(),
            kind,
        }
    }

    /// An error about a value that the bytes left cannot hold.
    fn truncated(&self, context: impl Display, needed: u64) -> ParseError {
        let kind = ErrorKind::Truncated {
            needed,
            available: self.remaining(),
        };
        self.error(self.offset(), context, kind)
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer are left.
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

    /// A cursor over the next `len` bytes alone, whose offsets are still those of the file.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if fewer are left.
    pub fn part(&mut self, len: u64, context: impl Display) -> Result<Self, ParseError> {
        let offset = self.offset;
        self.take(len, context)?;
        Ok(Self {
            format: self.format,
            bytes: self.bytes.get(..self.offset).unwrap_or_default(),
            offset,
        })
    }

    /// All bytes not read yet.
    pub fn remainder(&mut self) -> &'a [u8] {
        let rest = self.rest();
        self.offset = self.bytes.len();
        rest
    }

    /// The next `count` records, borrowed from the file.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if the bytes left cannot hold them; nothing is allocated.
    pub fn array<T>(&mut self, count: u64, context: impl Display) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        // Saturates only where the product is beyond any file, which `take` then refuses.
        let len = count.saturating_mul(size_of::<T>() as u64);
        let bytes = self.take(len, &context)?;
        <[T]>::ref_from_bytes(bytes).map_err(|_| self.truncated(context, len))
    }

    /// The next record, borrowed from the file.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`] if the bytes left cannot hold it.
    pub fn record<T>(&mut self, context: impl Display) -> Result<&'a T, ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        match self.array(1, &context)? {
            [record] => Ok(record),
            _ => Err(self.truncated(context, size_of::<T>() as u64)),
        }
    }

    /// The next four bytes as a signed integer.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`].
    pub fn i32(&mut self, context: impl Display) -> Result<i32, ParseError> {
        Ok(self.record::<zerocopy::little_endian::I32>(context)?.get())
    }

    /// The next four bytes as an unsigned integer.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`].
    pub fn u32(&mut self, context: impl Display) -> Result<u32, ParseError> {
        Ok(self.record::<zerocopy::little_endian::U32>(context)?.get())
    }

    /// The next four bytes as a number, which may be a NaN.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`].
    pub fn f32(&mut self, context: impl Display) -> Result<f32, ParseError> {
        Ok(self.record::<zerocopy::little_endian::F32>(context)?.get())
    }

    /// The next four bytes as a number of things, from `min` to `max`.
    ///
    /// # Errors
    /// [`ErrorKind::Truncated`], or [`ErrorKind::BadCount`] at the offset of the number.
    pub fn count(&mut self, min: i32, max: i32, context: impl Display) -> Result<u32, ParseError> {
        let offset = self.offset();
        let value = self.i32(&context)?;
        self.check_count(value, offset, min, max, context)
    }

    /// Checks a number of things that was read at `offset`.
    ///
    /// # Errors
    /// [`ErrorKind::BadCount`] unless it is from `min` to `max`, which must not be negative.
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

    /// Checks a number that was read at `offset`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFinite`] for a NaN or an infinity.
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
    fn reads_to_the_last_byte_and_not_beyond() {
        let mut cursor = Cursor::new(Format::Mdl, &[1, 0, 0, 0, 2, 0, 3, 0]);
        assert_eq!(cursor.i32("first").unwrap(), 1);
        let values = cursor.array::<U16>(2, "values").unwrap();
        assert_eq!([values[0].get(), values[1].get()], [2, 3]);
        assert_eq!(cursor.remaining(), 0);
        let error = cursor.i32("more").unwrap_err();
        assert_eq!(
            error.to_string(),
            "MDL: more at offset 8 needs 4 bytes, but 0 are left"
        );
    }

    #[test]
    fn a_count_beyond_any_file_is_truncation() {
        let mut cursor = Cursor::new(Format::Mdl, &[0; 16]);
        let error = cursor.array::<U16>(u64::MAX, "values").unwrap_err();
        assert_eq!(error.offset, 0);
        assert!(matches!(error.kind, ErrorKind::Truncated { .. }));
        assert_eq!(cursor.offset(), 0, "a failed read does not move");
    }

    #[test]
    fn a_part_ends_before_the_whole_and_tells_the_same_offsets() {
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
    fn counts_are_checked_where_they_stand() {
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
