//! What RON's reader says about a text, with the position and the name of the value that it is about.

use super::problem::Name;
use super::problem::Step::{self, Element, Field, Inner, Key};
use super::read::ManifestError;
use super::spans::place;
use crate::read::TextPosition;
use ron::error::{Position, SpannedError};
use serde_path_to_error::{Path, Segment};

/// The error of a reader that is not at a value.
pub(super) fn of_text(error: &SpannedError, text: &str) -> ManifestError {
    at(text, stop(error, text), error.code.to_string())
}

/// The error of a reader at a value, which a path leads to.
pub(super) fn of_value(error: &SpannedError, path: &Path, text: &str) -> ManifestError {
    let found = steps(path, text).and_then(|steps| {
        let offset = value_offset(error, &steps, text);
        let value = text.get(offset..)?;
        let message = value_message(&error.code, &Name(&steps), value)?;
        Some(at(text, offset, message))
    });
    found.unwrap_or_else(|| of_text(error, text))
}

fn at(text: &str, offset: usize, message: String) -> ManifestError {
    ManifestError {
        position: TextPosition::new(text.as_bytes(), offset as u64, true),
        message,
    }
}

/// Where a reader that is not at a value was stopped.
fn stop(error: &SpannedError, text: &str) -> usize {
    use ron::Error as Of;
    let end = offset(text, error.span.end);
    match error.code {
        // The reader is behind a word that it refuses.
        Of::NoSuchStructField { .. }
        | Of::DuplicateStructField { .. }
        | Of::NoSuchEnumVariant { .. }
        | Of::ExpectedDifferentStructName { .. } => offset(text, error.span.start),
        // Or behind a letter after a `/` that begins no comment.
        Of::UnexpectedChar(letter) => {
            let before = text.get(..end).unwrap_or_default();
            let slash = before.strip_suffix(letter);
            let slash = slash.filter(|before| before.ends_with('/'));
            slash.map_or(end, str::len)
        }
        _ => end,
    }
}

/// The offset of a value; of that within a `Some` once the reader has come there.
fn value_offset(error: &SpannedError, steps: &[Step<'_>], text: &str) -> usize {
    let inner = place(text, &[steps, &[Inner]].concat());
    match inner <= offset(text, error.span.end) {
        true => inner,
        false => place(text, steps),
    }
}

/// What is wrong with a value that a text begins with; `None` if the error is about what is between values.
fn value_message(error: &ron::Error, name: &Name<'_>, text: &str) -> Option<String> {
    use ron::Error as Of;
    let wanted = match error {
        Of::ExpectedFloat => "must be a number",
        Of::ExpectedInteger => "must be a whole number",
        Of::IntegerOutOfBounds => "is out of the bounds of whole numbers here",
        Of::ExpectedString => "must be a text in quotes",
        Of::ExpectedArray => "must be a list in `[]`",
        Of::ExpectedMap => "must be pairs in `{}`",
        Of::ExpectedStructLike | Of::ExpectedNamedStructLike(_) => "must be in parentheses",
        Of::InvalidValueForType { expected, found } => {
            let found = match &**found {
                "a unit value" if !text.starts_with('(') => "a word without quotes",
                found => found,
            };
            return Some(format!("{name} must be {expected}, but is {found}"));
        }
        Of::ExpectedChar | Of::ExpectedStringEnd | Of::InvalidEscape(_) => {
            return Some(error.to_string());
        }
        _ => return None,
    };
    Some(format!("{name} {wanted}"))
}

/// The steps of a path; `None` if it leads to a key.
fn steps<'a>(path: &'a Path, text: &str) -> Option<Vec<Step<'a>>> {
    let mut steps = Vec::new();
    for segment in path {
        let step = match segment {
            Segment::Seq { index } => Element(*index),
            Segment::Map { key } => {
                let around = text.get(place(text, &steps)..)?;
                match around.starts_with('{') {
                    true => Key(key),
                    false => Field(key),
                }
            }
            Segment::Enum { .. } | Segment::Unknown => return None,
        };
        steps.push(step);
    }
    Some(steps)
}

/// The offset of a place by line and column.
fn offset(text: &str, place: Position) -> usize {
    let lines = text.split_inclusive('\n');
    let before: usize = lines.take(place.line.saturating_sub(1)).map(str::len).sum();
    let line = text.get(before..).unwrap_or_default();
    let letters = line.chars().take(place.col.saturating_sub(1));
    before + letters.map(char::len_utf8).sum::<usize>()
}
