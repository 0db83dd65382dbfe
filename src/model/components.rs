//! The components of the space of a model. Systems do not belong here.

use crate::scene::Mirror;
use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::transform::components::Transform;

/// Makes a model face −Z, with Y up and one meter for a unit, whatever its format. Put it on the root entity.
///
/// Without it a model has the units and the front of its format, which the manual lists.
///
/// The root's own `Transform` is free: `looking_at` turns the model's face to its target. The scene below the root is
/// turned and scaled, in the place of what the loader settings `scale`, `convert_axes` and `up` say. A manifest's
/// `axes` are kept, and its `scale` multiplies. On a model that is attached to a bone of another model with this
/// component, a unit is still one meter.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct BevySpace {
    /// Meters per unit of the file. `None`, the default, is [`ModelFormat::meters_per_unit`](super::ModelFormat::meters_per_unit). Values that are not
    /// finite and above 0 count as `None`.
    pub meters_per_unit: Option<f32>,
}

impl BevySpace {
    /// With so many meters per unit of the file.
    pub fn with_meters_per_unit(meters: f32) -> Self {
        Self {
            meters_per_unit: Some(meters),
        }
    }
}

/// On the root entity of a spawned scene: its transform and mirror as its loader made them.
#[derive(Component, Clone, Copy)]
pub(in crate::model) struct SceneTransform {
    pub(in crate::model) own: Transform,
    pub(in crate::model) mirror: Mirror,
}
