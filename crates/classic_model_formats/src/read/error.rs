//! What is wrong with a file, said so that the person who made it can find the place.

use super::TextPosition;
use core::fmt::{self, Display};
use thiserror::Error;

/// The file format that a [`ParseError`] speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// LithTech model of version 6, `.abc`.
    Abc,
    /// Petroglyph Alamo animation, `.ala`.
    Ala,
    /// Petroglyph Alamo model, `.alo`.
    Alo,
    /// LithTech picture, `.dtx`.
    Dtx,
    /// UFO: Aftermath model, `.lgw`.
    Lgw,
    /// Quake alias model, `.mdl`.
    Mdl,
    /// Quake palette, `.lmp`.
    Palette,
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Abc => "ABC",
            Self::Ala => "ALA",
            Self::Alo => "ALO",
            Self::Dtx => "DTX",
            Self::Lgw => "LGW",
            Self::Mdl => "MDL",
            Self::Palette => "palette",
        })
    }
}

/// A file that cannot be loaded: which format, where in the file, what was being read, and why not.
///
/// Displays as one sentence, for instance
/// `MDL: triangle 12 at offset 4812 uses vertex 900 of 478`, or if the file is text
/// `14:7: LGW: mesh 0 "Hull" / MATERIAL_REF is "END_OF_MESH", but must be a whole number`.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct ParseError {
    /// The format whose parser gave up.
    pub format: Format,
    /// Absolute offset, in bytes from the start of the file, of the value at fault.
    pub offset: u64,
    /// The same as line and column, if the file is text.
    pub position: Option<TextPosition>,
    /// The field or element that was being read, such as `triangle 12`.
    pub context: String,
    /// What was wrong with it.
    pub kind: ErrorKind,
}

impl Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            format,
            offset,
            context,
            kind,
            ..
        } = self;
        match self.position {
            Some(position) => write!(f, "{position}: {format}: {context} {kind}"),
            None => write!(f, "{format}: {context} at offset {offset} {kind}"),
        }
    }
}

/// The reason of a [`ParseError`]. Each displays as the predicate of that error's sentence.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file ends before the value does.
    #[error("needs {needed} bytes, but {available} are left")]
    Truncated {
        /// Bytes the value takes.
        needed: u64,
        /// Bytes between the offset and the end of the file.
        available: u64,
    },
    /// The first bytes are those of something else.
    #[error("is not what the format begins with: the file {looks_like}")]
    WrongMagic {
        /// A clause about what the file looks like, such as `looks like a Quake II model (MD2)`.
        looks_like: String,
    },
    /// The right family, but a version that this crate does not read.
    #[error("is {found}, but only version {supported} is supported{hint}")]
    UnsupportedVersion {
        /// The version in the file.
        found: i64,
        /// The version that is supported.
        supported: i64,
        /// Empty, or a parenthesis that names the program the version belongs to.
        hint: &'static str,
    },
    /// Something that the format can say, and that this crate does not read.
    #[error("is {value}, which is not supported{hint}")]
    Unsupported {
        /// The value in the file.
        value: i64,
        /// Empty, or a parenthesis that says what is.
        hint: &'static str,
    },
    /// A count or a size outside what the format allows.
    #[error("is {value}, but must be from {min} to {max}")]
    BadCount {
        /// The value in the file.
        value: i64,
        /// Least value allowed.
        min: i64,
        /// Greatest value allowed.
        max: i64,
    },
    /// An offset that leads to where nothing can be.
    #[error("is {value}, but must be from {min} to {max}")]
    BadOffset {
        /// The offset in the file.
        value: i64,
        /// Least offset allowed.
        min: u64,
        /// Greatest offset allowed.
        max: u64,
    },
    /// A reference to an element that does not exist.
    #[error("uses {element} {index} of {count}")]
    IndexOutOfRange {
        /// What is referred to, in the singular.
        element: &'static str,
        /// The index in the file.
        index: i64,
        /// How many there are.
        count: u64,
    },
    /// A NaN or an infinity where a number is needed.
    #[error("is not a finite number")]
    NotFinite,
    /// Zero or less where only more makes sense.
    #[error("is not greater than 0")]
    NotPositive,
    /// A size that is not a whole number of the things it is the size of.
    #[error("is {value}, but must be a multiple of {of}")]
    NotMultiple {
        /// The value in the file.
        value: u64,
        /// What it must be a multiple of.
        of: u64,
    },
    /// Well formed, but beyond what this crate is willing or able to hold.
    #[error("exceeds a limit: {limit}")]
    LimitExceeded {
        /// The limit, as a clause.
        limit: &'static str,
    },
    /// The file, or a part of it, has not the length that it must have.
    #[error("is {found} bytes long, but must be {expected}")]
    WrongLength {
        /// Length of the file or part in bytes.
        found: u64,
        /// Length that the format prescribes, in bytes.
        expected: u64,
    },
    /// There are more or fewer of something than was announced.
    #[error("has {found} {elements}, but {expected} were announced")]
    CountMismatch {
        /// What there are too many or too few of, in the plural.
        elements: &'static str,
        /// How many there are.
        found: u64,
        /// How many were announced.
        expected: u64,
    },
    /// Something that must be there is not.
    #[error("lacks {what}")]
    Missing {
        /// What is missing.
        what: &'static str,
    },
    /// A chunk that must hold other chunks is marked as holding data, or the other way round.
    #[error("is marked as {found}, but must be {expected}")]
    WrongChunkKind {
        /// What it is marked as.
        found: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A word of a text that is not what can be there.
    #[error("is {found}, but must be {expected}")]
    UnexpectedWord {
        /// The word, in quotes, or what else is there.
        found: String,
        /// What can be there.
        expected: &'static str,
    },
    /// What may be there once.
    #[error("is there twice")]
    Repeated,
    /// A string of a text whose line ends before it does.
    #[error("has no closing quote in its line")]
    UnterminatedString,
    /// Containers within containers, too many.
    #[error("is nested more than {limit} deep")]
    TooDeep {
        /// The depth allowed.
        limit: usize,
    },
}

/// A harmless flaw: the file loads, and whoever made it may want to know.
///
/// A parser reports each kind of flaw once, at its first place, with a count where there are more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Absolute offset, in bytes from the start of the file.
    pub offset: u64,
    /// The same as line and column, if the file is text.
    pub position: Option<TextPosition>,
    /// The flaw and what was done about it.
    pub message: String,
}

impl Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{position}: {}", self.message),
            None => write!(f, "{} (at offset {})", self.message, self.offset),
        }
    }
}
