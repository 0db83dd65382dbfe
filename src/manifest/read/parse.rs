//! Parses the text of a [`ModelManifest`], and writes it. Files that it names are not accessed.

use crate::manifest::check::values::check;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::Step::{Element, Field, Inner, Key};
use crate::manifest::read::error::{ManifestError, Problem, Step, ValuePath};
use crate::manifest::read::spans::{find_offset, options};
use classic_model_formats::read::TextPosition;
use ron::Deserializer;
use ron::error::{Position, SpannedError};
use ron::ser::PrettyConfig;
use serde_path_to_error::{Path, Segment};

/// The maximum length of a text in bytes. Typical manifests have about a thousandth of it.
pub(crate) const MAX_TEXT_LENGTH: usize = 1 << 20;

/// Parses a manifest. The files that it names are not searched.
///
/// `Some(..)` may be omitted: the RON extension `implicit_some` is enabled.
///
/// # Errors
/// [`ManifestError`] if the text is not RON, has an unknown field, lacks the fields `model` and `extends`, or has an
/// invalid value.
pub fn parse(bytes: &[u8]) -> Result<ModelManifest, ManifestError> {
    let (manifest, _) = parse_with(bytes, check)?;
    Ok(manifest)
}

/// A check of a manifest's values, which returns the first problem.
pub(crate) type Check = fn(&ModelManifest) -> Result<(), Problem<'_>>;

/// Parses a manifest and checks its values. Also returns the text, without a byte order mark.
pub(crate) fn parse_with(
    bytes: &[u8],
    check: Check,
) -> Result<(ModelManifest, &str), ManifestError> {
    if bytes.len() > MAX_TEXT_LENGTH {
        return Err(ManifestError {
            position: TextPosition { line: 1, column: 1 },
            message: format!("is longer than {MAX_TEXT_LENGTH} bytes"),
        });
    }
    let text = text(bytes)?;
    let manifest = from_ron(text)?;
    check(&manifest).map_err(|problem| problem.in_text(text))?;
    Ok((manifest, text))
}

/// The text of a file without a byte order mark.
fn text(bytes: &[u8]) -> Result<&str, ManifestError> {
    let text = core::str::from_utf8(bytes).map_err(|error| ManifestError {
        position: TextPosition::new(bytes, error.valid_up_to() as u64, true),
        message: "is not UTF-8".to_owned(),
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

impl Problem<'_> {
    /// Adds the position in the text that the manifest was parsed from.
    pub(crate) fn in_text(self, text: &str) -> ManifestError {
        let offset = find_offset(text, &self.steps) as u64;
        ManifestError {
            position: TextPosition::new(text.as_bytes(), offset, true),
            message: self.message,
        }
    }
}

/// Deserializes a manifest, without checking its values.
pub(crate) fn from_ron(text: &str) -> Result<ModelManifest, ManifestError> {
    let reader = Deserializer::from_str_with_options(text, &options());
    let mut reader = reader.map_err(|error| at_deserializer(&error, text))?;
    let manifest = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().clone();
        at_value(&reader.span_error(error.into_inner()), &path, text)
    })?;
    let end = reader.end();
    end.map_err(|error| at_deserializer(&reader.span_error(error), text))?;
    Ok(manifest)
}

impl ModelManifest {
    /// Writes the manifest as the text of a file, without fields that have their default value. [`parse`](crate::manifest::parse)
    /// returns an equal manifest, except for [`files`](Self::files), which is not written.
    ///
    /// # Errors
    /// [`ManifestError`] if [`parse`](crate::manifest::parse) would reject the manifest.
    pub fn to_ron(&self) -> Result<String, ManifestError> {
        check(self).map_err(|problem| problem.in_text(""))?;
        let pretty = PrettyConfig::new().new_line("\n").compact_arrays(false);
        let text = options().to_string_pretty(self, pretty);
        let mut text = text.map_err(|error| ManifestError {
            position: TextPosition { line: 1, column: 1 },
            message: error.to_string(),
        })?;
        text.push('\n');
        Ok(text)
    }
}

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
