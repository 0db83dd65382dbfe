//! [`Format`]: what a model format provides so that its files are loaded, spawned and respawned; and [`ModelLoader`], the
//! loader of all formats.

use crate::load::error::ModelLoadError;
use crate::load::loading::{InvalidSetting, ModelLoad, ModelLoading};
use crate::load::overrides::LoaderOverride;
use crate::spawn::instance::ModelFormat;
use bevy::asset::io::Reader;
use bevy::asset::meta::Settings;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use bevy::reflect::GetTypeRegistration;
use bevy::tasks::ConditionalSendFuture;
use serde::{Deserialize, Serialize};

/// A format, implemented by the asset of its files. [`add_format`](crate::spawn::plugin::add_format) registers it.
pub trait Format: Asset + Sized {
    const FORMAT: ModelFormat;

    /// The path by which `.meta` files name the loader.
    const LOADER: &'static str;

    /// The settings of the loader.
    type Settings: Settings + Clone + Default + Serialize + for<'a> Deserialize<'a>;

    /// What the loader holds beside its extensions.
    type State: Send + Sync + 'static;

    /// The component that the scenes of the format have in their own world, on the entity below the root.
    type Scene: Component + Clone + GetTypeRegistration;

    /// The component on the root of a spawned model.
    type Instance: Component;

    /// The components that a root has only while it is a model of this format.
    type OnRoot: Bundle;

    /// Applies the overrides of manifests to settings, and checks the result.
    ///
    /// # Errors
    /// The first invalid setting.
    fn prepare(
        settings: &mut Self::Settings,
        overrides: &LoaderOverride,
    ) -> Result<(), InvalidSetting>;

    /// Makes the asset and its labeled assets from the bytes of a file. Also returns the images whose loads the end of this
    /// load waits for.
    fn load(
        loader: &ModelLoader<Self>,
        load: &ModelLoad<'_>,
        bytes: &[u8],
        settings: &Self::Settings,
        load_context: &mut LoadContext<'_>,
    ) -> impl ConditionalSendFuture<Output = Result<(Self, Vec<Handle<Image>>), ModelLoadError>>;

    /// The scene of a loaded model, or that of a member of a crowd. `None` if the model has none.
    fn scene(&self, is_crowd: bool) -> Option<&Handle<WorldAsset>>;

    /// Whether an instance was spawned from the model of a scene, and not from its state before a reload.
    fn is_model_of(scene: &Self::Scene, instance: &Self::Instance) -> bool;

    /// The distances at which the levels of detail after the finest begin, unless the root has
    /// [`LodDistances`](crate::root::LodDistances).
    fn lod_distances(_: &Self::Instance) -> &[f32] {
        &[]
    }
}

/// Loads the models of a format.
pub struct ModelLoader<F: Format> {
    pub(crate) loading: ModelLoading,
    pub(crate) extensions: Vec<String>,
    pub(crate) state: F::State,
}

impl<F: Format> TypePath for ModelLoader<F> {
    fn type_path() -> &'static str {
        F::LOADER
    }

    fn short_type_path() -> &'static str {
        F::LOADER.rsplit("::").next().unwrap_or_default()
    }
}

impl<F: Format> AssetLoader for ModelLoader<F> {
    type Asset = F;
    type Settings = F::Settings;
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &F::Settings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<F, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let mut settings = settings.clone();
        load.checked(F::prepare(&mut settings, load.overrides()))?;
        let bytes = load.read(reader).await?;
        let (asset, images) = F::load(self, &load, &bytes, &settings, load_context).await?;
        load.finish(load_context, images).await;
        Ok(asset)
    }
}
