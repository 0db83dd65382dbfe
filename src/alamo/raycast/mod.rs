//! Ray casts against spawned models, and a picking backend.
//!
//! Each sub-mesh with a collision tree in its file has an [`AloCollider`] on its entity.
//! [`AloRayCast`] casts rays at all of them.
//!
//! Modules:
//! - `collider`: the component, and the conversion of rays and hits between the world and a tree.
//! - `skin`: the pose of a skinned collider.
//! - `index`: an index of the colliders' boxes in the world.
//! - `param`: the system parameter [`AloRayCast`].
//! - `settings`: which colliders a ray can hit, and the hit.
//! - `picking`: the picking backend.
//! - `gizmos`: draws the collision trees.
//!
//! The intersection of rays and triangles belongs in [`collision`](super::collision), not here.

mod collider;
#[cfg(feature = "gizmos")]
mod gizmos;
mod index;
mod param;
#[cfg(feature = "picking")]
mod picking;
mod settings;
mod skin;

pub use collider::AloCollider;
#[cfg(feature = "gizmos")]
pub use gizmos::{AloColliderGizmos, AloColliderGizmosPlugin, ShowAloColliderGizmo};
pub use param::AloRayCast;
#[cfg(feature = "picking")]
pub use picking::{AloHit, AloPickable, AloPickingCamera, AloPickingPlugin, AloPickingSettings};
pub use settings::{AloRayCastSettings, AloRayCastVisibility, AloRayHit};
pub(super) use skin::ColliderSkin;
