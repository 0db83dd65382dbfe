//! Pieces of models: surfaces on a bone.

use super::math::Transform;
use super::surface::{Corner, Surface};
use bevy::math::Vec3;

/// Surfaces that move together.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Index of their bone in the transforms of a pose.
    pub bone: usize,
    /// Edges are hard if the cosine of the angle between their faces is at most this.
    pub crease: f32,
    /// The surfaces, in the bone's space.
    pub surfaces: Vec<Surface>,
}

/// Edges of less than 40° are smooth.
pub const CREASE: f32 = 0.766;
/// Edges of less than 84° are smooth: for tubes of few sides with flat ends.
pub const ROUND: f32 = 0.1;
/// Every edge is smooth.
pub const SMOOTH: f32 = -1.0;
/// Every edge is hard.
pub const FACETED: f32 = 0.9999;

impl Piece {
    /// A piece whose sharp edges are hard.
    pub fn new(bone: usize, surfaces: Vec<Surface>) -> Self {
        Self {
            bone,
            crease: CREASE,
            surfaces,
        }
    }

    /// Returns the piece with another limit for hard edges.
    pub fn creased(self, crease: f32) -> Self {
        Self { crease, ..self }
    }

    /// Returns the piece, transformed in the space of its bone.
    pub fn transformed(mut self, transform: Transform) -> Self {
        let faces = self
            .surfaces
            .iter_mut()
            .flat_map(|surface| &mut surface.faces);
        for corner in faces.flat_map(|face| &mut face.corners) {
            corner.position = transform.point(corner.position);
        }
        self
    }

    /// The normal at a corner of a face: the mean of all faces that meet there at smooth edges.
    pub fn normal(&self, corner: &Corner, face_normal: Vec3) -> Vec3 {
        let faces = self.surfaces.iter().flat_map(|surface| &surface.faces);
        let normals = faces.filter_map(|face| {
            let meets = |other: &Corner| other.position.distance_squared(corner.position) < 1e-6;
            let normal = face.normal();
            let soft = normal
                .normalize_or_zero()
                .dot(face_normal.normalize_or_zero())
                > self.crease;
            (soft && face.corners.iter().any(meets)).then_some(normal)
        });
        let sum = normals.fold(face_normal * 1e-3, |sum, normal| sum + normal);
        sum.normalize_or(Vec3::Z)
    }
}
