//! How a model is spawned: [`BevySpace`], and [`Crowd`] for members of crowds.

use crate::geometry::axes::Mirror;
use bevy::prelude::*;
use bevy::world_serialization::InstanceId;

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

/// On a root: the scene of its model, which is spawned once it is loaded.
// Without `ReflectComponent`, so that saved worlds do not contain it. A clone of a root requests its own.
#[derive(Component, Clone, Debug, PartialEq, Eq)]
#[component(clone_behavior = Ignore)]
#[require(Transform, Visibility)]
pub(crate) struct ModelScene {
    pub(crate) scene: Handle<WorldAsset>,
    /// The instance, if Bevy has spawned the scene, and not this crate alone.
    pub(crate) instance: Option<InstanceId>,
}

impl From<Handle<WorldAsset>> for ModelScene {
    fn from(scene: Handle<WorldAsset>) -> Self {
        Self {
            scene,
            instance: None,
        }
    }
}

/// On the root entity of a spawned scene: its transform and mirror as the loader created them.
#[derive(Component, Clone, Copy)]
pub(crate) struct SceneTransform {
    pub(crate) original: Transform,
    pub(crate) mirror: Mirror,
}

/// Spawns a model as a member of a crowd: without entities for its bones, posed by the GPU from clips that all members
/// share. Thousands of animated models then cost little.
///
/// Inserting or removing it spawns an ALO or ABC model again. The other components of the root mean the same as without it, except
/// for [`ClipLayers`](crate::root::ClipLayers), which has no effect. What a crowd does not have, such as lights and
/// particles, is in the guide `crowds`. It has an effect on ALO and ABC models; instances of the other formats always share
/// what they draw.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct Crowd;

/// On the entity of a bone of a crowd's member. It exists only while it has children, such as entities with an
/// [`AttachedToBone`](crate::spawn::AttachedToBone).
///
/// Its `Transform` is that of the bone in the model's space, and its `Visibility` that of the bone. Both are sampled
/// from the clip on the CPU.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(immutable, clone_behavior = Ignore)]
pub struct CrowdBone {
    /// The root of the member.
    pub root: Entity,
    /// The index of the bone in the file.
    pub bone: usize,
}

/// On a mesh of a crowd's member. It is spawned after the scene, whenever the shown parts change.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct CrowdMesh;
