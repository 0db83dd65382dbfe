//! Whether assets of a spawned model are still loading, for code that works on any format.
//!
//! Plugins of materials and formats register the checks for their own components. A failed load is not a load: it never
//! ends by itself.

use crate::root::clip_ref::ClipRef;
use crate::root::clips::ModelClips;
use bevy::asset::{LoadState, UntypedAssetId};
use bevy::prelude::*;

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

/// Registers the checks that all formats share.
pub(crate) fn register(app: &mut App) {
    add_loading_check(app, is_named_clip_loading);
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
