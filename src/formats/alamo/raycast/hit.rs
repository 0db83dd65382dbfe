//! A hit of a ray on a collision tree.

use bevy::prelude::*;

/// A hit of a ray on a part of a spawned Alamo model, in world space.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloRayHit {
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The hit point.
    pub point: Vec3,
    /// Normal of the triangle's front, of length 1, unless [`Backfaces::Flip`](crate::query::Backfaces::Flip) flipped it.
    pub normal: Vec3,
    /// Barycentric coordinates: weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
    /// Index of the triangle in the sub-mesh.
    pub triangle: u32,
    /// The root entity of the model that the part belongs to. For a model inside another, such as a proxy
    /// model, the root of the inner one. The part's own entity if it is not below a model.
    pub root: Entity,
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
    /// Index of the bone that the mesh is attached to, even if its vertices are skinned to other bones.
    pub bone: usize,
}
