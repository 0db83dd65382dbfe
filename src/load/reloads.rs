//! Loads of models in use, which end when their textures are loaded.

use crate::load::concurrent::RunningLoad;
use crate::load::labels::scene_paths;
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;
use core::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// Delays the end of a load until the textures of a model in use are loaded. Each loader holds a clone.
#[derive(Resource, Clone)]
pub(crate) struct Reloads {
    server: AssetServer,
    /// Scenes that are about to change.
    pending: Arc<Mutex<Vec<AssetId<WorldAsset>>>>,
}

impl Reloads {
    /// The resource of this app, for a loader.
    pub(crate) fn of(world: &World) -> Self {
        world.resource::<Self>().clone()
    }

    /// The scenes of a model that were loaded before.
    fn scenes(&self, model: &AssetPath<'static>) -> Vec<Handle<WorldAsset>> {
        let scenes = scene_paths(model).into_iter();
        let scenes = scenes.filter_map(|path| self.server.get_handle(path));
        scenes
            .filter(|scene| self.server.is_loaded(scene))
            .collect()
    }

    /// Call it at the end of a load. If the model is in use, waits until its textures are loaded or have failed.
    ///
    /// Bevy draws no material with a missing texture, so that the old model must stay until then.
    pub(crate) async fn finish(
        &self,
        load: &RunningLoad,
        load_context: &LoadContext<'_>,
        images: Vec<Handle<Image>>,
    ) {
        if load.is_processing() {
            return;
        }
        let scenes = self.scenes(load_context.path());
        if scenes.is_empty() {
            return;
        }
        for image in images {
            // A failed texture does not prevent the model from being loaded.
            let _ = self.server.wait_for_asset(&image).await;
        }
        self.pending().extend(scenes.iter().map(Handle::id));
    }

    pub(crate) fn pending(&self) -> impl DerefMut<Target = Vec<AssetId<WorldAsset>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Registers the resource.
pub(crate) fn register(app: &mut App) {
    let server = app.world().resource::<AssetServer>().clone();
    app.insert_resource(Reloads {
        server,
        pending: Arc::default(),
    });
}
