//! Crowds of Alamo models.
//!
//! - `model` has the data that the members of a model share, and `clips` its baked clips. `sampler` poses bones.
//! - `instance` has the component of a member; a hook releases its data.
//! - `parts` merges the meshes that are shown and gives them to members.
//! - `poses` writes the poses of members to the table, and `bones` those of bones that were asked for.
//!
//! Code that another format could use belongs in `crate::crowd`.

mod bones;
mod clips;
mod instance;
mod model;
mod parts;
mod plugin;
mod poses;
mod sampler;

pub(super) use bones::crowd_bone;
pub use instance::AloCrowd;
pub(super) use instance::join_crowd;
pub use model::{AloCrowdMaterial, AloPoseTable};
pub(super) use plugin::AloCrowdPlugin;
