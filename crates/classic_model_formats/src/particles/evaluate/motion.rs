//! Birth records, and the free flight that follows from them.

use super::vector::{add, scaled};
use zerocopy::{Immutable, IntoBytes};

/// Everything about a particle that is decided at its birth: 64 bytes, which may be uploaded as they are.
///
/// Positions are in the space of the record: the system's if the emitter is linked to it, otherwise the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, IntoBytes, Immutable)]
#[repr(C)]
pub struct BirthRecord {
    /// Position at birth.
    pub position: [f32; 3],
    /// Time of birth in seconds, from an epoch that the caller chooses.
    pub birth: f32,
    /// Velocity at birth, in units per second.
    pub velocity: [f32; 3],
    /// Life, in seconds. Tracks run over this time.
    pub life: f32,
    /// Constant acceleration, in units per second².
    pub acceleration: [f32; 3],
    /// Factor of the scale track.
    pub size: f32,
    /// Added to red, green, blue and alpha, in 32767ths: `Snorm16x4` for a GPU.
    pub color: [i16; 4],
    /// With a fixed rotation the angle in turns, otherwise the direction of rotation, −1 or 1.
    pub rotation: f32,
    /// Age at which the particle passes below the ground, in seconds: infinite if it does not, negative if it is born
    /// below. What happens then depends on the [`GroundEffect`](super::GroundEffect).
    pub ground: f32,
}

const _: () = assert!(size_of::<BirthRecord>() == 64);

/// Where a particle is and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Position in the space of the record.
    pub position: [f32; 3],
    /// Velocity, in units per second.
    pub velocity: [f32; 3],
}

impl BirthRecord {
    /// Position and velocity at an age in seconds, without the ground: `p + a·(v + ½·a·A)` and `v + a·A`.
    #[inline]
    pub fn flight(&self, age: f32) -> Motion {
        let mean = add(self.velocity, scaled(self.acceleration, 0.5 * age));
        Motion {
            position: add(self.position, scaled(mean, age)),
            velocity: add(self.velocity, scaled(self.acceleration, age)),
        }
    }

    /// The number added to each color channel, from −1 to 1.
    pub fn color_addition(&self) -> [f32; 4] {
        self.color
            .map(|value| (f32::from(value) / 32767.0).max(-1.0))
    }
}

/// [`BirthRecord::color`] of numbers, which are clamped to −1 to 1: beyond that, the sum with a track is the same.
pub(super) fn stored_color(color: [f32; 4]) -> [i16; 4] {
    color.map(|value| (value.clamp(-1.0, 1.0) * 32767.0).round() as i16)
}

/// Position and velocity of a particle of weather in a cube around a point, at an age in seconds.
pub(super) fn weather_motion(
    record: &BirthRecord,
    center: [f32; 3],
    edge: f32,
    age: f32,
) -> Motion {
    let moved = record
        .velocity
        .map(|speed| f64::from(speed) * f64::from(age));
    Motion {
        position: wrapped(record.position, moved, center, edge),
        velocity: record.velocity,
    }
}

/// A position moved within a cube around a point.
pub(super) fn wrapped(
    position: [f32; 3],
    moved: [f64; 3],
    center: [f32; 3],
    edge: f32,
) -> [f32; 3] {
    let edge = f64::from(edge);
    let mut wrapped = position;
    for ((value, moved), center) in wrapped.iter_mut().zip(moved).zip(center) {
        let corner = f64::from(center) - 0.5 * edge;
        let from_corner = f64::from(*value) + moved - corner;
        *value = (from_corner.rem_euclid(edge) + corner) as f32;
    }
    wrapped
}
