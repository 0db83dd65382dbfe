//! Textures with the data of vertices that deform, which only the shader understands.

use bevy::asset::RenderAssetUsages;
use bevy::image::Image;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};

/// Longest side of a texture that every adapter can do.
pub(super) const SIDE: usize = 2048;

/// The most texels that such a picture has room for.
pub(super) const MOST_TEXELS: usize = SIDE * SIDE;

/// Texels across and down of a picture that has room for so many.
pub(super) fn texture_size(texels: usize) -> [usize; 2] {
    let width = texels.clamp(1, SIDE);
    [width, texels.div_ceil(width).max(1)]
}

/// What vertices do as a picture that only the shader understands. There must be some texels, and no
/// more than [`MOST_TEXELS`].
pub(super) fn data_image(mut texels: Vec<u8>) -> Image {
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
        RenderAssetUsages::RENDER_WORLD,
    )
}
