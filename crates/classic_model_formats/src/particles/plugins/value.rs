//! The values of parameters of plug-ins, and the roles of plug-ins.

use crate::particles::file::Key;
use std::borrow::Cow;

/// What a plug-in does for an emitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Creates particles.
    Creator,
    /// Moves particles with the emitter, or leaves them in the world.
    Translator,
    /// Ends their life.
    Killer,
    /// Draws them.
    Renderer,
    /// Changes them during their life.
    Modifier,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum Value<'a> {
    /// A flag.
    Bool(bool),
    /// A whole number.
    I32(i32),
    /// A number.
    F32(f32),
    /// A vector.
    Vec3([f32; 3]),
    /// Four numbers.
    Vec4([f32; 4]),
    /// Red, green, blue and alpha, from 0 to 1, as stored: not decoded from sRGB.
    Color([f32; 4]),
    /// A text.
    Text(Cow<'a, str>),
    /// A distribution of vectors.
    Group(Box<PropertyGroup>),
    /// Numbers by time.
    Keys(Vec<Key>),
    /// Colors by time.
    ColorKeys(Vec<Vec4Key>),
    /// Four numbers by time.
    Vec4Keys(Vec<Vec4Key>),
    /// A list of four numbers each.
    Vec4List(Vec<[f32; 4]>),
}

impl Value<'_> {
    pub(super) fn into_owned(self) -> Value<'static> {
        match self {
            Self::Bool(value) => Value::Bool(value),
            Self::I32(value) => Value::I32(value),
            Self::F32(value) => Value::F32(value),
            Self::Vec3(value) => Value::Vec3(value),
            Self::Vec4(value) => Value::Vec4(value),
            Self::Color(value) => Value::Color(value),
            Self::Text(value) => Value::Text(value.into_owned().into()),
            Self::Group(value) => Value::Group(value),
            Self::Keys(value) => Value::Keys(value),
            Self::ColorKeys(value) => Value::ColorKeys(value),
            Self::Vec4Keys(value) => Value::Vec4Keys(value),
            Self::Vec4List(value) => Value::Vec4List(value),
        }
    }
}

/// Four numbers at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Vec4Key {
    /// Fraction of the particle's own life, from 0 to 1.
    pub time: f32,
    /// The value.
    pub value: [f32; 4],
}

/// The count of known [`PropertyGroup::shape`]s.
pub const GROUP_SHAPES: u32 = 7;

/// A random distribution of vectors, as stored. Only the fields of its shape have a meaning.
///
/// A pair is a minimum and a maximum. A hollow distribution is on the surface of its shape: a parameter of the plug-in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct PropertyGroup {
    /// 0 point, 1 direction, 2 sphere, 3 box, 4 spherical range, 5 cylinder along Z, 6 torus around Z.
    pub shape: u32,
    /// The value of a point.
    pub point: [f32; 3],
    /// A direction of any length.
    pub direction: [f32; 3],
    /// Length along the direction.
    pub magnitude: [f32; 2],
    /// Radius of a sphere around 0.
    pub radius: [f32; 2],
    /// Minimum corner of a box.
    pub min: [f32; 3],
    /// Maximum corner of a box.
    pub max: [f32; 3],
    /// Angle of a spherical range from +Z, in quarter turns: 2 is −Z.
    pub sphere_angle: [f32; 2],
    /// Radius of a spherical range.
    pub sphere_radius: [f32; 2],
    /// Radius of a cylinder.
    pub cylinder_radius: f32,
    /// Heights of the ends of a cylinder.
    pub cylinder_height: [f32; 2],
    /// Distance from the center of a torus to the center of its tube.
    pub torus_radius: f32,
    /// Radius of the tube of a torus.
    pub tube_radius: f32,
}
