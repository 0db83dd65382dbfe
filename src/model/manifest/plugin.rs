//! Registers everything of this room with an app.

use super::claims::{Claims, follow_claims};
use super::classic_model::ClassicModel;
use super::document::ModelManifest;
use super::formats::FormatsByExtension;
use super::loader::{ManifestLoader, extensions};
use super::spawn::{
    ManifestScene, follow_manifests, on_model_removed, on_scene_ready, on_scene_removed,
};
use super::stand::on_instance_ready;
use crate::scene::FileFinder;
use crate::scene::follow_said;
use bevy::app::{App, Plugin, SceneSpawnerSystems, SpawnScene};
use bevy::asset::AssetApp;
use bevy::ecs::schedule::IntoScheduleConfigs;

/// Manifests, for the formats that an app has.
pub(crate) struct ManifestPlugin {
    pub(crate) formats: FormatsByExtension,
}

impl Plugin for ManifestPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<ModelManifest>()
            .insert_resource(self.formats.clone())
            .init_resource::<Claims>()
            .register_type::<ClassicModel>()
            // A scene may hold only what is registered.
            .register_type::<ManifestScene>()
            .add_observer(on_scene_ready)
            .add_observer(on_scene_removed)
            .add_observer(on_instance_ready)
            .add_observer(on_model_removed)
            .add_systems(
                SpawnScene,
                // Behind what `Update` did, so that it is known what the user has put on an entity.
                (
                    follow_said::<ModelManifest>,
                    follow_claims,
                    follow_manifests,
                )
                    .chain()
                    .before(SceneSpawnerSystems::WorldInstanceSpawn),
            );
        app.preregister_asset_loader::<ManifestLoader>(&extensions());
    }

    fn finish(&self, app: &mut App) {
        let finder = FileFinder::of(app.world());
        app.register_asset_loader(ManifestLoader::new(finder, self.formats.clone()));
    }
}
