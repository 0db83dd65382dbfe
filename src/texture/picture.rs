//! A picture out of its file, before it becomes an asset.

use crate::read::ParseError;
use bevy::asset::RenderAssetUsages;
use bevy::image::{CompressedImageFormats, Image, ImageSampler};
use bevy::render::render_resource::{
    Extent3d, TextureDimension, TextureFormat, TextureUsages, TextureViewDescriptor,
    TextureViewDimension,
};
use thiserror::Error;

/// Why a picture cannot be decoded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The DDS header or data is broken, or of a form that nobody decodes.
    #[error("DDS: {0}")]
    Dds(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The DTX header or data is broken, or of a version that is not read.
    #[error(transparent)]
    Dtx(#[from] ParseError),
    /// The TGA header or data is broken, or the file is none of the kinds that are known.
    #[error("TGA: {0}")]
    Tga(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file may be sound, but this crate has no use for what it holds.
    #[error("{what} is not supported")]
    Unsupported {
        /// What the file holds.
        what: String,
    },
    /// A side is 0, or longer than the adapter can do.
    #[error("the picture is {width} × {height}, but sides must be from 1 to {max}")]
    Size {
        /// Texels across.
        width: u32,
        /// Texels down.
        height: u32,
        /// The longest side that the adapter can do.
        max: u32,
    },
    /// The file ends before the picture does.
    #[error("the picture is {width} × {height}, more than the {bytes} bytes of the file hold")]
    TooShort {
        /// Texels across.
        width: u32,
        /// Texels down.
        height: u32,
        /// Length of the file.
        bytes: usize,
    },
}

/// What the adapter can do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Longest side of a texture.
    pub max_side: u32,
    /// Formats that it samples as they are in the file.
    pub compressed: CompressedImageFormats,
}

impl Limits {
    pub fn check(self, width: u32, height: u32) -> Result<(), PictureError> {
        let max = self.max_side;
        let possible = 1..=max;
        if possible.contains(&width) && possible.contains(&height) {
            return Ok(());
        }
        Err(PictureError::Size { width, height, max })
    }

    /// Whether the adapter samples a picture of this size in blocks of BC1 to BC7.
    pub fn take_blocks(self, width: u32, height: u32) -> bool {
        let are_whole = width.is_multiple_of(4) && height.is_multiple_of(4);
        are_whole && self.compressed.contains(CompressedImageFormats::BC)
    }
}

/// How the texels of a [`Picture`] are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texels {
    Rgba8,
    Bc1,
    Bc2,
    Bc3,
    Bc7,
}

impl Texels {
    fn format(self, is_srgb: bool) -> TextureFormat {
        let (srgb, linear) = match self {
            Self::Rgba8 => (TextureFormat::Rgba8UnormSrgb, TextureFormat::Rgba8Unorm),
            Self::Bc1 => (TextureFormat::Bc1RgbaUnormSrgb, TextureFormat::Bc1RgbaUnorm),
            Self::Bc2 => (TextureFormat::Bc2RgbaUnormSrgb, TextureFormat::Bc2RgbaUnorm),
            Self::Bc3 => (TextureFormat::Bc3RgbaUnormSrgb, TextureFormat::Bc3RgbaUnorm),
            Self::Bc7 => (TextureFormat::Bc7RgbaUnormSrgb, TextureFormat::Bc7RgbaUnorm),
        };
        if is_srgb { srgb } else { linear }
    }

    /// Bytes of a level.
    pub fn length(self, width: u32, height: u32) -> usize {
        let blocks = (width.div_ceil(4) as usize) * (height.div_ceil(4) as usize);
        match self {
            Self::Rgba8 => width as usize * height as usize * 4,
            Self::Bc1 => blocks * 8,
            Self::Bc2 | Self::Bc3 | Self::Bc7 => blocks * 16,
        }
    }
}

/// A picture as the GPU takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    pub width: u32,
    pub height: u32,
    /// Whether it is six squares: +X, −X, +Y, −Y, +Z, −Z.
    pub is_cube: bool,
    /// Levels of each face, at least 1.
    pub levels: u32,
    pub texels: Texels,
    /// Face after face, each from its largest level to its smallest.
    pub data: Vec<u8>,
}

impl Picture {
    /// The bytes of each face.
    pub fn faces(&self) -> impl Iterator<Item = &[u8]> {
        let count = if self.is_cube { 6 } else { 1 };
        self.data.chunks_exact((self.data.len() / count).max(1))
    }

    /// Fails if it is flat where a cube map is needed, or the other way round.
    pub fn check_dimension(&self, is_cube: bool) -> Result<(), PictureError> {
        let what = match is_cube {
            _ if self.is_cube == is_cube => return Ok(()),
            true => "a flat picture where a cube map is needed",
            false => "a cube map where a flat picture is needed",
        };
        Err(PictureError::Unsupported { what: what.into() })
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
        let format = self.texels.format(is_srgb);
        // `Image::new` expects one level.
        let mut image = Image::new_uninit(size, TextureDimension::D2, format, asset_usage);
        image.texture_descriptor.mip_level_count = self.levels;
        if self.levels > 1 {
            // Of a picture that changes Bevy would copy the largest level alone, since
            // https://github.com/bevyengine/bevy/pull/22552
            image.texture_descriptor.usage -= TextureUsages::COPY_DST;
        }
        image.texture_view_descriptor = self.is_cube.then(cube_view);
        image.sampler = sampler;
        image.data = Some(self.data);
        image
    }
}

/// How six squares are seen as a cube.
pub(super) fn cube_view() -> TextureViewDescriptor<'static> {
    TextureViewDescriptor {
        dimension: Some(TextureViewDimension::Cube),
        ..TextureViewDescriptor::default()
    }
}
