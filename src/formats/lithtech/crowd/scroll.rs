//! The scrolling textures of members.

use crate::crowd::models::CrowdModels;
use crate::formats::lithtech::appearance::{is_scrolling, scroll_offset};
use crate::formats::lithtech::asset::Abc;
use crate::formats::lithtech::crowd::instance::AbcCrowdMaterial;
use bevy::prelude::*;

/// Scrolls the textures of nodes with `SCROLL_U` or `SCROLL_V`.
pub(crate) fn scroll_crowds(
    time: Res<Time>,
    mut models: ResMut<CrowdModels<Abc>>,
    mut materials: ResMut<Assets<AbcCrowdMaterial>>,
) {
    let seconds = time.elapsed_secs_f64();
    let models = models.bypass_change_detection();
    for crowd in models.iter_mut().filter(|crowd| crowd.data.scrolls) {
        for (material, submesh) in crowd.appearances.materials() {
            let Some(submesh) = crowd.submeshes.get(submesh) else {
                continue;
            };
            // The offset of the others is that of the user.
            if !is_scrolling(&crowd.model, submesh.surface) {
                continue;
            }
            let offset = scroll_offset(&crowd.model, submesh.surface, seconds);
            let differs =
                |material: &AbcCrowdMaterial| material.base.uv_transform.translation != offset;
            // `get_mut` marks a material as changed.
            if materials.get(&material).is_some_and(differs)
                && let Some(mut material) = materials.get_mut(&material)
            {
                material.base.uv_transform.translation = offset;
            }
        }
    }
}
