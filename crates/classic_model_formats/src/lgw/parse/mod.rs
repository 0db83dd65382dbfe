//! Bytes to [`LgwFile`].

mod materials;
mod meshes;
mod model;
mod place;

use super::file::LgwFile;
use super::key::Key;
use super::lexer::{Lexer, Word};
use super::tolerance::Tolerance;
use crate::read::{ErrorKind, Flaws, Format, ParseError, Quoted, TextPosition, Warning};
use core::mem::take;
use encoding_rs::WINDOWS_1250;
use memchr::memchr;
use place::Place;
use std::borrow::Cow;
use std::collections::HashSet;

/// How many blocks of a kind there may be in any file. Beyond that they have to have some bytes each: they
/// take more memory than the few that a file may say them in.
const BLOCKS: usize = 1024;

/// Reads a whole model.
///
/// # Errors
/// A [`ParseError`] with line and column of the word at fault, whose context is the path of blocks that
/// it is in, such as `mesh 2 "Wheel" / group 0 / COUNT`. Flaws that do no harm end in
/// [`LgwFile::warnings`] instead; `tolerance` says how much is thought harmful.
pub fn parse(bytes: &[u8], tolerance: Tolerance) -> Result<LgwFile<'_>, ParseError> {
    let is_utf8 = core::str::from_utf8(bytes).is_ok();
    let mut parser = Parser {
        lexer: Lexer::new(bytes),
        text: bytes,
        is_utf8,
        tolerance,
        place: Place::default(),
        ids: HashSet::new(),
        references: Vec::new(),
        unknown: None,
        checked: 0,
        flaws: Flaws::default(),
    };
    let file = parser.model().map_err(|error| {
        let error = parser.unless_binary(error);
        parser.placed(error)
    })?;
    let warnings = take(&mut parser.flaws).into_warnings().into_iter();
    let warnings = warnings.map(|warning| Warning {
        position: Some(parser.position(warning.offset)),
        ..warning
    });
    let mut warnings: Vec<_> = warnings.collect();
    // Whoever edits a text goes through it from its top.
    warnings.sort_by_key(|warning| warning.offset);
    Ok(LgwFile { warnings, ..file })
}

/// What comes next in a block.
enum Next<'a> {
    /// A key that belongs somewhere, and where it is.
    Key(Key, u64),
    /// A key that nobody knows.
    Unknown(&'a [u8], u64),
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// All of it.
    text: &'a [u8],
    is_utf8: bool,
    tolerance: Tolerance,
    place: Place<'a>,
    /// The numbers of materials.
    ids: HashSet<i64>,
    /// For each mesh, where it names its material, or could.
    references: Vec<u64>,
    /// The last key that nobody knows, and where it is.
    unknown: Option<(&'a [u8], u64)>,
    /// Up to where [`check_text`](Self::check_text) has looked.
    checked: u64,
    flaws: Flaws,
}

impl<'a> Parser<'a> {
    fn position(&self, offset: u64) -> TextPosition {
        TextPosition::new(self.text, offset, self.is_utf8)
    }

    /// Refuses a file with a NUL before `end`: text has none. Embedded pictures are not checked.
    fn check_text(&mut self, end: u64) -> Result<(), ParseError> {
        let begin = core::mem::replace(&mut self.checked, end);
        let read = self.text.get(begin as usize..end as usize);
        let Some(nul) = memchr(0, read.unwrap_or_default()) else {
            return Ok(());
        };
        self.place = Place::default();
        self.unknown = None;
        let looks_like = BINARY.to_owned();
        let offset = begin + nul as u64;
        Err(self.error(offset, "file", ErrorKind::WrongMagic { looks_like }))
    }

    /// The error, unless a NUL up to the word at fault says that the file is no text.
    fn unless_binary(&mut self, error: ParseError) -> ParseError {
        if matches!(error.kind, ErrorKind::WrongMagic { .. }) {
            return error;
        }
        let word = self.lexer.peek();
        self.lexer.pass(word);
        let checked = self.check_text(self.lexer.position());
        checked.err().unwrap_or(error)
    }

    /// An error with its line and column, and what may be its cause: a key that is misspelt.
    fn placed(&self, error: ParseError) -> ParseError {
        let position = Some(self.position(error.offset));
        let context = match self.unknown {
            Some((word, offset)) => format!(
                "after {} at {}, which means nothing: {}",
                told(Word::Key(word)),
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
            context: self.place.of(what),
            kind,
        }
    }

    /// Takes down a flaw of a kind; `message` is told of the path of blocks.
    fn warn(&mut self, kind: &'static str, offset: u64, message: impl FnOnce(&str) -> String) {
        let place = &self.place;
        self.flaws.warn(kind, offset, || message(&place.label()));
    }

    /// That something must be in a block before a place in the text.
    fn lacks(&self, offset: u64, what: &'static str) -> ParseError {
        ParseError {
            context: self.place.path(),
            ..self.error(offset, what, ErrorKind::Missing { what })
        }
    }

    /// What is wrong with the next word.
    fn unexpected(&mut self, what: &str, expected: &'static str) -> ParseError {
        let offset = self.lexer.offset();
        let word = self.lexer.peek();
        let kind = match word {
            Word::Unterminated(_) => ErrorKind::UnterminatedString,
            Word::Number(number) if expected == A_NUMBER && number.contains(&b',') => {
                let found = told(word);
                let expected = match number.last() {
                    Some(b',') => "a number, without a comma after it",
                    _ => "a number, with a point where it has a comma",
                };
                ErrorKind::UnexpectedWord { found, expected }
            }
            _ => {
                let found = told(word);
                ErrorKind::UnexpectedWord { found, expected }
            }
        };
        self.error(offset, what, kind)
    }

    /// What a key is followed by.
    fn string(&mut self, what: &str) -> Result<Cow<'a, str>, ParseError> {
        let word = self.lexer.peek();
        let Word::String(string) = word else {
            return Err(self.unexpected(what, "a string in quotes"));
        };
        self.lexer.pass(word);
        Ok(self.decoded(string))
    }

    /// UTF-8 if the whole file is that, else Windows-1250.
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

    /// How many of something there are.
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

    /// The number, or 0 for one that is none.
    fn finite(&mut self, number: f32, offset: u64, what: &'static str) -> Result<f32, ParseError> {
        if number.is_finite() {
            return Ok(number);
        }
        if self.tolerance == Tolerance::Strict {
            return Err(self.error(offset, what, ErrorKind::NotFinite));
        }
        self.warn(what, offset, |place| {
            format!("{place}a number of {what} is not finite, and taken as 0")
        });
        Ok(0.0)
    }

    /// The next key of a block that ends with another.
    fn next(&mut self, end: Key) -> Result<Next<'a>, ParseError> {
        let offset = self.lexer.offset();
        let word = self.lexer.peek();
        let key = match word {
            Word::Key(key) => key,
            Word::End => return Err(self.lacks(offset, end.word())),
            _ => return Err(self.unexpected(A_WORD, expected_before(end))),
        };
        self.lexer.pass(word);
        Ok(match Key::of(key) {
            Some(key) => Next::Key(key, offset),
            None => Next::Unknown(key, offset),
        })
    }

    /// Passes a key that means nothing here, with what follows it.
    fn pass_over(&mut self, next: Next<'a>, end: Key) -> Result<(), ParseError> {
        let (word, offset) = match next {
            Next::Key(key, offset) => (key.word().as_bytes(), offset),
            Next::Unknown(word, offset) => (word, offset),
        };
        if let Next::Key(key, offset) = next
            && end.lacks_before(key)
        {
            return Err(self.lacks(offset, end.word()));
        }
        let is_of_block = matches!(next, Next::Key(key, _) if key.is_of_block());
        if is_of_block || self.tolerance == Tolerance::Strict {
            let found = told(Word::Key(word));
            let expected = expected_before(end);
            let kind = ErrorKind::UnexpectedWord { found, expected };
            return Err(self.error(offset, A_WORD, kind));
        }
        if let Next::Unknown(word, offset) = next {
            self.unknown = Some((word, offset));
        }
        self.warn("key", offset, |place| {
            format!(
                "{place}{} means nothing here, and is passed over",
                told(Word::Key(word))
            )
        });
        while let word @ (Word::Number(_) | Word::String(_)) = self.lexer.peek() {
            self.lexer.pass(word);
        }
        Ok(())
    }

    /// Refuses numbers after as many as were announced.
    fn no_more_numbers(
        &mut self,
        what: &str,
        elements: &'static str,
        expected: u64,
    ) -> Result<(), ParseError> {
        let mut word = self.lexer.peek();
        if !matches!(word, Word::Number(_)) {
            return Ok(());
        }
        let offset = self.lexer.offset();
        let mut found = expected;
        while matches!(word, Word::Number(_)) {
            found += 1;
            self.lexer.pass(word);
            word = self.lexer.peek();
        }
        let kind = ErrorKind::CountMismatch {
            elements,
            found,
            expected,
        };
        Err(self.error(offset, what, kind))
    }

    /// Refuses more blocks of a kind than the file's size allows for.
    fn check_blocks(
        &self,
        count: usize,
        bytes_of_block: usize,
        offset: u64,
        what: &str,
    ) -> Result<(), ParseError> {
        if count < BLOCKS + self.text.len() / bytes_of_block {
            return Ok(());
        }
        let limit = "a file of its size has not so many";
        Err(self.error(offset, what, ErrorKind::LimitExceeded { limit }))
    }
}

/// What a file is that is no text.
const BINARY: &str = "looks like a binary LGW, of which the game's tool UFObintxt makes text";

/// What [`Parser::unexpected`] has more to say of.
const A_NUMBER: &str = "a number";

/// What is at fault where a block goes on with what does not belong there.
const A_WORD: &str = "the next word";

/// What can be where a block goes on.
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

/// A word as messages tell it.
fn told(word: Word<'_>) -> String {
    let quoted = |word: &[u8]| Quoted(&String::from_utf8_lossy(word)).to_string();
    match word {
        Word::End => "the end of the file".to_owned(),
        Word::String(string) => format!("the string {}", quoted(string)),
        Word::Key(word) | Word::Number(word) | Word::Other(word) | Word::Unterminated(word) => {
            quoted(word)
        }
    }
}
