//! Crowds of LithTech models: what `crate::crowd` needs to know about them.
//!
//! - `instance` has the component of a member, which implements `CrowdFormat`. `material` has its material.
//! - `model` collects the meshes of a model and their joints, and `sampler` poses nodes. `node_deform` has the vertex
//!   animation of a node.
//! - `parts` selects the meshes and the materials that members show, and scrolls their textures.
//!
//! Code that another format could use belongs in `crate::crowd`.

pub(crate) mod instance;
pub(crate) mod material;
pub(crate) mod model;
pub(crate) mod node_deform;
pub(crate) mod parts;
pub(crate) mod plugin;
pub(crate) mod sampler;
