//! From the asset server's bytes to the [`Ala`] asset and its clip.

use crate::alamo::ala;
use crate::alamo::animation::asset::{Ala, AlaAssetLabel, AlaLoaderError};
use crate::alamo::animation::clip::clip;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::log::warn;
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
    type Error = AlaLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<Ala, AlaLoaderError> {
        let path = load_context.path().to_string();
        let mut bytes = Vec::new();
        if let Err(source) = reader.read_to_end(&mut bytes).await {
            return Err(AlaLoaderError::Io { path, source });
        }
        let file = match ala::parse(&bytes) {
            Ok(file) => file,
            Err(source) => return Err(AlaLoaderError::Parse { path, source }),
        };
        for warning in &file.warnings {
            warn!("{path}: {warning}");
        }
        let clip = load_context.add_labeled_asset(AlaAssetLabel::Clip.to_string(), clip(&file));
        Ok(Ala::new(file, clip))
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}
