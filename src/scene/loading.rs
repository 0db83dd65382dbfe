//! What the loaders of all model formats do alike: they apply overrides to settings, read the file, report errors and
//! warnings, and wait for textures at the end of a load.

use crate::read::{ParseError, Warning};
use crate::scene::concurrent_loads::RunningLoad;
use crate::scene::load_error::{ModelLoadError, gap};
use crate::scene::{FileFinder, FileSearch, LoadTracker, LoaderOverride, LoaderOverrides, Reloads};
use bevy::asset::io::Reader;
use bevy::asset::{AssetPath, Handle, LoadContext};
use bevy::ecs::world::World;
use bevy::image::Image;
use bevy::log::warn;
use core::hash::Hash;
use std::sync::PoisonError;

/// A setting that no model can be loaded with: see [`ModelLoadError::Setting`].
#[derive(Debug)]
pub(crate) struct BadSetting {
    setting: &'static str,
    value: f32,
    but: &'static str,
}

/// Refuses what is not a number above 0.
pub(crate) fn check_positive(setting: &'static str, value: f32) -> Result<(), BadSetting> {
    check(setting, value, value > 0.0, " above 0")
}

fn check(
    setting: &'static str,
    value: f32,
    is_good: bool,
    but: &'static str,
) -> Result<(), BadSetting> {
    match value.is_finite() && is_good {
        true => Ok(()),
        false => Err(BadSetting {
            setting,
            value,
            but,
        }),
    }
}

/// Settings of a model loader.
pub(crate) trait ModelSettings: Clone {
    /// Applies what manifests override.
    fn apply(&mut self, overrides: &LoaderOverride);

    /// Refuses values that no model can be loaded with.
    fn check(&self) -> Result<(), BadSetting>;
}

impl LoaderOverride {
    /// Puts the folders before those of the settings.
    pub(crate) fn prepend_folders(&self, folders: &mut Vec<String>) {
        folders.splice(0..0, self.texture_folders.iter().cloned());
    }
}

impl LoaderOverrides {
    /// What goes before the settings of a model.
    pub(crate) fn get(&self, model: &AssetPath<'_>) -> LoaderOverride {
        let overrides = self.0.read().unwrap_or_else(PoisonError::into_inner);
        overrides.get(model).cloned().unwrap_or_default()
    }
}

/// What every model loader needs of the app. Loaders keep one.
#[derive(Clone)]
pub(crate) struct ModelLoading {
    finder: FileFinder,
    tracker: LoadTracker,
    reloads: Reloads,
    overrides: LoaderOverrides,
}

impl ModelLoading {
    /// For a loader of this app.
    pub(crate) fn of(world: &World) -> Self {
        Self {
            finder: FileFinder::of(world),
            tracker: LoadTracker::of(world),
            reloads: Reloads::of(world),
            overrides: LoaderOverrides::of(world),
        }
    }

    /// Begins a load. To be called before the file is read.
    pub(crate) fn begin(&self, load_context: &LoadContext<'_>) -> ModelLoad<'_> {
        let running = self.tracker.begin(load_context);
        let overrides = self.overrides.get(load_context.path());
        running.reads(&overrides);
        ModelLoad {
            loading: self,
            running,
            overrides,
            path: load_context.path().to_string(),
        }
    }
}

/// One load of a model.
pub(crate) struct ModelLoad<'a> {
    loading: &'a ModelLoading,
    running: RunningLoad,
    overrides: LoaderOverride,
    path: String,
}

impl<'a> ModelLoad<'a> {
    /// The settings with what manifests override.
    ///
    /// # Errors
    /// [`ModelLoadError::Setting`].
    pub(crate) fn settings<S: ModelSettings>(&self, settings: &S) -> Result<S, ModelLoadError> {
        let mut settings = settings.clone();
        settings.apply(&self.overrides);
        match settings.check() {
            Ok(()) => Ok(settings),
            Err(bad) => Err(ModelLoadError::Setting {
                path: self.path.clone(),
                setting: bad.setting,
                value: bad.value,
                but: bad.but,
            }),
        }
    }

    /// What manifests override.
    #[cfg(feature = "quake")]
    pub(crate) fn overrides(&self) -> &LoaderOverride {
        &self.overrides
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`ModelLoadError::Io`].
    pub(crate) async fn read(&self, reader: &mut dyn Reader) -> Result<Vec<u8>, ModelLoadError> {
        let bytes = read(&self.path, reader).await?;
        self.reads(&bytes);
        Ok(bytes)
    }

    /// Notes further data that the result depends on.
    pub(crate) fn reads(&self, input: &impl Hash) {
        self.running.reads(input);
    }

    /// What a parser returned.
    ///
    /// # Errors
    /// [`ModelLoadError::Parse`].
    pub(crate) fn parsed<T>(&self, result: Result<T, ParseError>) -> Result<T, ModelLoadError> {
        parsed(&self.path, result)
    }

    /// Logs the flaws of the file.
    pub(crate) fn warn(&self, warnings: &[Warning]) {
        warn_of(&self.path, warnings);
    }

    /// Begins a search for files that the model names.
    pub(crate) fn search(&self) -> FileSearch<'a> {
        self.loading.finder.search_for(&self.running)
    }

    /// Ends the load. If the model is in use, waits until its textures are loaded or have failed.
    pub(crate) async fn finish(&self, load_context: &LoadContext<'_>, images: Vec<Handle<Image>>) {
        let reloads = &self.loading.reloads;
        reloads.finish(&self.running, load_context, images).await;
    }
}

/// The bytes of a file.
///
/// # Errors
/// [`ModelLoadError::Io`].
async fn read(path: &str, reader: &mut dyn Reader) -> Result<Vec<u8>, ModelLoadError> {
    let mut bytes = Vec::new();
    match reader.read_to_end(&mut bytes).await {
        Ok(_) => Ok(bytes),
        Err(source) => Err(ModelLoadError::Io {
            path: path.to_owned(),
            source,
        }),
    }
}

/// What the parser of a file returned.
///
/// # Errors
/// [`ModelLoadError::Parse`].
fn parsed<T>(path: &str, result: Result<T, ParseError>) -> Result<T, ModelLoadError> {
    result.map_err(|source| ModelLoadError::Parse {
        path: path.to_owned(),
        source,
    })
}

/// Logs the flaws of a file.
fn warn_of(path: &str, warnings: &[Warning]) {
    for warning in warnings {
        let gap = gap(warning.position);
        warn!("{path}:{gap}{warning}");
    }
}
