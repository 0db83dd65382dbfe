//! From the asset server's bytes to the [`Ala`] asset and its clip.

use crate::alamo::ala;
use crate::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::alamo::animation::clip::clip;
use crate::scene::{ModelLoadError, parsed, read, warn_of};
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::reflect::TypePath;

/// Loads Alamo animations: see [`Ala`] for what becomes of them.
#[derive(TypePath)]
pub struct AlaLoader {
    extensions: Vec<&'static str>,
}

impl AlaLoader {
    pub(super) fn new(extensions: Vec<&'static str>) -> Self {
        Self { extensions }
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
        let path = load_context.path().to_string();
        let bytes = read(&path, reader).await?;
        let file = parsed(&path, ala::parse(&bytes))?;
        warn_of(&path, &file.warnings);
        let clip = load_context.add_labeled_asset(AlaAssetLabel::Clip.to_string(), clip(&file));
        Ok(Ala::new(file, clip))
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}
