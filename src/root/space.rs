//! The components for the axes and units of a model. Systems do not belong here.

use crate::geometry::axes::Mirror;
use bevy::prelude::*;

/// Makes a model face −Z, with Y up and one unit per meter, for any format. Insert it on the root entity.
///
/// Without it, a model has the units and the forward axis of its format, which the manual lists.
///
/// This sets the `Transform` of the scene below the root, so the root's own `Transform` is free: `looking_at` turns the
/// model's front to the target. It replaces the loader settings `scale` and `convert_axes`. On LGW models, whose front is
/// not known, it replaces only `scale`. A manifest's `axes` or `facing` still apply, and its `scale` multiplies.
///
/// If the model is attached to a bone of another model with this component, one unit is still one meter.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct BevySpace {
    /// Meters per unit of the file. `None`, the default, is that of the manifest (`meters` or `height`), otherwise
    /// [`ModelFormat::meters_per_unit`](crate::spawn::ModelFormat::meters_per_unit). A value that is not a finite number above 0
    /// is treated as `None`.
    pub meters_per_unit: Option<f32>,
}

impl BevySpace {
    /// Overrides the format's meters per unit of the file.
    pub fn with_meters_per_unit(meters: f32) -> Self {
        Self {
            meters_per_unit: Some(meters),
        }
    }
}

/// On the root entity of a spawned scene: its transform and mirror as the loader created them.
#[derive(Component, Clone, Copy)]
pub(crate) struct SceneTransform {
    pub(crate) original: Transform,
    pub(crate) mirror: Mirror,
}
