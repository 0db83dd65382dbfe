//! Crowds of Alamo models.
//!
//! - `model` has the data that the members of a model share, and `clips` its baked clips. `sampler` poses bones.
//! - `instance` has the component of a member; a hook releases its data.
//! - `looks` has selections of parts with their meshes; `parts` merges these and gives them to members. `material`
//!   defines their material.
//! - `poses` writes the poses of members to the table, and `bones` those of bones that were asked for.
//!
//! Code that another format could use belongs in `crate::crowd`.

mod bones;
mod clips;
mod instance;
mod looks;
mod material;
mod model;
mod parts;
mod plugin;
mod poses;
mod sampler;

pub(super) use bones::crowd_bone;
pub use instance::AloCrowd;
pub(super) use instance::join_crowd;
pub use material::{AloCrowdMaterial, AloPoseTable};
pub(super) use plugin::AloCrowdPlugin;
