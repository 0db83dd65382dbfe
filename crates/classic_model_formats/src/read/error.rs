//! Errors and warnings of parsers.

use super::TextPosition;
use core::fmt::{self, Display};
use thiserror::Error;

/// The file format of a [`ParseError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// LithTech model of version 6, `.abc`.
    Abc,
    /// Petroglyph Alamo animation, `.ala`.
    Ala,
    /// Petroglyph Alamo model, `.alo`.
    Alo,
    /// LithTech texture, `.dtx`.
    Dtx,
    /// UFO: Aftermath model, `.lgw`.
    Lgw,
    /// Quake alias model, `.mdl`.
    Mdl,
    /// Petroglyph archive, `.meg`.
    Meg,
    /// Quake archive, `.pak`.
    Pak,
    /// Quake archive as a ZIP file, `.pk3` or `.kpf`.
    Pk3,
    /// Quake palette, `.lmp`.
    Palette,
    /// LithTech archive, `.rez`.
    Rez,
    /// UFO: Aftermath archive, `.vfs`.
    Vfs,
    /// Petroglyph Alamo particle system, `.alo`.
    Particles,
    /// A list of an Alamo game, `.xml`.
    Xml,
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
            Self::Meg => "MEG",
            Self::Pak => "PAK",
            Self::Pk3 => "PK3",
            Self::Palette => "palette",
            Self::Rez => "REZ",
            Self::Vfs => "VFS",
            Self::Particles => "ALO particles",
            Self::Xml => "XML",
        })
    }
}

/// The reason why a file cannot be parsed.
///
/// Displays as one sentence, for example `MDL: triangle 12 at offset 4812 uses vertex 900, but only 478 exist`. For a
/// text format it begins with line and column:
/// `14:7: LGW: mesh 0 "Hull" / MATERIAL_REF is "END_OF_MESH", but must be a whole number`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct ParseError {
    /// The format of the parser.
    pub format: Format,
    /// Absolute offset of the faulty value, in bytes from the start of the file.
    pub offset: u64,
    /// Line and column of the faulty value, if the file is text.
    pub position: Option<TextPosition>,
    /// The element or field that was read, such as `triangle 12`, with the path to it.
    pub context: String,
    /// The reason, as a predicate of the value.
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
            _ if self.is_empty_file() => write!(f, "{format}: file at offset 0 is empty"),
            Some(position) => write!(f, "{position}: {format}: {context} {kind}"),
            None => write!(f, "{format}: {context} at offset {offset} {kind}"),
        }
    }
}

impl ParseError {
    /// Whether the file has no bytes.
    fn is_empty_file(&self) -> bool {
        self.offset == 0 && matches!(self.kind, ErrorKind::Truncated { available: 0, .. })
    }
}

/// The kind of a [`ParseError`], and of a `WriteError` (feature `write`).
///
/// Displays as the predicate of the error's sentence, such as `is not a finite number`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The value extends beyond the end of the file, or of the part of the file that contains it.
    #[error("needs {needed} bytes, but only {available} remain")]
    Truncated {
        /// Size of the value in bytes.
        needed: u64,
        /// Bytes between the offset and the end.
        available: u64,
    },
    /// The file starts with the bytes of another format.
    #[error("is not recognized: the file {looks_like}")]
    WrongMagic {
        /// A clause that says what the file looks like, such as `looks like a Quake II model (MD2)`.
        looks_like: String,
    },
    /// The file has a version of the format that this crate does not read.
    #[error("is {found}, but only version {supported} is supported{hint}")]
    UnsupportedVersion {
        /// The version in the file.
        found: i64,
        /// The version that is supported.
        supported: i64,
        /// Empty, or a remark in parentheses that names the engine of the found version, with a leading space.
        hint: &'static str,
    },
    /// The value is valid in the format, but this crate does not support it.
    #[error("is {value}, which is not supported{hint}")]
    Unsupported {
        /// The value in the file.
        value: i64,
        /// Empty, or a remark in parentheses that lists the supported values, with a leading space.
        hint: &'static str,
    },
    /// A count or a size is out of range.
    #[error("is {value}, but must be from {min} to {max}")]
    BadCount {
        /// The value in the file.
        value: i64,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// An offset in the file points to an invalid position.
    #[error("is {value}, but must be from {min} to {max}")]
    BadOffset {
        /// The offset in the file.
        value: i64,
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// An index refers to an element that does not exist.
    #[error("uses {element} {index}, but only {count} exist")]
    IndexOutOfRange {
        /// The kind of the element, in the singular.
        element: &'static str,
        /// The index in the file.
        index: i64,
        /// The count of elements.
        count: u64,
    },
    /// The number is NaN or infinite.
    #[error("is not a finite number")]
    NotFinite,
    /// The number is 0 or negative.
    #[error("is not greater than 0")]
    NotPositive,
    /// The time of a key is before that of the key before it, or not from 0 to 1.
    #[error("is not from the time of the key before it to 1")]
    UnorderedTime,
    /// A size is not a multiple of the size of its elements.
    #[error("is {value}, but must be a multiple of {of}")]
    NotMultiple {
        /// The value in the file.
        value: u64,
        /// The required divisor.
        of: u64,
    },
    /// The value exceeds a limit of the format or of this crate.
    #[error("exceeds a limit: {limit}")]
    LimitExceeded {
        /// The limit, as a clause such as `a file is at most 2 GiB long`.
        limit: &'static str,
    },
    /// The format cannot store the value. Only in a `WriteError`.
    #[error("cannot be stored: {reason}")]
    NotStorable {
        /// The reason, as a clause such as `a string must not contain NUL`.
        reason: &'static str,
    },
    /// The file or a part of it has the wrong length.
    #[error("is {found} bytes long, but must be {expected}")]
    WrongLength {
        /// The length in bytes.
        found: u64,
        /// The length that the format requires, in bytes.
        expected: u64,
    },
    /// The count of elements differs from the declared or required count.
    #[error("has {found} {elements}, expected {expected}")]
    CountMismatch {
        /// The kind of the elements, in the plural.
        elements: &'static str,
        /// The count found.
        found: u64,
        /// The declared or required count.
        expected: u64,
    },
    /// A required part is missing.
    #[error("lacks {what}")]
    Missing {
        /// The missing part.
        what: &'static str,
    },
    /// A chunk that must be a container is marked as data, or vice versa.
    #[error("is marked as {found}, but must be {expected}")]
    WrongChunkKind {
        /// The kind that it is marked as.
        found: &'static str,
        /// The required kind.
        expected: &'static str,
    },
    /// A text file has an unexpected token.
    #[error("is {found}, but must be {expected}")]
    UnexpectedToken {
        /// The token in quotes, or `the end of the file`.
        found: String,
        /// A description of the allowed tokens.
        expected: &'static str,
    },
    /// A part that may occur only once occurs again.
    #[error("appears twice")]
    Repeated,
    /// A string in a text file has no closing quote on its line.
    #[error("has no closing quote on its line")]
    UnterminatedString,
    /// The file or a part of it is encrypted.
    #[error("is encrypted, which is not supported{hint}")]
    Encrypted {
        /// Empty, or a remark in parentheses that names the games, with a leading space.
        hint: &'static str,
    },
    /// A part of the file overlaps a part that must be separate.
    #[error("overlaps {other}")]
    Overlap {
        /// The other part.
        other: &'static str,
    },
    /// The clusters of a file in a VFS archive are not linked as its size requires.
    #[error("has a broken chain of clusters: {reason}")]
    BrokenChain {
        /// The reason, as a clause.
        reason: &'static str,
    },
    /// Compressed bytes cannot be inflated.
    #[error("cannot be inflated: {reason}")]
    Inflate {
        /// The reason, as a clause.
        reason: &'static str,
    },
    /// The bytes of a file do not have the checksum in its record.
    #[error("has the checksum {found:08x}, but its record has {expected:08x}: it is damaged")]
    Checksum {
        /// The checksum of the bytes.
        found: u32,
        /// The checksum in the record.
        expected: u32,
    },
    /// The operating system cannot read the file.
    #[error("cannot be read: {message}")]
    Io {
        /// The kind of the error.
        kind: std::io::ErrorKind,
        /// The message of the operating system.
        message: String,
    },
    /// An XML file is not well-formed.
    #[error("is malformed: {reason}")]
    Malformed {
        /// The reason, as a clause.
        reason: String,
    },
    /// Elements are nested too deeply.
    #[error("is nested more than {limit} deep")]
    TooDeep {
        /// The maximum depth.
        limit: usize,
    },
}

/// A harmless flaw of a file that was parsed anyway.
///
/// A parser reports each kind of flaw once, at its first occurrence. The message says how many more there are.
///
/// Displays as the message with the offset, or for a text format with line and column in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Absolute offset of the flaw, in bytes from the start of the file.
    pub offset: u64,
    /// Line and column of the flaw, if the file is text.
    pub position: Option<TextPosition>,
    /// The flaw and its effect.
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
