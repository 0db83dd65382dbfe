//! Detects the format of an image file by its first bytes.

use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits, TexelFormat};
use crate::texture::{dds, dtx, tga};
use classic_model_formats::read::file_kind;
use image::{DynamicImage, ImageFormat, ImageReader};
use std::io::Cursor;

impl DecodedImage {
    /// Decodes a file of any format. The extension is ignored: games have DDS and PNG content in `.tga` files and
    /// the reverse.
    pub fn decode(bytes: &[u8], limits: Limits) -> Result<Self, ImageDecodeError> {
        if bytes.starts_with(&dds::MAGIC) {
            return dds::decode(bytes, limits);
        }
        if bytes.starts_with(&dtx::MAGIC) {
            return dtx::decode(bytes, limits);
        }
        if bytes.is_empty() {
            let what = "is empty".to_owned();
            return Err(ImageDecodeError::NotAnImage { what });
        }
        // Signatures that begin with 0, such as that of icons, can also be the beginning of a TGA or DTX file.
        if let Ok(format) = image::guess_format(bytes)
            && !bytes.starts_with(&[0])
        {
            return decode_other(bytes, format, limits);
        }
        if let Some(kind) = file_kind(bytes) {
            let what = format!("is not an image of a supported format, but {kind}");
            return Err(ImageDecodeError::NotAnImage { what });
        }
        tga::decode(bytes, limits)
    }
}

/// Decodes PNG, and other formats that the app enables in the crate `image`, such as JPEG by Bevy's feature `jpeg`.
fn decode_other(
    bytes: &[u8],
    format: ImageFormat,
    limits: Limits,
) -> Result<DecodedImage, ImageDecodeError> {
    let error = |source: image::ImageError| ImageDecodeError::Other {
        format: format!("{format:?}").to_uppercase(),
        source: source.into(),
    };
    let reader = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = reader().into_dimensions().map_err(error)?;
    limits.check(width, height)?;
    let data = reader().decode().map(DynamicImage::into_rgba8);
    Ok(DecodedImage {
        width,
        height,
        is_cube: false,
        levels: 1,
        format: TexelFormat::Rgba8,
        data: data.map_err(error)?.into_raw(),
    })
}
