//! The asset loader for `.ala` files: makes the [`Ala`] asset and its clip.

use crate::formats::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::formats::alamo::animation::clip::{clip_of, tracks};
use crate::formats::alamo::animation::curves::AlaCurves;
use crate::load::error::ModelLoadError;
use crate::load::loading::ModelLoading;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::reflect::TypePath;
use classic_model_formats::ala;

/// Loads Alamo animations as [`Ala`] assets.
#[derive(TypePath)]
#[type_path = "bevy_classic_models::alamo"]
pub struct AlaLoader {
    loading: ModelLoading,
}

impl AlaLoader {
    pub(crate) fn new(loading: ModelLoading) -> Self {
        Self { loading }
    }
}

impl AssetLoader for AlaLoader {
    type Asset = Ala;
    type Settings = ();
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<Ala, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let bytes = load.read(reader).await?;
        let file = load.parsed(ala::parse(&bytes))?;
        load.warn(&file.warnings);
        let curves = AlaCurves::new(&file);
        let clip = clip_of(&file, &curves);
        let clip = load_context.add_labeled_asset(AlaAssetLabel::Clip.to_string(), clip);
        let tracks = tracks(&file, &curves);
        Ok(Ala::new(file, tracks, clip))
    }
}
