//! Registers crowds with an app.

use crate::appearance::lods::choose_levels;
use crate::crowd::plugin::{add_crowds, finish_crowds};
use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::crowd::parts::{color_crowds, update_appearance};
use crate::root::systems::ClassicModelsSystems;
use bevy::app::{App, Plugin, PostUpdate};
use bevy::ecs::schedule::IntoScheduleConfigs;

/// Crowds of Alamo models.
pub(crate) struct AloCrowdPlugin;

impl Plugin for AloCrowdPlugin {
    fn build(&self, app: &mut App) {
        add_crowds::<Alo>(app);
        app.add_systems(
            PostUpdate,
            (update_appearance, color_crowds)
                .after(choose_levels::<Alo>)
                .in_set(ClassicModelsSystems::Appearance),
        );
    }

    fn finish(&self, app: &mut App) {
        finish_crowds::<Alo>(app);
    }
}
