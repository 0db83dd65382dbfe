//! The error of a file.

use bevy_classic_models::read::{ParseError, SIGNATURE_SIZE, TextPosition, file_kind};
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

    /// The error of a file whose first bytes and extension are of no format that is described.
    pub fn unknown_format(bytes: &[u8]) -> Self {
        let start = bytes.get(..SIGNATURE_SIZE).unwrap_or(bytes);
        let kind = match file_kind(start) {
            _ if bytes.is_empty() => "the file is empty".to_owned(),
            Some(kind) => format!("the file is {kind}"),
            None => {
                let start = start.get(..8).unwrap_or(start);
                format!("the file begins with \"{}\"", start.escape_ascii())
            }
        };
        Self {
            offset: Some(0),
            ..Self::new(format!("the format at offset 0 is not described: {kind}"))
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
