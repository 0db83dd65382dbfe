//! Crowds of Alamo models: what `crate::crowd` needs to know about them.
//!
//! - `instance` implements `CrowdFormat`.
//! - `model` collects the sub-meshes of a model and their joints, and `sampler` poses bones. `color` has team colors.
//!
//! Code that another format could use belongs in `crate::crowd`.

pub(crate) mod color;
pub(crate) mod instance;
pub(crate) mod model;
pub(crate) mod sampler;
