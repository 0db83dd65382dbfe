//! Converts errors of the RON deserializer to [`ManifestError`]s with the position and the path of the value.

use crate::manifest::read::error::ManifestError;
use crate::manifest::read::problem::Step::{Element, Field, Inner, Key};
use crate::manifest::read::problem::{Step, ValuePath};
use crate::manifest::read::spans::find_offset;
use classic_model_formats::read::TextPosition;
use ron::error::{Position, SpannedError};
use serde_path_to_error::{Path, Segment};

/// Converts an error that is not about a value.
pub(crate) fn at_deserializer(error: &SpannedError, text: &str) -> ManifestError {
    at(text, error_offset(error, text), error.code.to_string())
}

/// Converts an error about the value at a path.
pub(crate) fn at_value(error: &SpannedError, path: &Path, text: &str) -> ManifestError {
    let found = steps(path, text).and_then(|steps| {
        let offset = value_offset(error, &steps, text);
        let value = text.get(offset..)?;
        let message = value_message(&error.code, &ValuePath(&steps), value)?;
        Some(at(text, offset, message))
    });
    found.unwrap_or_else(|| at_deserializer(error, text))
}

fn at(text: &str, offset: usize, message: String) -> ManifestError {
    ManifestError {
        position: TextPosition::new(text.as_bytes(), offset as u64, true),
        message,
    }
}

/// The offset of an error that is not about a value.
fn error_offset(error: &SpannedError, text: &str) -> usize {
    use ron::Error;
    let end = offset(text, error.span.end);
    match error.code {
        // The deserializer is after the word that it rejects.
        Error::NoSuchStructField { .. }
        | Error::DuplicateStructField { .. }
        | Error::NoSuchEnumVariant { .. }
        | Error::ExpectedDifferentStructName { .. } => offset(text, error.span.start),
        // The deserializer is after the character that follows a `/`, if that does not start a comment.
        Error::UnexpectedChar(character) => {
            let before = text.get(..end).unwrap_or_default();
            let slash = before.strip_suffix(character);
            let slash = slash.filter(|before| before.ends_with('/'));
            slash.map_or(end, str::len)
        }
        _ => end,
    }
}

/// The offset of a value. If it is in a `Some` and the deserializer has reached it, this is the offset in the `Some`.
fn value_offset(error: &SpannedError, steps: &[Step<'_>], text: &str) -> usize {
    let inner = find_offset(text, &[steps, &[Inner]].concat());
    if inner <= offset(text, error.span.end) {
        inner
    } else {
        find_offset(text, steps)
    }
}

/// The message for an error about a value; `text` starts with the value. `None` for an error between values.
fn value_message(error: &ron::Error, path: &ValuePath<'_>, text: &str) -> Option<String> {
    use ron::Error;
    let expected = match error {
        Error::ExpectedFloat => "must be a number",
        Error::ExpectedInteger => "must be an integer",
        Error::IntegerOutOfBounds => "is out of range",
        Error::ExpectedString => "must be a string in quotes",
        Error::ExpectedArray => "must be a list in `[]`",
        Error::ExpectedMap => "must be a map in `{}`",
        Error::ExpectedStructLike | Error::ExpectedNamedStructLike(_) => "must be in parentheses",
        Error::InvalidValueForType { expected, found } => {
            let found = match &**found {
                "a unit value" if !text.starts_with('(') => "a word without quotes",
                found => found,
            };
            return Some(format!("{path} must be {expected}, but is {found}"));
        }
        Error::ExpectedChar | Error::ExpectedStringEnd | Error::InvalidEscape(_) => {
            return Some(error.to_string());
        }
        _ => return None,
    };
    Some(format!("{path} {expected}"))
}

/// The steps of a path; `None` if it leads to a key.
fn steps<'a>(path: &'a Path, text: &str) -> Option<Vec<Step<'a>>> {
    let mut steps = Vec::new();
    for segment in path {
        let step = match segment {
            Segment::Seq { index } => Element(*index),
            Segment::Map { key } => {
                let container = text.get(find_offset(text, &steps)..)?;
                if container.starts_with('{') {
                    Key(key)
                } else {
                    Field(key)
                }
            }
            Segment::Enum { .. } | Segment::Unknown => return None,
        };
        steps.push(step);
    }
    Some(steps)
}

/// The byte offset of a position, which has line and column.
fn offset(text: &str, position: Position) -> usize {
    let lines = text.split_inclusive('\n');
    let before: usize = lines
        .take(position.line.saturating_sub(1))
        .map(str::len)
        .sum();
    let line = text.get(before..).unwrap_or_default();
    let characters = line.chars().take(position.col.saturating_sub(1));
    before + characters.map(char::len_utf8).sum::<usize>()
}
