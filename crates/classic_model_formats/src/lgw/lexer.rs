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
    /// Length of the text.
    length: usize,
    /// What is not read yet.
    rest: &'a [u8],
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
        Self {
            length: text.len(),
            rest: text.strip_prefix(BOM).unwrap_or(text),
        }
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes are read.
    pub(super) fn position(&self) -> u64 {
        (self.length - self.rest.len()) as u64
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Where the next word begins. Blanks and comments before it are passed.
    #[inline]
    pub(super) fn offset(&mut self) -> u64 {
        self.skip_blanks();
        self.position()
    }

    #[inline]
    fn skip_blanks(&mut self) {
        loop {
            match self.rest {
                [blank, rest @ ..] if is_blank(*blank) => self.rest = rest,
                [b'/', b'/', rest @ ..] => {
                    let end = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                    self.rest = rest.get(end..).unwrap_or_default();
                }
                _ => return,
            }
        }
    }

    /// The next word, which stays the next.
    pub(super) fn peek(&mut self) -> Word<'a> {
        self.skip_blanks();
        let rest = self.rest;
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
        if let Some((number, rest)) = plain_number(self.rest) {
            self.rest = rest;
            return Some(number);
        }
        self.other_number()
    }

    #[inline(never)]
    fn other_number(&mut self) -> Option<f32> {
        let rest = self.rest;
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
        if let Some((number, rest)) = plain_integer(self.rest) {
            self.rest = rest;
            return Some(number);
        }
        self.other_integer()
    }

    #[inline(never)]
    fn other_integer(&mut self) -> Option<i64> {
        let rest = self.rest;
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
        let mut places = self.rest.windows(word.len().max(1));
        let found = places.position(|found| found.eq_ignore_ascii_case(word));
        self.skip(found.unwrap_or(self.rest.len()));
    }

    /// Whether there is a NUL among the bytes that are not read yet.
    pub(super) fn has_nul(&self) -> bool {
        memchr(0, self.rest).is_some()
    }
}

/// What is nearest to one divided by powers of ten.
const TENTHS: [f64; 16] = [
    1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15,
];

/// Passes digits, and appends them to a number, as far as that has room for them.
#[inline(always)]
fn digits(text: &mut &[u8], number: &mut u64) {
    while let [byte, rest @ ..] = *text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return;
        }
        *number = number.wrapping_mul(10).wrapping_add(digit.into());
        *text = rest;
    }
}

/// A number of at most 15 digits and no exponent, which nearly all are, and what comes after it.
///
/// Reading such is most of the work of reading a model, and takes two thirds of the time of what knows
/// all numbers.
#[inline(always)]
fn plain_number(text: &[u8]) -> Option<(f32, &[u8])> {
    let unsigned = text.strip_prefix(b"-");
    let begin = unsigned.unwrap_or(text);
    let mut rest = begin;
    let (mut mantissa, mut after, mut points) = (0, 0, 0);
    digits(&mut rest, &mut mantissa);
    if let [b'.', fraction @ ..] = rest {
        rest = fraction;
        digits(&mut rest, &mut mantissa);
        after = fraction.len() - rest.len();
        points = 1;
    }
    let count = begin.len() - rest.len() - points;
    let ends = rest.first().is_none_or(|byte| is_end(*byte));
    if !(1..TENTHS.len()).contains(&count) || !ends {
        return None;
    }
    // The mantissa is exact, and its product with a tenth less than two steps of 64-bit floats away from
    // the number. Both are nearest to the same float of 32 bits, unless they lie about half way between
    // two.
    let product = mantissa as i64 as f64 * TENTHS.get(after)?;
    const CUT: u64 = (1 << 29) - 1;
    const HALF: u64 = 1 << 28;
    if (product.to_bits() & CUT).abs_diff(HALF) < 4 {
        return None;
    }
    let number = product as f32;
    Some((unsigned.map_or(number, |_| -number), rest))
}

/// A whole number of at most 15 digits and no sign, and what comes after it.
#[inline(always)]
fn plain_integer(text: &[u8]) -> Option<(i64, &[u8])> {
    let (mut rest, mut number) = (text, 0);
    digits(&mut rest, &mut number);
    let count = text.len() - rest.len();
    let ends = rest.first().is_none_or(|byte| is_end(*byte));
    ((1..16).contains(&count) && ends).then_some((number as i64, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any text that is a number means what the standard library says, to the last bit.
    #[test]
    fn numbers_are_the_nearest() {
        let mut state = 7_u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..200_000 {
            let mut digits = |most: u64| -> String {
                let count = random(most);
                (0..count)
                    .map(|_| char::from(b'0' + random(10) as u8))
                    .collect()
            };
            let (before, after) = (digits(10), digits(10));
            let sign = ["", "-", "+"][random(3) as usize];
            let point = if after.is_empty() && random(2) == 0 {
                ""
            } else {
                "."
            };
            let number = format!("{sign}{before}{point}{after}");
            if number.is_empty() {
                // What comes after it would be read.
                continue;
            }
            let expected = number.parse::<f32>();
            for rest in [" 12345678", "\n", "", "\"", "x       "] {
                let text = format!("{number}{rest}");
                let found = Lexer::new(text.as_bytes()).number();
                let is_number = rest != "x       ";
                let expected = expected.clone().ok().filter(|_| is_number);
                let bits = |number: Option<f32>| number.map(f32::to_bits);
                assert_eq!(bits(found), bits(expected), "{text:?}");
            }
        }
    }

    #[test]
    fn half_way_is_decided_by_all_digits() {
        // The first two are half way between floats, the others next to that.
        for text in [
            "16777217",
            "16777219",
            "1677721.7",
            "0.0000001",
            "8388609.5",
            "8388608.5",
        ] {
            let found = Lexer::new(format!("{text}         ").as_bytes()).number();
            assert_eq!(found, text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_what_they_say() {
        for value in [
            0,
            7,
            10,
            99,
            1234,
            99999,
            1_234_567,
            12_345_678,
            123_456_789_i64,
        ] {
            for text in [
                format!("{value}"),
                format!("{value} 1234567"),
                format!("0{value}\"a\""),
            ] {
                assert_eq!(Lexer::new(text.as_bytes()).integer(), Some(value), "{text}");
            }
            let text = format!("{value}x         ");
            assert_eq!(Lexer::new(text.as_bytes()).integer(), None);
        }
    }

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
        let text = "1 -2.5 +.5 5. 1e-005 1E2 -1.#IND 1.#QNAN00 1.#SNAN 1.#INF nan -inf 1e99 0,5";
        let mut lexer = Lexer::new(text.as_bytes());
        for expected in [1.0, -2.5, 0.5, 5.0, 1e-5, 100.0] {
            assert_eq!(lexer.number(), Some(expected));
        }
        for _ in 0..7 {
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
