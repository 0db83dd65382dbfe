//! Doing what the keyboard or the panel asks of LithTech models.

use crate::actions::Action;
use crate::models::Row;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// Does what concerns the looks of the selected LithTech model.
pub fn act_on_abc(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut models: Query<(&AbcInstance, &mut ModelLod, &mut ModelSkin)>,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((instance, mut lod, mut skin)) = models.get_mut(entity) else {
            continue;
        };
        let model = instance.model();
        let coarsest = (model.levels.len() as u32).saturating_sub(1);
        match *action {
            Action::LodPart(part) => {
                let level = (part * model.levels.len() as f32) as u32;
                lod.set_if_neq(ModelLod(level.min(coarsest)));
            }
            Action::FinerLod => lod.0 = lod.0.min(coarsest).saturating_sub(1),
            Action::CoarserLod => lod.0 = (lod.0 + 1).min(coarsest),
            Action::Skin(chosen) => *skin = ModelSkin::Index(chosen),
            Action::NextSkin => {
                *skin = ModelSkin::Index((skin.index() + 1) % model.skins.len().max(1));
            }
            _ => {}
        }
    }
}
