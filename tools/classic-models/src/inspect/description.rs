//! The description of a file of any format, or its error, as JSON and as text.

use crate::engines::BrokenLimit;
use crate::file_format::FileFormat;
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_classic_models::read::{ParseError, SIGNATURE_SIZE, TextPosition, file_kind};
use serde_json::{Value, json};
use std::fmt::{self, Display, Write};

/// The description of a model, a particle system, an animation, a texture or an archive.
pub struct Description {
    pub object: Value,
    pub text: String,
    pub warnings: Vec<String>,
    /// Whether the file is readable but faulty: a manifest with problems, or an archive with unreadable entries.
    pub is_faulty: bool,
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
            is_faulty: false,
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

/// A number with the digits of its 32-bit float.
pub fn number(value: f32) -> Value {
    let digits = value.to_string().parse::<f64>();
    digits.map_or(Value::Null, Value::from)
}

/// The values as an array.
pub fn list<T>(values: &[T], to_json: impl FnMut(&T) -> Value) -> Value {
    values.iter().map(to_json).collect()
}

/// The measured pose of a model.
pub struct Posed {
    /// `None` if no vertex is drawn.
    pub vertices: Option<PosedVertices>,
    /// The bones in file order, if a clip with bones was requested.
    pub bones: Option<Vec<PosedBone>>,
    /// The stride of the clip, if one plays in which the model walks.
    pub stride: Option<f32>,
}

/// Bounds of a model's vertices in Bevy's world space.
pub struct PosedVertices {
    /// Minimum corner.
    pub min: Vec3,
    /// Maximum corner.
    pub max: Vec3,
    /// Mean of the positions.
    pub centroid: Vec3,
}

/// A bone of a model.
pub struct PosedBone {
    pub name: String,
    /// The transform from the bone's space to the space of the file's model.
    pub matrix: Mat4,
    /// Whether the bone itself is visible.
    pub visible: bool,
}

impl Posed {
    /// `None` without vertices and bones.
    pub fn new(vertices: Option<PosedVertices>, bones: Option<Vec<PosedBone>>) -> Option<Self> {
        (vertices.is_some() || bones.is_some()).then_some(Self {
            vertices,
            bones,
            stride: None,
        })
    }

    /// `None` without vertices.
    pub fn of(positions: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        Self::new(PosedVertices::of(positions), None)
    }
}

impl PosedVertices {
    /// `None` without vertices.
    pub fn of(positions: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (mut sum, mut count) = (DVec3::ZERO, 0_u32);
        for position in positions {
            min = min.min(position);
            max = max.max(position);
            sum += position.as_dvec3();
            count += 1;
        }
        (count > 0).then(|| Self {
            min,
            max,
            centroid: (sum / f64::from(count)).as_vec3(),
        })
    }
}

impl Posed {
    pub fn to_json(&self) -> Value {
        let vertices = self.vertices.as_ref();
        let value = |of: fn(&PosedVertices) -> Vec3| {
            vertices.map(|vertices| of(vertices).to_array().map(number))
        };
        let mut object = json!({
            "min": value(|vertices| vertices.min),
            "max": value(|vertices| vertices.max),
            "centroid": value(|vertices| vertices.centroid),
        });
        if let Some(stride) = self.stride {
            object["stride"] = number(stride);
        }
        if let Some(bones) = &self.bones {
            object["bones"] = bones.iter().map(PosedBone::to_json).collect();
        }
        object
    }

    pub fn write_text(&self, text: &mut String) -> std::fmt::Result {
        match &self.vertices {
            Some(vertices) => {
                writeln!(text, "  posed from {} to {}", vertices.min, vertices.max)?;
                writeln!(text, "  centroid {}", vertices.centroid)?;
            }
            None => writeln!(text, "  posed: nothing is drawn")?,
        }
        if let Some(stride) = self.stride {
            writeln!(text, "  stride {stride:.3}")?;
        }
        if self.bones.is_some() {
            writeln!(text, "  bones, in the space of the file:")?;
        }
        for bone in self.bones.iter().flatten() {
            let position = bone.matrix.w_axis.truncate();
            let hidden = if bone.visible { "" } else { ", hidden" };
            writeln!(text, "    {} at {position}{hidden}", bone.name)?;
        }
        Ok(())
    }
}

impl PosedBone {
    fn to_json(&self) -> Value {
        let matrix = self.matrix.to_cols_array().map(number);
        json!({ "name": self.name, "matrix": &matrix[..], "visible": self.visible })
    }
}

/// One line of JSON.
pub fn to_json(file: &str, described: &Result<Description, Failure>) -> Value {
    let mut object = match described {
        Ok(description) => description.to_json(),
        Err(failure) => failure.to_json(),
    };
    object["file"] = file.into();
    object["ok"] = described.is_ok().into();
    object
}

/// A paragraph of text.
pub fn to_text(file: &str, described: &Result<Description, Failure>) -> String {
    let mut text = format!("{file}\n");
    // Writing to a string does not fail.
    let _ = match described {
        Ok(description) => description.write_text(&mut text),
        Err(failure) => writeln!(text, "  error: {}", failure.message),
    };
    text
}
