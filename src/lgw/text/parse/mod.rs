//! Bytes to [`LgwFile`].

mod materials;
mod meshes;
mod place;

use super::file::LgwFile;
use super::key::Key;
use super::lexer::{Lexer, Word};
use super::tolerance::Tolerance;
use crate::read::{ErrorKind, Flaws, Format, ParseError, Quoted, TextPosition, Warning};
use encoding_rs::WINDOWS_1250;
use place::Place;
use std::borrow::Cow;
use std::collections::HashSet;

/// The version that the games' files have.
const VERSION: i64 = 4;

/// How many blocks of a kind there may be in any file, and for how many bytes of it one more: they take
/// more memory than the few bytes that a file may say them in.
const BLOCKS: usize = 1024;
const BYTES_OF_BLOCK: usize = 64;

/// Reads a whole model.
///
/// # Errors
/// A [`ParseError`] with line and column of the word at fault, whose context is the path of blocks that
/// it is in, such as `mesh 2 "Wheel" / group 0 / COUNT`. Flaws that do no harm end in
/// [`LgwFile::warnings`] instead; `tolerance` says how much is thought harmful.
pub fn parse(bytes: &[u8], tolerance: Tolerance) -> Result<LgwFile<'_>, ParseError> {
    let is_utf8 = core::str::from_utf8(bytes).is_ok();
    let position = |offset| Some(TextPosition::new(bytes, offset, is_utf8));
    let mut parser = Parser {
        lexer: Lexer::new(bytes),
        length: bytes.len(),
        is_utf8,
        tolerance,
        place: Place::default(),
        ids: HashSet::new(),
        references: Vec::new(),
        flaws: Flaws::default(),
    };
    let file = parser.model().map_err(|error| ParseError {
        position: position(error.offset),
        ..error
    })?;
    let warnings = parser.flaws.into_warnings().into_iter();
    let warnings = warnings.map(|warning| Warning {
        position: position(warning.offset),
        ..warning
    });
    Ok(LgwFile {
        warnings: warnings.collect(),
        ..file
    })
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
    /// Of the file, in bytes.
    length: usize,
    is_utf8: bool,
    tolerance: Tolerance,
    place: Place<'a>,
    /// The numbers of materials.
    ids: HashSet<i64>,
    /// For each mesh, where it names its material, or could.
    references: Vec<u64>,
    flaws: Flaws,
}

impl<'a> Parser<'a> {
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
        self.flaws.warn(kind, offset, || message(&place.of("")));
    }

    /// What is wrong with the next word.
    fn unexpected(&mut self, what: &str, expected: &'static str) -> ParseError {
        let offset = self.lexer.offset();
        let word = self.lexer.peek();
        let kind = match word {
            Word::Unterminated(_) => ErrorKind::UnterminatedString,
            Word::Number(number) if expected == A_NUMBER && number.contains(&b',') => {
                let found = told(word);
                let expected = "a number, with a point where it has a comma";
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

    fn floats<const N: usize>(&mut self, what: &str) -> Result<[f32; N], ParseError> {
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
    fn finite(&mut self, number: f32, offset: u64, what: &str) -> Result<f32, ParseError> {
        if number.is_finite() {
            return Ok(number);
        }
        if self.tolerance == Tolerance::Strict {
            return Err(self.error(offset, what, ErrorKind::NotFinite));
        }
        self.warn("number", offset, |place| {
            format!("{place}a number of {what} is not finite, and taken as 0")
        });
        Ok(0.0)
    }

    /// The next key of a block that ends with another.
    fn next(&mut self, end: Key) -> Result<Next<'a>, ParseError> {
        let offset = self.lexer.offset();
        let word = self.lexer.peek();
        let Word::Key(key) = word else {
            return Err(self.unexpected("text", expected_before(end)));
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
        let is_of_block = matches!(next, Next::Key(key, _) if key.is_of_block());
        if is_of_block || self.tolerance == Tolerance::Strict {
            let found = told(Word::Key(word));
            let expected = expected_before(end);
            let kind = ErrorKind::UnexpectedWord { found, expected };
            return Err(self.error(offset, "text", kind));
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

    /// Passes a number that repeats that of a block, if it is there. Nothing depends on it.
    fn end_number(&mut self, key: Key, expected: i64) {
        let offset = self.lexer.offset();
        let found = self.lexer.integer();
        if found != Some(expected) {
            let found = found.map_or("no number".to_owned(), |found| found.to_string());
            self.warn("number of an end", offset, |place| {
                format!("{place}{} has {found}, but ends {expected}", key.word())
            });
        }
    }

    /// Refuses numbers after as many as were announced.
    fn no_more_numbers(&mut self, what: &str, expected: u64) -> Result<(), ParseError> {
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
        Err(self.error(offset, what, numbers(found, expected)))
    }

    /// Refuses more blocks of a kind than the file's size allows for.
    fn check_blocks(&self, count: usize, offset: u64, what: &str) -> Result<(), ParseError> {
        if count < BLOCKS + self.length / BYTES_OF_BLOCK {
            return Ok(());
        }
        let limit = "1024 of a kind, and one for each 64 bytes of the file";
        Err(self.error(offset, what, ErrorKind::LimitExceeded { limit }))
    }

    fn model(&mut self) -> Result<LgwFile<'a>, ParseError> {
        self.check_begin()?;
        let mut file = LgwFile {
            name: self.string("MODEL")?,
            ..LgwFile::default()
        };
        const END: Key = Key::EndOfModel;
        loop {
            match self.next(END)? {
                Next::Key(Key::ExportVersion, offset) => {
                    let version = self.integer("EXPORT_VERSION")?;
                    file.version = Some(version);
                    if version != VERSION {
                        self.warn("version", offset, |_| {
                            format!("EXPORT_VERSION is {version}, but {VERSION} is what is known")
                        });
                    }
                }
                Next::Key(Key::SourceFile, _) => file.source = Some(self.string("SOURCE_FILE")?),
                Next::Key(Key::MaterialList, _) => self.material_list(&mut file.materials)?,
                Next::Key(Key::Mesh, offset) => {
                    self.check_blocks(file.meshes.len(), offset, "MESH")?;
                    let mesh = self.mesh(file.meshes.len())?;
                    file.meshes.push(mesh);
                }
                Next::Key(END, _) => break,
                next => self.pass_over(next, END)?,
            }
        }
        self.check_whole(&file);
        Ok(file)
    }

    /// Passes the first word.
    fn check_begin(&mut self) -> Result<(), ParseError> {
        let offset = self.lexer.offset();
        let word = self.lexer.peek();
        if let Word::Key(key) = word
            && Key::of(key) == Some(Key::Model)
        {
            self.lexer.pass(word);
            return Ok(());
        }
        let rest = self.lexer.rest();
        let kind = if rest.is_empty() {
            ErrorKind::Missing {
                what: "the word MODEL, for nothing is in it",
            }
        } else {
            ErrorKind::WrongMagic {
                looks_like: looks_like(rest, self.lexer.has_nul()).into(),
            }
        };
        Err(self.error(offset, "file", kind))
    }

    /// Tells of what only the whole file shows.
    fn check_whole(&mut self, file: &LgwFile<'a>) {
        let offset = self.lexer.offset();
        if self.lexer.peek() != Word::End {
            let length = self.lexer.rest().len();
            self.warn("trailing bytes", offset, |_| {
                format!("{length} bytes after END_OF_MODEL are passed over")
            });
        }
        if file.version.is_none() {
            self.warn("version", 0, |_| {
                format!("there is no EXPORT_VERSION; {VERSION} is what is known")
            });
        }
        for ((index, mesh), offset) in file.meshes.iter().enumerate().zip(&self.references) {
            let is_known = mesh.material.is_some_and(|id| self.ids.contains(&id));
            if !is_known {
                let name = Quoted(&mesh.name);
                self.flaws
                    .warn("reference", *offset, || match mesh.material {
                        Some(id) => format!(
                            "mesh {index} {name} refers to material {id}, which is not there"
                        ),
                        None => format!("mesh {index} {name} refers to no material"),
                    });
            }
        }
    }
}

/// A word of which [`Parser::unexpected`] knows more to say of.
const A_NUMBER: &str = "a number";

/// More or fewer numbers than there should be.
fn numbers(found: u64, expected: u64) -> ErrorKind {
    ErrorKind::CountMismatch {
        elements: "numbers",
        found,
        expected,
    }
}

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

/// What a file is that does not begin with a model.
fn looks_like(rest: &[u8], has_nul: bool) -> &'static str {
    const UTF_16: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];
    let begin = rest.get(..8).unwrap_or(rest);
    if UTF_16.iter().any(|mark| begin.starts_with(mark)) {
        "is UTF-16, and should be saved as UTF-8"
    } else if begin.starts_with(b"IDPO") || begin.starts_with(b"IDST") {
        "looks like a model of Quake or Half-Life (MDL)"
    } else if begin.starts_with(b"PulseWav") {
        "looks like PulseWaves, of a laser scanner"
    } else if has_nul
        || begin
            .iter()
            .any(|byte| byte.is_ascii_control() && *byte != 0x1A)
    {
        "looks like a binary LGW, of which the game's tool UFObintxt makes text"
    } else {
        "is text that does not begin with the word MODEL"
    }
}
