//! Crowds of Alamo models: what `crate::crowd` needs to know about them.
//!
//! - `instance` has the component of a member, which implements `CrowdFormat`. `material` has its material.
//! - `model` collects the sub-meshes of a model and their joints, and `sampler` poses bones.
//! - `parts` selects the sub-meshes that members show, and colors them.
//!
//! Code that another format could use belongs in `crate::crowd`.

pub(crate) mod instance;
pub(crate) mod material;
pub(crate) mod model;
pub(crate) mod parts;
pub(crate) mod plugin;
pub(crate) mod sampler;
