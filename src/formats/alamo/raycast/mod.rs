//! Ray casts against the collision trees of spawned Alamo models.
//!
//! Each sub-mesh with a collision tree in its file has an [`AloCollider`](collider::AloCollider) on its entity.
//!
//! The intersection of rays and triangles belongs in [`collision`](crate::formats::alamo::collision), not here. Ray casts at
//! models of all formats are in [`query`](crate::query), with picking.

pub(crate) mod collider;
pub(crate) mod colliders;
#[cfg(feature = "gizmos")]
pub(crate) mod gizmos;
pub(crate) mod rays;
pub(crate) mod triangles;
