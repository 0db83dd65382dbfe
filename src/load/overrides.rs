//! Overrides of loader settings by manifests, in addition to a model's `.meta` file.
//!
//! Bevy keeps one asset per path and drops the settings of a load when it reloads the file. Therefore loaders read the
//! overrides at the beginning of each load.

use bevy::asset::AssetPath;
use bevy::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Values that override the settings of one model's loader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoaderOverride {
    /// Folders to search for textures before those of the settings, from the root of the asset source.
    pub(crate) texture_folders: Vec<String>,
    /// Replaces the palette of the settings.
    pub(crate) palette: Option<AssetPath<'static>>,
    /// Replaces the palette index of holes.
    pub(crate) hole_index: Option<u8>,
    /// Replaces the setting that decides whether lights are loaded.
    pub(crate) load_lights: Option<bool>,
    /// Replaces the setting that decides whether a hidden bone hides what is connected to the bones below it.
    pub(crate) hidden_bones_hide_children: Option<bool>,
}

impl LoaderOverride {
    /// Inserts the override's folders before those of the settings.
    pub(crate) fn prepend_folders(&self, folders: &mut Vec<String>) {
        folders.splice(0..0, self.texture_folders.iter().cloned());
    }
}

/// Overrides of loader settings, keyed by the path of the model. Clones share one table.
#[derive(Resource, Clone, Default)]
pub(crate) struct LoaderOverrides(Arc<RwLock<HashMap<AssetPath<'static>, LoaderOverride>>>);

impl LoaderOverrides {
    /// The overrides of this app, for a loader.
    pub(crate) fn of(world: &World) -> Self {
        world.resource::<Self>().clone()
    }

    /// The overrides for a model; empty if there are none.
    pub(crate) fn get(&self, model: &AssetPath<'_>) -> LoaderOverride {
        let overrides = self.0.read().unwrap_or_else(PoisonError::into_inner);
        overrides.get(model).cloned().unwrap_or_default()
    }

    /// Replaces the overrides for a model. Returns whether they changed.
    pub(crate) fn set(&self, model: &AssetPath<'static>, value: LoaderOverride) -> bool {
        let mut overrides = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = if value == LoaderOverride::default() {
            overrides.remove(model)
        } else {
            overrides.insert(model.clone(), value.clone())
        };
        before.unwrap_or_default() != value
    }
}
