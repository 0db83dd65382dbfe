//! Placeholders of images that are missing or can't be decoded.

use crate::texture::decoded_image::cube_view;
use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::image::{ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy::render::texture::GpuImage;
use serde::{Deserialize, Serialize};

/// The image of [`Placeholder::Checkers`], for materials whose texture was not found.
pub const PLACEHOLDER_IMAGE: Handle<Image> = uuid_handle!("5c1d8f63-7f0e-4a86-9b1c-2e5c3f7a90d4");

/// The image of [`Placeholder::Outline`].
pub const PLACEHOLDER_OUTLINE: Handle<Image> = uuid_handle!("5d0f6a63-9a0e-4b0a-8c41-1d2f3c7b9e52");

/// The cube map of [`Placeholder::Checkers`].
pub const PLACEHOLDER_CUBE: Handle<Image> = uuid_handle!("0f2a7c95-33bb-4c1e-8d57-6a9be0d1c8f2");

/// The label of placeholders on the GPU.
const LABEL: &str = "placeholder";

/// The image that replaces one that can't be loaded. Which one fits depends on the use of the image.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placeholder {
    /// An opaque checkerboard of magenta and black, easy to notice.
    Checkers,
    /// The same checkerboard with an alpha of 0, for images whose alpha is a mask instead of opacity.
    Unmasked,
    /// A thin magenta line along the edge, on black with an alpha of 0: for images that are added to the background or
    /// blended with it, so that a missing one does not hide anything.
    Outline,
    /// Opaque black: no emission, no specular reflection.
    Black,
    /// A normal map of a flat surface, with an alpha of 0.
    Flat,
}

impl Placeholder {
    /// The image, of 8 × 8 texels; of the outline, 32 × 32.
    pub fn image(self) -> Image {
        let side = match self {
            Self::Outline => 32,
            _ => 8,
        };
        let is_light = |at: u32| (at % side + at / side).is_multiple_of(2);
        let is_edge = |at: u32| {
            [at % side, at / side]
                .iter()
                .any(|it| *it == 0 || *it == side - 1)
        };
        let texel = |at: u32| match self {
            Self::Checkers if is_light(at) => [255, 0, 255, 255],
            Self::Outline if is_edge(at) => [255, 0, 255, 255],
            Self::Checkers | Self::Black => [0, 0, 0, 255],
            Self::Unmasked if is_light(at) => [255, 0, 255, 0],
            Self::Unmasked | Self::Outline => [0; 4],
            Self::Flat => [128, 128, 255, 0],
        };
        let size = Extent3d {
            width: side,
            height: side,
            depth_or_array_layers: 1,
        };
        let format = match self {
            Self::Flat => TextureFormat::Rgba8Unorm,
            _ => TextureFormat::Rgba8UnormSrgb,
        };
        let mut image = Image::new(
            size,
            TextureDimension::D2,
            (0..side * side).flat_map(texel).collect(),
            format,
            RenderAssetUsages::default(),
        );
        image.texture_descriptor.label = Some(LABEL);
        image.sampler = ImageSampler::Descriptor(repeating(ImageSamplerDescriptor::nearest()));
        image
    }

    /// A cube map whose six faces are [`image`](Self::image).
    pub fn cube(self) -> Image {
        let mut image = self.image();
        image.texture_descriptor.size.depth_or_array_layers = 6;
        image.texture_view_descriptor = Some(cube_view());
        image.data = image.data.map(|face| face.repeat(6));
        image
    }
}

/// Whether an image on the GPU is a placeholder.
pub(crate) fn is_placeholder(image: &GpuImage) -> bool {
    image.texture_descriptor.label == Some(LABEL)
}

/// Sets the address mode to repeat, which is the games' default.
pub(crate) fn repeating(mut sampler: ImageSamplerDescriptor) -> ImageSamplerDescriptor {
    sampler.set_address_mode(ImageAddressMode::Repeat);
    sampler
}
