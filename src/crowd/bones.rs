//! Despawns the entities of bones that nothing is attached to any more.

use crate::scene::CrowdBone;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::Children;
use bevy::ecs::query::With;
use bevy::ecs::system::{Commands, Query};

/// Despawns the entities of bones that have no children left.
pub(crate) fn despawn_unused_bones(
    mut commands: Commands,
    bones: Query<(Entity, Option<&Children>), With<CrowdBone>>,
) {
    for (bone, children) in &bones {
        if children.is_none_or(|children| children.is_empty()) {
            commands.entity(bone).try_despawn();
        }
    }
}
