//! Counts of draws and the size of their buffers, for profiling.

use bevy::ecs::resource::Resource;

/// Counts of particles that are drawn in the present frame: a resource of the render world, set in
/// [`RenderSystems::Queue`](bevy::render::RenderSystems::Queue).
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParticleStatistics {
    /// The count of systems with particles, once for each camera that sees them.
    pub systems: usize,
    /// The count of draws of all cameras: one for each ring buffer with particles.
    pub draws: usize,
    /// The size of all records on the GPU, in bytes: 1.5 times that of the rings of
    /// [`EmitterRecords`](crate::alamo::EmitterRecords).
    pub buffer_bytes: u64,
    /// The size of the rest of the vertex buffers, in bytes. It is at most as large, or 1 MiB.
    pub spare_bytes: u64,
}
