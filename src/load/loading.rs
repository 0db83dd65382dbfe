//! Steps that the loaders of all model formats share: apply overrides to settings, read the file, report errors and
//! warnings, and wait for textures at the end of a load.
//!
//! Overrides are those of manifests. Bevy keeps one asset per path and drops the settings of a load when it reloads the file.
//! Therefore loaders read the overrides at the beginning of each load.

use crate::load::concurrent::{LoadTracker, RunningLoad};
use crate::load::error::{ModelLoadError, separator};
use crate::load::find::{FileFinder, FileSearch};
use crate::load::reloads::Reloads;
use bevy::asset::io::Reader;
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;
use classic_model_formats::read::{ParseError, Warning};
use core::hash::Hash;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

/// A setting with an invalid value: see [`ModelLoadError::Setting`].
#[derive(Debug)]
pub struct InvalidSetting {
    setting: &'static str,
    value: f32,
}

/// Requires a finite number above 0.
pub(crate) fn check_positive(setting: &'static str, value: f32) -> Result<(), InvalidSetting> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(InvalidSetting { setting, value })
    }
}

/// The resources of the app that model loaders use. Each loader holds one.
#[derive(Clone)]
pub(crate) struct ModelLoading {
    finder: FileFinder,
    tracker: LoadTracker,
    reloads: Reloads,
    overrides: LoaderOverrides,
}

impl ModelLoading {
    /// Clones the resources of this app, for a loader.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            finder: FileFinder::of(world),
            tracker: LoadTracker::of(world),
            reloads: Reloads::of(world),
            overrides: LoaderOverrides::of(world),
        }
    }

    /// Begins a load. Call it before the file is read.
    pub(crate) fn begin(&self, load_context: &LoadContext<'_>) -> ModelLoad<'_> {
        let running = self.tracker.begin(load_context);
        let overrides = self.overrides.get(load_context.path());
        running.add_input(&overrides);
        ModelLoad {
            loading: self,
            running,
            overrides,
            path: load_context.path().to_string(),
        }
    }
}

/// A running load of a model.
pub struct ModelLoad<'a> {
    loading: &'a ModelLoading,
    running: RunningLoad,
    overrides: LoaderOverride,
    path: String,
}

impl<'a> ModelLoad<'a> {
    /// Adds the path of the file to an invalid setting.
    ///
    /// # Errors
    /// [`ModelLoadError::Setting`].
    pub(crate) fn checked(&self, result: Result<(), InvalidSetting>) -> Result<(), ModelLoadError> {
        result.map_err(|invalid| ModelLoadError::Setting {
            path: self.path.clone(),
            setting: invalid.setting,
            value: invalid.value,
        })
    }

    /// The overrides of manifests.
    pub(crate) fn overrides(&self) -> &LoaderOverride {
        &self.overrides
    }

    /// Reads the file.
    ///
    /// # Errors
    /// [`ModelLoadError::Io`].
    pub(crate) async fn read(&self, reader: &mut dyn Reader) -> Result<Vec<u8>, ModelLoadError> {
        let mut bytes = Vec::new();
        if let Err(source) = reader.read_to_end(&mut bytes).await {
            let path = self.path.clone();
            return Err(ModelLoadError::Io { path, source });
        }
        self.add_input(&bytes);
        Ok(bytes)
    }

    /// Records additional data that the result depends on.
    pub(crate) fn add_input(&self, input: &impl Hash) {
        self.running.add_input(input);
    }

    /// Adds the path of the file to the error of a parser.
    ///
    /// # Errors
    /// [`ModelLoadError::Parse`].
    pub(crate) fn parsed<T>(&self, result: Result<T, ParseError>) -> Result<T, ModelLoadError> {
        result.map_err(|source| ModelLoadError::Parse {
            path: self.path.clone(),
            source,
        })
    }

    /// Logs the warnings about the file.
    pub(crate) fn warn(&self, warnings: &[Warning]) {
        for warning in warnings {
            let separator = separator(warning.position);
            warn!("{}:{separator}{warning}", self.path);
        }
    }

    /// Begins a search for files that the model names.
    pub(crate) fn search(&self) -> FileSearch<'a> {
        self.loading.finder.search_for(&self.running)
    }

    /// Ends the load. If the model is already in use, waits until all its textures are loaded or have failed.
    pub(crate) async fn finish(&self, load_context: &LoadContext<'_>, images: Vec<Handle<Image>>) {
        let reloads = &self.loading.reloads;
        reloads.finish(&self.running, load_context, images).await;
    }
}

/// Values that override the settings of one model's loader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoaderOverride {
    /// Folders to search for textures before those of the settings, from the root of the asset source.
    pub(crate) texture_folders: Vec<String>,
    /// Replaces the palette of the settings.
    pub(crate) palette: Option<AssetPath<'static>>,
    /// Replaces the palette index of holes.
    pub(crate) hole_index: Option<u8>,
    /// Replaces the setting that decides whether images replace skins.
    pub(crate) external_skins: Option<bool>,
    /// Replaces the setting that decides whether lights are loaded.
    pub(crate) load_lights: Option<bool>,
    /// Replaces the setting that decides whether a hidden bone hides what is connected to the bones below it.
    pub(crate) hidden_bones_hide_children: Option<bool>,
    /// Replaces the names of bones in clips of other models, unless it is empty.
    pub(crate) clip_bones: BTreeMap<String, String>,
}

impl LoaderOverride {
    /// Replaces the names of bones in clips of other models.
    pub(crate) fn set_clip_bones(&self, names: &mut BTreeMap<String, String>) {
        if !self.clip_bones.is_empty() {
            names.clone_from(&self.clip_bones);
        }
    }

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

/// Registers images as assets in apps without Bevy's `ImagePlugin`, such as servers. Models contain images, and Bevy
/// panics on assets of an unregistered type.
///
/// Call it in `Plugin::finish`: until then, the app may still add the plugin.
pub(crate) fn ensure_images(app: &mut App) {
    if !app.world().contains_resource::<Assets<Image>>() {
        app.init_asset::<Image>();
    }
}

/// Inserts an image with a fixed handle. Call it in `Plugin::finish`.
pub(crate) fn insert_image(app: &mut App, handle: &Handle<Image>, image: Image) {
    ensure_images(app);
    let mut images = app.world_mut().resource_mut::<Assets<Image>>();
    if let Err(error) = images.insert(handle, image) {
        error!("built-in image {handle:?} could not be inserted: {error}");
    }
}
