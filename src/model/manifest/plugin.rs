//! Registers this module's assets, loaders and systems.

use super::classic_model::ClassicModel;
use super::clip_check::{ClipChecks, check_clips, on_clips, on_events, on_model_ready};
use super::load_overrides::{LoadOverrides, update_load_overrides};
use super::loader::{EXTENSIONS, ManifestLoader};
use super::model_manifest::ModelManifest;
use super::placement::on_instance_ready;
use super::plan::{Plans, remove_stale_plans};
use super::preload::{ReleasedModels, release_models};
use super::spawn::{
    ManifestScene, manifest_scene, on_model_removed, on_scene_ready, on_scene_removed,
    update_models,
};
use crate::scene::{ModelFormats, UnlabeledScenes, register_unlabeled_loader, update_warning_log};
use bevy::app::{App, Plugin, PostUpdate, SceneSpawnerSystems, SpawnScene};
use bevy::asset::AssetApp;
use bevy::ecs::schedule::IntoScheduleConfigs;

/// Manifests and [`ClassicModel`]. Must be added before the plugins of the formats.
pub(crate) struct ManifestPlugin;

impl Plugin for ManifestPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<ModelManifest>()
            .init_resource::<ModelFormats>()
            .insert_resource(UnlabeledScenes(manifest_scene))
            .init_resource::<LoadOverrides>()
            .init_resource::<ReleasedModels>()
            .init_resource::<Plans>()
            .register_type::<ClassicModel>()
            // Scenes may contain only registered types.
            .register_type::<ManifestScene>()
            .add_observer(on_scene_ready)
            .add_observer(on_scene_removed)
            .add_observer(on_instance_ready)
            .add_observer(on_model_removed)
            .init_resource::<ClipChecks>()
            .add_observer(on_clips)
            .add_observer(on_events)
            .add_observer(on_model_ready)
            .add_systems(PostUpdate, check_clips)
            .add_systems(
                SpawnScene,
                // After `Update`, so that components that the user has set there are not overridden.
                (
                    update_warning_log::<ModelManifest>,
                    update_load_overrides,
                    release_models,
                    remove_stale_plans,
                    update_models,
                )
                    .chain()
                    .before(SceneSpawnerSystems::WorldInstanceSpawn),
            );
        register_unlabeled_loader::<ModelManifest>(app, EXTENSIONS.clone());
        app.preregister_asset_loader::<ManifestLoader>(&EXTENSIONS);
    }

    fn finish(&self, app: &mut App) {
        app.init_asset_loader::<ManifestLoader>();
    }
}
