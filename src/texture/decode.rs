//! Which kind of picture a file is, by its first bytes.

#[cfg(feature = "lithtech")]
use crate::texture::dtx;
use crate::texture::picture::{Limits, Picture, PictureError};
use crate::texture::{dds, tga};

impl Picture {
    /// Decodes a file of any kind, whatever it is called: games have DDS and TGA behind both names.
    pub fn decode(bytes: &[u8], limits: Limits) -> Result<Self, PictureError> {
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
