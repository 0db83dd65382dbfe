//! What models react to that is not theirs: wind, night, and the camera that they turn to.

use bevy::ecs::component::Component;
use bevy::ecs::reflect::{ReflectComponent, ReflectResource};
use bevy::ecs::resource::Resource;
use bevy::math::Vec3;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// The wind that models stand in.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct Wind {
    /// Where it blows to, in world space. Its length has no meaning yet.
    pub direction: Vec3,
}

impl Default for Wind {
    /// Along +X.
    fn default() -> Self {
        Self { direction: Vec3::X }
    }
}

/// Whether it is night, when lights are lit that are off by day.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct NightTime(pub bool);

/// Marks the camera that billboards turn to.
///
/// Billboards are turned once per frame, so they can face one camera only. Without this marker it is
/// the active 3D camera that renders to a window or an image and has the lowest order; of two with
/// the same order, the one whose entity is less. If several cameras are marked, the same decides.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct BillboardCamera;
