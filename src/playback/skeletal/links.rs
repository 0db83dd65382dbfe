//! Links the bones of models to the root's `AnimationPlayer` as long as the root has an animation graph.
//!
//! Bevy visits every entity that has an `AnimatedBy` in every frame. So the bones of models that play nothing have
//! none.

use crate::playback::skeletal::driver::ClipPlayer;
use bevy::animation::AnimatedBy;
use bevy::animation::graph::AnimationGraphHandle;
use bevy::app::App;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::{Add, Insert, Remove};
use bevy::ecs::observer::On;
use bevy::ecs::query::With;
use bevy::ecs::system::{Commands, Query};

/// Registers the observers that link the bones of one format.
pub(crate) fn link_bones<P: ClipPlayer>(app: &mut App) {
    app.add_observer(on_graph_added::<P>)
        .add_observer(on_graph_removed::<P>)
        .add_observer(on_instance_inserted::<P>)
        .add_observer(on_instance_removed::<P>);
}

/// Entities that are linked to a player.
type Linked<'w, 's> = Query<'w, 's, &'static AnimatedBy>;

fn on_graph_added<P: ClipPlayer>(
    added: On<Add, AnimationGraphHandle>,
    mut commands: Commands,
    instances: Query<&P::Instance>,
) {
    if let Ok(instance) = instances.get(added.entity) {
        link(&mut commands, added.entity, P::bones(instance));
    }
}

fn on_instance_inserted<P: ClipPlayer>(
    inserted: On<Insert, P::Instance>,
    mut commands: Commands,
    instances: Query<&P::Instance, With<AnimationGraphHandle>>,
) {
    if let Ok(instance) = instances.get(inserted.entity) {
        link(&mut commands, inserted.entity, P::bones(instance));
    }
}

fn on_graph_removed<P: ClipPlayer>(
    removed: On<Remove, AnimationGraphHandle>,
    mut commands: Commands,
    instances: Query<&P::Instance>,
    linked: Linked,
) {
    if let Ok(instance) = instances.get(removed.entity) {
        unlink(&mut commands, removed.entity, P::bones(instance), &linked);
    }
}

fn on_instance_removed<P: ClipPlayer>(
    removed: On<Remove, P::Instance>,
    mut commands: Commands,
    instances: Query<&P::Instance>,
    linked: Linked,
) {
    if let Ok(instance) = instances.get(removed.entity) {
        unlink(&mut commands, removed.entity, P::bones(instance), &linked);
    }
}

/// Links the bones that are not linked to another player.
fn link(commands: &mut Commands, root: Entity, bones: &[Entity]) {
    for bone in bones {
        commands.entity(*bone).try_insert_if_new(AnimatedBy(root));
    }
}

/// Unlinks the bones that are linked to the root.
fn unlink(commands: &mut Commands, root: Entity, bones: &[Entity], linked: &Linked) {
    for bone in bones {
        if linked.get(*bone).is_ok_and(|by| by.0 == root) {
            commands.entity(*bone).try_remove::<AnimatedBy>();
        }
    }
}
