//! Registers animations with an app.

use crate::appearance::bone_visibility::BoneVisibility;
use crate::formats::alamo::animation::asset::Ala;
use crate::formats::alamo::animation::graphs::{Graphs, log_mismatches};
use crate::formats::alamo::animation::loader::AlaLoader;
use crate::formats::alamo::animation::player::{AloAnimator, play_clips};
use crate::formats::alamo::appearance::{on_bone_inserted, show_bones};
use crate::load::checks::add_loading_check;
use crate::load::extensions::reserve_extensions;
use crate::load::loading::ModelLoading;
use crate::load::warnings::update_warning_log;
use crate::playback::resolve::resolve_clips;
use crate::playback::skeletal::add_animation;
use crate::playback::skeletal::driver::is_clip_loading;
use crate::playback::skeletal::links::link_bones;
use crate::root::systems::ClassicModelsSystems;
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
                    (play_clips, log_mismatches)
                        .chain()
                        .in_set(ClassicModelsSystems::Play)
                        .after(resolve_clips)
                        .before(AnimationSystems),
                    show_bones
                        .after(AnimationSystems)
                        .before(VisibilitySystems::VisibilityPropagate),
                ),
            );
        app.insert_resource(crate::formats::alamo::animation::files::clip_files());
        link_bones::<AloAnimator>(app);
        reserve_extensions::<AlaLoader>(app, &self.extensions);
    }

    fn finish(&self, app: &mut App) {
        app.register_asset_loader(AlaLoader::new(ModelLoading::of(app.world())));
    }
}
