//! Textures in the kinds of file that games shipped them in: DDS, TGA and (feature `lithtech`) DTX.
//!
//! Bevy's own loader gets many of the older DDS forms wrong, hands the GPU what it refuses, and takes
//! a file for what its name says. [`ClassicImageLoader`] looks at the bytes, gives the GPU only what
//! it can do, and decodes the rest. An app that also turns on Bevy's features `dds` or `tga` should
//! add this crate's plugin last: the last loader registered for an extension is the one that loads.

// For maintainers: models, materials and the search for files do not belong here; the search is in `scene`.

mod dds;
mod decode;
#[cfg(feature = "lithtech")]
mod dtx;
mod loader;
mod mips;
mod picture;
mod placeholder;
mod plugin;
#[cfg(feature = "lgw")]
mod sampled_load;
#[cfg(test)]
mod samples;
mod sampling;
mod settings;
mod tga;

pub use loader::ClassicImageLoader;
#[cfg(feature = "lithtech")]
pub(crate) use loader::GLOW;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use loader::load_picture;
pub(crate) use loader::load_skin_image;
pub(crate) use loader::preload_skin_image;
pub use picture::PictureError;
pub use placeholder::{PLACEHOLDER_CUBE, PLACEHOLDER_IMAGE, Placeholder};
pub(crate) use plugin::TexturePlugin;
#[cfg(feature = "lgw")]
pub(crate) use sampled_load::missing;
#[cfg(feature = "lgw")]
pub(crate) use sampling::{Sampling, Samplings};
pub use settings::{ClassicImageError, ClassicImageSettings};
