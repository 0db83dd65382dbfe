//! Converts meshes, skins and shapes to a document that can be written.

use super::mesh::Mesh;
use bevy::prelude::*;
use bevy_classic_models::quake::mdl::write::{
    FrameDocument, Grid, MdlDocument, PoseDocument, Shape, SkinDocument, bounds_corner, quantize,
};
use bevy_classic_models::quake::mdl::{Header, Precision, TriVertex};

/// A frame before its shapes are quantized.
pub enum FrameShapes {
    /// One pose.
    Single(Shape),
    /// Animated poses of a frame group, each with its end time in seconds.
    Group(Vec<(f32, Shape)>),
}

/// The parts of a model.
pub struct Recipe {
    /// Precision of the quantized positions.
    pub precision: Precision,
    /// Whether instances animate in phase (0) or not (1).
    pub sync_type: i32,
    /// Effects that the games attach to the model.
    pub flags: u32,
    /// Position of the eyes.
    pub eye_position: [f32; 3],
    /// Size of every skin.
    pub skin_size: UVec2,
    /// The skins.
    pub skins: Vec<SkinDocument>,
    /// The frames.
    pub frames: Vec<FrameShapes>,
}

impl Recipe {
    /// Builds the document.
    pub fn document(self, mesh: &Mesh) -> MdlDocument {
        // All poses share one scale and one origin, so they are quantized together.
        let shapes: Vec<Shape> = self
            .frames
            .iter()
            .flat_map(FrameShapes::shapes)
            .cloned()
            .collect();
        let quantized = quantize(&shapes, self.precision, Grid::around(&shapes));
        let mut poses = quantized.poses.into_iter();
        let frames = self.frames.iter();
        MdlDocument {
            precision: self.precision,
            header: Header {
                scale: quantized.scale,
                origin: quantized.origin,
                radius: quantized.radius,
                eye_position: self.eye_position,
                skin_width: self.skin_size.x,
                skin_height: self.skin_size.y,
                sync_type: self.sync_type,
                flags: self.flags,
                average_triangle_size: shapes
                    .first()
                    .map_or(0.0, |shape| average_size(mesh, shape)),
            },
            skins: self.skins,
            st_vertices: mesh.st_vertices.clone(),
            triangles: mesh.triangles.clone(),
            frames: frames
                .filter_map(|frame| frame.document(&mut poses))
                .collect(),
        }
    }
}

impl FrameShapes {
    /// A sequence of single frames, named `stem1`, `stem2` …
    pub fn run(stem: &str, shapes: impl IntoIterator<Item = Shape>) -> Vec<Self> {
        let numbered = (1..).zip(shapes);
        let single = |(number, shape)| {
            Self::Single(Shape {
                name: format!("{stem}{number}"),
                ..shape
            })
        };
        numbered.map(single).collect()
    }

    /// A frame group of poses named `stem1`, `stem2` …, each with its duration in seconds.
    pub fn group(stem: &str, shapes: impl IntoIterator<Item = (f32, Shape)>) -> Self {
        // The file has the end times of the poses.
        let mut end = 0.0;
        let numbered = (1..).zip(shapes);
        let pose = |(number, (seconds, shape))| {
            end += seconds;
            let name = format!("{stem}{number}");
            (end, Shape { name, ..shape })
        };
        Self::Group(numbered.map(pose).collect())
    }

    fn shapes(&self) -> impl Iterator<Item = &Shape> {
        let (single, group) = match self {
            Self::Single(shape) => (Some(shape), &[][..]),
            Self::Group(shapes) => (None, &shapes[..]),
        };
        single
            .into_iter()
            .chain(group.iter().map(|(_, shape)| shape))
    }

    fn document(&self, poses: &mut impl Iterator<Item = PoseDocument>) -> Option<FrameDocument> {
        match self {
            Self::Single(_) => poses.next().map(FrameDocument::Single),
            Self::Group(shapes) => {
                let poses: Vec<_> = poses.take(shapes.len()).collect();
                let corners = |pick: fn(&PoseDocument) -> TriVertex| {
                    poses.iter().map(pick).collect::<Vec<_>>()
                };
                Some(FrameDocument::Group {
                    min: bounds_corner(&corners(|pose| pose.min), u8::min),
                    max: bounds_corner(&corners(|pose| pose.max), u8::max),
                    times: shapes.iter().map(|(end, _)| *end).collect(),
                    poses,
                })
            }
        }
    }
}

/// Mean area of the triangles of a shape.
fn average_size(mesh: &Mesh, shape: &Shape) -> f32 {
    let area = |corners: [Vec3; 3]| {
        let [a, b, c] = corners;
        (b - a).cross(c - a).length() / 2.0
    };
    let triangles = mesh.triangles.iter();
    let areas = triangles.map(|triangle| {
        area(
            triangle
                .vertices
                .map(|index| Vec3::from_array(shape.positions[index.get() as usize])),
        )
    });
    areas.sum::<f32>() / mesh.triangles.len().max(1) as f32
}
