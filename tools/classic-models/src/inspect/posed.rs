//! The vertex bounds and bone transforms of a model at a time.

use crate::inspect::json::number;
use bevy::math::{DVec3, Mat4, Vec3};
use serde_json::{Value, json};
use std::fmt::Write;

/// The measured pose of a model.
pub struct Posed {
    /// `None` if no vertex is drawn.
    pub vertices: Option<PosedVertices>,
    /// The bones in file order, if a clip with bones was requested.
    pub bones: Option<Vec<PosedBone>>,
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
        (vertices.is_some() || bones.is_some()).then_some(Self { vertices, bones })
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
