//! Registers animations with an app.

use crate::appearance::parts::BoneVisibility;
use crate::formats::alamo::animation::asset::Ala;
use crate::formats::alamo::animation::files::clip_files;
use crate::formats::alamo::animation::loader::AlaLoader;
use crate::formats::alamo::appearance::{on_bone_inserted, show_bones};
use crate::formats::alamo::asset::Alo;
use crate::load::labels::reserve_extensions;
use crate::load::loading::ModelLoading;
use crate::load::warnings::update_warning_log;
use crate::playback::skeletal::add_rig;
use bevy::app::AnimationSystems;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;

/// Animations: loads them, plays them.
pub(crate) struct AnimationPlugin {
    pub(crate) extensions: Vec<String>,
}

impl Plugin for AnimationPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<Ala>();
        add_rig::<Alo>(app, &self.extensions);
        app.insert_resource(clip_files())
            .register_type::<BoneVisibility>()
            .add_observer(on_bone_inserted)
            .add_systems(SpawnScene, update_warning_log::<Ala>)
            .add_systems(
                PostUpdate,
                show_bones
                    .after(AnimationSystems)
                    .before(VisibilitySystems::VisibilityPropagate),
            );
        reserve_extensions::<AlaLoader>(app, &self.extensions);
    }

    fn finish(&self, app: &mut App) {
        app.register_asset_loader(AlaLoader::new(ModelLoading::of(app.world())));
    }
}
