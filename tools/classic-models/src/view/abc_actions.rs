//! Applies the actions of the keyboard and the panels to LithTech models.

use crate::view::action::Action;
use crate::view::row::Row;
use crate::view::skins::active_skin;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;

/// Applies actions to the level of detail and the skin of the selected LithTech model.
pub fn act_on_abc(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    models: Query<(&AbcInstance, Option<&ModelLod>, Option<&ModelSkin>)>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((instance, lod, skin)) = models.get(entity) else {
            continue;
        };
        let mut root = commands.entity(entity);
        let lod = lod.map_or(0, |lod| lod.0);
        let model = instance.model();
        let coarsest = (model.levels.len() as u32).saturating_sub(1);
        match *action {
            Action::Lod(level) if lod != level => {
                root.insert(ModelLod(level.min(coarsest)));
            }
            Action::FinerLod => _ = root.insert(ModelLod(lod.min(coarsest).saturating_sub(1))),
            Action::CoarserLod => _ = root.insert(ModelLod((lod + 1).min(coarsest))),
            Action::NextSkin => {
                let next = active_skin(skin).map_or(0, |skin| skin + 1) % model.skins.len().max(1);
                root.insert(ModelSkin::Index(next));
            }
            _ => {}
        }
    }
}
