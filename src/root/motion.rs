//! Root motion: [`RootMotion`] moves the root as a clip moves the model, and what it has measured.

use crate::geometry::ground_motion::GroundMotion;
use crate::root::play::MeasuredStride;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// Moves the root as its clip moves the model along the ground, so that a model that walks in its clip walks in the world.
///
/// The movement is that of a bone, which is taken out of the pose: the bone stays above its position at the start of the
/// clip. Without a bone, it is that of the clip's stride, for models that walk in place: forward, to the root's −Z axis,
/// as for [`FollowVelocity`](crate::root::FollowVelocity), whose opposite this is. Don't use both on one root.
///
/// Steps of any length and direction, loops and parts of clips move the root by exactly what the clip shows. During a
/// cross-fade, the movements of both clips are blended as their poses are. Layers don't move the root, nor do jumps by
/// [`Playback::time`](crate::root::Playback::time).
///
/// A bone has no effect on Quake models, which have none, and on members of crowds, whose poses are baked. A stride has an
/// effect on ALO, ABC and MDL models, also in crowds.
///
/// Insert it on the entity that has the [`PlayClip`](crate::root::PlayClip).
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(ClipMotion, MeasuredStride)]
#[component(on_remove = remove_clip_motion)]
pub struct RootMotion {
    /// The name of the bone (case-insensitive). `None`, the default, moves the root by the stride of the clip: that of its entry
    /// in [`ModelClips`](crate::root::ModelClips), otherwise the measured one. A clip in which the model does not walk does
    /// not move it.
    pub bone: Option<String>,
    /// Whether the turns of the bone about the root's Y axis are taken out of the pose and turn the root as well. A bone that
    /// sways as the model walks makes the root sway, so this is false by default.
    pub turns: bool,
    /// Whether the `Transform` of the root is moved, after clips and before transforms are propagated. True by default.
    ///
    /// A game that moves the root itself, with physics, sets it to false and applies
    /// [`ModelQuery::root_motion`](crate::query::ModelQuery::root_motion).
    pub moves_root: bool,
}

/// The movement of the stride.
impl Default for RootMotion {
    fn default() -> Self {
        Self {
            bone: None,
            turns: false,
            moves_root: true,
        }
    }
}

impl RootMotion {
    /// The movement of a bone.
    pub fn of_bone(name: impl Into<String>) -> Self {
        Self {
            bone: Some(name.into()),
            ..Self::default()
        }
    }

    /// Turns the root as the bone turns: see [`turns`](Self::turns).
    #[must_use]
    pub fn with_turns(self) -> Self {
        Self {
            turns: true,
            ..self
        }
    }

    /// Leaves the root where it is: see [`moves_root`](Self::moves_root).
    #[must_use]
    pub fn without_moving_root(self) -> Self {
        Self {
            moves_root: false,
            ..self
        }
    }
}

/// How the clips of a root with a [`RootMotion`] have moved the model in this frame, in the root's space.
///
/// It is not registered for reflection, because saved worlds contain registered components.
#[derive(Component, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(crate) struct ClipMotion(pub(crate) GroundMotion);

fn remove_clip_motion(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Ok(mut root) = world.commands().get_entity(context.entity) {
        root.try_remove::<ClipMotion>();
    }
}
