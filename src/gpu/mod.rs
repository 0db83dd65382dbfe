//! The tables of poses that shaders read, and the shaders' shared modules.
//!
//! An instance is a row of a table, and its `MeshTag` is the row.

// For maintainers: which pose is shown is decided elsewhere: by the formats and by `crowd`.

pub(crate) mod instance_rows;
pub(crate) mod pose_table;
pub(crate) mod shaders;

pub use pose_table::PoseTable;
pub use pose_table::{PoseBlend, PosePair};
