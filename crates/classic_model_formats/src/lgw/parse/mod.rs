//! Parses bytes to an [`LgwFile`].

mod block_path;
mod materials;
mod meshes;
mod model;

use super::file::LgwFile;
use super::key::Key;
use super::lexer::{Lexer, Token};
use super::tolerance::Tolerance;
use crate::read::{ErrorKind, Format, ParseError, Quoted, TextPosition, Warning, WarningCollector};
use block_path::BlockPath;
use core::mem::take;
use encoding_rs::WINDOWS_1250;
use memchr::memchr;
use std::borrow::Cow;
use std::collections::HashSet;

/// The count of blocks of a kind that any file may have. More blocks need a minimum size each, because a block takes more
/// memory than its shortest text.
const MIN_BLOCK_LIMIT: usize = 1024;

/// Parses a model. `tolerance` selects which flaws are errors.
///
/// Strings are UTF-8 if the whole file is valid UTF-8, otherwise Windows-1250. Keys are case-insensitive.
///
/// # Errors
/// A [`ParseError`] with line and column of the faulty token. Its context is the path of blocks, such as
/// `mesh 2 "Wheel" / group 0 / COUNT`. Harmless flaws are reported in [`LgwFile::warnings`] instead.
pub fn parse(bytes: &[u8], tolerance: Tolerance) -> Result<LgwFile<'_>, ParseError> {
    let is_utf8 = core::str::from_utf8(bytes).is_ok();
    let mut parser = Parser {
        lexer: Lexer::new(bytes),
        text: bytes,
        is_utf8,
        tolerance,
        path: BlockPath::default(),
        material_ids: HashSet::new(),
        reference_offsets: Vec::new(),
        last_unknown_key: None,
        nul_checked_to: 0,
        warnings: WarningCollector::default(),
    };
    let file = parser.model().map_err(|error| {
        let error = parser.or_binary_error(error);
        parser.with_position(error)
    })?;
    let warnings = take(&mut parser.warnings).into_warnings().into_iter();
    let warnings = warnings.map(|warning| Warning {
        position: Some(parser.position(warning.offset)),
        ..warning
    });
    let mut warnings: Vec<_> = warnings.collect();
    // In file order, which is convenient for fixing the file in an editor.
    warnings.sort_by_key(|warning| warning.offset);
    Ok(LgwFile { warnings, ..file })
}

/// The next key of a block, with its offset.
enum NextKey<'a> {
    /// A keyword of the format.
    Key(Key, u64),
    /// An unknown word.
    Unknown(&'a [u8], u64),
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The whole file.
    text: &'a [u8],
    is_utf8: bool,
    tolerance: Tolerance,
    path: BlockPath<'a>,
    /// The numbers of all materials.
    material_ids: HashSet<i64>,
    /// For each mesh, the offset of its material reference, or of its end if it has none.
    reference_offsets: Vec<u64>,
    /// The last unknown key and its offset.
    last_unknown_key: Option<(&'a [u8], u64)>,
    /// The offset up to which [`check_text`](Self::check_text) has searched for NUL.
    nul_checked_to: u64,
    warnings: WarningCollector,
}

impl<'a> Parser<'a> {
    fn position(&self, offset: u64) -> TextPosition {
        TextPosition::new(self.text, offset, self.is_utf8)
    }

    /// Fails if the file has a NUL before `end`, because text has none. Embedded images are not checked.
    fn check_text(&mut self, end: u64) -> Result<(), ParseError> {
        let begin = core::mem::replace(&mut self.nul_checked_to, end);
        let read = self.text.get(begin as usize..end as usize);
        let Some(nul) = memchr(0, read.unwrap_or_default()) else {
            return Ok(());
        };
        self.path = BlockPath::default();
        self.last_unknown_key = None;
        let looks_like = BINARY.to_owned();
        let offset = begin + nul as u64;
        Err(self.error(offset, "file", ErrorKind::WrongMagic { looks_like }))
    }

    /// Replaces an error if there is a NUL before or in the faulty token: then the file is not text.
    fn or_binary_error(&mut self, error: ParseError) -> ParseError {
        if matches!(error.kind, ErrorKind::WrongMagic { .. }) {
            return error;
        }
        let token = self.lexer.peek();
        self.lexer.advance(token);
        let checked = self.check_text(self.lexer.position());
        checked.err().unwrap_or(error)
    }

    /// Adds line and column to an error, and the last unknown key: a misspelled key may be the cause.
    fn with_position(&self, error: ParseError) -> ParseError {
        let position = Some(self.position(error.offset));
        let context = match self.last_unknown_key {
            Some((token, offset)) => format!(
                "after the unknown key {} at {}: {}",
                token_text(Token::Key(token)),
                self.position(offset),
                error.context
            ),
            None => error.context,
        };
        ParseError {
            position,
            context,
            ..error
        }
    }

    fn error(&self, offset: u64, what: &str, kind: ErrorKind) -> ParseError {
        ParseError {
            format: Format::Lgw,
            offset,
            position: None,
            context: self.path.with(what),
            kind,
        }
    }

    /// Adds a warning. `message` gets the path of blocks as the start of the message.
    fn warn(&mut self, kind: &'static str, offset: u64, message: impl FnOnce(&str) -> String) {
        let path = &self.path;
        self.warnings.warn(kind, offset, || message(&path.prefix()));
    }

    /// The error for a part that is missing in the current block before `offset`.
    fn missing_error(&self, offset: u64, what: &'static str) -> ParseError {
        ParseError {
            context: self.path.path(),
            ..self.error(offset, what, ErrorKind::Missing { what })
        }
    }

    /// The error for an unexpected next token.
    fn unexpected(&mut self, what: &str, expected: &'static str) -> ParseError {
        let offset = self.lexer.offset();
        let token = self.lexer.peek();
        let kind = match token {
            Token::Unterminated(_) => ErrorKind::UnterminatedString,
            Token::Number(number) if expected == A_NUMBER && number.contains(&b',') => {
                let found = token_text(token);
                let expected = match number.last() {
                    Some(b',') => "a number without a comma after it",
                    _ => "a number with a decimal point instead of the comma",
                };
                ErrorKind::UnexpectedToken { found, expected }
            }
            _ => {
                let found = token_text(token);
                ErrorKind::UnexpectedToken { found, expected }
            }
        };
        self.error(offset, what, kind)
    }

    /// Reads the string after the key `what`.
    fn string(&mut self, what: &str) -> Result<Cow<'a, str>, ParseError> {
        let token = self.lexer.peek();
        let Token::String(string) = token else {
            return Err(self.unexpected(what, "a string in quotes"));
        };
        self.lexer.advance(token);
        Ok(self.decoded(string))
    }

    /// Decodes a string: as UTF-8 if the whole file is valid UTF-8, otherwise as Windows-1250.
    fn decoded(&self, string: &'a [u8]) -> Cow<'a, str> {
        match core::str::from_utf8(string) {
            Ok(string) if self.is_utf8 => string.into(),
            _ => WINDOWS_1250.decode_without_bom_handling(string).0,
        }
    }

    fn integer(&mut self, what: &str) -> Result<i64, ParseError> {
        match self.lexer.integer() {
            Some(value) => Ok(value),
            None => Err(self.unexpected(what, "a whole number")),
        }
    }

    /// Reads a count from 0 to `u32::MAX`.
    fn count(&mut self, what: &str) -> Result<u32, ParseError> {
        let offset = self.lexer.offset();
        let value = self.integer(what)?;
        u32::try_from(value).map_err(|_| {
            let (min, max) = (0, u32::MAX.into());
            self.error(offset, what, ErrorKind::BadCount { value, min, max })
        })
    }

    fn floats<const N: usize>(&mut self, what: &'static str) -> Result<[f32; N], ParseError> {
        let mut values = [0.0; N];
        for value in &mut values {
            let offset = self.lexer.offset();
            let Some(number) = self.lexer.number() else {
                return Err(self.unexpected(what, A_NUMBER));
            };
            *value = self.finite(number, offset, what)?;
        }
        Ok(values)
    }

    /// Replaces a non-finite number by 0, with a warning. With [`Tolerance::Strict`], it is an error.
    fn finite(&mut self, number: f32, offset: u64, what: &'static str) -> Result<f32, ParseError> {
        if number.is_finite() {
            return Ok(number);
        }
        if self.tolerance == Tolerance::Strict {
            return Err(self.error(offset, what, ErrorKind::NotFinite));
        }
        self.warn(what, offset, |path| {
            format!("{path}a number of {what} is not finite: 0 is used")
        });
        Ok(0.0)
    }

    /// Reads the next key of a block. `end` is the key that ends the block.
    fn next(&mut self, end: Key) -> Result<NextKey<'a>, ParseError> {
        let offset = self.lexer.offset();
        let token = self.lexer.peek();
        let key = match token {
            Token::Key(key) => key,
            Token::End => return Err(self.missing_error(offset, end.keyword())),
            _ => return Err(self.unexpected(NEXT_TOKEN, expected_before(end))),
        };
        self.lexer.advance(token);
        Ok(match Key::from_keyword(key) {
            Some(key) => NextKey::Key(key, offset),
            None => NextKey::Unknown(key, offset),
        })
    }

    /// Skips a key that is unknown or not allowed in this block, and the numbers and strings after it. `end` is the key that
    /// ends the block. Fails if `key` shows that `end` is missing, and if the key delimits a block.
    fn ignore_key(&mut self, next: NextKey<'a>, end: Key) -> Result<(), ParseError> {
        let (token, offset) = match next {
            NextKey::Key(key, offset) => (key.keyword().as_bytes(), offset),
            NextKey::Unknown(token, offset) => (token, offset),
        };
        if let NextKey::Key(key, offset) = next
            && end.is_missing_before(key)
        {
            return Err(self.missing_error(offset, end.keyword()));
        }
        let delimits_block = matches!(next, NextKey::Key(key, _) if key.delimits_block());
        if delimits_block || self.tolerance == Tolerance::Strict {
            let found = token_text(Token::Key(token));
            let expected = expected_before(end);
            let kind = ErrorKind::UnexpectedToken { found, expected };
            return Err(self.error(offset, NEXT_TOKEN, kind));
        }
        if let NextKey::Unknown(token, offset) = next {
            self.last_unknown_key = Some((token, offset));
        }
        self.warn("key", offset, |path| {
            format!(
                "{path}{} is not a key of this block and is ignored",
                token_text(Token::Key(token))
            )
        });
        while let token @ (Token::Number(_) | Token::String(_)) = self.lexer.peek() {
            self.lexer.advance(token);
        }
        Ok(())
    }

    /// Fails if more numbers follow the `expected` ones.
    fn no_more_numbers(
        &mut self,
        what: &str,
        elements: &'static str,
        expected: u64,
    ) -> Result<(), ParseError> {
        let mut token = self.lexer.peek();
        if !matches!(token, Token::Number(_)) {
            return Ok(());
        }
        let offset = self.lexer.offset();
        let mut found = expected;
        while matches!(token, Token::Number(_)) {
            found += 1;
            self.lexer.advance(token);
            token = self.lexer.peek();
        }
        let kind = ErrorKind::CountMismatch {
            elements,
            found,
            expected,
        };
        Err(self.error(offset, what, kind))
    }

    /// Limits the count of blocks of a kind by the length of the file.
    fn check_block_count(
        &self,
        count: usize,
        min_block_size: usize,
        offset: u64,
        what: &str,
    ) -> Result<(), ParseError> {
        if count < MIN_BLOCK_LIMIT + self.text.len() / min_block_size {
            return Ok(());
        }
        let limit = "too many blocks of this kind for the length of the file";
        Err(self.error(offset, what, ErrorKind::LimitExceeded { limit }))
    }
}

/// The clause about a binary file, for [`ErrorKind::WrongMagic`].
const BINARY: &str =
    "looks like a binary LGW file: convert it to text with the game's tool UFObintxt";

/// The expectation for which [`Parser::unexpected`] explains commas.
const A_NUMBER: &str = "a number";

/// The context of an error about a token that is not allowed in a block.
const NEXT_TOKEN: &str = "the next token";

/// A description of the tokens that are allowed in a block, by the key that ends it.
fn expected_before(end: Key) -> &'static str {
    match end {
        Key::EndOfMaterialList => "MATERIAL or END_OF_MATERIAL_LIST",
        Key::EndOfMaterial => "a key of a material, or END_OF_MATERIAL",
        Key::EndOfTexture => "a key of a texture, or END_OF_TEXTURE",
        Key::EndOfMesh => "a key of a mesh, or END_OF_MESH",
        Key::EndOfGroup => "a key of a group, or END_OF_GROUP",
        _ => "a key of a model, or END_OF_MODEL",
    }
}

/// A token for messages.
fn token_text(token: Token<'_>) -> String {
    let quoted = |token: &[u8]| Quoted(&String::from_utf8_lossy(token)).to_string();
    match token {
        Token::End => "the end of the file".to_owned(),
        Token::String(string) => format!("the string {}", quoted(string)),
        Token::Key(token)
        | Token::Number(token)
        | Token::Other(token)
        | Token::Unterminated(token) => quoted(token),
    }
}
