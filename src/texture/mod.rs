//! Loads the texture formats of classic games: DDS, TGA and (feature `lithtech`) DTX.
//!
//! Bevy's image loader decodes many older DDS formats incorrectly, passes formats to the GPU that it does
//! not support, and trusts file extensions. [`ClassicImageLoader`] detects the format from the file's
//! content, passes only supported formats to the GPU, and decodes all others.
//!
//! An app that enables Bevy's features `dds` or `tga` must add this crate's plugin last: the loader that
//! is registered last for an extension is used.

// For maintainers: models, materials and the search for files don't belong here; the search is in `scene`.

mod dds;
mod decode;
mod decoded_image;
#[cfg(feature = "lithtech")]
mod dtx;
mod loader;
mod mips;
mod pixels;
mod placeholder;
mod plugin;
#[cfg(feature = "lgw")]
mod sampled_load;
#[cfg(test)]
mod samples;
mod sampling;
mod settings;
mod tga;

pub use decoded_image::ImageDecodeError;
pub use loader::ClassicImageLoader;
#[cfg(feature = "lithtech")]
pub(crate) use loader::GLOW;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use loader::load_model_image;
pub(crate) use loader::load_skin_image;
pub(crate) use loader::preload_skin_image;
pub use pixels::Pixels;
#[cfg(feature = "alamo")]
pub(crate) use placeholder::is_placeholder;
pub use placeholder::{PLACEHOLDER_CUBE, PLACEHOLDER_IMAGE, PLACEHOLDER_OUTLINE, Placeholder};
pub(crate) use plugin::TexturePlugin;
#[cfg(feature = "lgw")]
pub(crate) use sampled_load::placeholder_image;
#[cfg(feature = "lgw")]
pub(crate) use sampling::{Sampling, Samplings};
pub use settings::{ClassicImageError, ClassicImageSettings};
