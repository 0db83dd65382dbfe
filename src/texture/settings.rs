//! How a picture is loaded, which loader loads it, and why it could not be loaded.

use crate::scene::has_extension;
use crate::texture::picture::PictureError;
use crate::texture::placeholder::{Placeholder, repeating};
use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageLoader, ImageSampler, ImageSamplerDescriptor};
use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// Extensions of the pictures that [`ClassicImageLoader`](super::ClassicImageLoader) loads.
pub(super) const EXTENSIONS: &[&str] = &[
    "dds",
    "tga",
    #[cfg(feature = "lithtech")]
    "dtx",
];

/// How [`ClassicImageLoader`](super::ClassicImageLoader) loads a file, from code or from its `.meta` file.
///
/// Bevy keeps one image per path: the settings of the first load count. They also count when the file is
/// loaded once more for the sake of a label such as `Glow`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ClassicImageSettings {
    /// Whether the texels are colours to look at. On by default; off for normals and masks.
    pub is_srgb: bool,
    /// How the picture is sampled. It repeats and is filtered linearly by default.
    pub sampler: ImageSampler,
    /// Where the picture is kept. In both worlds by default.
    pub asset_usage: RenderAssetUsages,
    /// What a picture that cannot be decoded becomes, with an error in the log, so that a model which
    /// wears it is drawn all the same. Nothing by default: the load fails.
    ///
    /// A picture that was loaded before fails in any case when it is loaded again, so that Bevy
    /// keeps the last good one while somebody saves the next.
    pub placeholder: Option<Placeholder>,
    /// Whether cube maps are refused: whoever draws flat pictures must not be given one, over which
    /// the adapter would end the app. Off by default.
    pub flat: bool,
}

impl Default for ClassicImageSettings {
    fn default() -> Self {
        Self {
            is_srgb: true,
            sampler: ImageSampler::Descriptor(repeating(ImageSamplerDescriptor::linear())),
            asset_usage: RenderAssetUsages::default(),
            placeholder: None,
            flat: false,
        }
    }
}

/// Why a picture could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClassicImageError {
    /// The file could not be read.
    #[error("{path}: could not be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// What the source said.
        source: std::io::Error,
    },
    /// The file is not a picture, or a broken one, or of no use here.
    #[error("{path}: {source}")]
    Picture {
        /// The asset's path.
        path: String,
        /// Why.
        source: PictureError,
    },
}

/// Whether a file is one that [`ClassicImageLoader`](super::ClassicImageLoader) loads, by its extension in any case.
pub(super) fn is_classic_picture(path: &Path) -> bool {
    has_extension(path, EXTENSIONS)
}

/// Whether Bevy's image loader loads a file. Others have settings of their own.
pub(super) fn is_loaded_by_bevy(path: &Path) -> bool {
    has_extension(path, ImageLoader::SUPPORTED_FILE_EXTENSIONS)
}
