//! A particle as it is drawn.

use crate::formats::alamo::particles::evaluate::{Appearance, Motion};

/// A particle as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnParticle {
    /// Age in seconds.
    pub age: f32,
    /// Position and velocity in the space of the record.
    pub motion: Motion,
    /// Size, color, tile and angle. The size is in the space of the record.
    pub appearance: Appearance,
    /// The part of the texture: left, top, width and height, as shares of the texture.
    pub texture_part: [f32; 4],
    /// Width of the quad divided by its height.
    pub aspect: f32,
}
