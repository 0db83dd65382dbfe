//! What is seen where a picture is missing.

use bevy::asset::{Handle, RenderAssetUsages, uuid_handle};
use bevy::image::{Image, ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};

/// The [`placeholder`] of materials whose picture is nowhere.
pub const PLACEHOLDER_IMAGE: Handle<Image> = uuid_handle!("5c1d8f63-7f0e-4a86-9b1c-2e5c3f7a90d4");

const SIDE: u32 = 8;

/// A checkerboard of magenta and black, 8 × 8, opaque: nothing that a game ever wore.
pub fn placeholder() -> Image {
    let texel = |at: u32| {
        let is_magenta = (at % SIDE + at / SIDE).is_multiple_of(2);
        if is_magenta {
            [255, 0, 255, 255]
        } else {
            [0, 0, 0, 255]
        }
    };
    let size = Extent3d {
        width: SIDE,
        height: SIDE,
        depth_or_array_layers: 1,
    };
    let mut image = Image::new(
        size,
        TextureDimension::D2,
        (0..SIDE * SIDE).flat_map(texel).collect(),
        TextureFormat::Rgba8UnormSrgb,
        RenderAssetUsages::default(),
    );
    image.sampler = ImageSampler::Descriptor(repeating(ImageSamplerDescriptor::nearest()));
    image
}

/// Games' pictures are laid side by side without end, unless a material says otherwise.
pub(super) fn repeating(mut sampler: ImageSamplerDescriptor) -> ImageSamplerDescriptor {
    sampler.set_address_mode(ImageAddressMode::Repeat);
    sampler
}
