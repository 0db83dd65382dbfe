//! Loads the texture formats of classic games: DDS, TGA and DTX.
//!
//! Bevy's image loader decodes many older DDS formats incorrectly, passes formats to the GPU that it does
//! not support, and trusts file extensions. [`ClassicImageLoader`] detects the format from the file's
//! content, passes only supported formats to the GPU, and decodes all others.
//!
//! An app that enables Bevy's features `dds` or `tga` must add this crate's plugin last: the loader that
//! is registered last for an extension is used.

// For maintainers: models, materials and the search for files don't belong here; the search is in `load::find`.

pub(crate) mod dds;
pub(crate) mod decode;
pub(crate) mod decoded_image;
pub(crate) mod dtx;
pub(crate) mod loader;
pub(crate) mod mips;
pub(crate) mod pixels;
pub(crate) mod placeholder;
pub(crate) mod plugin;
pub(crate) mod sampled_load;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod sampling;
pub(crate) mod settings;
pub(crate) mod sky_cube;
pub(crate) mod tga;

pub use decoded_image::ImageDecodeError;
pub use loader::ClassicImageLoader;
pub use pixels::Pixels;
pub use placeholder::{PLACEHOLDER_CUBE, PLACEHOLDER_IMAGE, PLACEHOLDER_OUTLINE, Placeholder};
pub use settings::{ClassicImageError, ClassicImageSettings};
