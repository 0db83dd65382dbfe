//! [`ModelLoader`]: the asset loader of all formats.

use crate::load::error::ModelLoadError;
use crate::load::loading::ModelLoading;
use crate::spawn::format::Format;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::reflect::TypePath;

/// Loads the models of a format.
pub struct ModelLoader<F: Format> {
    pub(crate) loading: ModelLoading,
    pub(crate) extensions: Vec<&'static str>,
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
        let settings = load.settings(settings)?;
        let bytes = load.read(reader).await?;
        let (asset, images) = F::load(self, &load, &bytes, &settings, load_context).await?;
        load.finish(load_context, images).await;
        Ok(asset)
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}
