//! Registers crowds with an app.

use crate::alamo::asset::Alo;
use crate::alamo::components::{AloCrowdScene, AloInstance};
use crate::alamo::crowd::instance::AloCrowd;
use crate::alamo::crowd::parts::{color_crowds, update_appearance};
use crate::crowd::{add_crowds, finish_crowds};
use crate::scene::{ClassicModelsSystems, ModelFormats, choose_levels};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::ecs::schedule::IntoScheduleConfigs;

/// Crowds of Alamo models.
pub(in crate::alamo) struct AloCrowdPlugin;

impl Plugin for AloCrowdPlugin {
    fn build(&self, app: &mut App) {
        add_crowds::<AloCrowd>(app);
        app.register_type::<AloCrowdScene>();
        app.world_mut()
            .get_resource_or_init::<ModelFormats>()
            .add_crowd::<Alo>(|model| model.crowd.as_ref());
        app.add_systems(
            PostUpdate,
            (update_appearance, color_crowds)
                .after(choose_levels::<AloInstance>)
                .in_set(ClassicModelsSystems::Appearance),
        );
    }

    fn finish(&self, app: &mut App) {
        finish_crowds::<AloCrowd>(app);
    }
}
