//! The environment of models: wind, time of day, and the camera that billboards face.

use bevy::ecs::component::Component;
use bevy::ecs::reflect::{ReflectComponent, ReflectResource};
use bevy::ecs::resource::Resource;
use bevy::math::Vec3;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// The wind, which billboards of the wind mode face.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct Wind {
    /// The direction that the wind blows to, in world space. Its length is ignored.
    pub direction: Vec3,
}

impl Default for Wind {
    /// Along +X.
    fn default() -> Self {
        Self { direction: Vec3::X }
    }
}

/// Whether it is night. At night, lights are on that are off by day.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct NightTime(pub bool);

/// Marks the camera that billboards face.
///
/// Billboards are rotated once per frame, so they can only face one camera. Without this marker, that is the active 3D
/// camera with the lowest order that renders to a window or an image. If two cameras have the same order, the lower
/// entity is used. The same rules apply if several cameras are marked.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct BillboardCamera;
