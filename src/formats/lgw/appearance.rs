//! Applies [`PartVisibility`] to the meshes of spawned models.

use crate::formats::lgw::components::LgwInstance;
use crate::root::parts::PartVisibility;
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::Query;

/// Roots whose model or [`PartVisibility`] changed.
pub(crate) type VisibilityChanged = (
    With<LgwInstance>,
    Or<(Changed<LgwInstance>, Changed<PartVisibility>)>,
);

/// Sets the `Visibility` of the meshes of models whose [`PartVisibility`] changed.
pub(crate) fn apply_part_visibility(
    changed: Query<Entity, VisibilityChanged>,
    roots: Query<(&LgwInstance, Option<&PartVisibility>)>,
    mut removed: RemovedComponents<PartVisibility>,
    mut meshes: Query<&mut Visibility>,
) {
    let outdated: EntityHashSet = changed.iter().chain(removed.read()).collect();
    for root in outdated {
        let Ok((instance, parts)) = roots.get(root) else {
            continue;
        };
        let names = instance.model.meshes.iter().map(|mesh| &mesh.name);
        for (name, mesh) in names.zip(&instance.meshes) {
            let is_hidden = parts.and_then(|parts| parts.get(name));
            let visibility = match is_hidden {
                Some(true) => Visibility::Hidden,
                _ => Visibility::Inherited,
            };
            if let Ok(mut current) = meshes.get_mut(*mesh) {
                current.set_if_neq(visibility);
            }
        }
    }
}
