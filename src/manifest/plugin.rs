//! Registers this module's assets, loaders and systems.

use crate::load::labels::{UnlabeledScenes, register_unlabeled_loader, reserve_extensions};
use crate::load::warnings::update_warning_log;
use crate::manifest::apply::models::{
    ManifestScene, manifest_scene, on_model_removed, on_model_scene_removed, on_scene_ready,
    on_scene_removed, update_models,
};
use crate::manifest::apply::overrides::{ManifestOverrides, update_manifest_overrides};
use crate::manifest::apply::space::{self, update_scenes};
use crate::manifest::apply::state::{Plans, remove_stale_plans};
use crate::manifest::check::clips::{
    ClipChecks, check_clips, on_clips, on_events, on_model_spawned,
};
use crate::manifest::classic_model::ClassicModel;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::loader::{EXTENSION, ManifestLoader};
use crate::manifest::ready::{UnreadyModels, on_instance_inserted, send_ready};
use crate::root::environment::ClassicModelsSystems;
use crate::spawn::attach::update_attachments;
use crate::spawn::formats::ModelFormats;
use crate::spawn::render_layers::propagate_layers;
use bevy::app::SceneSpawnerSystems;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;

/// Manifests and [`ClassicModel`]. Must be added before the plugins of the formats.
pub(crate) struct ManifestPlugin;

impl Plugin for ManifestPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<ModelManifest>()
            .init_resource::<ModelFormats>()
            .insert_resource(UnlabeledScenes(manifest_scene))
            .init_resource::<ManifestOverrides>()
            .init_resource::<Plans>()
            .register_type::<ClassicModel>()
            // A scene can only contain registered types.
            .register_type::<ManifestScene>()
            .add_observer(on_scene_ready)
            .add_observer(on_model_scene_removed)
            .add_observer(on_scene_removed)
            .add_observer(space::on_instance_inserted)
            .add_observer(on_model_removed)
            .init_resource::<ClipChecks>()
            .add_observer(on_clips)
            .add_observer(on_events)
            .add_observer(on_model_spawned)
            .init_resource::<UnreadyModels>()
            .add_observer(on_instance_inserted)
            .add_systems(
                PostUpdate,
                (
                    check_clips,
                    update_scenes
                        .after(propagate_layers)
                        .before(TransformSystems::Propagate)
                        .before(VisibilitySystems::CalculateBounds),
                    send_ready
                        .after(ClassicModelsSystems::Appearance)
                        .after(ClassicModelsSystems::Crowds)
                        .after(update_attachments)
                        .before(TransformSystems::Propagate)
                        .before(VisibilitySystems::VisibilityPropagate),
                ),
            )
            .add_systems(
                SpawnScene,
                // After `Update`, so that components that the user has set there are not overridden.
                (
                    update_warning_log::<ModelManifest>,
                    update_manifest_overrides,
                    remove_stale_plans,
                    update_models,
                )
                    .chain()
                    .before(SceneSpawnerSystems::WorldInstanceSpawn),
            );
        register_unlabeled_loader::<ModelManifest>(app, &[EXTENSION.to_owned()]);
        reserve_extensions::<ManifestLoader>(app, &[EXTENSION]);
    }

    fn finish(&self, app: &mut App) {
        app.init_asset_loader::<ManifestLoader>();
    }
}
