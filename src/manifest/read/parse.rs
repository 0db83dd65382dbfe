//! Parses the text of a [`ModelManifest`]. Files that it names are not accessed.

use crate::manifest::check::values::check;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::ManifestError;
use crate::manifest::read::problem::Problem;
use crate::manifest::read::ron_text::from_ron;
use crate::manifest::read::spans::find_offset;
use classic_model_formats::read::TextPosition;

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
