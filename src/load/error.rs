//! The error of all model and animation loaders.

use classic_model_formats::read::{ParseError, TextPosition};
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
