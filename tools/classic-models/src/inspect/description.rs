//! The description of a file of any format.

use crate::engines::BrokenLimit;
use crate::file_format::FileFormat;
use crate::inspect::posed::Posed;
use serde_json::Value;
use std::fmt::{self, Display, Write};

/// The description of a model, a particle system, an animation, a texture or an archive.
pub struct Description {
    pub object: Value,
    pub text: String,
    pub warnings: Vec<String>,
    /// The limits of engines that the file exceeds.
    pub limits: Vec<BrokenLimit>,
    /// The measured pose. `None` if nothing is drawn, or it was not requested.
    pub posed: Option<Posed>,
    /// `None` for archives.
    pub format: Option<FileFormat>,
    /// The content of files that are not archives.
    pub bytes: Vec<u8>,
}

impl Description {
    /// A description as an object and as lines of text, without the warnings.
    pub fn new(
        object: Value,
        warnings: impl IntoIterator<Item: Display>,
        write: impl FnOnce(&mut String) -> fmt::Result,
    ) -> Self {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write(&mut text);
        let warnings = warnings.into_iter();
        Self {
            object,
            text,
            warnings: warnings.map(|warning| warning.to_string()).collect(),
            limits: Vec::new(),
            posed: None,
            format: None,
            bytes: Vec::new(),
        }
    }

    pub fn to_json(&self) -> Value {
        let mut object = self.object.clone();
        object["warnings"] = self.warnings.clone().into();
        if let Some(posed) = &self.posed {
            object["posed"] = posed.to_json();
        }
        object
    }

    pub fn write_text(&self, text: &mut String) -> fmt::Result {
        text.push_str(&self.text);
        if let Some(posed) = &self.posed {
            posed.write_text(text)?;
        }
        for limit in &self.limits {
            writeln!(text, "  limit: {limit}")?;
        }
        for warning in &self.warnings {
            writeln!(text, "  warning: {warning}")?;
        }
        Ok(())
    }
}
