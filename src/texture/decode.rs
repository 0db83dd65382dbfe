//! Detects the format of an image file by its first bytes.

use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits};
#[cfg(feature = "lithtech")]
use crate::texture::dtx;
use crate::texture::{dds, tga};

impl DecodedImage {
    /// Decodes a file of any format. The extension is ignored: games have DDS content in `.tga` files and
    /// the reverse.
    pub fn decode(bytes: &[u8], limits: Limits) -> Result<Self, ImageDecodeError> {
        if bytes.starts_with(&dds::MAGIC) {
            return dds::decode(bytes, limits);
        }
        #[cfg(feature = "lithtech")]
        if bytes.starts_with(&dtx::MAGIC) {
            return dtx::decode(bytes, limits);
        }
        tga::decode(bytes, limits)
    }
}
