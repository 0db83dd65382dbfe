//! The limit of particles: which systems may emit if there are too many.

use bevy::camera::Camera;
use bevy::camera::Camera3d;
use bevy::camera::primitives::Aabb;
use bevy::ecs::query::With;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Query, SystemParam};
use bevy::math::{Affine3A, Vec3A};
use bevy::transform::components::GlobalTransform;
use core::cmp::Reverse;

/// The sum of the particles that all systems may have at once.
#[derive(Resource, Default)]
pub(super) struct ParticleDemand(pub(super) u64);

/// The active 3D cameras.
#[derive(SystemParam)]
pub(super) struct Viewers<'w, 's> {
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Camera3d>>,
}

/// The rank of a system: those with a lower rank emit first.
pub(super) type Rank = (Reverse<i32>, Reverse<u64>);

impl Viewers<'_, '_> {
    /// Larger on the screen comes first, and of about the same size the newer one. Sizes differ by less than a factor of
    /// two if they are about the same.
    pub(super) fn rank(&self, bounds: &Aabb, world_from_system: &Affine3A, order: u64) -> Rank {
        let center = world_from_system.transform_point3a(bounds.center);
        let radius = world_from_system
            .transform_vector3a(bounds.half_extents)
            .length();
        let cameras = self.cameras.iter().filter(|(camera, _)| camera.is_active);
        let sizes = cameras.map(|(_, camera)| radius / distance(camera, center));
        let size = sizes.fold(0.0, f32::max);
        (Reverse(size.log2().floor() as i32), Reverse(order))
    }
}

fn distance(camera: &GlobalTransform, point: Vec3A) -> f32 {
    camera
        .translation_vec3a()
        .distance(point)
        .max(f32::MIN_POSITIVE)
}
