//! The environment of models: wind, time of day, and the camera that billboards face; and the system sets.

use bevy::ecs::schedule::SystemSet;
use bevy::prelude::*;

/// The wind: billboards of the wind mode face it, particles of some emitters drift with it, and grass bends in it.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct Wind {
    /// The direction that the wind blows to, in world space. Its length does not count.
    pub direction: Vec3,
    /// Its speed in world units per second, at which it moves particles that are affected by wind. 0 by default.
    pub speed: f32,
}

impl Wind {
    /// The velocity in world space, in units per second. 0 without a direction.
    pub fn velocity(&self) -> Vec3 {
        let velocity = self.direction.normalize_or_zero() * self.speed;
        if velocity.is_finite() {
            velocity
        } else {
            Vec3::ZERO
        }
    }
}

impl Default for Wind {
    /// Along +X, with speed 0.
    fn default() -> Self {
        Self {
            direction: Vec3::X,
            speed: 0.0,
        }
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

/// System sets of this crate, all in `PostUpdate`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClassicModelsSystems {
    /// Advances clips. Changes to [`PlayClip`](crate::root::PlayClip) in `Update` take effect in the same frame.
    Play,
    /// Applies skins and colors, and shows or hides parts.
    Appearance,
    /// Writes the poses of the members of crowds, after all animations.
    Crowds,
    /// Rotates billboards toward the camera, the light or the wind, after all animations.
    Billboards,
}

/// Spawns models, and respawns those whose files changed, in the schedule `SpawnScene`. It runs after Bevy's spawner, which
/// may have spawned their scenes.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpawnModels;
