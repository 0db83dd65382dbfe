//! Lines and columns of text files.

use core::fmt::{self, Display};

/// A position in a text file, as in an editor. Displays as `14:7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line, counted from 1. Lines end with a line feed, a carriage return, or both.
    pub line: u32,
    /// The column in characters, counted from 1. A tab is one character.
    pub column: u32,
}

impl TextPosition {
    /// The position of a byte offset in a text. For an offset beyond the end, the position after the last character.
    ///
    /// A column counts UTF-8 characters if `is_utf8`, otherwise bytes. A byte order mark does not count.
    pub fn new(text: &[u8], offset: u64, is_utf8: bool) -> Self {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let before = text.get(..offset).unwrap_or(text);
        let mut position = Self { line: 1, column: 1 };
        let mut last = 0;
        for byte in before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before) {
            match byte {
                // The second byte of a line end of two bytes.
                b'\n' if last == b'\r' => {}
                b'\n' | b'\r' => {
                    position.line = position.line.saturating_add(1);
                    position.column = 1;
                }
                0x80..0xC0 if is_utf8 => {}
                _ => position.column = position.column.saturating_add(1),
            }
            last = *byte;
        }
        position
    }
}

impl Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(text: &str, offset: u64) -> String {
        TextPosition::new(text.as_bytes(), offset, true).to_string()
    }

    #[test]
    fn lines_end_with_lf_crlf_or_cr() {
        let text = "ab\ncd\r\nef\rgh";
        for (offset, expected) in [
            (0, "1:1"),
            (1, "1:2"),
            (2, "1:3"),
            (3, "2:1"),
            (7, "3:1"),
            (10, "4:1"),
            (12, "4:3"),
        ] {
            assert_eq!(position(text, offset), expected, "offset {offset}");
        }
        assert_eq!(position(text, u64::MAX), "4:3");
        assert_eq!(position("", 0), "1:1");
    }

    #[test]
    fn columns_count_utf_8_characters_or_bytes() {
        assert_eq!(position("čaj x", 6), "1:6");
        assert_eq!(position("\u{feff}čaj x", 9), "1:6");
        let position = TextPosition::new("čaj x".as_bytes(), 6, false);
        assert_eq!(position.column, 7);
    }
}
