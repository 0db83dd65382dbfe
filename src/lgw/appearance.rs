//! Shows and hides the meshes of spawned models.

use crate::lgw::components::LgwInstance;
use crate::scene::PartVisibility;
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::Query;

/// Roots of which a component changed that decides which meshes show.
pub(super) type HiddenChanged = (
    With<LgwInstance>,
    Or<(Changed<LgwInstance>, Changed<PartVisibility>)>,
);

/// Shows and hides the meshes of models whose [`PartVisibility`] have changed.
pub(super) fn apply_hidden(
    changed: Query<Entity, HiddenChanged>,
    roots: Query<(&LgwInstance, Option<&PartVisibility>)>,
    mut removed: RemovedComponents<PartVisibility>,
    mut meshes: Query<&mut Visibility>,
) {
    let due: EntityHashSet = changed.iter().chain(removed.read()).collect();
    for root in due {
        let Ok((instance, hidden)) = roots.get(root) else {
            continue;
        };
        let names = instance.model.meshes.iter().map(|mesh| &mesh.name);
        for (name, mesh) in names.zip(&instance.meshes) {
            let is_hidden = hidden.and_then(|hidden| hidden.get(name));
            let visibility = match is_hidden {
                Some(true) => Visibility::Hidden,
                _ => Visibility::Inherited,
            };
            if let Ok(mut of_mesh) = meshes.get_mut(*mesh) {
                of_mesh.set_if_neq(visibility);
            }
        }
    }
}
