//! The formats, one folder each, with the same files for the same roles.

// For maintainers: formats do not import each other. What two formats need belongs in one of the other folders.

#[cfg(feature = "alamo")]
pub mod alamo;
#[cfg(feature = "lgw")]
pub mod lgw;
#[cfg(feature = "lithtech")]
pub mod lithtech;
#[cfg(feature = "quake")]
pub mod quake;
