//! The parts that members show, and their team colors.

use crate::crowd::data::models::{CrowdModel, CrowdModels};
use crate::crowd::format::CrowdFormat;
use crate::crowd::mesh::appearance::Selection;
use crate::crowd::mesh::merge::{AppearanceAssets, BaseMaterials};
use crate::formats::alamo::appearance::PartFilter;
use crate::formats::alamo::components::AloInstance;
use crate::formats::alamo::crowd::instance::AloCrowd;
use crate::formats::alamo::crowd::material::AloPoseTable;
use crate::formats::alamo::materials::material::AloMaterial;
use crate::formats::alamo::materials::team_color::team_color_tag;
use crate::load::warnings::ModelWarnings;
use crate::root::environment::NightTime;
use crate::root::parts::{DamageStage, DistanceLod, ModelLod, PartVisibility};
use crate::root::skins::TeamColor;
use bevy::asset::Assets;
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut};
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::{Commands, ParamSet, Query, Res, ResMut, SystemParam};

/// The root components that decide which parts are shown.
type Selectors = (
    &'static mut AloCrowd,
    &'static AloInstance,
    Option<&'static DistanceLod>,
    Option<&'static ModelLod>,
    Option<&'static DamageStage>,
    Option<&'static PartVisibility>,
);

/// Matches members if any of these components changed.
type SelectorsChanged = (
    With<AloCrowd>,
    Or<(
        Changed<AloCrowd>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<DamageStage>,
        Changed<PartVisibility>,
    )>,
);

/// The members whose appearance may have changed, all of them, and their components.
type Members<'w, 's> = ParamSet<
    'w,
    's,
    (
        Query<'static, 'static, Entity, SelectorsChanged>,
        Query<'static, 'static, Entity, With<AloCrowd>>,
        Query<'static, 'static, Selectors>,
    ),
>;

/// Members that lost a component that decides which parts are shown.
#[derive(SystemParam)]
pub(crate) struct RemovedSelectors<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    stages: RemovedComponents<'w, 's, DamageStage>,
    visibilities: RemovedComponents<'w, 's, PartVisibility>,
}

impl RemovedSelectors<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let removed = self.lods.read().chain(self.stages.read());
        removed.chain(self.visibilities.read())
    }
}

/// Gives members the meshes of the parts that are selected, if a component that decides about them changed.
pub(crate) fn update_appearance(
    mut commands: Commands,
    mut members: Members,
    mut removed: RemovedSelectors,
    mut models: ResMut<CrowdModels<AloCrowd>>,
    mut assets: AppearanceAssets<AloCrowd>,
    (loaded, night): (Res<Assets<AloMaterial>>, Res<NightTime>),
    mut warnings: ModelWarnings,
) {
    let removed = removed.read();
    let changed: EntityHashSet = match night.is_changed() {
        true => members.p1().iter().collect(),
        false => members.p0().iter().chain(removed).collect(),
    };
    let mut members = members.p2();
    for root in changed {
        let Ok((mut member, instance, distance, lod, stage, visibility)) = members.get_mut(root)
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
        let by_distance = distance.map_or(0, |distance| distance.0);
        let filter = PartFilter {
            lod: model.lod(lod.map_or(by_distance, |lod| lod.0)),
            stage: stage.map_or(0, |stage| stage.0).min(model.max_damage_stage),
            night: night.0,
            visibility,
        };
        let selection = Selection {
            parts: crowd.data.iter().map(|part| filter.shows(part)).collect(),
            skin: (),
        };
        let materials = |crowd: &CrowdModel<AloCrowd>| {
            let submeshes = crowd.submeshes.iter();
            BaseMaterials {
                submeshes: submeshes
                    .map(|submesh| Some(submesh.surface.clone()))
                    .collect(),
                all: &loaded,
            }
        };
        // Not a change that this system must react to.
        let member = member.bypass_change_detection().member_mut();
        crowd.show(member, selection, materials, &mut assets, &mut commands);
    }
}

type ColorChanged = Or<(Changed<AloCrowd>, Changed<TeamColor>)>;

/// Writes the team colors of members to their rows.
pub(crate) fn color_crowds(
    changed: Query<(&AloCrowd, Option<&TeamColor>), ColorChanged>,
    mut removed: RemovedComponents<TeamColor>,
    members: Query<&AloCrowd>,
    mut table: ResMut<AloPoseTable>,
) {
    for root in removed.read() {
        if let Ok(member) = members.get(root) {
            table.set_extra(member.row(), 0);
        }
    }
    for (member, team) in &changed {
        let tag = team.map_or(0, |team| team_color_tag(team.0));
        table.set_extra(member.row(), tag);
    }
}
