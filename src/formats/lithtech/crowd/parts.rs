//! The meshes and the materials that members show, and scrolling textures.

use crate::appearance::parts::{Selected, Selections};
use crate::appearance::skin_materials::SkinMaterials;
use crate::crowd::data::models::{CrowdModel, CrowdModels};
use crate::crowd::mesh::appearance::Selection;
use crate::crowd::mesh::merge::{AppearanceAssets, BaseMaterials};
use crate::formats::lithtech::appearance::{
    external_image, is_hidden, is_scrolling, scroll_offset,
};
use crate::formats::lithtech::asset::Abc;
use crate::formats::lithtech::asset::{AbcMeshInfo, AbcModel};
use crate::formats::lithtech::components::AbcInstance;
use crate::formats::lithtech::crowd::instance::{AbcCrowd, CrowdSkin};
use crate::formats::lithtech::crowd::material::AbcCrowdMaterial;
use crate::load::warnings::ModelWarnings;
use bevy::asset::Assets;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::system::{Commands, Query, Res, ResMut};
use bevy::pbr::StandardMaterial;
use bevy::time::Time;

/// Gives members the meshes and the materials that are selected, if a component that decides about them changed.
pub(crate) fn update_appearance(
    mut commands: Commands,
    mut selections: Selections<AbcInstance>,
    mut members: Query<(&mut AbcCrowd, &AbcInstance)>,
    mut models: ResMut<CrowdModels<Abc>>,
    mut assets: AppearanceAssets<Abc>,
    mut skins: SkinMaterials<StandardMaterial>,
    mut warnings: ModelWarnings,
) {
    for root in selections.changed() {
        let Ok((mut member, instance)) = members.get_mut(root) else {
            continue;
        };
        // The root may already have another scene that is not spawned yet.
        if commands.get_entity(member.scene()).is_err() {
            continue;
        }
        let Some(crowd) = models.get_mut(member.slot) else {
            continue;
        };
        if let Some(missing) = crowd.missing {
            warnings.warn_once(root, missing.warning());
        }
        let (model, selected) = (instance.model(), selections.get(root));
        let selection = Selection {
            parts: shown_parts(model, &selected),
            skin: CrowdSkin {
                // A skin beyond the last is the last.
                index: selected.skin.map_or(0, |skin| {
                    skin.index.min(model.skins.len().saturating_sub(1))
                }),
                image: selected.skin.and_then(|skin| skin.image.clone()),
            },
        };
        // Not a change that other systems must react to.
        let member = member.bypass_change_detection();
        let (skin, skins) = (selection.skin.clone(), &mut skins);
        crowd.show(
            member,
            selection,
            |crowd| materials(crowd, &skin, skins),
            &mut assets,
            &mut commands,
        );
    }
}

/// Whether each mesh of all levels of detail is shown.
fn shown_parts(model: &AbcModel, selected: &Selected<'_>) -> Box<[bool]> {
    let shown = (selected.level as usize).min(model.levels.len().saturating_sub(1));
    let levels = model.levels.iter().enumerate();
    let parts = levels.flat_map(|(index, level)| {
        let is_shown =
            move |mesh: &AbcMeshInfo| index == shown && !is_hidden(selected, model, mesh.node);
        level.meshes.iter().map(is_shown)
    });
    parts.collect()
}

/// The materials of all meshes with a skin.
fn materials<'a>(
    crowd: &CrowdModel<Abc>,
    skin: &CrowdSkin,
    skins: &'a mut SkinMaterials<'_, StandardMaterial>,
) -> BaseMaterials<'a, StandardMaterial> {
    let model = &crowd.model;
    let submeshes = crowd.submeshes.iter().map(|submesh| {
        let own = model.material(skin.index, submesh.surface)?;
        let image = external_image(skin.image.as_ref(), model, submesh.surface);
        skins.with_skin(model, own, image, |made| made)
    });
    BaseMaterials {
        submeshes: submeshes.collect(),
        all: &skins.all,
    }
}

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
