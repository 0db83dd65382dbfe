//! Crowds of Alamo models: what `crate::crowd` needs to know about them.
//!
//! - `instance` has the component of a member, which implements `CrowdFormat`. `material` has its material.
//! - `model` collects the sub-meshes of a model and their joints, and `sampler` poses bones.
//! - `parts` selects the sub-meshes that members show, and colors them.
//!
//! Code that another format could use belongs in `crate::crowd`.

mod instance;
mod material;
mod model;
mod parts;
mod plugin;
mod sampler;

pub use instance::AloCrowd;
pub use material::{AloCrowdMaterial, AloPoseTable};
pub(super) use plugin::AloCrowdPlugin;
