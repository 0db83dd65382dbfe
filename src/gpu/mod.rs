//! The tables of poses that shaders read, and the shaders' shared modules.
//!
//! An instance is a row of a table, and its `MeshTag` is the row.

// For maintainers: which pose is shown is decided elsewhere: by the formats and by `crowd`.

#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub(crate) mod instance_rows;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub(crate) mod pose_table;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub(crate) mod pose_texture;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub(crate) mod poses;
pub(crate) mod shaders;

pub use pose_table::PoseTable;
pub use poses::{PoseBlend, PosePair};
