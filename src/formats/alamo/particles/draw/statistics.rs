//! Counts of draw calls and the size of the vertex buffers, for profiling.

use crate::formats::alamo::particles::draw::prepare::PreparedParticles;
use bevy::prelude::*;

/// Counts of particles that are drawn in the present frame: a resource of the render world. After a frame, it has the
/// values of that frame.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParticleStatistics {
    /// The count of systems with particles, once for each camera that sees them.
    pub systems: usize,
    /// The count of draw calls of all cameras: one for each emitter with particles.
    pub draws: usize,
    /// The size of the records on the GPU in bytes, with unused slots: of each ring that was visible, 1.5 times the slots of
    /// its [`EmitterRecords`](crate::alamo::EmitterRecords) when it was last visible.
    pub buffer_bytes: u64,
    /// The size of the rest of the vertex buffers, in bytes. If removed rings had more than 1 MiB of it, and more than
    /// [`buffer_bytes`](Self::buffer_bytes), the next frame frees all buffers and uploads all records again.
    pub spare_bytes: u64,
}

/// Counts the draw calls that were encoded since the last frame.
pub(crate) fn count_draws(
    prepared: Res<PreparedParticles>,
    mut statistics: ResMut<ParticleStatistics>,
) {
    statistics.draws = prepared.take_draw_calls();
}
