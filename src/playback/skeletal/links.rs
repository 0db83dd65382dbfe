//! Links the bones of models to the root's `AnimationPlayer` as long as the root has an animation graph.
//!
//! Bevy visits every entity that has an `AnimatedBy` in every frame. So the bones of models that play nothing have
//! none.

use bevy::animation::AnimatedBy;
use bevy::animation::graph::AnimationGraphHandle;
use bevy::app::App;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::{Add, Insert, Remove};
use bevy::ecs::observer::On;
use bevy::ecs::query::With;
use bevy::ecs::system::{Commands, Query};

/// A component of a root entity that lists the entities that clips animate.
pub(crate) trait Skeleton: Component {
    /// The entities that have an `AnimationTargetId`.
    fn bones(&self) -> &[Entity];
}

/// Registers the observers that link the bones of one format.
pub(crate) fn link_bones<S: Skeleton>(app: &mut App) {
    app.add_observer(on_graph_added::<S>)
        .add_observer(on_graph_removed::<S>)
        .add_observer(on_skeleton_inserted::<S>)
        .add_observer(on_skeleton_removed::<S>);
}

/// Entities that are linked to a player.
type Linked<'w, 's> = Query<'w, 's, &'static AnimatedBy>;

fn on_graph_added<S: Skeleton>(
    added: On<Add, AnimationGraphHandle>,
    mut commands: Commands,
    skeletons: Query<&S>,
) {
    if let Ok(skeleton) = skeletons.get(added.entity) {
        link(&mut commands, added.entity, skeleton);
    }
}

fn on_skeleton_inserted<S: Skeleton>(
    inserted: On<Insert, S>,
    mut commands: Commands,
    skeletons: Query<&S, With<AnimationGraphHandle>>,
) {
    if let Ok(skeleton) = skeletons.get(inserted.entity) {
        link(&mut commands, inserted.entity, skeleton);
    }
}

fn on_graph_removed<S: Skeleton>(
    removed: On<Remove, AnimationGraphHandle>,
    mut commands: Commands,
    skeletons: Query<&S>,
    linked: Linked,
) {
    if let Ok(skeleton) = skeletons.get(removed.entity) {
        unlink(&mut commands, removed.entity, skeleton, &linked);
    }
}

fn on_skeleton_removed<S: Skeleton>(
    removed: On<Remove, S>,
    mut commands: Commands,
    skeletons: Query<&S>,
    linked: Linked,
) {
    if let Ok(skeleton) = skeletons.get(removed.entity) {
        unlink(&mut commands, removed.entity, skeleton, &linked);
    }
}

/// Links the bones that are not linked to another player.
fn link(commands: &mut Commands, root: Entity, skeleton: &impl Skeleton) {
    for bone in skeleton.bones() {
        commands.entity(*bone).try_insert_if_new(AnimatedBy(root));
    }
}

/// Unlinks the bones that are linked to the root.
fn unlink(commands: &mut Commands, root: Entity, skeleton: &impl Skeleton, linked: &Linked) {
    for bone in skeleton.bones() {
        if linked.get(*bone).is_ok_and(|by| by.0 == root) {
            commands.entity(*bone).try_remove::<AnimatedBy>();
        }
    }
}
