//! The limit of particles: which systems may emit if there are too many.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::evaluate::{EmitMode, MAX_ALIVE};
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use core::cmp::Reverse;

/// The sum of the particles that all systems may have at once.
#[derive(Resource, Default)]
pub(crate) struct ParticleDemand(pub(crate) u64);

/// About how many particles a simulation of a system may have at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Of emitters that have the same count for all meshes.
    fixed: u64,
    /// For each vertex of the mesh: of emitters that emit from all vertices, and of those that their particles spawn.
    per_vertex: u64,
}

impl Demand {
    pub(crate) fn new(particles: &AloParticles) -> Self {
        let mut demand = Self {
            fixed: 0,
            per_vertex: 0,
        };
        for (index, info) in particles.emitters.iter().enumerate() {
            let root = particles.prepared_emitter(root(particles, index));
            let is_per_vertex = root.is_some_and(|root| root.emit_mode == EmitMode::EveryVertex);
            let sum = if is_per_vertex {
                &mut demand.per_vertex
            } else {
                &mut demand.fixed
            };
            // The count of an asset is limited, that of a running system is not.
            *sum = if info.max_alive < MAX_ALIVE {
                sum.saturating_add(info.max_alive)
            } else {
                u64::MAX
            };
        }
        demand
    }

    /// The count of this many simulations of a system, whose mesh has this many vertices.
    pub(crate) fn count(&self, vertices: usize, simulations: usize) -> u64 {
        let of_mesh = self.per_vertex.saturating_mul(vertices.max(1) as u64);
        let of_one = self.fixed.saturating_add(of_mesh);
        of_one.saturating_mul(simulations as u64)
    }
}

/// The emitter that no particle spawns, from which an emitter descends.
fn root(particles: &AloParticles, emitter: usize) -> usize {
    let parent = |emitter: &usize| {
        let parent = particles.emitters.get(*emitter)?.emitter.parent?;
        Some(parent.emitter as usize)
    };
    // Links are a forest, so there are fewer steps than emitters.
    let ancestors = core::iter::successors(Some(emitter), parent).take(particles.emitters.len());
    ancestors.last().unwrap_or(emitter)
}

/// The active 3D cameras.
#[derive(SystemParam)]
pub(crate) struct Viewers<'w, 's> {
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Camera3d>>,
}

/// The rank of a system: those with a lower rank emit first.
pub(crate) type Rank = (Reverse<i32>, Reverse<u64>);

impl Viewers<'_, '_> {
    /// Larger on the screen comes first, and of about the same size the newer one. Sizes differ by less than a factor of
    /// two if they are about the same.
    pub(crate) fn rank(&self, bounds: &Aabb, world_from_system: &Affine3A, order: u64) -> Rank {
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
