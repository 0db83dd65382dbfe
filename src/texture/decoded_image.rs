//! A decoded image file, before it becomes an asset.

use bevy::asset::RenderAssetUsages;
use bevy::image::{CompressedImageFormats, Image, ImageSampler};
use bevy::render::render_resource::{
    Extent3d, TextureDimension, TextureFormat, TextureUsages, TextureViewDescriptor,
    TextureViewDimension,
};
use classic_model_formats::read::ParseError;
use thiserror::Error;

/// Why an image can't be decoded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImageDecodeError {
    /// The DDS header or data is invalid, or the format is not supported.
    #[error("DDS: {0}")]
    Dds(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The DTX header or data is invalid, or the version is not supported.
    #[error(transparent)]
    Dtx(#[from] ParseError),
    /// The TGA header or data is invalid.
    #[error("TGA: {0}")]
    Tga(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file is an image of another format, such as PNG, that is invalid or that the app does not decode.
    #[error("{format}: {source}")]
    Other {
        /// The name of the format, such as `PNG`.
        format: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file is empty, or has no known image format.
    #[error("the file {what}")]
    NotAnImage {
        /// What the file is, as a clause such as `is empty`.
        what: String,
    },
    /// The content of the file is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// The unsupported content.
        what: String,
    },
    /// The width or height is 0, or greater than the GPU's limit.
    #[error("the image size is {width} × {height}, expected sides from 1 to {max}")]
    Size {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// The greatest width or height that the GPU supports.
        max: u32,
    },
    /// The file ends before the image does.
    #[error("the image size is {width} × {height}, too large for the {bytes} bytes of the file")]
    TooShort {
        /// Width in texels.
        width: u32,
        /// Height in texels.
        height: u32,
        /// Length of the file in bytes.
        bytes: usize,
    },
}

/// The capabilities of the GPU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The greatest width or height of a texture, in texels.
    pub max_side: u32,
    /// The compressed formats that it can sample.
    pub compressed: CompressedImageFormats,
}

impl Limits {
    pub fn check(self, width: u32, height: u32) -> Result<(), ImageDecodeError> {
        let max = self.max_side;
        let allowed = 1..=max;
        if allowed.contains(&width) && allowed.contains(&height) {
            return Ok(());
        }
        Err(ImageDecodeError::Size { width, height, max })
    }

    /// Whether the GPU can sample an image of this size in the formats BC1 to BC7.
    pub fn supports_blocks(self, width: u32, height: u32) -> bool {
        let is_aligned = width.is_multiple_of(4) && height.is_multiple_of(4);
        is_aligned && self.compressed.contains(CompressedImageFormats::BC)
    }
}

/// The texel format of a [`DecodedImage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TexelFormat {
    Rgba8,
    Bc1,
    Bc2,
    Bc3,
    Bc7,
}

impl TexelFormat {
    fn texture_format(self, is_srgb: bool) -> TextureFormat {
        let (srgb, linear) = match self {
            Self::Rgba8 => (TextureFormat::Rgba8UnormSrgb, TextureFormat::Rgba8Unorm),
            Self::Bc1 => (TextureFormat::Bc1RgbaUnormSrgb, TextureFormat::Bc1RgbaUnorm),
            Self::Bc2 => (TextureFormat::Bc2RgbaUnormSrgb, TextureFormat::Bc2RgbaUnorm),
            Self::Bc3 => (TextureFormat::Bc3RgbaUnormSrgb, TextureFormat::Bc3RgbaUnorm),
            Self::Bc7 => (TextureFormat::Bc7RgbaUnormSrgb, TextureFormat::Bc7RgbaUnorm),
        };
        if is_srgb { srgb } else { linear }
    }

    /// Size of a mip level in bytes.
    pub fn length(self, width: u32, height: u32) -> usize {
        let blocks = (width.div_ceil(4) as usize) * (height.div_ceil(4) as usize);
        match self {
            Self::Rgba8 => width as usize * height as usize * 4,
            Self::Bc1 => blocks * 8,
            Self::Bc2 | Self::Bc3 | Self::Bc7 => blocks * 16,
        }
    }
}

/// An image in a format that the GPU supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodedImage {
    pub width: u32,
    pub height: u32,
    /// Whether the image is a cube map: six square faces in the order +X, −X, +Y, −Y, +Z, −Z.
    pub is_cube: bool,
    /// The count of mip levels per face, at least 1.
    pub levels: u32,
    pub format: TexelFormat,
    /// The texels of each face, its mip levels from the largest to the smallest.
    pub data: Vec<u8>,
}

impl DecodedImage {
    /// The bytes of each face.
    pub fn faces(&self) -> impl Iterator<Item = &[u8]> {
        let count = if self.is_cube { 6 } else { 1 };
        self.data.chunks_exact((self.data.len() / count).max(1))
    }

    /// Checks whether the image is a cube map or a 2D texture, as given.
    pub fn check_dimension(&self, is_cube: bool) -> Result<(), ImageDecodeError> {
        if self.is_cube == is_cube {
            return Ok(());
        }
        let what = if is_cube {
            "a 2D texture in place of a cube map"
        } else {
            "a cube map in place of a 2D texture"
        };
        Err(ImageDecodeError::Unsupported { what: what.into() })
    }

    pub fn into_image(
        self,
        is_srgb: bool,
        sampler: ImageSampler,
        asset_usage: RenderAssetUsages,
    ) -> Image {
        let size = Extent3d {
            width: self.width,
            height: self.height,
            depth_or_array_layers: if self.is_cube { 6 } else { 1 },
        };
        let format = self.format.texture_format(is_srgb);
        // Not `Image::new`, which expects one level.
        let mut image = Image::new_uninit(size, TextureDimension::D2, format, asset_usage);
        image.texture_descriptor.mip_level_count = self.levels;
        if self.levels > 1 {
            // Without `COPY_DST`, Bevy creates a new texture when the image changes. With it, Bevy copies
            // only the largest level, since https://github.com/bevyengine/bevy/pull/22552
            image.texture_descriptor.usage -= TextureUsages::COPY_DST;
        }
        image.texture_view_descriptor = self.is_cube.then(cube_view);
        image.sampler = sampler;
        image.data = Some(self.data);
        image
    }
}

/// The texture view of a cube map.
pub(crate) fn cube_view() -> TextureViewDescriptor<'static> {
    TextureViewDescriptor {
        dimension: Some(TextureViewDimension::Cube),
        ..TextureViewDescriptor::default()
    }
}
