//! Links the bones of models to the root's `AnimationPlayer` as long as the root has an animation graph.
//!
//! Bevy visits every entity that has an `AnimatedBy` in every frame. So the bones of models that play nothing have
//! none.

use crate::playback::skeletal::rig::Rig;
use bevy::animation::AnimatedBy;
use bevy::prelude::*;

/// Registers the observers that link the bones of one format.
pub(crate) fn link_bones<F: Rig>(app: &mut App) {
    app.add_observer(on_graph_added::<F>)
        .add_observer(on_graph_removed::<F>)
        .add_observer(on_instance_inserted::<F>)
        .add_observer(on_instance_removed::<F>);
}

/// Entities that are linked to a player.
type Linked<'w, 's> = Query<'w, 's, &'static AnimatedBy>;

fn on_graph_added<F: Rig>(
    added: On<Add, AnimationGraphHandle>,
    mut commands: Commands,
    instances: Query<&F::Instance>,
) {
    if let Ok(instance) = instances.get(added.entity) {
        link(&mut commands, added.entity, F::bone_entities(instance));
    }
}

fn on_instance_inserted<F: Rig>(
    inserted: On<Insert, F::Instance>,
    mut commands: Commands,
    instances: Query<&F::Instance, With<AnimationGraphHandle>>,
) {
    if let Ok(instance) = instances.get(inserted.entity) {
        link(&mut commands, inserted.entity, F::bone_entities(instance));
    }
}

fn on_graph_removed<F: Rig>(
    removed: On<Remove, AnimationGraphHandle>,
    mut commands: Commands,
    instances: Query<&F::Instance>,
    linked: Linked,
) {
    if let Ok(instance) = instances.get(removed.entity) {
        unlink(
            &mut commands,
            removed.entity,
            F::bone_entities(instance),
            &linked,
        );
    }
}

fn on_instance_removed<F: Rig>(
    removed: On<Remove, F::Instance>,
    mut commands: Commands,
    instances: Query<&F::Instance>,
    linked: Linked,
) {
    if let Ok(instance) = instances.get(removed.entity) {
        unlink(
            &mut commands,
            removed.entity,
            F::bone_entities(instance),
            &linked,
        );
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
