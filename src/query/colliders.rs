//! The system parameter [`ModelColliders`]: triangles for physics.

use crate::formats::{FormatRays, for_each_format};
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::ray_settings::ColliderParts;
use crate::spawn::roots::ModelRoots;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Makes triangle meshes of models and their parts, for the colliders of physics crates.
///
/// The mesh has the pose that the model shows, as of the last propagation of transforms and visibility: use it after the
/// frame in which the model was spawned. It does not follow the model. For parts that move, make one mesh per part and put
/// the collider on the part's entity. Meshes of MDL, ABC and LGW models must be in the main world, as they are unless the
/// loader setting `asset_usage` says otherwise.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::query::{ColliderMesh, ColliderParts, ModelColliders};
/// # #[derive(Component)] struct NeedsCollider;
/// # #[derive(Component)] struct Collider;
/// # impl Collider { fn trimesh(_: Vec<Vec3>, _: Vec<[u32; 3]>) -> Self { Self } }
/// fn add_colliders(
///     mut commands: Commands,
///     mut colliders: ModelColliders,
///     roots: Query<Entity, With<NeedsCollider>>,
/// ) {
///     for root in &roots {
///         if let Some(mesh) = colliders.collider_mesh(root, ColliderParts::Solid) {
///             let collider = Collider::trimesh(mesh.positions, mesh.indices);
///             commands.entity(root).insert(collider).remove::<NeedsCollider>();
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(add_colliders);
/// ```
#[derive(SystemParam)]
pub struct ModelColliders<'w, 's> {
    roots: ModelRoots<'w, 's>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    formats: FormatRays<'w, 's>,
}

impl ModelColliders<'_, '_> {
    /// The triangles of a root's model or of one part, in the space of the root or of the part. Models that are attached to
    /// it or that its proxies load are not included.
    ///
    /// A part is an entity of [`ModelQuery::parts`](crate::query::ModelQuery::parts), or an ALO sub-mesh. `None` if the
    /// entity is neither, its scale is zero, or there are no triangles.
    pub fn collider_mesh(&mut self, entity: Entity, parts: ColliderParts) -> Option<ColliderMesh> {
        let root = self.roots.root(entity)?;
        let from_world = self.transforms.get(entity).ok()?.affine().inverse();
        if !from_world.is_finite() {
            return None;
        }
        let mut mesh = ColliderMesh::default();
        let format = self.roots.format(root)?;
        for_each_format!(of, rays in self.formats => {
            if of == format {
                rays.add_triangles(root, entity, parts, &from_world, &mut mesh);
            }
        });
        (!mesh.indices.is_empty()).then_some(mesh)
    }
}
