//! A hit of a ray on a model.

use bevy::prelude::*;

/// A hit of a ray on a part of a spawned model, in world space.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelRayHit {
    /// The root entity of the model that the part belongs to. For a model inside another, such as a proxy
    /// model, the root of the inner one. The part's own entity if it is not below a model.
    pub root: Entity,
    /// The entity of the part: an ALO sub-mesh, or the mesh of another format. The root for a collision box of a LithTech
    /// model.
    pub part: Entity,
    /// The entity of the bone that moves the hit point. Of a skinned part, the bone with the greatest weight there. `None`
    /// for Quake models, models of UFO: Aftermath, and collision boxes.
    pub bone: Option<Entity>,
    /// Index of the triangle in the part: its first vertex index is at three times that. ABC: in the level of detail that
    /// the ray met.
    pub triangle: u32,
    /// Barycentric coordinates: weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The hit point.
    pub point: Vec3,
    /// Normal of the triangle's front, of length 1, unless
    /// [`Backfaces::Flip`](crate::query::Backfaces::Flip) flipped it.
    pub normal: Vec3,
    /// The texture coordinate of the hit point. `None` for a collision box, and for an ALO part whose mesh the setting
    /// `asset_usage` keeps out of the main world.
    pub uv: Option<Vec2>,
}
