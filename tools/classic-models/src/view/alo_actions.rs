//! Applies the actions of the keyboard and the panel to Alamo models.

use crate::view::action::Action;
use crate::view::alo_panel::{TEAMS, parts, team_index};
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::prelude::*;

/// The components of an Alamo model's root that actions change.
type AloState = (
    &'static AloInstance,
    Option<&'static ModelLod>,
    Option<&'static DamageStage>,
    Option<&'static PartVisibility>,
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
        let Ok((instance, lod, alt, hidden, team)) = models.get(entity) else {
            continue;
        };
        let mut root = commands.entity(entity);
        let lod = lod.map_or(0, |lod| lod.0);
        let alt = alt.map_or(0, |alt| alt.0);
        let model = instance.model();
        let coarsest = (model.lods.len() as u32).saturating_sub(1);
        match *action {
            Action::Lod(level) => _ = root.insert(ModelLod(level)),
            Action::FinerLod => _ = root.insert(ModelLod(lod.min(coarsest).saturating_sub(1))),
            Action::CoarserLod => _ = root.insert(ModelLod((lod + 1).min(coarsest))),
            Action::Alt(stage) => _ = root.insert(DamageStage(stage)),
            Action::NextAlt => {
                let next = if alt < model.max_damage_stage {
                    alt + 1
                } else {
                    0
                };
                root.insert(DamageStage(next));
            }
            Action::Team(index) => set_team_color(&mut root, index),
            Action::NextTeam => {
                let next = team_index(team).map_or(0, |index| index + 1);
                let next = Some(next).filter(|next| *next < TEAMS.len());
                set_team_color(&mut root, next);
            }
            Action::TogglePart(index) => {
                if let Some(part) = parts(model).get(index) {
                    let mut hidden = hidden.cloned().unwrap_or_default();
                    if hidden.get(&part.name).unwrap_or(part.hidden) {
                        hidden.show(&part.name);
                    } else {
                        hidden.hide(&part.name);
                    }
                    root.insert(hidden);
                }
            }
            Action::ResetParts => _ = root.insert(PartVisibility::default()),
            _ => {}
        }
    }
}

fn set_team_color(model: &mut EntityCommands<'_>, team: Option<usize>) {
    match team.and_then(|index| TEAMS.get(index)) {
        Some((_, color)) => model.insert(TeamColor(*color)),
        None => model.remove::<TeamColor>(),
    };
}
