//! Building blocks of emitters.

use super::texture::{TEXTURE, TILES};
use bevy_classic_models::alamo::particles::{
    Emitter, Group, Interpolation, Properties, Shape, Track,
};

/// The blend mode that adds to the image behind. Alpha has no effect.
pub const ADDITIVE: u32 = 1;
/// The blend mode that covers the image behind by alpha.
pub const ALPHA: u32 = 2;

/// A color from black to white, each channel from 0 to 255.
pub type Color = [u8; 3];

/// Properties with this blend mode and longest life in seconds, and otherwise the defaults.
pub fn properties(blend_mode: u32, lifetime: f32) -> Properties {
    Properties {
        blend_mode,
        lifetime,
        texture_elements: TILES * TILES,
        ..Properties::default()
    }
}

/// The properties with one burst of this count of particles instead of a stream.
pub fn one_burst(particles_per_burst: u32, properties: Properties) -> Properties {
    Properties {
        in_bursts: true,
        bursts: 1,
        particles_per_burst,
        ..properties
    }
}

/// An emitter of white particles.
pub fn emitter(name: &'static str, properties: Properties) -> Emitter<'static> {
    let mut emitter = Emitter::new(name);
    emitter.color_texture = TEXTURE.into();
    // As the games' files: a copy of the lifetime, which no reader uses.
    let shortest = properties.lifetime * (1.0 - properties.random_lifetime);
    emitter.lifetime = Group::from(Shape::Box(
        [0.0, shortest, 0.0],
        [0.0, properties.lifetime, 0.0],
    ));
    emitter.properties = properties;
    emitter
}

/// Sets the distribution of positions at birth.
pub fn from(emitter: &mut Emitter<'_>, shape: Shape) {
    emitter.position = shape.into();
}

/// Sets the distribution of velocities at birth.
pub fn moving(emitter: &mut Emitter<'_>, shape: Shape) {
    emitter.velocity = shape.into();
}

/// Sets the color at fractions of the life.
pub fn color(emitter: &mut Emitter<'_>, keys: &[(f32, Color)]) {
    let channel = |channel: usize| {
        let keys: Vec<_> = keys
            .iter()
            .map(|(time, color)| [*time, f32::from(color[channel])])
            .collect();
        Track::linear(&keys)
    };
    emitter.tracks.red = channel(0);
    emitter.tracks.green = channel(1);
    emitter.tracks.blue = channel(2);
}

/// Sets the opacity, from 0 to 255, at fractions of the life.
pub fn alpha(emitter: &mut Emitter<'_>, keys: &[[f32; 2]]) {
    emitter.tracks.alpha = Track::linear(keys);
}

/// Sets the edge length of the particles at fractions of the life.
pub fn size(emitter: &mut Emitter<'_>, keys: &[[f32; 2]]) {
    emitter.tracks.scale = Track::linear(keys);
}

/// Sets the turns per second, at the beginning and at the end of the life.
pub fn turning(emitter: &mut Emitter<'_>, [first, last]: [f32; 2]) {
    emitter.tracks.rotation_speed = Track::linear(&[[0.0, first], [1.0, last]]);
}

/// Sets the tiles that are shown one after the other, each for the same time.
pub fn tiles(emitter: &mut Emitter<'_>, tiles: core::ops::RangeInclusive<u8>) {
    let count = tiles.len() as f32;
    let last = *tiles.end();
    let keys = (0_u8..).zip(tiles);
    let mut keys: Vec<_> = keys
        .map(|(number, tile)| [f32::from(number) / count, f32::from(tile)])
        .collect();
    keys.push([1.0, last.into()]);
    emitter.tracks.index = Track::linear(&keys).with(Interpolation::Step);
}

/// Sets the tile.
pub fn tile(emitter: &mut Emitter<'_>, tile: u8) {
    tiles(emitter, tile..=tile);
}
