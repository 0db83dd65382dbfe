//! Ray casts against spawned models of all formats, and a picking backend.
//!
//! Modules:
//! - `param`: the system parameter [`ModelRayCast`].
//! - `surfaces`: rays at the parts without a collision tree.
//! - `hit`: a hit of a ray.
//! - `colliders`: triangles for physics.
//! - `picking`: the picking backend.

// How a format's parts are posed belongs in the format. The intersection of rays and triangles is in `scene::raycast`, and
// that of rays and collision trees in `alamo::collision`.

mod colliders;
mod hit;
mod param;
#[cfg(feature = "picking")]
mod picking;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
mod surfaces;

pub use colliders::{ColliderParts, ModelColliders};
pub use hit::ModelRayHit;
pub use param::ModelRayCast;
#[cfg(feature = "picking")]
pub use picking::{ModelPickable, ModelPickingCamera, ModelPickingPlugin, ModelPickingSettings};
