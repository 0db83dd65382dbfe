//! Registers this module's assets, loaders and systems.

use super::classic_model::ClassicModel;
use super::clip_check::{ClipChecks, check_clips, on_clips, on_model_ready};
use super::formats::FormatsByExtension;
use super::load_overrides::{LoadOverrides, follow_claims};
use super::loader::{ManifestLoader, extensions};
use super::manifest::ModelManifest;
use super::placement::on_instance_ready;
use super::plan::{Plans, forget_plans};
use super::preload::{Preloader, ReleasedModels, release_models};
use super::spawn::{
    ManifestScene, follow_manifests, on_model_removed, on_scene_ready, on_scene_removed,
};
use super::unlabeled::{UnlabeledSceneLoader, scene_extensions};
use crate::scene::{FileFinder, LoadTracker, forget_changed_warnings};
use bevy::app::{App, Plugin, PostUpdate, SceneSpawnerSystems, SpawnScene};
use bevy::asset::AssetApp;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::world::FromWorld;

/// Manifests, for the formats that an app has.
pub(crate) struct ManifestPlugin {
    pub(crate) formats: FormatsByExtension,
}

impl Plugin for ManifestPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<ModelManifest>()
            .insert_resource(self.formats.clone())
            .init_resource::<LoadOverrides>()
            .init_resource::<ReleasedModels>()
            .init_resource::<Plans>()
            .register_type::<ClassicModel>()
            // A scene may hold only what is registered.
            .register_type::<ManifestScene>()
            .add_observer(on_scene_ready)
            .add_observer(on_scene_removed)
            .add_observer(on_instance_ready)
            .add_observer(on_model_removed)
            .init_resource::<ClipChecks>()
            .add_observer(on_clips)
            .add_observer(on_model_ready)
            .add_systems(PostUpdate, check_clips)
            .add_systems(
                SpawnScene,
                // Behind what `Update` did, so that it is known what the user has put on an entity.
                (
                    forget_changed_warnings::<ModelManifest>,
                    follow_claims,
                    release_models,
                    forget_plans,
                    follow_manifests,
                )
                    .chain()
                    .before(SceneSpawnerSystems::WorldInstanceSpawn),
            );
        let scenes = scene_extensions(&self.formats);
        app.preregister_asset_loader::<UnlabeledSceneLoader>(&scenes);
        app.preregister_asset_loader::<ManifestLoader>(&extensions());
    }

    fn finish(&self, app: &mut App) {
        app.register_asset_loader(UnlabeledSceneLoader::new(self.formats.clone()));
        let finder = FileFinder::of(app.world());
        let tracker = LoadTracker::of(app.world());
        let preloader = Preloader::from_world(app.world_mut());
        app.register_asset_loader(ManifestLoader::new(
            finder,
            tracker,
            self.formats.clone(),
            preloader,
        ));
    }
}
