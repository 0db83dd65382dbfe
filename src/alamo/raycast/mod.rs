//! Rays into the world: what a ray meets of the spawned models, and pointers that pick their parts.
//!
//! [`AloCollider`] is on the entity of every sub-mesh whose file has a collision tree for it.
//! [`AloRayCast`] asks them all: `index` keeps the boxes around them where they are in the world,
//! `collider` brings a ray into the space of one and the answer back, and `settings` says which of
//! them count. `picking` tells Bevy's pointers, and `gizmos` draws the trees.
//!
//! What may not enter: how a ray meets triangles, which is [`collision`](super::collision)'s.

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
