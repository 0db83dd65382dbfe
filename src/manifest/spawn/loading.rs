//! Whether the files of a manifest are loading, and which attachments it has spawned.

use crate::load::checks::is_asset_loading;
use crate::manifest::classic_model::ClassicModel;
use crate::manifest::spawn::state::ModelState;
use bevy::asset::RecursiveDependencyLoadState;
use bevy::prelude::*;

/// Whether the [`ClassicModel`] of an entity is loading: its manifest, a file that the manifest names, or the model.
pub(crate) fn is_model_loading(world: &World, entity: EntityRef<'_>) -> bool {
    let (Some(ClassicModel(manifest)), Some(server)) = (
        entity.get::<ClassicModel>(),
        world.get_resource::<AssetServer>(),
    ) else {
        return false;
    };
    let has_loading_files = matches!(
        server.get_recursive_dependency_load_state(manifest),
        Some(RecursiveDependencyLoadState::Loading | RecursiveDependencyLoadState::NotLoaded)
    );
    has_loading_files
        || match entity.get::<ModelState>() {
            // The next frame starts the load.
            None => true,
            Some(state) if !state.is_waiting => false,
            Some(state) => match state
                .pending
                .as_ref()
                .and_then(|model| model.asset.as_ref())
            {
                // A loaded model is spawned in the next frame.
                Some(model) => server.is_loaded(model) || is_asset_loading(server, model),
                None => is_asset_loading(server, manifest),
            },
        }
}

/// The entities of the attachments that a manifest has spawned for a root.
pub(crate) fn manifest_attachments(root: EntityRef<'_>) -> Vec<Entity> {
    let state = root.get::<ModelState>();
    let attachments = state.map(|state| state.attachments.iter());
    let attachments = attachments.into_iter().flatten();
    attachments.map(|attachment| attachment.entity).collect()
}
