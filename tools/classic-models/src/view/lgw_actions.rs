//! Applies the actions of the keyboard and the panel to LGW models.

use crate::view::action::Action;
use crate::view::lgw_panel::meshes_by_name;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::prelude::*;

/// Shows and hides the meshes of the selected LGW model. Changes a component of its root entity, which stays when the
/// model is reloaded.
pub fn act_on_lgw(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    models: Query<(&LgwInstance, Option<&PartVisibility>)>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        let Ok((instance, hidden)) = models.get(entity) else {
            continue;
        };
        match *action {
            Action::TogglePart(index) => {
                let parts = meshes_by_name(instance.model());
                let Some(mesh) = parts.get(index).and_then(|part| part.first()) else {
                    continue;
                };
                let mut hidden = hidden.cloned().unwrap_or_default();
                match hidden.get(&mesh.name) {
                    Some(true) => hidden.reset(&mesh.name),
                    _ => hidden.hide(&mesh.name),
                };
                commands.entity(entity).insert(hidden);
            }
            Action::ResetParts => _ = commands.entity(entity).insert(PartVisibility::default()),
            _ => {}
        }
    }
}
