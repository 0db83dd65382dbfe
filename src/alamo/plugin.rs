//! Registers everything of this room with an app.

use crate::alamo::billboard::BillboardPlugin;
use crate::alamo::dazzle::DazzlePlugin;
use bevy::app::{App, Plugin};

/// Alamo models. Part of [`ClassicModelsPlugin`](crate::ClassicModelsPlugin).
#[derive(Default)]
pub struct AlamoPlugin;

impl Plugin for AlamoPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins((BillboardPlugin, DazzlePlugin));
    }
}
