//! Crowds of LithTech models: what `crate::crowd` needs to know about them.
//!
//! - `instance` implements `CrowdFormat`.
//! - `model` collects the meshes of a model and their joints, and `sampler` poses nodes. `node_deform` has the vertex
//!   animation of a node, and `scroll` scrolls textures.
//!
//! Code that another format could use belongs in `crate::crowd`.

pub(crate) mod instance;
pub(crate) mod model;
pub(crate) mod node_deform;
pub(crate) mod sampler;
pub(crate) mod scroll;
