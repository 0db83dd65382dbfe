//! Places in texts, as editors tell them.

use core::fmt::{self, Display};

/// A place in a text. Displays as `14:7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextPosition {
    /// Lines up to and with this one. They end with a line feed, a carriage return, or both.
    pub line: u32,
    /// Letters of the line up to and with this one. A tab is one.
    pub column: u32,
}

impl TextPosition {
    /// Where an offset is in a text. Beyond the end it is where the next letter would be.
    ///
    /// Letters of UTF-8 are counted if the text is that, else bytes; its mark at the begin is no letter.
    pub fn new(text: &[u8], offset: u64, is_utf8: bool) -> Self {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let before = text.get(..offset).unwrap_or(text);
        let mut position = Self { line: 1, column: 1 };
        let mut last = 0;
        for byte in before.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(before) {
            match byte {
                // The second half of one line end.
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

    fn told(text: &str, offset: u64) -> String {
        TextPosition::new(text.as_bytes(), offset, true).to_string()
    }

    #[test]
    fn lines_end_in_three_ways() {
        let text = "ab\ncd\r\nef\rgh";
        let places = [(0, "1:1"), (1, "1:2"), (2, "1:3"), (3, "2:1"), (7, "3:1")];
        for (offset, place) in places.into_iter().chain([(10, "4:1"), (12, "4:3")]) {
            assert_eq!(told(text, offset), place, "{offset}");
        }
        assert_eq!(told(text, u64::MAX), "4:3");
        assert_eq!(told("", 0), "1:1");
    }

    #[test]
    fn columns_are_letters_or_bytes() {
        assert_eq!(told("čaj x", 6), "1:6");
        assert_eq!(told("\u{feff}čaj x", 9), "1:6");
        let position = TextPosition::new("čaj x".as_bytes(), 6, false);
        assert_eq!(position.column, 7);
    }
}
