//! The contents of a particle system's `.alo` file: plain values.

use super::properties::Properties;
use crate::read::Warning;
use std::borrow::Cow;

/// A parsed particle system.
///
/// Right-handed, Z is up. The unit of length is the game's, times are in seconds.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct ParticleFile<'a> {
    /// The name, usually the file's stem; empty if the file has none.
    pub name: Cow<'a, str>,
    /// An identifier without known use.
    pub id: u32,
    /// Whether particles finish their life after the system is stopped. Otherwise they vanish.
    pub leave_particles: bool,
    /// The emitters, in file order.
    pub emitters: Vec<Emitter<'a>>,
    /// Harmless flaws of the file.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

impl ParticleFile<'_> {
    /// A system without emitters.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into().into(),
            id: 0,
            leave_particles: true,
            emitters: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// An emitter: creates particles of one kind.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct Emitter<'a> {
    /// The name, for editors; empty if the file has none.
    pub name: Cow<'a, str>,
    /// The texture of colors, as stored. Some files have a path of the artist's machine: see [`file_name`].
    pub color_texture: Cow<'a, str>,
    /// The texture of depths or normals, as stored. Without one, [`DEFAULT_SECONDARY_TEXTURE`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub secondary_texture: Option<Cow<'a, str>>,
    /// The properties.
    #[cfg_attr(feature = "serde", serde(default))]
    pub properties: Properties,
    /// The types of the properties' mini-chunks in file order, for the writer. `None` is the usual order.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub property_order: Option<Vec<u8>>,
    /// The distribution of velocities at birth, in units per second.
    #[cfg_attr(feature = "serde", serde(default))]
    pub velocity: Group,
    /// A copy of the lifetime in one of the axes. No reader uses it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub lifetime: Group,
    /// The distribution of positions at birth.
    #[cfg_attr(feature = "serde", serde(default))]
    pub position: Group,
    /// The values that change over a particle's life.
    #[cfg_attr(feature = "serde", serde(default))]
    pub tracks: Tracks,
    /// The index of the emitter that is created where a particle dies.
    #[cfg_attr(feature = "serde", serde(default))]
    pub spawn_on_death: Option<u32>,
    /// The index of the emitter that is created at a particle's birth and moves with it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub spawn_during_life: Option<u32>,
    /// The emitter that spawns this one. `None` for a root, which is created with the system.
    #[cfg_attr(feature = "serde", serde(default))]
    pub parent: Option<Parent>,
    /// The link group of a third-party editor.
    #[cfg_attr(feature = "serde", serde(default))]
    pub link_group: Option<u32>,
}

/// The texture of depths of an emitter without chunk 0x45.
pub const DEFAULT_SECONDARY_TEXTURE: &str = "p_particle_depth_master.tga";

impl Emitter<'_> {
    /// A root emitter with default properties: one particle per second at the origin, with a life of one second.
    ///
    /// The writer stores [`Properties::index`] as it is. The emitters of a file should have their indices.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into().into(),
            color_texture: "p_particle_master.tga".into(),
            secondary_texture: Some(DEFAULT_SECONDARY_TEXTURE.into()),
            properties: Properties::default(),
            property_order: None,
            velocity: Group::default(),
            lifetime: Group::default(),
            position: Group::default(),
            tracks: Tracks::default(),
            spawn_on_death: None,
            spawn_during_life: None,
            parent: None,
            link_group: None,
        }
    }

    /// The texture of depths or normals as stored, or the default.
    pub fn secondary_texture(&self) -> &str {
        let stored = self.secondary_texture.as_deref();
        stored.unwrap_or(DEFAULT_SECONDARY_TEXTURE)
    }
}

/// The last part of a path with `/` or `\`.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The emitter that spawns another emitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Parent {
    /// Index of the emitter.
    pub emitter: u32,
    /// When it spawns the other one.
    pub event: SpawnEvent,
}

/// When a particle spawns an emitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum SpawnEvent {
    /// At the particle's death, at its last position. The emitter has one round of particles if it is due at once,
    /// and otherwise none.
    Death,
    /// At the particle's birth. The emitter moves with the particle and stops when it dies.
    Life,
}

/// A random distribution of vectors, chunk 0x1101, as stored. Only the fields of its shape have a meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct Group {
    /// 0 exact, 1 box, 2 cube, 3 sphere, 4 cylinder.
    pub shape: u32,
    /// Minimum corner of a box.
    pub min: [f32; 3],
    /// Maximum corner of a box.
    pub max: [f32; 3],
    /// Edge length of a cube around 0.
    pub side: f32,
    /// Radius of a sphere around 0.
    pub sphere_radius: f32,
    /// Not 0: on the surface of the sphere only.
    pub sphere_surface: u32,
    /// Radius of a cylinder along +Z.
    pub cylinder_radius: f32,
    /// Not 0: on the curved surface of the cylinder only.
    pub cylinder_surface: u32,
    /// Height of a cylinder, from Z = 0 up.
    pub cylinder_height: f32,
    /// The value of shape 0.
    pub value: [f32; 3],
}

/// The count of known [`Group::shape`]s.
pub const SHAPES: u32 = 5;

/// The meaning of a [`Group`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// One value.
    Exact([f32; 3]),
    /// Minimum and maximum corner. A file may have them reversed.
    Box([f32; 3], [f32; 3]),
    /// A cube around 0.
    Cube {
        /// Edge length.
        side: f32,
    },
    /// A sphere around 0.
    Sphere {
        /// Radius.
        radius: f32,
        /// Whether all values are on the surface.
        surface: bool,
    },
    /// A cylinder along +Z from Z = 0.
    Cylinder {
        /// Radius.
        radius: f32,
        /// Height.
        height: f32,
        /// Whether all values are on the curved surface.
        surface: bool,
    },
}

impl Group {
    /// A group with one value.
    pub fn exact(value: [f32; 3]) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }

    /// The meaning of the group. An unknown shape, which the parser rejects, has the meaning of shape 0.
    pub fn shape(&self) -> Shape {
        match self.shape {
            1 => Shape::Box(self.min, self.max),
            2 => Shape::Cube { side: self.side },
            3 => Shape::Sphere {
                radius: self.sphere_radius,
                surface: self.sphere_surface != 0,
            },
            4 => Shape::Cylinder {
                radius: self.cylinder_radius,
                height: self.cylinder_height,
                surface: self.cylinder_surface != 0,
            },
            _ => Shape::Exact(self.value),
        }
    }
}

impl From<Shape> for Group {
    fn from(shape: Shape) -> Self {
        let group = Self::default();
        match shape {
            Shape::Exact(value) => Self::exact(value),
            Shape::Box(min, max) => Self {
                shape: 1,
                min,
                max,
                ..group
            },
            Shape::Cube { side } => Self {
                shape: 2,
                side,
                ..group
            },
            Shape::Sphere { radius, surface } => Self {
                shape: 3,
                sphere_radius: radius,
                sphere_surface: surface.into(),
                ..group
            },
            Shape::Cylinder {
                radius,
                height,
                surface,
            } => Self {
                shape: 4,
                cylinder_radius: radius,
                cylinder_height: height,
                cylinder_surface: surface.into(),
                ..group
            },
        }
    }
}

/// The values of a particle that change over its life.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct Tracks {
    /// Red, from 0 to 255.
    pub red: Track,
    /// Green, from 0 to 255.
    pub green: Track,
    /// Blue, from 0 to 255.
    pub blue: Track,
    /// Alpha, from 0 to 255.
    pub alpha: Track,
    /// Edge length of the quad, in units.
    pub scale: Track,
    /// Index of the texture's tile, before it is rounded down.
    pub index: Track,
    /// Turns per second, counter-clockwise as seen by the camera.
    pub rotation_speed: Track,
}

/// The count of tracks of colors, which are the first. Their values are stored as integers from 0 to 255.
pub(super) const COLOR_TRACKS: usize = 4;

impl Tracks {
    /// Name and track, in file order.
    pub fn entries(&self) -> [(&'static str, &Track); 7] {
        [
            ("red", &self.red),
            ("green", &self.green),
            ("blue", &self.blue),
            ("alpha", &self.alpha),
            ("scale", &self.scale),
            ("index", &self.index),
            ("rotation_speed", &self.rotation_speed),
        ]
    }
}

impl Default for Tracks {
    /// White and opaque, 20 units wide, tile 0, without rotation, as in GlyphXTools' particle-editor.
    fn default() -> Self {
        let white = Track::constant(255.0);
        Self {
            red: white.clone(),
            green: white.clone(),
            blue: white.clone(),
            alpha: white,
            scale: Track::constant(20.0),
            index: Track {
                interpolation: Interpolation::Step,
                ..Track::constant(0.0)
            },
            rotation_speed: Track::constant(0.0),
        }
    }
}

/// A value over the life of a particle.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Track {
    /// How values between keys are computed.
    pub interpolation: Interpolation,
    /// The keys, at least two, by time. The first is at time 0 and the last at time 1. Times may be equal.
    pub keys: Vec<Key>,
}

impl Track {
    /// A track with the same value at all times.
    pub fn constant(value: f32) -> Self {
        Self::linear(&[[0.0, value], [1.0, value]])
    }

    /// A track with linear interpolation between these times and values.
    pub fn linear(keys: &[[f32; 2]]) -> Self {
        let keys = keys.iter().map(|[time, value]| Key {
            time: *time,
            value: *value,
        });
        Self {
            interpolation: Interpolation::Linear,
            keys: keys.collect(),
        }
    }

    /// The same keys with another interpolation.
    #[must_use]
    pub fn with(self, interpolation: Interpolation) -> Self {
        Self {
            interpolation,
            ..self
        }
    }
}

/// A value of a track at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Fraction of the particle's own life, from 0 to 1.
    pub time: f32,
    /// The value.
    pub value: f32,
}

/// How the values between the keys of a track are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Interpolation {
    /// On a straight line.
    Linear,
    /// On the curve `u²(3 − 2u)`, which is flat at the keys.
    Smooth,
    /// The value of the earlier key until the time of the later one.
    Step,
}

impl Interpolation {
    /// By the number in the file; `None` for unknown numbers.
    pub(super) fn from_stored(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Linear),
            1 => Some(Self::Smooth),
            2 => Some(Self::Step),
            _ => None,
        }
    }

    /// The number in the file.
    #[cfg(feature = "write")]
    pub(super) fn stored(self) -> u32 {
        match self {
            Self::Linear => 0,
            Self::Smooth => 1,
            Self::Step => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_convert_to_groups_and_back() {
        for shape in [
            Shape::Exact([1.0, 2.0, 3.0]),
            Shape::Box([3.0, 2.0, 1.0], [4.0, 5.0, 6.0]),
            Shape::Cube { side: 2.0 },
            Shape::Sphere {
                radius: 3.0,
                surface: true,
            },
            Shape::Cylinder {
                radius: 1.0,
                height: 4.0,
                surface: false,
            },
        ] {
            assert_eq!(Group::from(shape).shape(), shape);
        }
    }

    #[test]
    fn file_names_are_the_last_part_of_a_path() {
        assert_eq!(file_name("c:\\art\\textures\\p_master.tga"), "p_master.tga");
        assert_eq!(file_name("art/p_master.tga"), "p_master.tga");
        assert_eq!(file_name("p_master.tga"), "p_master.tga");
    }
}
