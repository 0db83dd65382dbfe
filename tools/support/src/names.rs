//! Names of the parts of Alamo models.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloCollider, AloInstance, AloSubmeshIndex};
use bevy_classic_models::query::ModelRayHit;

/// Looks up the names of the parts that a ray hit.
#[derive(SystemParam)]
pub struct PartNames<'w, 's> {
    instances: Query<'w, 's, &'static AloInstance>,
    submeshes: Query<'w, 's, (&'static AloSubmeshIndex, &'static AloCollider)>,
}

impl PartNames<'_, '_> {
    /// Mesh name, sub-mesh index, triangle index and bone name of a hit, as text. `None` if it is not on an Alamo model.
    pub fn of(&self, hit: &ModelRayHit) -> Option<String> {
        let model = self.instances.get(hit.root).ok()?.model();
        let (index, collider) = self.submeshes.get(hit.part).ok()?;
        let mesh = model.meshes.get(index.mesh)?;
        let bone = model.bones.get(collider.bone())?;
        Some(format!(
            "{}: sub-mesh {}, triangle {}, bone {}",
            mesh.name, index.submesh, hit.triangle, bone.name
        ))
    }
}
