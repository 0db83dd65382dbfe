//! Shows and hides the parts of models, for the actions of the panels.

use crate::view::action::Action;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// Shows and hides parts of the selected model. Changes a component of its root entity, which stays when the model is
/// reloaded.
pub fn act_on_parts(
    mut actions: MessageReader<Action>,
    row: Res<Row>,
    mut models: Query<&mut PartVisibility>,
    mut commands: Commands,
) {
    for action in actions.read() {
        let Some(entity) = row.selected() else {
            continue;
        };
        match action {
            Action::Part(name, choice) => {
                let change = |parts: &mut PartVisibility| {
                    match choice {
                        Some(true) => parts.show(name),
                        Some(false) => parts.hide(name),
                        None => parts.reset(name),
                    };
                };
                // Several actions of a frame add up.
                if let Ok(mut parts) = models.get_mut(entity) {
                    change(&mut parts);
                } else {
                    let mut parts = PartVisibility::default();
                    change(&mut parts);
                    commands.entity(entity).insert(parts);
                }
            }
            Action::ResetParts => _ = commands.entity(entity).insert(PartVisibility::default()),
            _ => {}
        }
    }
}
