//! Why models and animations cannot be loaded.

use crate::read::{ParseError, TextPosition};
use thiserror::Error;

/// Why a model or an animation could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelLoadError {
    /// The file could not be read.
    #[error("{path}: could not be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// What the source said.
        source: std::io::Error,
    },
    /// The file is not of the loader's format, or a broken one. The message for a text file begins with
    /// `path:line:column:`.
    #[error("{path}:{}{source}", gap(.source.position))]
    Parse {
        /// The asset's path.
        path: String,
        /// Where and why.
        source: ParseError,
    },
    /// A setting has a value that no model can be loaded with.
    #[error("{path}: loader setting {setting} is {value}, but must be a finite number{but}")]
    Setting {
        /// The asset's path.
        path: String,
        /// Name of the setting.
        setting: &'static str,
        /// Its value.
        value: f32,
        /// What else is asked of it.
        but: &'static str,
    },
}

/// What separates a path from what is said about the file: nothing before a line, as compilers do, so that terminals
/// and editors find the place.
pub(super) fn gap(position: Option<TextPosition>) -> &'static str {
    match position {
        Some(_) => "",
        None => " ",
    }
}
