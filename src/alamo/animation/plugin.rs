//! Registers animations with an app.

use crate::alamo::animation::asset::Ala;
use crate::alamo::animation::graphs::{Graphs, log_mismatches};
use crate::alamo::animation::loader::AlaLoader;
use crate::alamo::animation::player::{AloAnimator, find_events, play_clips};
use crate::alamo::appearance::{on_bone_inserted, show_bones};
use crate::alamo::components::AloInstance;
use crate::scene::{
    BoneVisibility, ClassicModelsSystems, ModelLoading, add_animation, add_loading_check,
    all_cases, follow_player, is_clip_loading, link_bones, resolve_clips, update_warning_log,
};
use bevy::animation::{AnimatedBy, AnimationTargetId};
use bevy::app::{AnimationSystems, App, Plugin, PostUpdate, SpawnScene};
use bevy::asset::AssetApp;
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::IntoScheduleConfigs;

/// Animations: loads them, plays them.
pub(crate) struct AnimationPlugin {
    pub(crate) extensions: Vec<String>,
}

impl Plugin for AnimationPlugin {
    fn build(&self, app: &mut App) {
        add_animation(app);
        add_loading_check(app, is_clip_loading::<AloAnimator>);
        app.init_asset::<Ala>()
            .insert_resource(Graphs::new(self.extensions.clone()))
            .register_type::<AnimatedBy>()
            .register_type::<AnimationTargetId>()
            .register_type::<BoneVisibility>()
            .add_observer(on_bone_inserted)
            .add_systems(SpawnScene, update_warning_log::<Ala>)
            .add_systems(
                PostUpdate,
                (
                    (play_clips, find_events, log_mismatches)
                        .chain()
                        .in_set(ClassicModelsSystems::Play)
                        .after(resolve_clips)
                        .before(AnimationSystems),
                    (follow_player::<AloAnimator>, show_bones)
                        .after(AnimationSystems)
                        .before(VisibilitySystems::VisibilityPropagate),
                ),
            );
        app.insert_resource(crate::alamo::animation::files::clip_files());
        link_bones::<AloInstance>(app);
        app.preregister_asset_loader::<AlaLoader>(&all_cases(&self.extensions));
    }

    fn finish(&self, app: &mut App) {
        app.register_asset_loader(AlaLoader::new(
            ModelLoading::of(app.world()),
            all_cases(&self.extensions),
        ));
    }
}
