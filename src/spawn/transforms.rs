//! Bevy up to 0.20.1 does not propagate the transforms of some new entities: <https://github.com/bevyengine/bevy/issues/25416>.
//!
//! Its search for changed trees knows entities by their indices. If an index belonged to an entity that was despawned in the same
//! frame, as after reloads of many models, the search can stop there, and the new entity stays at the world's origin.

use bevy::ecs::entity::Entities;
use bevy::prelude::*;
use bevy::transform::components::TransformTreeChanged;
use bevy::transform::systems::{mark_dirty_trees, propagate_parent_transforms};

pub(crate) fn register(app: &mut App) {
    app.add_systems(
        PostUpdate,
        mark_trees_of_reused_indices
            .in_set(TransformSystems::Propagate)
            .after(mark_dirty_trees)
            .before(propagate_parent_transforms),
    );
}

/// Marks the trees of entities whose indices belonged to children that were despawned.
fn mark_trees_of_reused_indices(
    mut orphaned: RemovedComponents<ChildOf>,
    entities: &Entities,
    parents: Query<&ChildOf>,
    mut trees: Query<&mut TransformTreeChanged>,
) {
    for orphan in orphaned.read() {
        let entity = entities.resolve_from_index(orphan.index());
        if entity == orphan {
            continue;
        }
        for entity in core::iter::once(entity).chain(parents.iter_ancestors(entity)) {
            if let Ok(mut tree) = trees.get_mut(entity) {
                tree.set_changed();
            }
        }
    }
}
