//! Questions about spawned models of any format: [`ModelQuery`], rays ([`ModelRayCast`]), picking and colliders.

// For maintainers: the answers of one format belong to the format. Nothing here changes a model.

pub(crate) mod models;
#[cfg(feature = "picking")]
pub(crate) mod picking;
pub(crate) mod raycast;
pub(crate) mod strides;

pub use crate::geometry::collider_mesh::ColliderMesh;
pub use crate::geometry::ray_settings::ModelRayHit;
pub use crate::geometry::ray_settings::{
    Backfaces, ColliderParts, ModelRayCastSettings, ModelRayCastVisibility,
};
pub use models::{ModelBone, ModelPart, ModelQuery, ModelSkinInfo};
#[cfg(feature = "picking")]
pub use picking::{ModelPickable, ModelPickingCamera, ModelPickingPlugin, ModelPickingSettings};
pub use raycast::ModelColliders;
pub use raycast::ModelRayCast;
