//! Questions about spawned models of any format: [`ModelQuery`], rays ([`ModelRayCast`]), picking and colliders.

// For maintainers: the answers of one format belong to the format. Nothing here changes a model.

pub(crate) mod colliders;
pub(crate) mod hit;
pub(crate) mod models;
#[cfg(feature = "picking")]
pub(crate) mod picking;
pub(crate) mod raycast;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) mod surfaces;

pub use crate::geometry::collider_mesh::ColliderMesh;
pub use crate::geometry::ray_settings::{Backfaces, ModelRayCastSettings, ModelRayCastVisibility};
pub use colliders::{ColliderParts, ModelColliders};
pub use hit::ModelRayHit;
pub use models::{ModelBone, ModelPart, ModelQuery, ModelSkinInfo};
pub use picking::{ModelPickable, ModelPickingCamera, ModelPickingPlugin, ModelPickingSettings};
pub use raycast::ModelRayCast;
