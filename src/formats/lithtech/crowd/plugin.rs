//! Registers crowds with an app.

use crate::appearance::lods::choose_levels;
use crate::crowd::plugin::{add_crowds, finish_crowds};
use crate::formats::lithtech::asset::Abc;
use crate::formats::lithtech::crowd::parts::{scroll_crowds, update_appearance};
use crate::root::systems::ClassicModelsSystems;
use bevy::app::{App, Plugin, PostUpdate};
use bevy::ecs::schedule::IntoScheduleConfigs;

/// Crowds of LithTech models.
pub(crate) struct AbcCrowdPlugin;

impl Plugin for AbcCrowdPlugin {
    fn build(&self, app: &mut App) {
        add_crowds::<Abc>(app);
        app.add_systems(
            PostUpdate,
            (update_appearance, scroll_crowds)
                .chain()
                .after(choose_levels::<Abc>)
                .in_set(ClassicModelsSystems::Appearance),
        );
    }

    fn finish(&self, app: &mut App) {
        finish_crowds::<Abc>(app);
    }
}
