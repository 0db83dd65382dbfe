//! Limits on the counts of a model's items, relative to the file's size.
//!
//! Most items cost Bevy more memory than the few bytes that they need in a file: a sub-mesh of one triangle becomes three
//! assets and an entity. Without limits, a file of nothing but small items would use more heap than the documented maximum
//! of 16 times the file's size plus 1 MiB. Real models are far below them.

use classic_model_formats::read::{ErrorKind, Format, ParseError, TextPosition};

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
        $crate::load::limits::Limit {
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
