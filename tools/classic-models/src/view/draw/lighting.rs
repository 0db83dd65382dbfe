//! Which lights are around the models, and the exposure.

use bevy::prelude::*;
use clap::ValueEnum;

/// The smallest and the largest exposure, in stops.
pub const EXPOSURES: [f32; 2] = [-5.0, 5.0];

/// The lights, and the brightness of the picture.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Lighting {
    pub set: LightSet,
    /// Each stop doubles the light.
    pub exposure: f32,
}

/// A set of lights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LightSet {
    /// A light with shadows, a weak one from behind, and ambient light: shows textures as they are
    #[default]
    Studio,
    /// A sun with shadows, two colored fill lights, and ambient light, as maps of Empire at War have
    Game,
}
