//! The meshes and the materials that members show, and scrolling textures.

use crate::appearance::skin_materials::SkinMaterials;
use crate::appearance::skins::ActiveSkin;
use crate::crowd::data::models::{CrowdModel, CrowdModels};
use crate::crowd::format::CrowdFormat;
use crate::crowd::mesh::appearance::Selection;
use crate::crowd::mesh::merge::{AppearanceAssets, BaseMaterials};
use crate::formats::lithtech::appearance::{
    external_image, is_hidden, is_scrolling, scroll_offset,
};
use crate::formats::lithtech::asset::{AbcMeshInfo, AbcModel};
use crate::formats::lithtech::components::AbcInstance;
use crate::formats::lithtech::crowd::instance::{AbcCrowd, CrowdSkin};
use crate::formats::lithtech::crowd::material::AbcCrowdMaterial;
use crate::load::warnings::ModelWarnings;
use crate::root::parts::{DistanceLod, ModelLod, PartVisibility};
use bevy::asset::Assets;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::{Commands, ParamSet, Query, Res, ResMut, SystemParam};
use bevy::pbr::StandardMaterial;
use bevy::time::Time;

/// The root components that decide about meshes and materials.
type Selectors = (
    &'static mut AbcCrowd,
    &'static AbcInstance,
    &'static DistanceLod,
    Option<&'static ModelLod>,
    Option<&'static ActiveSkin>,
    Option<&'static PartVisibility>,
);

/// Matches members if any of these components changed.
type SelectorsChanged = (
    With<AbcCrowd>,
    Or<(
        Changed<AbcCrowd>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<ActiveSkin>,
        Changed<PartVisibility>,
    )>,
);

/// The members whose appearance may have changed, and the components of all of them.
type Members<'w, 's> = ParamSet<
    'w,
    's,
    (
        Query<'static, 'static, Entity, SelectorsChanged>,
        Query<'static, 'static, Selectors>,
    ),
>;

/// Members that lost a component that decides about meshes and materials.
#[derive(SystemParam)]
pub(crate) struct RemovedSelectors<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    skins: RemovedComponents<'w, 's, ActiveSkin>,
    visibilities: RemovedComponents<'w, 's, PartVisibility>,
}

impl RemovedSelectors<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let removed = self.lods.read().chain(self.skins.read());
        removed.chain(self.visibilities.read())
    }
}

/// Gives members the meshes and the materials that are selected, if a component that decides about them changed.
pub(crate) fn update_appearance(
    mut commands: Commands,
    mut members: Members,
    mut removed: RemovedSelectors,
    mut models: ResMut<CrowdModels<AbcCrowd>>,
    mut assets: AppearanceAssets<AbcCrowd>,
    mut skins: SkinMaterials<StandardMaterial>,
    mut warnings: ModelWarnings,
) {
    let changed: EntityHashSet = members.p0().iter().chain(removed.read()).collect();
    let mut members = members.p1();
    for root in changed {
        let Ok((mut member, instance, distance, lod, skin, visibility)) = members.get_mut(root)
        else {
            continue;
        };
        // The root may already have another scene that is not spawned yet.
        if commands.get_entity(member.scene()).is_err() {
            continue;
        }
        let Some(crowd) = models.get_mut(member.member().slot()) else {
            continue;
        };
        if let Some(missing) = crowd.missing {
            warnings.warn_once(root, missing.warning());
        }
        let model = instance.model();
        let selection = Selection {
            parts: shown_parts(model, lod.map_or(distance.0, |lod| lod.0), visibility),
            skin: CrowdSkin {
                // A skin beyond the last is the last.
                index: skin.map_or(0, |skin| {
                    skin.index.min(model.skins.len().saturating_sub(1))
                }),
                image: skin.and_then(|skin| skin.image.clone()),
            },
        };
        // Not a change that this system must react to.
        let member = member.bypass_change_detection().member_mut();
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
fn shown_parts(model: &AbcModel, level: u32, visibility: Option<&PartVisibility>) -> Box<[bool]> {
    let shown = (level as usize).min(model.levels.len().saturating_sub(1));
    let levels = model.levels.iter().enumerate();
    let parts = levels.flat_map(|(index, level)| {
        let is_shown = move |mesh: &AbcMeshInfo| {
            index == shown && !visibility.is_some_and(|parts| is_hidden(parts, model, mesh.node))
        };
        level.meshes.iter().map(is_shown)
    });
    parts.collect()
}

/// The materials of all meshes with a skin.
fn materials<'a>(
    crowd: &CrowdModel<AbcCrowd>,
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
    mut models: ResMut<CrowdModels<AbcCrowd>>,
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
