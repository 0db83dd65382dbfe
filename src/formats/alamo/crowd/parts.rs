//! The parts that members show, and their team colors.

use crate::appearance::parts::Selections;
use crate::crowd::data::models::{CrowdModel, CrowdModels};
use crate::crowd::mesh::appearance::Selection;
use crate::crowd::mesh::merge::{AppearanceAssets, BaseMaterials};
use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::components::AloInstance;
use crate::formats::alamo::crowd::instance::AloCrowd;
use crate::formats::alamo::crowd::material::AloPoseTable;
use crate::formats::alamo::materials::material::AloMaterial;
use crate::formats::alamo::materials::team_color::team_color_tag;
use crate::load::warnings::ModelWarnings;
use crate::root::skins::TeamColor;
use bevy::asset::Assets;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or};
use bevy::ecs::system::{Commands, Query, Res, ResMut};

/// Gives members the meshes of the parts that are selected, if a component that decides about them changed.
pub(crate) fn update_appearance(
    mut commands: Commands,
    mut selections: Selections<AloInstance>,
    mut members: Query<(&mut AloCrowd, &AloInstance)>,
    mut models: ResMut<CrowdModels<Alo>>,
    mut assets: AppearanceAssets<Alo>,
    loaded: Res<Assets<AloMaterial>>,
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
        let parts = crowd.data.iter();
        let selection = Selection {
            parts: parts.map(|part| part.is_shown(model, &selected)).collect(),
            skin: (),
        };
        let materials = |crowd: &CrowdModel<Alo>| {
            let submeshes = crowd.submeshes.iter();
            BaseMaterials {
                submeshes: submeshes
                    .map(|submesh| Some(submesh.surface.clone()))
                    .collect(),
                all: &loaded,
            }
        };
        // Not a change that other systems must react to.
        let member = member.bypass_change_detection();
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
