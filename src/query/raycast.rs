//! The system parameters [`ModelRayCast`] and [`ModelColliders`], triangles for physics.

use crate::formats::{FormatRays, for_each_format};
use crate::geometry::box_index::{BoxIndex, BoxRay, TIE, WorldBox};
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::parts::HitPart;
use crate::geometry::ray_settings::{ColliderParts, ModelRayCastSettings, ModelRayHit};
use crate::spawn::instance::{ModelFormat, RayBounds, RayPart};
use crate::spawn::roots::ModelRoots;
use bevy::camera::primitives::Aabb;
use bevy::ecs::change_detection::Tick;
use bevy::ecs::system::{SystemChangeTick, SystemParam};
use bevy::math::FloatOrd;
use bevy::prelude::*;
use bevy::utils::Parallel;

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
/// - Members of crowds: the merged meshes that they show, posed as drawn. Hits have no bone. Other levels of detail and
///   collision boxes are not tested.
///
/// By default, hits do not depend on the level of detail that is drawn. Any scale works, including non-uniform and mirrored
/// ones; parts with a scale of zero are not hit. Meshes of MDL, ABC and LGW models must be in the main world, as they are
/// unless the loader setting `asset_usage` says otherwise.
///
/// Bevy updates the boxes of skinned parts after the transforms, in `VisibilitySystems::CalculateBounds`: in `PostUpdate`, cast
/// rays after that, and add its `CameraPlugin` in apps without a window.
///
/// The first ray of a run of a system is tested with the boxes of all parts, their `Aabb`s, as Bevy's rays are. The second
/// builds an index of the boxes, which the others use. A part whose box a ray meets is posed at most once per run. Each
/// system has its own index, so cast many rays in one system rather than in many.
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
    parts: Query<'w, 's, Part>,
    formats: FormatRays<'w, 's>,
    ticks: SystemChangeTick,
    state: Local<'s, RayState>,
}

/// A part that rays can hit, with its box.
type Part = (
    Entity,
    &'static RayPart,
    AnyOf<(&'static RayBounds, &'static Aabb)>,
    &'static GlobalTransform,
);

/// The box of a part.
fn bounds<'a>((own, aabb): (Option<&'a RayBounds>, Option<&'a Aabb>)) -> Option<&'a Aabb> {
    own.map(|own| &own.0).or(aabb)
}

/// The state of a system that casts rays.
#[derive(Default)]
struct RayState {
    /// The run of the system in which it cast its last ray.
    run: Option<Tick>,
    /// Whether the index was updated in that run.
    is_indexed: bool,
    index: BoxIndex,
    /// The parts whose boxes a ray hits, with their distances, as each thread finds them.
    found: Parallel<Vec<(FloatOrd, Entity)>>,
    /// The same of all threads.
    near: Vec<(FloatOrd, Entity)>,
    hits: Vec<ModelRayHit>,
}

impl ModelRayCast<'_, '_> {
    /// Casts a ray into the world. Returns one hit per part, the nearest first. The nearest hit for which
    /// [`early_exit_test`](ModelRayCastSettings::early_exit_test) returns true is the last.
    pub fn cast_ray(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> &[ModelRayHit] {
        let mut hits = core::mem::take(&mut self.state.hits);
        hits.clear();
        let stops = |hit: &ModelRayHit| (settings.early_exit_test)(hit.part);
        self.visit_along(ray, settings.max_distance, |formats, format, part, max| {
            for_each_format!(of, rays in (&mut) *formats => {
                if of == format && let Some(hit) = rays.cast(part, ray, max, settings) {
                    hits.push(hit);
                    if stops(&hit) {
                        return max.min(hit.distance * (1.0 + TIE));
                    }
                }
            });
            max
        });
        // The entity breaks ties, so that the order is the same in every frame.
        hits.sort_unstable_by(|a, b| {
            let nearer = a.distance.total_cmp(&b.distance);
            nearer.then_with(|| a.part.cmp(&b.part))
        });
        if let Some(last) = hits.iter().position(stops) {
            hits.truncate(last + 1);
        }
        self.state.hits = hits;
        &self.state.hits
    }

    /// Whether a ray hits anything: for lines of sight.
    ///
    /// This is faster than [`cast_ray`](Self::cast_ray): it stops at the first hit that it finds.
    /// `early_exit_test` is ignored.
    pub fn any_hit(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> bool {
        let mut found = false;
        self.visit_along(ray, settings.max_distance, |formats, format, part, max| {
            for_each_format!(of, rays in (&mut) *formats => {
                if of == format {
                    found = rays.any_hit(part, ray, max, settings);
                }
            });
            if found { -1.0 } else { max }
        });
        found
    }

    /// Visits every part whose box a ray hits, in roughly ascending distance. `visit` gets the ray's length and returns the
    /// new length; a negative one ends the traversal.
    fn visit_along(
        &mut self,
        ray: Ray3d,
        mut max: f32,
        mut visit: impl FnMut(&mut FormatRays<'_, '_>, ModelFormat, HitPart, f32) -> f32,
    ) {
        let (parts, formats, state) = (&self.parts, &mut self.formats, &mut *self.state);
        let ray = BoxRay::new(ray);
        let is_first = state.run.replace(self.ticks.this_run()) != Some(self.ticks.this_run());
        if is_first {
            state.is_indexed = false;
            for_each_format!(_of, rays in (&mut) *formats => rays.begin());
        }
        let mut visit = |entity: Entity, max: f32| match parts.get(entity) {
            Ok((_, part, ..)) => {
                let root = part.root;
                visit(formats, part.format, HitPart { root, entity }, max)
            }
            Err(_) => max,
        };
        if !is_first {
            if !state.is_indexed {
                state.is_indexed = true;
                let boxes = parts.iter();
                let boxes = boxes.filter_map(|(part, _, box_of, transform)| {
                    let bounds = WorldBox::new(bounds(box_of)?, transform, Vec3A::ZERO);
                    Some((part, bounds.bounds()))
                });
                state.index.update(boxes);
            }
            return state.index.visit_along(&ray, max, visit);
        }
        let found = &state.found;
        parts.par_iter().for_each_init(
            || found.borrow_local_mut(),
            |found, (part, _, box_of, transform)| {
                let bounds = bounds(box_of);
                if let Some(distance) =
                    bounds.and_then(|bounds| ray.hits_part(bounds, transform, max))
                {
                    found.push((FloatOrd(distance), part));
                }
            },
        );
        state.near.clear();
        state.found.drain_into(&mut state.near);
        state.near.sort_unstable();
        for (distance, part) in &state.near {
            if distance.0 > max {
                break;
            }
            max = visit(*part, max);
        }
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
