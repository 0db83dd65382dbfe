//! Text → [`ModelManifest`], with everything checked that can be without other files; and back.

use super::check::check;
use super::manifest::ModelManifest;
use super::problem::Flaw;
use super::ron_error;
use super::spans::place;
use crate::read::TextPosition;
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use ron::{Deserializer, Options};
use thiserror::Error;

/// The longest text, in bytes. Those of people are a thousandth of it.
pub(super) const LONGEST_TEXT: usize = 1 << 20;

/// A manifest is four deep.
const DEEPEST: usize = 32;

/// Why a text is no manifest. Displays as `3:12: scale is -1, but must be a finite number above 0`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{position}: {message}")]
pub struct ManifestError {
    /// Where.
    pub position: TextPosition,
    /// What is wrong there.
    pub message: String,
}

/// Reads a manifest. The files that it names are not looked for.
///
/// `Some(..)` may be left out where RON would ask for it.
///
/// # Errors
/// [`ManifestError`] if it is not RON, has fields that manifests do not have, lacks the model, or has a value that
/// nothing can be done with.
pub fn parse(bytes: &[u8]) -> Result<ModelManifest, ManifestError> {
    if bytes.len() > LONGEST_TEXT {
        return Err(ManifestError {
            position: TextPosition { line: 1, column: 1 },
            message: format!("is longer than {LONGEST_TEXT} bytes"),
        });
    }
    let text = text(bytes)?;
    let manifest = from_ron(text)?;
    match check(&manifest) {
        Some(flaw) => Err(flaw.in_text(text)),
        None => Ok(manifest),
    }
}

fn from_ron(text: &str) -> Result<ModelManifest, ManifestError> {
    let reader = Deserializer::from_str_with_options(text, &options());
    let mut reader = reader.map_err(|error| ron_error::of_text(&error, text))?;
    let manifest = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().clone();
        ron_error::of_value(&reader.span_error(error.into_inner()), &path, text)
    })?;
    let end = reader.end();
    end.map_err(|error| ron_error::of_text(&reader.span_error(error), text))?;
    Ok(manifest)
}

/// The text of a file, without the mark that editors put before it.
pub(super) fn text(bytes: &[u8]) -> Result<&str, ManifestError> {
    let text = core::str::from_utf8(bytes).map_err(|error| ManifestError {
        position: TextPosition::new(bytes, error.valid_up_to() as u64, true),
        message: "is not UTF-8".to_owned(),
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

impl ModelManifest {
    /// As the text of a file, with those fields that are not as they are by default. It reads as the same manifest
    /// again, but for [`files`](Self::files).
    ///
    /// # Errors
    /// [`ManifestError`] as [`parse`] has it, if no file can say what the manifest does.
    pub fn to_ron(&self) -> Result<String, ManifestError> {
        if let Some(flaw) = check(self) {
            return Err(flaw.in_text(""));
        }
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

pub(super) fn options() -> Options {
    Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME)
        .with_recursion_limit(DEEPEST)
}

impl Flaw<'_> {
    /// With its place in the text that the manifest was read from.
    pub(super) fn in_text(self, text: &str) -> ManifestError {
        let offset = place(text, &self.steps) as u64;
        ManifestError {
            position: TextPosition::new(text.as_bytes(), offset, true),
            message: self.message,
        }
    }
}
