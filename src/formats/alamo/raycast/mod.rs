//! Ray casts against the collision trees of spawned Alamo models.
//!
//! Each sub-mesh with a collision tree in its file has an [`AloCollider`] on its entity.
//! [`AloRayCast`] casts rays at all of them.
//!
//! Modules:
//! - `collider`: the component, and the conversion of rays and hits between the world and a tree.
//! - `skin`: the pose of a skinned collider.
//! - `param`: the system parameter [`AloRayCast`].
//! - `hit`: a hit of a ray.
//! - `triangles`: the triangles of trees and drawn sub-meshes, for physics.
//! - `rays`: rays for code on any format.
//! - `gizmos`: draws the collision trees.
//!
//! The intersection of rays and triangles belongs in [`collision`](crate::formats::alamo::collision), not here. Ray casts at models of all
//! formats are in [`query`](crate::query), with picking.

pub(crate) mod collider;
#[cfg(feature = "gizmos")]
pub(crate) mod gizmos;
pub(crate) mod hit;
pub(crate) mod param;
pub(crate) mod rays;
pub(crate) mod skin;
pub(crate) mod triangles;
