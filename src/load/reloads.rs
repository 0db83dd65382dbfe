//! Loads of models in use, which end when their textures are loaded; and whether assets of a spawned model are still loading.
//!
//! Plugins of materials and formats register the checks for their own components. A failed load is not a load: it never
//! ends by itself.

use crate::load::concurrent::RunningLoad;
use crate::load::labels::scene_path;
use crate::root::play::{ClipRef, ModelClips};
use bevy::asset::{AssetPath, LoadContext, LoadState, UntypedAssetId};
use bevy::prelude::*;

/// Delays the end of a load until the textures of a model in use are loaded. Each loader holds a clone.
#[derive(Resource, Clone)]
pub(crate) struct Reloads {
    server: AssetServer,
}

impl Reloads {
    /// The resource of this app, for a loader.
    pub(crate) fn of(world: &World) -> Self {
        world.resource::<Self>().clone()
    }

    /// Whether the scene of a model was loaded before.
    fn is_loaded(&self, model: &AssetPath<'static>) -> bool {
        let scene = self.server.get_handle::<WorldAsset>(scene_path(model));
        scene.is_some_and(|scene| self.server.is_loaded(&scene))
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
        if !self.is_loaded(load_context.path()) {
            return;
        }
        for image in images {
            // A failed texture does not prevent the model from being loaded.
            let _ = self.server.wait_for_asset(&image).await;
        }
    }
}

/// Registers the resource, and the checks that all formats share.
pub(crate) fn register(app: &mut App) {
    add_loading_check(app, is_named_clip_loading);
    let server = app.world().resource::<AssetServer>().clone();
    app.insert_resource(Reloads { server });
}

/// Returns whether an asset of an entity is loading.
type IsLoading = fn(&World, EntityRef<'_>) -> bool;

/// The registered checks.
#[derive(Resource, Default)]
pub(crate) struct LoadingChecks(Vec<IsLoading>);

impl LoadingChecks {
    /// Whether an asset is loading that an entity draws or plays. Entities below it are not considered.
    pub(crate) fn is_any_loading(&self, world: &World, entity: EntityRef<'_>) -> bool {
        let mut checks = self.0.iter();
        checks.any(|is_loading| is_loading(world, entity))
    }
}

/// Adds a check.
pub(crate) fn add_loading_check(app: &mut App, check: IsLoading) {
    let mut checks = app.world_mut().get_resource_or_init::<LoadingChecks>();
    checks.0.push(check);
}

/// Whether an asset is being loaded by the asset server.
pub(crate) fn is_asset_loading(server: &AssetServer, asset: impl Into<UntypedAssetId>) -> bool {
    let state = server.get_load_state(asset);
    matches!(state, Some(LoadState::NotLoaded | LoadState::Loading))
}

/// Whether a clip of [`ModelClips`] is loading.
fn is_named_clip_loading(world: &World, entity: EntityRef<'_>) -> bool {
    let (Some(clips), Some(server)) = (
        entity.get::<ModelClips>(),
        world.get_resource::<AssetServer>(),
    ) else {
        return false;
    };
    clips
        .0
        .iter()
        .any(|named| match named.clip.split_frames().0 {
            ClipRef::Handle(clip) => is_asset_loading(server, clip),
            _ => false,
        })
}
