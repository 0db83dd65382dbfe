//! The system parameters [`ModelRayCast`] and [`ModelColliders`], triangles for physics.

use crate::formats::{FormatRays, for_each_format};
use crate::geometry::box_index::TIE;
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::ray_settings::{ColliderParts, ModelRayCastSettings, ModelRayHit};
use crate::spawn::roots::ModelRoots;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Casts rays at the spawned models of all formats: the counterpart of Bevy's `MeshRayCast`.
///
/// Hits are exact for the triangles, as the models are posed when a system casts its first ray: at the `GlobalTransform`s of
/// the last propagation, as with `MeshRayCast`.
///
/// - ALO: collision trees. Rigid parts follow their bones, skinned parts are posed. Parts without a tree in their file are
///   not hit.
/// - MDL: the blended poses that the model shows.
/// - ABC: the skeleton, and vertices that deform as shown. With
///   [`collision_boxes`](ModelRayCastSettings::collision_boxes) the box of the animation.
/// - LGW: the meshes.
///
/// By default, hits do not depend on the level of detail that is drawn. Any scale works, including non-uniform and mirrored
/// ones; parts with a scale of zero are not hit. Meshes of MDL, ABC and LGW models must be in the main world, as they are
/// unless the loader setting `asset_usage` says otherwise.
///
/// The first ray of a run checks which parts moved. The second ray updates an index of their boxes if any did. Each further
/// ray tests only the parts whose box it meets. Such a part is posed at most once per run. Each system that casts rays has
/// its own index, so cast many rays in one system rather than in many.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::query::{ModelRayCast, ModelRayCastSettings};
/// fn shoot(mut rays: ModelRayCast, guns: Query<&GlobalTransform>, names: Query<&Name>) {
///     let settings = ModelRayCastSettings::default().with_max_distance(500.0);
///     for gun in &guns {
///         let ray = Ray3d::new(gun.translation(), gun.forward());
///         if let Some(hit) = rays.cast_ray(ray, &settings).first() {
///             let bone = hit.bone.and_then(|bone| names.get(bone).ok());
///             info!("{} is hit at {bone:?}", hit.root);
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(shoot);
/// ```
#[derive(SystemParam)]
pub struct ModelRayCast<'w, 's> {
    formats: FormatRays<'w, 's>,
    hits: Local<'s, Vec<ModelRayHit>>,
}

impl ModelRayCast<'_, '_> {
    /// Casts a ray into the world. Returns one hit per part, the nearest first. The nearest hit for which
    /// [`early_exit_test`](ModelRayCastSettings::early_exit_test) returns true is the last.
    pub fn cast_ray(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> &[ModelRayHit] {
        let hits = &mut *self.hits;
        hits.clear();
        let mut max = settings.max_distance;
        for_each_format!(_format, rays in (&mut) self.formats => {
            let first = hits.len();
            rays.cast_ray(ray, max, settings, hits);
            for hit in &hits[first..] {
                if (settings.early_exit_test)(hit.part) {
                    max = max.min(hit.distance * (1.0 + TIE));
                }
            }
        });
        // The entity breaks ties, so that the order is the same in every frame.
        hits.sort_unstable_by(|a, b| {
            let nearer = a.distance.total_cmp(&b.distance);
            nearer.then_with(|| a.part.cmp(&b.part))
        });
        let stops = |hit: &ModelRayHit| (settings.early_exit_test)(hit.part);
        if let Some(last) = hits.iter().position(stops) {
            hits.truncate(last + 1);
        }
        hits
    }

    /// Whether a ray hits anything: for lines of sight.
    ///
    /// This is faster than [`cast_ray`](Self::cast_ray): it stops at the first hit that it finds.
    /// `early_exit_test` is ignored.
    pub fn any_hit(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> bool {
        for_each_format!(_format, rays in (&mut) self.formats => {
            if rays.any_hit(ray, settings) {
                return true;
            }
        });
        false
    }
}

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
        for_each_format!(of, rays in (&mut) self.formats => {
            if of == format {
                rays.add_triangles(root, entity, parts, &from_world, &mut mesh);
            }
        });
        (!mesh.indices.is_empty()).then_some(mesh)
    }
}
