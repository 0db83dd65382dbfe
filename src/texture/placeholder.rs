//! Placeholders of images that are missing or can't be decoded.

use crate::texture::decoded_image::cube_view;
use bevy::asset::{Handle, RenderAssetUsages, uuid_handle};
use bevy::image::{Image, ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use serde::{Deserialize, Serialize};

/// The image of [`Placeholder::Checkers`], for materials whose texture was not found.
pub const PLACEHOLDER_IMAGE: Handle<Image> = uuid_handle!("5c1d8f63-7f0e-4a86-9b1c-2e5c3f7a90d4");

/// The cube map of [`Placeholder::Checkers`].
pub const PLACEHOLDER_CUBE: Handle<Image> = uuid_handle!("0f2a7c95-33bb-4c1e-8d57-6a9be0d1c8f2");

const SIDE: u32 = 8;

/// The image that replaces one that can't be loaded. Which one fits depends on the use of the image.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Placeholder {
    /// An opaque checkerboard of magenta and black, easy to notice.
    Checkers,
    /// The same checkerboard with an alpha of 0, for images whose alpha is a mask instead of opacity.
    Unmasked,
    /// Opaque black: no emission, no specular reflection.
    Black,
    /// A normal map of a flat surface, with an alpha of 0.
    Flat,
}

impl Placeholder {
    /// The image, of 8 × 8 texels.
    pub fn image(self) -> Image {
        let is_light = |at: u32| (at % SIDE + at / SIDE).is_multiple_of(2);
        let texel = |at: u32| match self {
            Self::Checkers if is_light(at) => [255, 0, 255, 255],
            Self::Checkers | Self::Black => [0, 0, 0, 255],
            Self::Unmasked if is_light(at) => [255, 0, 255, 0],
            Self::Unmasked => [0; 4],
            Self::Flat => [128, 128, 255, 0],
        };
        let size = Extent3d {
            width: SIDE,
            height: SIDE,
            depth_or_array_layers: 1,
        };
        let format = match self {
            Self::Flat => TextureFormat::Rgba8Unorm,
            _ => TextureFormat::Rgba8UnormSrgb,
        };
        let mut image = Image::new(
            size,
            TextureDimension::D2,
            (0..SIDE * SIDE).flat_map(texel).collect(),
            format,
            RenderAssetUsages::default(),
        );
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

/// Sets the address mode to repeat, which is the games' default.
pub(super) fn repeating(mut sampler: ImageSamplerDescriptor) -> ImageSamplerDescriptor {
    sampler.set_address_mode(ImageAddressMode::Repeat);
    sampler
}
