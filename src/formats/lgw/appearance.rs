//! Applies `PartVisibility` to the meshes of spawned models.

use crate::appearance::parts::{Selections, visibility};
use crate::formats::lgw::components::LgwInstance;
use bevy::prelude::*;

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
