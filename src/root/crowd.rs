//! Members of crowds, for code that works on any format: [`Crowd`] on their roots, and the entities of their bones.

use bevy::prelude::*;

/// Spawns a model as a member of a crowd: without entities for its bones, posed by the GPU from clips that all members
/// share. Thousands of animated models then cost little.
///
/// Insert it beside a [`ClassicModel`](crate::manifest::ClassicModel). With a `WorldAssetRoot`, load the label `Crowd`
/// instead. The other components of the root mean the same as without it, except for
/// [`ClipLayers`](crate::root::ClipLayers), which has no effect. What a crowd does not have, such as lights and
/// particles, is in the guide `crowds`. It has an effect on ALO and ABC models.
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
