//! The settings and errors of the image loader, and the file extensions that it loads.

use crate::load::names::has_extension;
use crate::texture::decoded_image::ImageDecodeError;
use crate::texture::placeholder::{Placeholder, repeating};
use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageLoader, ImageSampler, ImageSamplerDescriptor};
use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// File extensions that [`ClassicImageLoader`](crate::texture::ClassicImageLoader) loads.
pub(crate) const EXTENSIONS: &[&str] = &["dds", "tga", "dtx"];

/// Settings of [`ClassicImageLoader`](crate::texture::ClassicImageLoader), from code or from a `.meta` file.
///
/// New versions may add fields: end a literal with `..default()`.
///
/// Bevy keeps one image per path, so the settings of the first load apply. They also apply if the file is
/// loaded again for a labeled image such as `Glow`.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ClassicImageSettings {
    /// Whether texels are sRGB colors. On by default; turn it off for normal maps and masks.
    pub is_srgb: bool,
    /// The sampler. By default it repeats and filters linearly.
    pub sampler: ImageSampler,
    /// Where the image is kept: main world, render world or both. Both by default.
    pub asset_usage: RenderAssetUsages,
    /// The replacement for an image that can't be decoded, so that models with it are drawn. The error is
    /// logged. `None` by default: the load fails.
    ///
    /// If a reload can't decode the file, it fails in any case, so that Bevy keeps the last valid image
    /// while the file is being edited.
    pub placeholder: Option<Placeholder>,
    /// Whether to reject cube maps. Off by default. Turn it on for images that a shader binds as 2D
    /// textures: wgpu would abort the app over a cube map.
    pub flat: bool,
    /// Whether the image is a sky cube of the Alamo games, to be used as an `EnvironmentMapLight` of Bevy. It is turned
    /// to the axes of models with [`BevySpace`](crate::root::BevySpace), and decoded to `Rgba8`. Other images than cube
    /// maps are errors. Off by default.
    pub is_sky_cube: bool,
}

impl Default for ClassicImageSettings {
    fn default() -> Self {
        Self {
            is_srgb: true,
            sampler: ImageSampler::Descriptor(repeating(ImageSamplerDescriptor::linear())),
            asset_usage: RenderAssetUsages::default(),
            placeholder: None,
            flat: false,
            is_sky_cube: false,
        }
    }
}

/// Why an image could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClassicImageError {
    /// The file could not be read.
    #[error("{path}: could not be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// The error of the asset source.
        source: std::io::Error,
    },
    /// The file is not an image, is invalid, or has an unsupported format.
    #[error("{path}: {source}")]
    Decode {
        /// The asset's path.
        path: String,
        /// The cause.
        source: ImageDecodeError,
    },
}

/// Whether [`ClassicImageLoader`](crate::texture::ClassicImageLoader) loads a file. By its extension, ignoring case.
pub(crate) fn is_classic_image(path: &Path) -> bool {
    has_extension(path, EXTENSIONS)
}

/// Whether a file has an emissive image with a label. By its extension, ignoring case.
pub(crate) fn has_glow_label(path: &Path) -> bool {
    has_extension(path, &["dtx"])
}

/// Whether Bevy's image loader loads a file. By its extension. Other loaders have other settings.
pub(crate) fn is_loaded_by_bevy(path: &Path) -> bool {
    has_extension(path, ImageLoader::SUPPORTED_FILE_EXTENSIONS)
}
