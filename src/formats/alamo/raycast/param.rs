//! The system parameter [`AloRayCast`].

use crate::appearance::parts::BoneVisibility;
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::components::{AloInstance, AloPart, AloSubmeshIndex};
use crate::formats::alamo::raycast::collider::{AloCollider, PlacedTree};
use crate::geometry::box_index::{EMPTY_BOX, Index, Pending, TIE, transformed};
use crate::geometry::ray_settings::{ModelRayCastSettings, ModelRayCastVisibility};
use crate::geometry::vertices::{SurfaceTriangles, uv_at, uvs};
use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::query::QueryData;
use bevy::ecs::system::{SystemChangeTick, SystemParam};
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;

/// The components of a collider's entity.
#[derive(QueryData)]
pub(crate) struct Collider {
    collider: &'static AloCollider,
    submesh: &'static AloSubmeshIndex,
    transform: &'static GlobalTransform,
    own: Option<&'static Visibility>,
    inherited: &'static InheritedVisibility,
    in_view: &'static ViewVisibility,
    is_drawn: Has<Mesh3d>,
    parent: Option<&'static ChildOf>,
    skinned: Option<&'static SkinnedMesh>,
}

/// The components that determine the position of a collider.
type ColliderPosition = (
    Entity,
    Ref<'static, AloCollider>,
    Ref<'static, GlobalTransform>,
    Option<Ref<'static, SkinnedMesh>>,
);

/// Casts rays at the collision trees of spawned Alamo models.
///
/// For models of all formats, use [`ModelRayCast`](crate::query::ModelRayCast). This has the same hits on Alamo models, with
/// the indices of meshes and sub-meshes.
///
/// Hits are exact for the triangles. Parts are at their `GlobalTransform`s when a system casts its first
/// ray: those of the last propagation, as with `MeshRayCast`. Rigid parts follow their bones; skinned
/// parts are posed once per run. Any scale works, including non-uniform and mirrored ones. Parts with a
/// scale of zero are not hit.
///
/// The first ray of a run checks which colliders moved. The second ray updates the index if any did. Each
/// further ray is cheap, even with many colliders. The first ray near a skinned part poses the whole part.
/// Each system that casts rays has its own index, so cast many rays in one system rather than in many.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::alamo::AloRayCast;
/// # use bevy_classic_models::query::ModelRayCastSettings;
/// fn look_ahead(mut rays: AloRayCast, ships: Query<&GlobalTransform>) {
///     let settings = ModelRayCastSettings::default().with_max_distance(500.0);
///     for ship in &ships {
///         let ray = Ray3d::new(ship.translation(), ship.forward());
///         for (entity, hit) in rays.cast_ray(ray, &settings) {
///             info!("{entity} is {} ahead", hit.distance);
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(look_ahead);
/// ```
#[derive(SystemParam)]
pub struct AloRayCast<'w, 's> {
    positions: Query<'w, 's, ColliderPosition>,
    world: Colliders<'w, 's>,
    ticks: SystemChangeTick,
    /// The tick of the index's last update.
    last_update: Local<'s, Option<Tick>>,
    index: Local<'s, Index<Entity>>,
    stack: Local<'s, Vec<Pending>>,
    hits: Local<'s, Vec<(Entity, AloRayHit)>>,
}

/// Details of a hit that [`AloRayHit`] does not have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HitDetails {
    /// The bone that moves the hit point: of a skinned part, the one with the greatest weight there.
    pub(crate) bone: Option<Entity>,
    /// The texture coordinate, if the mesh is in the main world.
    pub(crate) uv: Option<Vec2>,
}

/// The transforms of all entities.
type Transforms<'w, 's> = Query<'w, 's, Ref<'static, GlobalTransform>>;

/// The colliders and their ancestors.
#[derive(SystemParam)]
pub(crate) struct Colliders<'w, 's> {
    colliders: Query<'w, 's, Collider>,
    parts: Query<'w, 's, (&'static AloPart, &'static ChildOf)>,
    parents: Query<'w, 's, &'static ChildOf>,
    roots: Query<'w, 's, &'static AloInstance>,
    bones: Query<
        'w,
        's,
        (
            &'static InheritedVisibility,
            Option<&'static BoneVisibility>,
        ),
    >,
    transforms: Transforms<'w, 's>,
    posed: Local<'s, Posed>,
}

/// The trees of skinned colliders that were posed in this run of the system.
#[derive(Default)]
struct Posed {
    /// In world space. `None` if a vertex is not finite.
    trees: EntityHashMap<Option<CollisionTree>>,
    /// A buffer, kept for its memory.
    vertices: Vec<[f32; 3]>,
}

impl AloRayCast<'_, '_> {
    /// Casts a ray into the world. Returns one hit per part, the nearest first. The nearest hit for which
    /// [`early_exit_test`](ModelRayCastSettings::early_exit_test) returns true is the last.
    pub fn cast_ray(
        &mut self,
        ray: Ray3d,
        settings: &ModelRayCastSettings<'_>,
    ) -> &[(Entity, AloRayHit)] {
        self.refresh();
        let Self {
            world,
            index,
            stack,
            hits,
            ..
        } = self;
        hits.clear();
        index.visit_along(ray, settings.max_distance, stack, |entity, max| {
            let Some(hit) = world.cast(entity, ray, max, settings) else {
                return max;
            };
            hits.push((entity, hit));
            if (settings.early_exit_test)(entity) {
                max.min(hit.distance * (1.0 + TIE))
            } else {
                max
            }
        });
        // The entity breaks ties, so that the order is the same in every frame.
        hits.sort_unstable_by(|(a_entity, a), (b_entity, b)| {
            let nearer = a.distance.total_cmp(&b.distance);
            nearer.then_with(|| a_entity.cmp(b_entity))
        });
        let ends = |(entity, _): &(Entity, AloRayHit)| (settings.early_exit_test)(*entity);
        if let Some(last) = hits.iter().position(ends) {
            hits.truncate(last + 1);
        }
        hits
    }

    /// The hits of the last [`cast_ray`](Self::cast_ray), each with its part, and its details for code on any format.
    pub(crate) fn details(
        &self,
        meshes: Option<&Assets<Mesh>>,
    ) -> impl Iterator<Item = (Entity, AloRayHit, HitDetails)> {
        let hits = self.hits.iter();
        hits.map(move |(part, hit)| (*part, *hit, self.world.details(*part, hit, meshes)))
    }

    /// Whether a ray hits anything: for lines of sight.
    ///
    /// This is faster than [`cast_ray`](Self::cast_ray): it stops at the first hit that it finds.
    /// `early_exit_test` is ignored.
    pub fn any_hit(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> bool {
        self.refresh();
        let Self {
            world,
            index,
            stack,
            ..
        } = self;
        let mut found = false;
        index.visit_along(ray, settings.max_distance, stack, |entity, max| {
            found = world.any_hit(entity, ray, max, settings);
            if found { -1.0 } else { max }
        });
        found
    }

    /// Updates the index, once per run of the system.
    fn refresh(&mut self) {
        let now = self.ticks.this_run();
        if *self.last_update == Some(now) {
            return;
        }
        let last = self.last_update.replace(now);
        self.world.begin();
        let changed = |tick: Tick| last.is_none_or(|last| tick.is_newer_than(last, now));
        let transforms = &self.world.transforms;
        self.index.begin_update();
        for (entity, collider, transform, skinned) in &self.positions {
            let moved = changed(collider.last_changed())
                || match (&skinned, collider.is_skinned()) {
                    (Some(skinned), true) => {
                        changed(skinned.last_changed())
                            || any_joint_changed(skinned, transforms, changed)
                    }
                    // `SkinnedMesh` may have been removed, which change detection does not report.
                    (None, true) => true,
                    (_, false) => changed(transform.last_changed()),
                };
            self.index.update(entity, moved, || {
                bounds(&collider, &transform, skinned.as_deref(), transforms)
            });
        }
        self.index.end_update();
    }
}

/// The box around a collider in the world; empty if it has no triangles.
fn bounds(
    collider: &AloCollider,
    transform: &GlobalTransform,
    skinned: Option<&SkinnedMesh>,
    transforms: &Transforms<'_, '_>,
) -> Aabb3d {
    let bounds = match (collider.skin(), skinned) {
        (Some(skin), Some(skinned)) => skin.bounds(|index| joint(skinned, index, transforms)),
        _ => {
            let bounds = collider.tree().bounds();
            bounds.map(|bounds| transformed(&transform.affine(), &bounds))
        }
    };
    bounds.unwrap_or(EMPTY_BOX)
}

/// Whether any joint moved or no longer exists.
fn any_joint_changed(
    skinned: &SkinnedMesh,
    transforms: &Transforms<'_, '_>,
    changed: impl Fn(Tick) -> bool,
) -> bool {
    let moved = |joint: &Entity| {
        let transform = transforms.get(*joint);
        transform.map_or(true, |transform| changed(transform.last_changed()))
    };
    skinned.joints.iter().any(moved)
}

fn joint(skinned: &SkinnedMesh, index: usize, transforms: &Transforms<'_, '_>) -> Option<Affine3A> {
    let joint = skinned.joints.get(index)?;
    Some(transforms.get(*joint).ok()?.affine())
}

impl Colliders<'_, '_> {
    /// Removes the poses of the last run. Call it in each run, before the first query.
    pub(crate) fn begin(&mut self) {
        self.posed.trees.clear();
    }

    fn cast(
        &mut self,
        entity: Entity,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> Option<AloRayHit> {
        let (hit, submesh, bone) = self.with_tree(entity, settings, |item, placed| {
            let hit = placed.cast(ray, max, settings.backfaces)?;
            Some((hit, *item.submesh, item.collider.bone()))
        })??;
        Some(AloRayHit {
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            barycentrics: hit.barycentrics,
            triangle: hit.triangle,
            root: self.root(entity),
            mesh: submesh.mesh,
            submesh: submesh.submesh,
            bone,
        })
    }

    fn details(&self, part: Entity, hit: &AloRayHit, meshes: Option<&Assets<Mesh>>) -> HitDetails {
        let Ok(instance) = self.roots.get(hit.root) else {
            return HitDetails::default();
        };
        let mesh = instance.model().meshes.get(hit.mesh);
        let submesh = mesh.and_then(|mesh| mesh.submeshes.get(hit.submesh));
        let mesh = submesh.and_then(|submesh| meshes?.get(submesh.mesh.as_ref()?));
        let triangles = mesh.and_then(SurfaceTriangles::of);
        let vertices = triangles.and_then(|triangles| triangles.get(hit.triangle as usize));
        let joint = |vertices| {
            let item = self.colliders.get(part).ok()?;
            let joint = item.collider.skin()?.joint_at(vertices, hit.barycentrics)?;
            item.skinned?.joints.get(joint).copied()
        };
        let attached_to = instance.bones().get(hit.bone).copied();
        HitDetails {
            bone: vertices.and_then(joint).or(attached_to),
            uv: mesh
                .zip(vertices)
                .and_then(|(mesh, vertices)| uv_at(uvs(mesh), vertices, hit.barycentrics)),
        }
    }

    /// The root of the model that a part belongs to.
    fn root(&self, part: Entity) -> Entity {
        let mut above = self.parents.iter_ancestors(part);
        above
            .find(|above| self.roots.contains(*above))
            .unwrap_or(part)
    }

    fn any_hit(
        &mut self,
        entity: Entity,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> bool {
        let any_hit = |_: &ColliderItem<'_, '_>, placed: &PlacedTree<'_>| {
            placed.any_hit(ray, max, settings.backfaces)
        };
        self.with_tree(entity, settings, any_hit).unwrap_or(false)
    }

    /// Calls a function with a collider's tree in the world. `None` if the settings exclude the collider
    /// or its transform is not usable.
    pub(crate) fn with_tree<T>(
        &mut self,
        entity: Entity,
        settings: &ModelRayCastSettings<'_>,
        query: impl FnOnce(&ColliderItem<'_, '_>, &PlacedTree<'_>) -> T,
    ) -> Option<T> {
        let item = self.colliders.get(entity).ok()?;
        if !self.is_included(&item, settings.visibility) || !(settings.filter)(entity) {
            return None;
        }
        let tree = item.collider.tree();
        let (Some(skin), Some(skinned)) = (item.collider.skin(), item.skinned) else {
            let placed = PlacedTree::new(tree, item.transform.affine())?;
            return Some(query(&item, &placed));
        };
        let Posed { trees, vertices } = &mut *self.posed;
        let posed = trees.entry(entity).or_insert_with(|| {
            // Joints transform to world space; the sub-mesh's own transform does not matter.
            let joint = |index| joint(skinned, index, &self.transforms);
            skin.pose(joint, vertices);
            tree.with_positions(vertices).ok()
        });
        let tree = posed.as_ref()?;
        Some(query(&item, &PlacedTree::new(tree, Affine3A::IDENTITY)?))
    }

    /// Whether a ray with the given setting can hit a collider.
    fn is_included(&self, item: &ColliderItem<'_, '_>, visibility: ModelRayCastVisibility) -> bool {
        match visibility {
            ModelRayCastVisibility::Any => true,
            ModelRayCastVisibility::Solid => self.is_solid(item),
            ModelRayCastVisibility::SolidAtCurrentLod => {
                item.inherited.get() || self.is_hull(item.parent)
            }
            ModelRayCastVisibility::Visible => item.inherited.get(),
            // Without `Mesh3d` there is no `Aabb`, and Bevy treats the entity as in view.
            ModelRayCastVisibility::VisibleInView => item.is_drawn && item.in_view.get(),
        }
    }

    /// Whether a collider belongs to the finest level of detail, and is visible or hidden only by the file
    /// or because another level is drawn.
    fn is_solid(&self, item: &ColliderItem<'_, '_>) -> bool {
        let parent = item.parent.map(ChildOf::parent);
        let Some((part, bone)) = parent.and_then(|parent| self.parts.get(parent).ok()) else {
            return item.inherited.get();
        };
        if !part.selected_at_finest {
            return false;
        }
        let is_coarser_drawn = !part.selected && item.own != Some(&Visibility::Hidden);
        item.inherited.get()
            || ((part.hidden || is_coarser_drawn) && self.is_bone_visible(bone.parent()))
    }

    fn is_bone_visible(&self, bone: Entity) -> bool {
        let bone = self.bones.get(bone);
        bone.is_ok_and(|(inherited, own)| {
            inherited.get() && own.is_none_or(BoneVisibility::is_visible)
        })
    }

    /// Whether a part is a collision hull: selected, and hidden only by the file.
    fn is_hull(&self, parent: Option<&ChildOf>) -> bool {
        let part = parent.and_then(|parent| self.parts.get(parent.parent()).ok());
        part.is_some_and(|(part, bone)| {
            part.hidden && part.selected && self.is_bone_visible(bone.parent())
        })
    }
}

/// A hit of a ray on a part of a spawned Alamo model, in world space.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloRayHit {
    /// Distance from the ray's origin.
    pub distance: f32,
    /// The hit point.
    pub point: Vec3,
    /// Normal of the triangle's front, of length 1, unless [`Backfaces::Flip`](crate::query::Backfaces::Flip) flipped it.
    pub normal: Vec3,
    /// Barycentric coordinates: weights of the triangle's corners, whose sum is 1.
    pub barycentrics: Vec3,
    /// Index of the triangle in the sub-mesh.
    pub triangle: u32,
    /// The root entity of the model that the part belongs to. For a model inside another, such as a proxy
    /// model, the root of the inner one. The part's own entity if it is not below a model.
    pub root: Entity,
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
    /// Index of the bone that the mesh is attached to, even if its vertices are skinned to other bones.
    pub bone: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::alamo::collision::tree::TreeLink;
    use crate::formats::alamo::raycast::collider::ColliderSkin;
    use bevy::ecs::system::SystemState;
    use bevy::ecs::world::World;
    use bevy::math::{Mat4, Vec3};
    use bevy::transform::components::Transform;
    use std::sync::Arc;

    const TRIANGLE: [[f32; 3]; 3] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    /// A collider of one triangle that is skinned to two joints.
    fn spawn(world: &mut World, joints: [Entity; 2]) -> Entity {
        let link = TreeLink {
            triangle_count: 1,
            link: 0,
        };
        let tree = CollisionTree::new([link], &[0], &TRIANGLE, &[0, 1, 2]).unwrap();
        let weights = [[0.5, 0.5, 0.0, 0.0]; 3];
        let skin = ColliderSkin::new(
            &TRIANGLE,
            &[[0, 1, 0, 0]; 3],
            &weights,
            &[Mat4::IDENTITY; 2],
        );
        let collider = AloCollider::new(Arc::new(tree), Some(Arc::new(skin)), 0);
        let skinned = SkinnedMesh {
            joints: joints.to_vec(),
            ..SkinnedMesh::default()
        };
        world
            .spawn((collider, skinned, GlobalTransform::default()))
            .id()
    }

    #[test]
    fn skinned_collider_box_is_updated_when_a_joint_changes() {
        let mut world = World::new();
        let joints = [(); 2].map(|()| world.spawn(GlobalTransform::default()).id());
        let collider = spawn(&mut world, joints);
        let mut state = SystemState::<AloRayCast>::new(&mut world);
        let mut computed = |world: &mut World| {
            let mut rays = state.get_mut(world).unwrap();
            rays.refresh();
            let computed = core::mem::take(&mut rays.index.computed);
            state.apply(world);
            computed
        };
        assert_eq!([(); 3].map(|()| computed(&mut world)), [1, 0, 0]);
        let away = GlobalTransform::from(Transform::from_translation(Vec3::X));
        *world.get_mut::<GlobalTransform>(joints[1]).unwrap() = away;
        assert_eq!([(); 2].map(|()| computed(&mut world)), [1, 0]);
        // Its own transform makes no difference, other joints do.
        *world.get_mut::<GlobalTransform>(collider).unwrap() = away;
        assert_eq!(computed(&mut world), 0);
        let mut skinned = world.get_mut::<SkinnedMesh>(collider).unwrap();
        skinned.joints.reverse();
        assert_eq!([(); 2].map(|()| computed(&mut world)), [1, 0]);
        world.despawn(joints[0]);
        assert_eq!(computed(&mut world), 1);
    }
}
