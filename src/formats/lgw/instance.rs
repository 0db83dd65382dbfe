//! Shows and hides the meshes of spawned models, and answers questions about them for code on any format.

use crate::appearance::parts::Selections;
use crate::appearance::parts::visibility;
use crate::formats::lgw::components::LgwInstance;
use crate::spawn::format::{ModelInfo, NamedEntity};
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

/// The spawned models of UFO: Aftermath.
#[derive(SystemParam)]
pub(crate) struct LgwInfo<'w, 's> {
    roots: Query<'w, 's, &'static LgwInstance>,
}

/// These models have no animations, skins and bones.
impl ModelInfo for LgwInfo<'_, '_> {
    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        self.roots.get(root).ok()?.model().bounds
    }

    fn parts(&self, root: Entity) -> Vec<NamedEntity> {
        let Ok(instance) = self.roots.get(root) else {
            return Vec::new();
        };
        let meshes = instance.meshes().iter().zip(&instance.model().meshes);
        meshes
            .map(|(entity, mesh)| NamedEntity {
                entity: *entity,
                name: mesh.name.to_string(),
                parent: None,
            })
            .collect()
    }
}

/// Shows and hides the meshes of models whose selected parts changed.
pub(crate) fn show_parts(
    mut selections: Selections<LgwInstance>,
    roots: Query<&LgwInstance>,
    mut meshes: Query<&mut Visibility>,
) {
    for root in selections.changed() {
        let Ok(instance) = roots.get(root) else {
            continue;
        };
        let selected = selections.get(root);
        for (info, mesh) in instance.model.meshes.iter().zip(&instance.meshes) {
            if let Ok(mut current) = meshes.get_mut(*mesh) {
                let is_shown = selected.hides(&info.name) != Some(true);
                current.set_if_neq(visibility(is_shown));
            }
        }
    }
}
