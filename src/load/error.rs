//! The error of all model and animation loaders, and limits on the counts of a model's items, relative to the file's size.
//!
//! Most items cost Bevy more memory than the few bytes that they need in a file: a sub-mesh of one triangle becomes three
//! assets and an entity. Without limits, a file of nothing but small items would use more heap than the documented maximum
//! of 16 times the file's size plus 1 MiB. Real models are far below them.

use classic_model_formats::read::{ErrorKind, Format, ParseError, TextPosition};
use std::fmt::Display;
use thiserror::Error;

/// An error that prevents a model or an animation from being loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelLoadError {
    /// The file could not be read.
    #[error("{path}: could not be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// The error of the asset source.
        source: std::io::Error,
    },
    /// The file is not in the loader's format, or it is malformed. For a text file, the message begins with
    /// `path:line:column:`.
    #[error("{path}:{}{source}", separator(.source.position))]
    Parse {
        /// The asset's path.
        path: String,
        /// The error and its position.
        source: ParseError,
    },
    /// A loader setting that must be a finite number above 0 has another value.
    #[error("{path}: loader setting {setting} is {value}, but must be a finite number above 0")]
    Setting {
        /// The asset's path.
        path: String,
        /// Name of the setting.
        setting: &'static str,
        /// The invalid value.
        value: f32,
    },
}

/// The text of an error of the asset server without the backtrace that Bevy appends.
pub(crate) fn first_line(error: &impl Display) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

/// The separator between `path:` and a message. It is empty before a line number, so that terminals and editors
/// recognize `path:line:column`.
pub(crate) fn separator(position: Option<TextPosition>) -> &'static str {
    match position {
        Some(_) => "",
        None => " ",
    }
}

/// A count and its limit: `base`, plus one per `bytes` of the file.
pub(crate) struct Limit {
    pub(crate) found: usize,
    pub(crate) elements: &'static str,
    pub(crate) base: usize,
    pub(crate) bytes: usize,
    /// The limit in words.
    pub(crate) text: &'static str,
}

/// Makes a [`Limit`]: `limit!(found, "bones", 4096, per 1024, "KiB")`.
macro_rules! limit {
    ($found:expr, $elements:literal, $base:literal, per $bytes:literal, $unit:literal) => {
        $crate::load::error::Limit {
            found: $found,
            elements: $elements,
            base: $base,
            bytes: $bytes,
            text: concat!(
                "a model has at most ",
                $base,
                " ",
                $elements,
                ", plus one per ",
                $unit,
                " of the file"
            ),
        }
    };
}
pub(crate) use limit;

/// Checks the counts of a file of `length` bytes.
///
/// # Errors
/// The first count that exceeds its limit. The error is about the whole file; `position` is its beginning if it is text.
pub(crate) fn check_counts(
    format: Format,
    position: Option<TextPosition>,
    length: usize,
    limits: &[Limit],
) -> Result<(), ParseError> {
    let is_exceeded = |limit: &&Limit| limit.found > limit.base + length / limit.bytes;
    let Some(limit) = limits.iter().find(is_exceeded) else {
        return Ok(());
    };
    Err(ParseError {
        format,
        offset: 0,
        position,
        context: format!("model with {} {}", limit.found, limit.elements),
        kind: ErrorKind::LimitExceeded { limit: limit.text },
    })
}
