//! Names of the parts of Alamo models.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, AloRayHit};

/// Looks up the names of the parts that a ray hit.
#[derive(SystemParam)]
pub struct PartNames<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    instances: Query<'w, 's, &'static AloInstance>,
}

impl PartNames<'_, '_> {
    /// Mesh name, sub-mesh index, triangle index and bone name of a hit on `entity`, as text.
    pub fn of(&self, entity: Entity, hit: &AloRayHit) -> Option<String> {
        let mut above = self.parents.iter_ancestors(entity);
        let model = above
            .find_map(|root| self.instances.get(root).ok())?
            .model();
        let mesh = model.meshes.get(hit.mesh)?;
        let bone = model.bones.get(hit.bone)?;
        Some(format!(
            "{}: sub-mesh {}, triangle {}, bone {}",
            mesh.name, hit.submesh, hit.triangle, bone.name
        ))
    }
}
