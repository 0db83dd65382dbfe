//! The error of a file.

use bevy_classic_models::read::{ParseError, TextPosition};
use serde_json::{Value, json};

/// The error of a file.
pub struct Failure {
    /// Offset in the file, if the error has one.
    pub offset: Option<u64>,
    /// The same as line and column, if the file is text.
    pub position: Option<TextPosition>,
    pub message: String,
}

impl Failure {
    /// An error without a position in the file.
    pub fn new(error: impl std::fmt::Display) -> Self {
        Self {
            offset: None,
            position: None,
            message: error.to_string(),
        }
    }
}

impl From<ParseError> for Failure {
    fn from(error: ParseError) -> Self {
        Self {
            offset: Some(error.offset),
            position: error.position,
            message: error.to_string(),
        }
    }
}

impl Failure {
    /// The description of a file that failed.
    pub fn to_json(&self) -> Value {
        json!({ "error": self.error_json() })
    }

    /// The error alone.
    pub fn error_json(&self) -> Value {
        let mut error = json!({ "offset": self.offset, "message": self.message });
        if let Some(TextPosition { line, column }) = self.position {
            error["line"] = line.into();
            error["column"] = column.into();
        }
        error
    }
}
