//! Applies the actions of the keyboard and the panels to Alamo models.

use crate::view::action::Action;
use crate::view::alo_parts::{TEAMS, team_index};
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::prelude::*;

/// The components of an Alamo model's root that actions change.
type AloState = (
    &'static AloInstance,
    Option<&'static ModelLod>,
    Option<&'static DamageStage>,
    Option<&'static TeamColor>,
);

/// Applies actions to the selected Alamo model. They change components of its root entity, which stay when the model is
/// reloaded.
pub fn act_on_alo(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    models: Query<AloState>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((instance, lod, stage, team)) = models.get(entity) else {
            continue;
        };
        let mut root = commands.entity(entity);
        let lod = lod.map_or(0, |lod| lod.0);
        let stage = stage.map_or(0, |stage| stage.0);
        let model = instance.model();
        let coarsest = (model.lods.len() as u32).saturating_sub(1);
        match *action {
            Action::Lod(level) => _ = root.insert(ModelLod(level)),
            Action::FinerLod => _ = root.insert(ModelLod(lod.min(coarsest).saturating_sub(1))),
            Action::CoarserLod => _ = root.insert(ModelLod((lod + 1).min(coarsest))),
            Action::DamageStage(stage) => _ = root.insert(DamageStage(stage)),
            Action::NextDamageStage => {
                let is_last = stage >= model.max_damage_stage;
                root.insert(DamageStage(if is_last { 0 } else { stage + 1 }));
            }
            Action::Team(color) => set_team_color(&mut root, color),
            Action::NextTeam => {
                let next = team_index(team).map_or(0, |index| index + 1);
                set_team_color(&mut root, TEAMS.get(next).map(|(_, color)| *color));
            }
            _ => {}
        }
    }
}

fn set_team_color(model: &mut EntityCommands<'_>, team: Option<Color>) {
    match team {
        Some(color) => model.insert(TeamColor(color)),
        None => model.remove::<TeamColor>(),
    };
}
