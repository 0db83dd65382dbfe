//! Parts of Alamo models by their names.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// Names of what a ray met.
#[derive(SystemParam)]
pub struct PartNames<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    instances: Query<'w, 's, &'static AloInstance>,
}

impl PartNames<'_, '_> {
    /// The mesh, the sub-mesh, the triangle and the bone.
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
