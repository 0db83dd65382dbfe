//! The values of an emitter instance that its vertices and fragments read.

use crate::formats::alamo::particles::Properties;
use crate::formats::alamo::particles::evaluate::{GroundEffect, PreparedEmitter};
use bevy::prelude::*;
use bevy::render::render_resource::ShaderType;

/// `Emitter` in `particles.wgsl`.
#[derive(ShaderType, Clone, Copy, Debug, Default)]
pub(crate) struct EmitterUniform {
    /// The transform from the records to the world, as rows.
    pub(crate) world_from_records: [Vec4; 3],
    /// The axes of flat particles in the world.
    pub(crate) flat_x: Vec4,
    pub(crate) flat_y: Vec4,
    pub(crate) tint: Vec4,
    /// The ground's normal and its height, in the space of the records.
    pub(crate) ground: Vec4,
    /// Seconds since the epoch of the records.
    pub(crate) time: f32,
    /// Units of the world per unit of the records.
    pub(crate) size_scale: f32,
    /// Units of the records per unit of the file.
    pub(crate) scale: f32,
    /// Length of the tail, in half sizes.
    pub(crate) tail_size: f32,
    pub(crate) bounciness: f32,
    pub(crate) ground_effect: u32,
    pub(crate) flags: u32,
    /// Tiles in each row and column.
    pub(crate) tiles: u32,
    /// Edge length of the cube of weather, in units of the records; 0 without weather.
    pub(crate) weather_cube: f32,
    /// Distance of its center from the camera, in units of the records.
    pub(crate) weather_distance: f32,
    /// Two tracks per vector: index of the first key; count of keys and interpolation.
    pub(crate) tracks: [UVec4; 4],
}

const FLAT: u32 = 1;
const TAIL: u32 = 2;
const SPEED_TAIL: u32 = 4;
const FIXED_ROTATION: u32 = 8;
/// `MISSING` in `particles.wgsl`.
const MISSING: u32 = 16;

/// The most tiles in a row: the shader's index has 32 bits.
const MAX_TILES: u32 = 32_767;

impl EmitterUniform {
    /// The values that all instances of an emitter share.
    pub(crate) fn of_emitter(properties: &Properties, prepared: &PreparedEmitter) -> Self {
        let mut flags = 0;
        for (is_set, flag) in [
            (properties.flat, FLAT),
            (properties.has_tail, TAIL),
            (properties.emitter_speed != 0.0, SPEED_TAIL),
            (prepared.is_rotation_fixed, FIXED_ROTATION),
        ] {
            if is_set {
                flags |= flag;
            }
        }
        let (ground_effect, bounciness) = match prepared.ground {
            GroundEffect::None => (0, 0.0),
            GroundEffect::Die => (1, 0.0),
            GroundEffect::Bounce { bounciness } => (2, bounciness),
            GroundEffect::Stop => (3, 0.0),
        };
        Self {
            tail_size: properties.tail_size,
            bounciness,
            ground_effect,
            flags,
            weather_cube: prepared.weather_cube.unwrap_or(0.0),
            weather_distance: prepared.weather_distance,
            tiles: prepared.tiles_per_side.clamp(1, MAX_TILES),
            ..Self::default()
        }
    }

    /// Draws small outlines in place of a missing texture.
    pub(crate) fn without_texture(self) -> Self {
        Self {
            flags: self.flags | MISSING,
            tiles: 1,
            ..self
        }
    }
}
