//! What is said about the loading of a model from elsewhere than its `.meta` file: by manifests.
//!
//! Bevy keeps one asset for a path, and forgets the settings of a load when the file is loaded again. So loaders
//! ask here at the begin of each load.

use bevy::asset::AssetPath;
use bevy::ecs::resource::Resource;
use bevy::ecs::world::World;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// What goes before a loader's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LoaderOverride {
    /// Folders to look for pictures in before those of the settings, from the root of the asset source.
    pub(crate) texture_folders: Vec<String>,
    /// The palette in the place of that of the settings.
    pub(crate) palette: Option<AssetPath<'static>>,
    /// Whether lights are loaded, in the place of what the settings say.
    pub(crate) load_lights: Option<bool>,
}

/// By the paths of models, what goes before the settings of their loaders. All clones are one.
#[derive(Resource, Clone, Default)]
pub(crate) struct LoaderOverrides(
    pub(crate) Arc<RwLock<HashMap<AssetPath<'static>, LoaderOverride>>>,
);

impl LoaderOverrides {
    /// For a loader of this app.
    pub(crate) fn of(world: &World) -> Self {
        world.resource::<Self>().clone()
    }
}
