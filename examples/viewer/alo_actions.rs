//! Doing what the keyboard or the panel asks of Alamo models.

use crate::actions::Action;
use crate::alo_panel::{TEAMS, parts, team_number};
use crate::models::Row;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// What is chosen about an Alamo model, in components of its root.
type Chosen = (
    &'static AloInstance,
    &'static mut ModelLod,
    &'static mut ModelAlt,
    &'static mut HiddenParts,
    Option<&'static TeamColor>,
);

/// Does what concerns the selected Alamo model. All of it is in components of the model's root, which
/// stay when the file changes and the model is spawned anew.
pub fn act_on_alo(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut models: Query<Chosen>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((instance, mut lod, mut alt, mut hidden, team)) = models.get_mut(entity) else {
            continue;
        };
        let model = instance.model();
        let coarsest = (model.lods.len() as u32).saturating_sub(1);
        match *action {
            Action::Lod(steps) => lod.0 = steps,
            Action::FinerLod => lod.0 = lod.0.min(coarsest).saturating_sub(1),
            Action::CoarserLod => lod.0 = (lod.0 + 1).min(coarsest),
            Action::Alt(stage) => alt.0 = stage,
            Action::NextAlt => alt.0 = if alt.0 < model.max_alt { alt.0 + 1 } else { 0 },
            Action::Team(number) => wear(&mut commands, entity, number),
            Action::NextTeam => {
                let next = team_number(team).map_or(0, |number| number + 1);
                let next = Some(next).filter(|next| *next < TEAMS.len());
                wear(&mut commands, entity, next);
            }
            Action::TogglePart(index) => {
                if let Some(part) = parts(model).get(index) {
                    if hidden.get(&part.name).unwrap_or(part.hidden) {
                        hidden.show(&part.name);
                    } else {
                        hidden.hide(&part.name);
                    }
                }
            }
            Action::ResetParts => *hidden = HiddenParts::default(),
            _ => {}
        }
    }
}

fn wear(commands: &mut Commands, model: Entity, team: Option<usize>) {
    let mut model = commands.entity(model);
    match team.and_then(|number| TEAMS.get(number)) {
        Some((_, color)) => model.insert(TeamColor(*color)),
        None => model.remove::<TeamColor>(),
    };
}
