//! Applies the actions that change the view.

use crate::view::actions::action::Action;
use crate::view::camera::framing::Framing;
use crate::view::camera::orbit::Orbit;
use crate::view::draw::overlays::Overlays;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloCollider;
use bevy_classic_models::root::NightTime;

/// Applies the actions that concern the view or all models.
pub fn act_on_view(
    mut actions: MessageReader<Action>,
    mut row: ResMut<Row>,
    mut overlays: ResMut<Overlays>,
    mut night: ResMut<NightTime>,
    mut framing: ResMut<Framing>,
    mut orbit: Single<&mut Orbit>,
    colliders: Query<&AloCollider>,
) {
    for action in actions.read() {
        match *action {
            Action::Select(model) => row.selected = model,
            Action::Overlay(overlay) => overlays.toggle(overlay),
            Action::ToggleNight => night.0 ^= true,
            Action::Trees(trees) => overlays.trees = trees,
            Action::NextTreeLevel => {
                let levels = colliders.iter().map(|collider| collider.tree().levels());
                overlays.trees = overlays.trees.next(levels.max().unwrap_or(0));
            }
            Action::Frame(target) => *framing = target,
            Action::SetView(view) => {
                orbit.set_view(view);
                row.view = orbit.rotation();
                *framing = Framing::All;
            }
            _ => {}
        }
    }
}
