//! Where an emitter is at a birth, and how it moves.

use super::ground::Ground;
use super::vector::{IDENTITY, dot};

/// Position and motion of an emitter at a birth.
///
/// All vectors are in the space of the record: the system's space if the emitter is linked, otherwise the world. That may
/// have other units than the file: then the columns have the length of a unit of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmitterPose {
    /// Position of the emitter.
    pub position: [f32; 3],
    /// Columns of the rotation from the emitter's space.
    pub orientation: [[f32; 3]; 3],
    /// Columns of the rotation from the world.
    pub world: [[f32; 3]; 3],
    /// Velocity of the emitter, in units per second.
    pub velocity: [f32; 3],
    /// Velocity of the wind, in units per second.
    pub wind: [f32; 3],
    /// The ground.
    pub ground: Ground,
}

impl EmitterPose {
    /// Units of the record per unit of the file.
    pub(super) fn scale(&self) -> f32 {
        let [_, _, up] = self.world;
        dot(up, up).sqrt() as f32
    }
}

impl Default for EmitterPose {
    /// At rest at the origin of the world, without rotation and wind.
    fn default() -> Self {
        Self {
            position: [0.0; 3],
            orientation: IDENTITY,
            world: IDENTITY,
            velocity: [0.0; 3],
            wind: [0.0; 3],
            ground: Ground::default(),
        }
    }
}
