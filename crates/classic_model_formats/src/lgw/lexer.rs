//! Converts bytes to tokens: keys, numbers and strings, separated by whitespace and comments.
//!
//! Line ends are whitespace. They also end comments, and a string must end before them.

use memchr::{memchr, memchr2, memchr3};

/// A token of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Letters, digits and underscores.
    Key(&'a [u8]),
    /// Starts like a number and has a digit. It may not be a valid number.
    Number(&'a [u8]),
    /// The bytes between two quotes.
    String(&'a [u8]),
    /// The bytes between a quote and the end of the line, which has no closing quote.
    Unterminated(&'a [u8]),
    /// Anything else, up to the next whitespace or quote.
    Other(&'a [u8]),
    /// The end of the file.
    End,
}

/// Reads tokens from the start of a text to its end.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    /// Length of the text.
    length: usize,
    /// The bytes that are not read yet.
    rest: &'a [u8],
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Whether a number or a key ends before this byte.
fn is_end(byte: u8) -> bool {
    is_blank(byte) || byte == b'"'
}

fn begins_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.')
}

impl<'a> Lexer<'a> {
    /// Starts before the first token. A byte order mark is skipped.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            length: text.len(),
            rest: text.strip_prefix(BOM).unwrap_or(text),
        }
    }

    /// The bytes that are not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The count of bytes that are read.
    pub(super) fn position(&self) -> u64 {
        (self.length - self.rest.len()) as u64
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Skips whitespace and comments. Returns the offset of the next token.
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

    /// The next token. Does not move past it.
    pub(super) fn peek(&mut self) -> Token<'a> {
        self.skip_blanks();
        let rest = self.rest;
        let Some(first) = rest.first().copied() else {
            return Token::End;
        };
        if let Some(string) = rest.strip_prefix(b"\"") {
            return match memchr3(b'"', b'\n', b'\r', string) {
                Some(end) if string.get(end) == Some(&b'"') => {
                    Token::String(string.get(..end).unwrap_or_default())
                }
                end => Token::Unterminated(
                    string
                        .get(..end.unwrap_or(string.len()))
                        .unwrap_or_default(),
                ),
            };
        }
        let end = rest.iter().position(|byte| is_end(*byte));
        let token = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if begins_number(first) && token.iter().any(u8::is_ascii_digit) {
            Token::Number(token)
        } else if token.iter().all(is_letter) {
            Token::Key(token)
        } else {
            Token::Other(token)
        }
    }

    /// Moves past a token that [`peek`](Self::peek) returned.
    pub(super) fn advance(&mut self, token: Token<'a>) {
        self.skip(match token {
            Token::String(string) => string.len() + 2,
            Token::Unterminated(string) => string.len() + 1,
            Token::Key(token) | Token::Number(token) | Token::Other(token) => token.len(),
            Token::End => 0,
        });
    }

    /// Reads a number, which may be NaN or infinite. `None` if the next token is not a number: then the lexer does not
    /// move past it.
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
            _ => self.microsoft_nan(),
        }
    }

    /// Reads NaN or infinity as printed by Microsoft's C library, such as `-1.#IND`. Returns NaN for all of them.
    #[cold]
    fn microsoft_nan(&mut self) -> Option<f32> {
        let token = self.peek();
        let Token::Number(text) = token else {
            return None;
        };
        let text = text.strip_prefix(b"-").unwrap_or(text);
        let name = text.strip_prefix(b"1.#")?;
        let is_known = ["QNAN", "SNAN", "IND", "INF"].iter().any(|known| {
            let begin = name.get(..known.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(known.as_bytes()))
        });
        is_known.then(|| {
            self.advance(token);
            f32::NAN
        })
    }

    /// Reads an integer, saturated to 64 bits. `None` if the next token is not an integer: then the lexer does not move past
    /// it.
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

    /// Moves to the next occurrence of a word in any case, or to the end. The word may be a part of a token.
    pub(super) fn skip_to(&mut self, word: &[u8]) {
        let mut windows = self.rest.windows(word.len().max(1));
        let found = windows.position(|window| window.eq_ignore_ascii_case(word));
        self.skip(found.unwrap_or(self.rest.len()));
    }

    /// Whether the bytes that are not read yet contain NUL.
    pub(super) fn has_nul(&self) -> bool {
        memchr(0, self.rest).is_some()
    }
}

/// Negative powers of ten, rounded to nearest.
const NEGATIVE_POWERS_OF_TEN: [f64; 16] = [
    1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15,
];

/// Reads digits and appends them to a number, which wraps on overflow.
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

/// Reads a number with at most 15 digits and without exponent. Returns it with the remaining text.
///
/// Nearly all numbers are like that, and reading them is most of the parser's work. This function takes two thirds of the
/// time of a general parser.
#[inline(always)]
fn plain_number(text: &[u8]) -> Option<(f32, &[u8])> {
    let without_sign = text.strip_prefix(b"-");
    let start = without_sign.unwrap_or(text);
    let mut rest = start;
    let (mut mantissa, mut decimals, mut points) = (0, 0, 0);
    digits(&mut rest, &mut mantissa);
    if let [b'.', fraction @ ..] = rest {
        rest = fraction;
        digits(&mut rest, &mut mantissa);
        decimals = fraction.len() - rest.len();
        points = 1;
    }
    let count = start.len() - rest.len() - points;
    let ends = rest.first().is_none_or(|byte| is_end(*byte));
    if !(1..NEGATIVE_POWERS_OF_TEN.len()).contains(&count) || !ends {
        return None;
    }
    // The mantissa is exact. The error of the product is less than two units in the last place of `f64`. So the product and
    // the exact number round to the same `f32`, unless the product is close to the middle between two `f32` values.
    let product = mantissa as i64 as f64 * NEGATIVE_POWERS_OF_TEN.get(decimals)?;
    const DROPPED_BITS: u64 = (1 << 29) - 1;
    const MIDDLE: u64 = 1 << 28;
    if (product.to_bits() & DROPPED_BITS).abs_diff(MIDDLE) < 4 {
        return None;
    }
    let number = product as f32;
    Some((without_sign.map_or(number, |_| -number), rest))
}

/// Reads an integer with at most 15 digits and without sign. Returns it with the remaining text.
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

    #[test]
    fn numbers_equal_those_of_the_standard_library() {
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
                // The lexer would read the text after it.
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
    fn numbers_between_two_floats_are_rounded_correctly() {
        // The first two are exactly in the middle between two `f32` values, the others are close to it.
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
    fn integers_end_before_whitespace_or_quotes() {
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

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut tokens = Vec::new();
        loop {
            let token = lexer.peek();
            lexer.advance(token);
            if token == Token::End {
                return tokens;
            }
            tokens.push(token);
        }
    }

    #[test]
    fn whitespace_and_comments_separate_tokens() {
        let text = "\u{feff}MODEL//no comment\t\"a // b\"//c\n\r\x0b\x0cU_WRAP V_WRAP\r\n// ends\r-1.5 ...";
        let expected = [
            Token::Other(b"MODEL//no"),
            Token::Key(b"comment"),
            Token::String(b"a // b"),
            Token::Key(b"U_WRAP"),
            Token::Key(b"V_WRAP"),
            Token::Number(b"-1.5"),
            Token::Other(b"..."),
        ];
        assert_eq!(tokens(text), expected);
        assert_eq!(tokens(" // all"), []);
    }

    #[test]
    fn strings_need_no_whitespace_and_have_no_escapes() {
        let text = r#"NAME"Q:\Work\"7"""x"#;
        let expected = [
            Token::Key(b"NAME"),
            Token::String(b"Q:\\Work\\"),
            Token::Number(b"7"),
            Token::String(b""),
            Token::Unterminated(b"x"),
        ];
        assert_eq!(tokens(text), expected);
        assert_eq!(
            tokens("\"a\nb"),
            [Token::Unterminated(b"a"), Token::Key(b"b")]
        );
    }

    #[test]
    fn numbers_have_the_syntax_of_c() {
        let text = "1 -2.5 +.5 5. 1e-005 1E2 -1.#IND 1.#QNAN00 1.#SNAN 1.#INF nan -inf 1e99 0,5";
        let mut lexer = Lexer::new(text.as_bytes());
        for expected in [1.0, -2.5, 0.5, 5.0, 1e-5, 100.0] {
            assert_eq!(lexer.number(), Some(expected));
        }
        for _ in 0..7 {
            assert!(!lexer.number().expect("the token is a number").is_finite());
        }
        assert_eq!(lexer.number(), None);
        assert_eq!(lexer.peek(), Token::Number(b"0,5"));
    }

    #[test]
    fn integers_saturate_and_have_no_decimal_point() {
        let mut lexer = Lexer::new(b"12 -7 +3 99999999999999999999 -99999999999999999999 1.0");
        for expected in [12, -7, 3, i64::MAX, -i64::MAX] {
            assert_eq!(lexer.integer(), Some(expected));
        }
        assert_eq!(lexer.integer(), None);
        assert_eq!(lexer.peek(), Token::Number(b"1.0"));
    }

    #[test]
    fn skip_to_is_case_insensitive() {
        let mut lexer = Lexer::new(b"\0e END\" eEend_of_texture");
        lexer.skip_to(b"END_OF_TEXTURE");
        assert_eq!(lexer.peek(), Token::Key(b"end_of_texture"));
        lexer.skip_to(b"MODEL");
        assert_eq!(lexer.peek(), Token::End);
    }
}
