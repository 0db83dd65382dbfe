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
    /// The size of all vertex buffers of records in use, in bytes. A buffer has 1.5 times as many slots as the ring of
    /// its [`EmitterRecords`](crate::alamo::EmitterRecords).
    pub buffer_bytes: u64,
    /// The size of the buffers that are kept for later systems, in bytes.
    pub spare_bytes: u64,
}
