//! Textures that hold vertex data for the deform shader.

use bevy::asset::RenderAssetUsages;
use bevy::image::Image;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};

/// Side of a texture, in texels, that every supported adapter can create.
pub(crate) const MAX_SIDE: usize = 2048;

/// Texels of the largest data texture.
pub(crate) const MAX_TEXELS: usize = MAX_SIDE * MAX_SIDE;

/// Width and height of the smallest data texture with at least this many texels.
pub(crate) fn texture_size(texels: usize) -> [usize; 2] {
    let width = texels.clamp(1, MAX_SIDE);
    [width, texels.div_ceil(width).max(1)]
}

/// Makes a data texture of texels of four `u16` each, padded with zeros. There must be at least one texel, and at most
/// [`MAX_TEXELS`].
pub(crate) fn data_image(mut texels: Vec<u8>, usage: RenderAssetUsages) -> Image {
    const TEXEL: usize = size_of::<[u16; 4]>();
    let [width, height] = texture_size(texels.len() / TEXEL);
    texels.resize(width * height * TEXEL, 0);
    Image::new(
        Extent3d {
            width: width as u32,
            height: height as u32,
            depth_or_array_layers: 1,
        },
        TextureDimension::D2,
        texels,
        TextureFormat::Rgba16Uint,
        usage,
    )
}
