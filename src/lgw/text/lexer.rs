//! Bytes to words: keys, numbers and strings, with blanks and comments between them.
//!
//! Lines mean nothing but the end of a comment, and that a string ends before they do.

use memchr::{memchr, memchr2, memchr3};

/// A word of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Word<'a> {
    /// Letters, digits and underscores, beginning with a letter.
    Key(&'a [u8]),
    /// What begins as a number does and has a digit, and may be none.
    Number(&'a [u8]),
    /// What is between two quotes.
    String(&'a [u8]),
    /// A quote without another in its line, and what is between it and the end of the line.
    Unterminated(&'a [u8]),
    /// Anything else, up to the next blank or quote.
    Other(&'a [u8]),
    /// There are no more.
    End,
}

/// Reads words from the front of a text to its end.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    /// Never greater than the length of the text.
    offset: usize,
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Whether a number or a key ends before it.
fn is_end(byte: u8) -> bool {
    is_blank(byte) || byte == b'"'
}

fn begins_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')
}

impl<'a> Lexer<'a> {
    /// Before the first word.
    pub(super) fn new(text: &'a [u8]) -> Self {
        let offset = if text.starts_with(BOM) { BOM.len() } else { 0 };
        Self { text, offset }
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn skip(&mut self, bytes: usize) {
        self.offset = self.offset.saturating_add(bytes).min(self.text.len());
    }

    /// Where the next word begins. Blanks and comments before it are passed.
    #[inline]
    pub(super) fn offset(&mut self) -> u64 {
        self.skip_blanks();
        self.offset as u64
    }

    #[inline]
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.iter().position(|byte| !is_blank(*byte));
            self.skip(blanks.unwrap_or(rest.len()));
            if !self.rest().starts_with(b"//") {
                return;
            }
            let rest = self.rest();
            self.skip(memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()));
        }
    }

    /// The next word, which stays the next.
    pub(super) fn peek(&mut self) -> Word<'a> {
        self.skip_blanks();
        let rest = self.rest();
        let Some(first) = rest.first().copied() else {
            return Word::End;
        };
        if let Some(string) = rest.strip_prefix(b"\"") {
            return match memchr3(b'"', b'\n', b'\r', string) {
                Some(end) if string.get(end) == Some(&b'"') => {
                    Word::String(string.get(..end).unwrap_or_default())
                }
                end => Word::Unterminated(
                    string
                        .get(..end.unwrap_or(string.len()))
                        .unwrap_or_default(),
                ),
            };
        }
        let end = rest.iter().position(|byte| is_end(*byte));
        let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if begins_number(first) && word.iter().any(u8::is_ascii_digit) {
            Word::Number(word)
        } else if word.iter().all(is_letter) {
            Word::Key(word)
        } else {
            Word::Other(word)
        }
    }

    /// Passes a word that was peeked at.
    pub(super) fn pass(&mut self, word: Word<'a>) {
        self.skip(match word {
            Word::String(string) => string.len() + 2,
            Word::Unterminated(string) => string.len() + 1,
            Word::Key(word) | Word::Number(word) | Word::Other(word) => word.len(),
            Word::End => 0,
        });
    }

    /// The next word as a number, which may be none that is finite; `None` if it is no number, and it
    /// stays the next then.
    #[inline]
    pub(super) fn number(&mut self) -> Option<f32> {
        self.skip_blanks();
        let rest = self.rest();
        match fast_float2::parse_partial::<f32, _>(rest) {
            Ok((number, length)) if rest.get(length).is_none_or(|byte| is_end(*byte)) => {
                self.skip(length);
                Some(number)
            }
            _ => self.microsofts_number(),
        }
    }

    /// The next word as what Microsoft's library prints for numbers that are none, such as `-1.#IND`.
    #[cold]
    fn microsofts_number(&mut self) -> Option<f32> {
        let word = self.peek();
        let Word::Number(text) = word else {
            return None;
        };
        let text = text.strip_prefix(b"-").unwrap_or(text);
        let name = text.strip_prefix(b"1.#")?;
        let is_known = ["QNAN", "SNAN", "IND", "INF"].iter().any(|known| {
            let begin = name.get(..known.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(known.as_bytes()))
        });
        is_known.then(|| {
            self.pass(word);
            f32::NAN
        })
    }

    /// The next word as a whole number, as near as 64 bits come to it; `None` if it is none, and it stays
    /// the next then.
    #[inline]
    pub(super) fn integer(&mut self) -> Option<i64> {
        self.skip_blanks();
        let rest = self.rest();
        let (digits, is_negative) = match rest.split_first() {
            Some((b'-', digits)) => (digits, true),
            Some((b'+', digits)) => (digits, false),
            _ => (rest, false),
        };
        let (mut value, mut length) = (0_i64, 0);
        for digit in digits {
            let digit = digit.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.saturating_mul(10).saturating_add(digit.into());
            length += 1;
        }
        let ends = digits.get(length).is_none_or(|byte| is_end(*byte));
        if length == 0 || !ends {
            return None;
        }
        self.skip(rest.len() - digits.len() + length);
        Some(if is_negative { -value } else { value })
    }

    /// Goes to the next place where a word is, in any case, as part of whatever; to the end if there is
    /// none.
    pub(super) fn skip_to(&mut self, word: &[u8]) {
        let first = word.first().copied().unwrap_or_default();
        let [lower, upper] = [first.to_ascii_lowercase(), first.to_ascii_uppercase()];
        while let Some(next) = memchr2(lower, upper, self.rest()) {
            self.skip(next);
            let found = self.rest().get(..word.len());
            if found.is_some_and(|found| found.eq_ignore_ascii_case(word)) {
                return;
            }
            self.skip(1);
        }
        self.offset = self.text.len();
    }

    /// Whether there is a NUL among the bytes that are not read yet.
    pub(super) fn has_nul(&self) -> bool {
        memchr(0, self.rest()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word<'_>> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut words = Vec::new();
        loop {
            let word = lexer.peek();
            lexer.pass(word);
            if word == Word::End {
                return words;
            }
            words.push(word);
        }
    }

    #[test]
    fn blanks_and_comments_are_between_words() {
        let text = "\u{feff}MODEL//no comment\t\"a // b\"//c\n\r\x0b\x0cU_WRAP V_WRAP\r\n// ends\r-1.5 ...";
        let expected = [
            Word::Other(b"MODEL//no"),
            Word::Key(b"comment"),
            Word::String(b"a // b"),
            Word::Key(b"U_WRAP"),
            Word::Key(b"V_WRAP"),
            Word::Number(b"-1.5"),
            Word::Other(b"..."),
        ];
        assert_eq!(words(text), expected);
        assert_eq!(words(" // all"), []);
    }

    #[test]
    fn strings_need_no_blanks_and_have_no_escapes() {
        let text = r#"NAME"Q:\Work\"7"""x"#;
        let expected = [
            Word::Key(b"NAME"),
            Word::String(b"Q:\\Work\\"),
            Word::Number(b"7"),
            Word::String(b""),
            Word::Unterminated(b"x"),
        ];
        assert_eq!(words(text), expected);
        assert_eq!(words("\"a\nb"), [Word::Unterminated(b"a"), Word::Key(b"b")]);
    }

    #[test]
    fn numbers_are_those_of_c() {
        let text = "1 -2.5 +.5 5. 1e-005 1E2 -1.#IND 1.#QNAN00 nan -inf 1e99 0,5";
        let mut lexer = Lexer::new(text.as_bytes());
        for expected in [1.0, -2.5, 0.5, 5.0, 1e-5, 100.0] {
            assert_eq!(lexer.number(), Some(expected));
        }
        for _ in 0..5 {
            assert!(!lexer.number().expect("a number").is_finite());
        }
        assert_eq!(lexer.number(), None);
        assert_eq!(lexer.peek(), Word::Number(b"0,5"));
    }

    #[test]
    fn whole_numbers_saturate_and_have_no_point() {
        let mut lexer = Lexer::new(b"12 -7 +3 99999999999999999999 -99999999999999999999 1.0");
        for expected in [12, -7, 3, i64::MAX, -i64::MAX] {
            assert_eq!(lexer.integer(), Some(expected));
        }
        assert_eq!(lexer.integer(), None);
        assert_eq!(lexer.peek(), Word::Number(b"1.0"));
    }

    #[test]
    fn skips_to_a_word_in_any_case() {
        let mut lexer = Lexer::new(b"\0e END\" eEend_of_texture");
        lexer.skip_to(b"END_OF_TEXTURE");
        assert_eq!(lexer.peek(), Word::Key(b"end_of_texture"));
        lexer.skip_to(b"MODEL");
        assert_eq!(lexer.peek(), Word::End);
    }
}
