//! What is seen where a picture is missing.

use crate::texture::picture::cube_view;
use bevy::asset::{Handle, RenderAssetUsages, uuid_handle};
use bevy::image::{Image, ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use serde::{Deserialize, Serialize};

/// The [`Placeholder::Checkers`] of materials whose picture is nowhere.
pub const PLACEHOLDER_IMAGE: Handle<Image> = uuid_handle!("5c1d8f63-7f0e-4a86-9b1c-2e5c3f7a90d4");

/// The same as a cube map.
pub const PLACEHOLDER_CUBE: Handle<Image> = uuid_handle!("0f2a7c95-33bb-4c1e-8d57-6a9be0d1c8f2");

const SIDE: u32 = 8;

/// What takes the place of a picture that cannot be loaded, by what the picture is for.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// A checkerboard of magenta and black, opaque: nothing that a game ever wore.
    Checkers,
    /// The same with an alpha of 0, where alpha is a mask and no opacity.
    Unmasked,
    /// Black, opaque: no light, no gloss.
    Black,
    /// The normal of a flat surface, with an alpha of 0.
    Flat,
}

impl Placeholder {
    /// The picture, of 8 × 8 texels.
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

    /// A cube map of six such pictures.
    pub fn cube(self) -> Image {
        let mut image = self.image();
        image.texture_descriptor.size.depth_or_array_layers = 6;
        image.texture_view_descriptor = Some(cube_view());
        image.data = image.data.map(|face| face.repeat(6));
        image
    }
}

/// Games' pictures are laid side by side without end, unless a material says otherwise.
pub(super) fn repeating(mut sampler: ImageSamplerDescriptor) -> ImageSamplerDescriptor {
    sampler.set_address_mode(ImageAddressMode::Repeat);
    sampler
}
