//! The properties of an emitter: chunk 0x2, one mini-chunk per property. This table is the only list of them.
//!
//! Parsing, writing and evaluation do not belong here.

/// The value of a property, in the type that its mini-chunk has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropertyValue {
    /// One byte: 0 is false, any other value is true.
    Bool(bool),
    /// An unsigned integer of four bytes.
    U32(u32),
    /// A signed integer of four bytes.
    I32(i32),
    /// A floating-point number of four bytes.
    F32(f32),
    /// X, Y and Z.
    Vec3([f32; 3]),
    /// Red, green, blue and alpha.
    Vec4([f32; 4]),
}

macro_rules! value_type {
    (Bool) => {
        bool
    };
    (U32) => {
        u32
    };
    (I32) => {
        i32
    };
    (F32) => {
        f32
    };
    (Vec3) => {
        [f32; 3]
    };
    (Vec4) => {
        [f32; 4]
    };
}

/// Defines [`Properties`] from a table: documentation, type of the mini-chunk, name, type, and the value without it.
macro_rules! properties {
    ($($(#[doc = $doc:literal])+ $id:literal $name:ident: $kind:ident = $default:expr;)+) => {
        /// The properties of an emitter, as stored: no value is clamped, and no sign is changed.
        ///
        /// Lengths are in the game's units, and Z is up. The properties whose names begin with `unknown` have no known
        /// effect.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Deserialize, serde::Serialize),
            serde(default, deny_unknown_fields)
        )]
        pub struct Properties {
            $($(#[doc = $doc])+ pub $name: value_type!($kind),)+
        }

        impl Default for Properties {
            /// The values of properties that a file lacks.
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Properties {
            /// The types of the mini-chunks and the names of the properties, by type.
            pub const NAMES: &[(u8, &str)] = &[$(($id, stringify!($name)),)+];

            /// The property of a mini-chunk's type; `None` for unknown types.
            pub fn get(&self, id: u8) -> Option<PropertyValue> {
                Some(match id {
                    $($id => PropertyValue::$kind(self.$name),)+
                    _ => return None,
                })
            }

            /// The name of a property by the type of its mini-chunk.
            pub fn name(id: u8) -> Option<&'static str> {
                Some(match id {
                    $($id => stringify!($name),)+
                    _ => return None,
                })
            }

            /// Sets a property by the type of its mini-chunk. Returns false if the type is unknown or the value has
            /// another type.
            pub fn set(&mut self, id: u8, value: PropertyValue) -> bool {
                match (id, value) {
                    $(($id, PropertyValue::$kind(value)) => self.$name = value,)+
                    _ => return false,
                }
                true
            }
        }
    };
}

properties! {
    /// How particles are blended, modulo 14. Real files have 1 (additive) and 2 (alpha).
    0x04 blend_mode: U32 = 1;
    /// 0 for triangles, 1 for quads. Particles are always drawn as quads.
    0x05 primitive: U32 = 1;
    /// 0 in real files.
    0x06 unknown_06: U32 = 0;
    /// Whether particles are born in bursts instead of a continuous stream.
    0x07 in_bursts: Bool = false;
    /// Whether particles move with the system after their birth.
    0x08 link_to_system: Bool = false;
    /// Speed at birth away from the emitter's center, in units per second. Negative: towards it.
    0x09 outward_speed: F32 = 0.0;
    /// Acceleration, in units per second².
    0x0A acceleration: Vec3 = [0.0; 3];
    /// Acceleration away from the emitter's center in the direction of birth, in units per second². Negative: brakes.
    0x0B outward_acceleration: F32 = 0.0;
    /// Acceleration towards −Z of the world, in units per second². Negative: particles rise.
    0x0C gravity: F32 = 0.0;
    /// The longest life of a particle, in seconds.
    0x0F lifetime: F32 = 1.0;
    /// Tiles of the textures. They are in ⌊√n⌋ rows of ⌊√n⌋.
    0x10 texture_elements: U32 = 64;
    /// Absent in real files.
    0x11 unknown_11: F32 = 0.0;
    /// The size is multiplied by a random number from `1 − random_scale` to 1.
    0x12 random_scale: F32 = 0.0;
    /// The life is multiplied by a random number from `1 − random_lifetime` to 1.
    0x13 random_lifetime: F32 = 0.0;
    /// The index of the emitter in the file. Redundant.
    0x14 index: U32 = 0;
    /// True in real files.
    0x15 unknown_15: Bool = true;
    /// Variance of the angle of particles with `fixed_rotation`, from 0 to 1. Otherwise without effect.
    0x17 rotation_variance: F32 = 0.0;
    /// Whether each particle turns in a random direction.
    0x23 random_rotation_direction: Bool = false;
    /// Seconds from the creation of the emitter to its first round of particles.
    0x24 initial_delay: F32 = 0.0;
    /// Seconds between bursts. Values below 0.01 count as 0.01.
    0x25 burst_delay: F32 = 1.0;
    /// Particles in each burst.
    0x26 particles_per_burst: U32 = 1;
    /// Count of bursts. 0 and negative: endless.
    0x27 bursts: I32 = 0;
    /// Share of the emitter's velocity that a particle gets at birth, if `uses_emitter_speed`.
    0x28 emitter_speed: F32 = 0.0;
    /// Particles per second of a stream. The count of all particles if `weather`.
    0x2A particles_per_second: U32 = 1;
    /// Mixed in real files.
    0x2B unknown_2b: Bool = false;
    /// A random color up to this is added to the color at birth. 1 is full brightness.
    0x2C random_color: Vec4 = [0.0; 4];
    /// Whether one random number, up to the red of `random_color`, is added to all four channels.
    0x2D random_color_is_gray: Bool = false;
    /// Whether particles are parallel to the world's XY plane instead of the screen.
    0x2E flat: Bool = false;
    /// What happens at the ground: 0 nothing, 1 particles die, 2 bounce, 3 stop.
    0x2F ground: U32 = 0;
    /// Share of the vertical speed that remains after a bounce.
    0x30 bounciness: F32 = 0.2;
    /// Whether the wind's velocity is added at birth.
    0x31 affected_by_wind: Bool = false;
    /// Seconds from the creation of the emitter, skipped time included, at which the clock freezes. 0: never.
    0x32 freeze_time: F32 = 0.0;
    /// Seconds that have already passed when the emitter is created.
    0x33 skip_time: F32 = 0.0;
    /// Where particles are born: 0 in the position group, 1 at a random vertex of the mesh, 2 at a random point of its
    /// surface, 3 at every vertex.
    0x34 emit_mode: U32 = 0;
    /// Whether `acceleration` is in the emitter's space instead of the world's.
    0x35 object_space_acceleration: Bool = false;
    /// Whether particles distort the image behind them instead of being drawn.
    0x3B heat: Bool = false;
    /// Distance from the mesh along its normal, for births on a mesh.
    0x3C emit_offset: F32 = 0.5;
    /// Whether particles fill a cube in front of the camera, as rain and snow.
    0x3D weather: Bool = false;
    /// Edge length of the cube of `weather`.
    0x3E weather_cube_size: F32 = 500.0;
    /// 50 in real files.
    0x3F unknown_3f: F32 = 50.0;
    /// No known reader uses it.
    0x40 weather_fade_distance: F32 = 100.0;
    /// Whether particles are stretched against their velocity.
    0x41 has_tail: Bool = false;
    /// Length of the tail, in half sizes of the particle.
    0x42 tail_size: F32 = 50.0;
    /// Whether `emitter_speed` counts.
    0x43 uses_emitter_speed: Bool = false;
    /// Whether local disturbances of the wind count.
    0x44 wind_disturbance: Bool = false;
    /// Whether particles are drawn in front of everything.
    0x46 no_depth_test: Bool = false;
    /// Distance from the camera to the center of the cube of `weather`.
    0x47 weather_cube_distance: F32 = 0.0;
    /// Whether the angle is constant: the first value of the rotation track in turns, with `rotation_variance` and a
    /// random direction.
    0x48 fixed_rotation: Bool = false;
    /// Uninitialized memory, by its values.
    0x49 unknown_49: U32 = 0;
}

/// Passes the properties of most real files to another macro, in the order of their mini-chunks.
macro_rules! usual_order {
    ($consumer:ident) => {
        $consumer! {
            0x04 blend_mode: U32;
            0x05 primitive: U32;
            0x06 unknown_06: U32;
            0x07 in_bursts: Bool;
            0x43 uses_emitter_speed: Bool;
            0x08 link_to_system: Bool;
            0x09 outward_speed: F32;
            0x0A acceleration: Vec3;
            0x0C gravity: F32;
            0x0F lifetime: F32;
            0x12 random_scale: F32;
            0x13 random_lifetime: F32;
            0x49 unknown_49: U32;
            0x10 texture_elements: U32;
            0x14 index: U32;
            0x15 unknown_15: Bool;
            0x17 rotation_variance: F32;
            0x0B outward_acceleration: F32;
            0x23 random_rotation_direction: Bool;
            0x24 initial_delay: F32;
            0x25 burst_delay: F32;
            0x26 particles_per_burst: U32;
            0x27 bursts: I32;
            0x28 emitter_speed: F32;
            0x2A particles_per_second: U32;
            0x2B unknown_2b: Bool;
            0x2C random_color: Vec4;
            0x2D random_color_is_gray: Bool;
            0x2E flat: Bool;
            0x2F ground: U32;
            0x30 bounciness: F32;
            0x31 affected_by_wind: Bool;
            0x32 freeze_time: F32;
            0x33 skip_time: F32;
            0x34 emit_mode: U32;
            0x35 object_space_acceleration: Bool;
            0x3B heat: Bool;
            0x3C emit_offset: F32;
            0x3D weather: Bool;
            0x3E weather_cube_size: F32;
            0x3F unknown_3f: F32;
            0x40 weather_fade_distance: F32;
            0x41 has_tail: Bool;
            0x42 tail_size: F32;
            0x44 wind_disturbance: Bool;
            0x46 no_depth_test: Bool;
            0x47 weather_cube_distance: F32;
            0x48 fixed_rotation: Bool;
        }
    };
}
pub(super) use usual_order;

/// The types of mini-chunks.
macro_rules! ids {
    ($($id:literal $name:ident: $kind:ident;)+) => {
        [$($id),+]
    };
}

impl Properties {
    /// The types of the mini-chunks in the order of most real files. They lack 0x11.
    pub const USUAL_ORDER: &[u8] = &usual_order!(ids);

    /// The properties of the emitter with this index without any mini-chunk.
    pub fn of_index(index: u32) -> Self {
        Self {
            index,
            ..Self::default()
        }
    }

    /// Name and value of each property.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, PropertyValue)> + '_ {
        let entry = |(id, name): &(u8, &'static str)| Some((*name, self.get(*id)?));
        Self::NAMES.iter().filter_map(entry)
    }

    /// The blend mode, from 0 to 13.
    pub fn effective_blend_mode(&self) -> u32 {
        self.blend_mode % BLEND_MODES
    }

    /// Tiles in each row and column of the textures, at least 1.
    pub fn tiles_per_side(&self) -> u32 {
        self.texture_elements.isqrt().max(1)
    }
}

/// The count of blend modes.
pub const BLEND_MODES: u32 = 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_can_be_read_and_set_by_its_type() {
        let mut properties = Properties::default();
        let mut last = 0;
        for (id, name) in Properties::NAMES {
            assert!(*id > last, "{name} is not in order");
            last = *id;
            assert_eq!(Properties::name(*id), Some(*name));
            let value = match properties.get(*id).unwrap() {
                PropertyValue::Bool(value) => PropertyValue::Bool(!value),
                PropertyValue::U32(value) => PropertyValue::U32(value + 7),
                PropertyValue::I32(_) => PropertyValue::I32(-7),
                PropertyValue::F32(value) => PropertyValue::F32(value + 7.0),
                PropertyValue::Vec3(_) => PropertyValue::Vec3([1.0, 2.0, 3.0]),
                PropertyValue::Vec4(_) => PropertyValue::Vec4([1.0, 2.0, 3.0, 4.0]),
            };
            assert!(properties.set(*id, value));
            assert_eq!(properties.get(*id), Some(value));
        }
        assert_eq!(properties.entries().count(), Properties::NAMES.len());
        assert!(!properties.set(0x04, PropertyValue::F32(1.0)));
        assert!(!properties.set(0x99, PropertyValue::F32(1.0)));
        assert_eq!((properties.get(0x99), Properties::name(0x99)), (None, None));
    }

    #[test]
    fn usual_order_has_every_property_but_one_once() {
        let mut usual = Properties::USUAL_ORDER.to_vec();
        usual.push(0x11);
        usual.sort_unstable();
        let all: Vec<u8> = Properties::NAMES.iter().map(|(id, _)| *id).collect();
        assert_eq!(usual, all);
    }

    #[test]
    fn tiles_are_in_a_square() {
        for (elements, side) in [
            (0, 1),
            (1, 1),
            (15, 3),
            (16, 4),
            (64, 8),
            (u32::MAX, 65_535),
        ] {
            let properties = Properties {
                texture_elements: elements,
                ..Properties::default()
            };
            assert_eq!(properties.tiles_per_side(), side);
        }
    }
}
