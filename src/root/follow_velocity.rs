//! [`FollowVelocity`]: the speed of a clip follows the velocity of the model, so that its feet do not slide.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// Sets [`PlayClip::speed`](crate::root::PlayClip::speed) so that the clip's stride matches the velocity of the model.
///
/// The stride is the distance that the model covers in one pass through the clip, in units of the root: meters for a model
/// with [`BevySpace`](crate::root::BevySpace). If the root is scaled, so is the stride. While the clip has no stride, its
/// speed does not change.
///
/// Only movement in the plane across the root's Y axis counts. If the model moves away from its front (the root's −Z axis),
/// the clip plays backward. At rest, the speed is 0.
///
/// Insert it on the entity that has the [`PlayClip`](crate::root::PlayClip).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(LastPosition)]
#[component(on_remove = remove_last_position)]
pub struct FollowVelocity {
    /// The stride of whatever clip plays. `None` is that of the clip's entry in [`ModelClips`](crate::root::ModelClips). A value
    /// that is not a finite number above 0 is no stride.
    pub stride: Option<f32>,
    /// The velocity in world space, in units per second. `None`, the default, is measured from the root's movement since
    /// the last frame. A movement of more than one stride in a frame is a jump, which does not change the speed.
    pub velocity: Option<Vec3>,
}

/// The position of a root in the last frame, in world space.
///
/// It is not registered for reflection, because saved worlds contain registered components.
#[derive(Component, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(crate) struct LastPosition(pub(crate) Option<Vec3>);

fn remove_last_position(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Ok(mut root) = world.commands().get_entity(context.entity) {
        root.try_remove::<LastPosition>();
    }
}
