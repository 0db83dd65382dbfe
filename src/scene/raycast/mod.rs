//! Ray casts against the parts of spawned models, for all formats.
//!
//! Modules:
//! - `backfaces`: how a ray treats back faces.
//! - `settings`: which parts a ray can hit.
//! - `index`: a spatial index of the boxes around all parts.
//! - `mesh_data`: triangles and texture coordinates of meshes.
//! - `surface`: the triangles of a part, and the intersection of rays with them.
//! - `posed`: a cache of posed vertices.
//! - `collider_mesh`: the triangles of parts, for physics.
//! - `parts`: what a format provides for the parts of its models.

// The code of a single format does not belong here. Collision trees are in `alamo::collision`.

mod backfaces;
mod collider_mesh;
mod index;
mod mesh_data;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
mod parts;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
mod posed;
mod settings;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
mod surface;

pub use backfaces::Backfaces;
pub use collider_mesh::ColliderMesh;
pub(crate) use index::{EMPTY_BOX, Index, Pending, transformed};
#[cfg(feature = "alamo")]
pub(crate) use mesh_data::uv_at;
pub(crate) use mesh_data::{SurfaceTriangles, uvs};
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) use parts::{HitPart, HitPartKind, PartViews, Surfaces};
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) use posed::PosedVertices;
pub use settings::{ModelRayCastSettings, ModelRayCastVisibility};
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) use surface::{Surface, SurfaceHit};

/// Relative tolerance of equal distances: all parts at the same distance must be found, regardless of the
/// order of tests.
pub(crate) const TIE: f32 = 1e-6;
