//! Parses the text of a [`ModelManifest`], and writes it. Files that it names are not accessed.

use crate::manifest::check::values::check;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::Step::{Element, Field, Inner, Key};
use crate::manifest::read::error::{ManifestError, Problem, Step, ValuePath};
use classic_model_formats::read::TextPosition;
use core::fmt;
use ron::error::{Position, SpannedError};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use ron::{Deserializer, Error, Options};
use serde::de::{
    self, DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
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

/// The maximum nesting of values. Valid manifests have four levels.
const MAX_NESTING: usize = 32;

/// The options of every reader and writer of manifests.
pub(crate) fn options() -> Options {
    Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME)
        .with_recursion_limit(MAX_NESTING)
}

/// The offset of a value. If it does not exist, the offset of the innermost existing value around it. The text after
/// the value may be malformed.
pub(crate) fn find_offset(text: &str, steps: &[Step<'_>]) -> usize {
    let mut depths = (0..=steps.len()).rev();
    let found = depths.find_map(|depth| find(text, steps.get(..depth)?));
    found.unwrap_or_default()
}

/// The names of the fields that the text of a valid manifest sets.
pub(crate) fn field_names(text: &str) -> Vec<String> {
    let deserializer = Deserializer::from_str_with_options(text, &options()).ok();
    let names = deserializer.and_then(|mut of| of.deserialize_any(FieldNames).ok());
    names.unwrap_or_default()
}

/// Collects the names of fields.
struct FieldNames;

impl<'de> Visitor<'de> for FieldNames {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a manifest")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Vec<String>, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = entries.next_key()? {
            entries.next_value::<IgnoredAny>()?;
            names.push(name);
        }
        Ok(names)
    }
}

/// The offset of a value, if it exists.
fn find(text: &str, steps: &[Step<'_>]) -> Option<usize> {
    let mut deserializer = Deserializer::from_str_with_options(text, &options()).ok()?;
    match (Seeker { steps }).deserialize(&mut deserializer) {
        Err(Error::Message(message)) if message == FOUND => {
            Some(text.len() - deserializer.remainder().len())
        }
        _ => None,
    }
}

/// The error that stops the deserializer before the value.
const FOUND: &str = "found";

/// Moves the RON deserializer to a value.
struct Seeker<'a> {
    steps: &'a [Step<'a>],
}

impl<'de> DeserializeSeed<'de> for Seeker<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.steps {
            [] => Err(D::Error::custom(FOUND)),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Seeker<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values within values")
    }

    fn visit_some<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let steps = self.steps.strip_prefix(&[Step::Inner]);
        let steps = steps.unwrap_or(self.steps);
        Seeker { steps }.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Some((Step::Element(index), steps)) = self.steps.split_first() else {
            return Ok(());
        };
        for _ in 0..*index {
            elements.next_element::<IgnoredAny>()?;
        }
        elements.next_element_seed(Seeker { steps })?;
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Some((Step::Field(name) | Step::Key(name), steps)) = self.steps.split_first() else {
            return Ok(());
        };
        while let Some(key) = entries.next_key::<String>()? {
            if key == *name {
                return entries.next_value_seed(Seeker { steps });
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::read::error::Step::{Element, Field, Inner, Key};

    const TEXT: &str = r##"#![enable(implicit_some)]
// model: "no"
Manifest /* ( */ (
notes: ["scale: 3, (", r#"a "quoted" ("#, b"\"", 'x', '\'', '(' ],
r#scale: 2.0,
clips: [(name: "a)"), (name: "b", frames: (1, 2),),],
skins: {"red": "r.dtx", "b\"l": "b", "gr\\en": Some("g.dtx")},
last: [],
)"##;

    fn rest(steps: &[Step<'_>]) -> &'static str {
        &TEXT[find_offset(TEXT, steps)..]
    }

    #[test]
    fn values_are_found_by_their_steps() {
        assert!(rest(&[Field("scale")]).starts_with("2.0"));
        let clip = [Field("clips"), Element(1)];
        assert!(rest(&clip).starts_with("(name: \"b\""));
        let second = [Field("clips"), Element(1), Field("frames"), Element(1)];
        assert!(rest(&second).starts_with("2)"));
        assert!(rest(&[Field("skins"), Key("red")]).starts_with("\"r.dtx\""));
        assert!(rest(&[Field("skins"), Key("b\"l")]).starts_with("\"b\""));
        assert!(rest(&[Field("skins"), Key("gr\\en")]).starts_with("Some("));
        assert!(rest(&[Field("skins"), Key("gr\\en"), Inner]).starts_with("\"g.dtx\""));
        assert!(rest(&[Field("skins"), Key("red"), Inner]).starts_with("\"r.dtx\""));
        assert!(rest(&[Field("last")]).starts_with("[]"));
    }

    #[test]
    fn fields_are_listed() {
        let names = ["notes", "scale", "clips", "skins", "last"];
        assert_eq!(field_names(TEXT), names);
        assert_eq!(field_names("()"), [""; 0]);
        assert_eq!(field_names("("), [""; 0]);
    }

    #[test]
    fn missing_values_have_the_offset_of_their_container() {
        assert!(rest(&[]).starts_with("Manifest"));
        assert!(rest(&[Field("model")]).starts_with("Manifest"));
        assert!(rest(&[Field("clips"), Element(7)]).starts_with("[(name"));
        assert!(rest(&[Field("skins"), Key("blue")]).starts_with("{\"red\""));
        assert_eq!(find_offset("", &[Field("a")]), 0);
    }

    #[test]
    fn text_after_a_value_may_be_malformed() {
        assert_eq!(
            find_offset("(a: 1, b: [2, \"c", &[Field("b"), Element(1)]),
            14
        );
        assert_eq!(find_offset("(a: (1, @", &[Field("a"), Element(1)]), 8);
        assert_eq!(find_offset("(a: (1, @", &[Field("a"), Element(2)]), 4);
    }
}
