//! The system parameter.

use super::collider::{AloCollider, Placed};
use super::index::{Index, NOWHERE, Waiting, moved};
use super::settings::{AloRayCastSettings, AloRayCastVisibility, AloRayHit};
use crate::alamo::collision::CollisionTree;
use crate::alamo::components::{AloInstance, AloPart, AloSubmeshIndex};
use bevy::camera::visibility::{InheritedVisibility, ViewVisibility, Visibility};
use bevy::ecs::change_detection::{DetectChanges, Ref, Tick};
use bevy::ecs::entity::{Entity, EntityHashMap};
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::query::{Has, QueryData, With};
use bevy::ecs::system::{Local, Query, SystemChangeTick, SystemParam};
use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Ray3d};
use bevy::mesh::Mesh3d;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::transform::components::GlobalTransform;

/// How much farther than what hides it a part is looked for, as a part of the distance: parts in one
/// place must all be found, whichever is asked first.
const TIE: f32 = 1e-6;

/// What is known of a collider.
#[derive(QueryData)]
pub(super) struct Collider {
    collider: &'static AloCollider,
    of: &'static AloSubmeshIndex,
    transform: &'static GlobalTransform,
    own: Option<&'static Visibility>,
    inherited: &'static InheritedVisibility,
    in_view: &'static ViewVisibility,
    is_drawn: Has<Mesh3d>,
    parent: Option<&'static ChildOf>,
    skinned: Option<&'static SkinnedMesh>,
}

/// What decides where colliders are.
type Place = (
    Entity,
    Ref<'static, AloCollider>,
    Ref<'static, GlobalTransform>,
    Option<Ref<'static, SkinnedMesh>>,
);

/// Casts rays at the collision trees of spawned models: the counterpart of Bevy's `MeshRayCast`.
///
/// Rays meet parts exactly, on their triangles, where `GlobalTransform`s have them when a system casts
/// its first ray: those of the last propagation, as with `MeshRayCast`. Rigid parts follow their
/// bones, skinned ones are posed by theirs, once a run; any scale is right, be it uneven or mirrored.
/// What is flattened to nothing is not met.
///
/// The first ray of a run looks at all colliders for those that moved, and the second puts them in
/// order if any did; each further one costs little, however many there are. The first that comes near a
/// skinned part poses all of it. Each system has an index of its own, so let one cast for others if many
/// would. Nothing is done in systems that do not cast.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::alamo::{AloRayCast, AloRayCastSettings};
/// fn look_ahead(mut rays: AloRayCast, ships: Query<&GlobalTransform>) {
///     let settings = AloRayCastSettings::default().with_max_distance(500.0);
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
    places: Query<'w, 's, Place>,
    world: Colliders<'w, 's>,
    ticks: SystemChangeTick,
    /// When the index was last brought up to date.
    known: Local<'s, Option<Tick>>,
    index: Local<'s, Index>,
    stack: Local<'s, Vec<Waiting>>,
    hits: Local<'s, Vec<(Entity, AloRayHit)>>,
}

/// Where all entities are.
type Transforms<'w, 's> = Query<'w, 's, Ref<'static, GlobalTransform>>;

/// The colliders and what they hang on.
#[derive(SystemParam)]
pub(super) struct Colliders<'w, 's> {
    colliders: Query<'w, 's, Collider>,
    parts: Query<'w, 's, (&'static AloPart, &'static ChildOf)>,
    parents: Query<'w, 's, &'static ChildOf>,
    roots: Query<'w, 's, (), With<AloInstance>>,
    shown: Query<'w, 's, &'static InheritedVisibility>,
    transforms: Transforms<'w, 's>,
    posed: Local<'s, Posed>,
}

/// Trees of skinned colliders as they are posed in this run of the system, once they are asked.
#[derive(Default)]
struct Posed {
    /// In the world. `None` where vertices are nowhere.
    trees: EntityHashMap<Option<CollisionTree>>,
    vertices: Vec<[f32; 3]>,
}

impl AloRayCast<'_, '_> {
    /// Casts a ray into the world, and tells what it meets: one hit for each part, the nearest first,
    /// and none behind the nearest that
    /// [`early_exit_test`](AloRayCastSettings::early_exit_test) says hides others.
    pub fn cast_ray(
        &mut self,
        ray: Ray3d,
        settings: &AloRayCastSettings<'_>,
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
        index.along(ray, settings.max_distance, stack, |entity, max| {
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
        // Of those that are equally near the same is first in every frame.
        hits.sort_unstable_by(|(a_entity, a), (b_entity, b)| {
            let nearer = a.distance.total_cmp(&b.distance);
            nearer.then_with(|| a_entity.cmp(b_entity))
        });
        let hides = |(entity, _): &(Entity, AloRayHit)| (settings.early_exit_test)(*entity);
        if let Some(last) = hits.iter().position(hides) {
            hits.truncate(last + 1);
        }
        hits
    }

    /// Whether a ray meets anything: for lines of sight.
    ///
    /// This is faster than [`cast_ray`](Self::cast_ray), for it stops at the first part that it finds.
    /// `early_exit_test` is not asked.
    pub fn any_hit(&mut self, ray: Ray3d, settings: &AloRayCastSettings<'_>) -> bool {
        self.refresh();
        let Self {
            world,
            index,
            stack,
            ..
        } = self;
        let mut found = false;
        index.along(ray, settings.max_distance, stack, |entity, max| {
            found = world.meets(entity, ray, max, settings);
            if found { -1.0 } else { max }
        });
        found
    }

    /// Brings the index up to date, once a run of the system.
    fn refresh(&mut self) {
        let now = self.ticks.this_run();
        if *self.known == Some(now) {
            return;
        }
        let known = self.known.replace(now);
        self.world.begin();
        let changed = |tick: Tick| known.is_none_or(|known| tick.is_newer_than(known, now));
        let transforms = &self.world.transforms;
        self.index.begin();
        for (entity, collider, transform, skinned) in &self.places {
            let moved = changed(collider.last_changed())
                || match (&skinned, collider.is_skinned()) {
                    (Some(skinned), true) => {
                        changed(skinned.last_changed()) || any_joint(skinned, transforms, changed)
                    }
                    // It may have been removed: that is not told.
                    (None, true) => true,
                    (_, false) => changed(transform.last_changed()),
                };
            self.index.tell(entity, moved, || {
                bounds(&collider, &transform, skinned.as_deref(), transforms)
            });
        }
        self.index.end();
    }
}

/// The box around a collider in the world; inside out if there is nothing to meet.
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
            bounds.map(|bounds| moved(&transform.affine(), &bounds))
        }
    };
    bounds.unwrap_or(NOWHERE)
}

/// Whether any joint has moved, or is gone.
fn any_joint(
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
    /// Forgets the poses of the last run. To be done in each, before anything is asked.
    pub(super) fn begin(&mut self) {
        self.posed.trees.clear();
    }

    fn cast(
        &mut self,
        entity: Entity,
        ray: Ray3d,
        max: f32,
        settings: &AloRayCastSettings<'_>,
    ) -> Option<AloRayHit> {
        let (hit, of, bone) = self.ask(entity, settings, |known, placed| {
            let hit = placed.cast(ray, max, settings.backfaces)?;
            Some((hit, *known.of, known.collider.bone()))
        })??;
        Some(AloRayHit {
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            barycentrics: hit.barycentrics,
            triangle: hit.triangle,
            root: self.root(entity),
            mesh: of.mesh,
            submesh: of.submesh,
            bone,
        })
    }

    /// The root of the model that a part belongs to.
    fn root(&self, part: Entity) -> Entity {
        let mut above = self.parents.iter_ancestors(part);
        above
            .find(|above| self.roots.contains(*above))
            .unwrap_or(part)
    }

    fn meets(
        &mut self,
        entity: Entity,
        ray: Ray3d,
        max: f32,
        settings: &AloRayCastSettings<'_>,
    ) -> bool {
        let meets = |_: &ColliderItem<'_, '_>, placed: &Placed<'_>| {
            placed.meets(ray, max, settings.backfaces)
        };
        self.ask(entity, settings, meets).unwrap_or(false)
    }

    /// Asks a collider's tree, where it is in the world, if the collider counts.
    pub(super) fn ask<T>(
        &mut self,
        entity: Entity,
        settings: &AloRayCastSettings<'_>,
        ask: impl FnOnce(&ColliderItem<'_, '_>, &Placed<'_>) -> T,
    ) -> Option<T> {
        let known = self.colliders.get(entity).ok()?;
        if !self.counts(&known, settings.visibility) || !(settings.filter)(entity) {
            return None;
        }
        let tree = known.collider.tree();
        let (Some(skin), Some(skinned)) = (known.collider.skin(), known.skinned) else {
            return Some(ask(&known, &Placed::new(tree, known.transform.affine())?));
        };
        let Posed { trees, vertices } = &mut *self.posed;
        let posed = trees.entry(entity).or_insert_with(|| {
            // Joints lead to the world, wherever the sub-mesh's own entity is.
            let joint = |index| joint(skinned, index, &self.transforms);
            skin.pose(joint, vertices);
            tree.with_positions(vertices).ok()
        });
        let tree = posed.as_ref()?;
        Some(ask(&known, &Placed::new(tree, Affine3A::IDENTITY)?))
    }

    /// Whether a collider is one of those that are asked for.
    fn counts(&self, known: &ColliderItem<'_, '_>, visibility: AloRayCastVisibility) -> bool {
        match visibility {
            AloRayCastVisibility::Any => true,
            AloRayCastVisibility::Solid => self.is_solid(known),
            AloRayCastVisibility::SolidAtCurrentLod => {
                known.inherited.get() || self.is_hull(known.parent)
            }
            AloRayCastVisibility::Visible => known.inherited.get(),
            // What nothing draws has no box either, so that Bevy takes it for in view.
            AloRayCastVisibility::VisibleInView => known.is_drawn && known.in_view.get(),
        }
    }

    /// Whether nothing but the file or the level of detail hides a collider of the finest level.
    fn is_solid(&self, known: &ColliderItem<'_, '_>) -> bool {
        let parent = known.parent.map(ChildOf::parent);
        let Some((part, bone)) = parent.and_then(|parent| self.parts.get(parent).ok()) else {
            return known.inherited.get();
        };
        if !part.selected_at_finest {
            return false;
        }
        let is_coarser_drawn = !part.selected && known.own != Some(&Visibility::Hidden);
        let bone_shows = || {
            let bone = self.shown.get(bone.parent());
            bone.is_ok_and(|shown| shown.get())
        };
        known.inherited.get() || ((part.hidden || is_coarser_drawn) && bone_shows())
    }

    /// Whether nothing but the file hides what hangs on a part.
    fn is_hull(&self, parent: Option<&ChildOf>) -> bool {
        let part = parent.and_then(|parent| self.parts.get(parent.parent()).ok());
        part.is_some_and(|(part, bone)| {
            let bone = self.shown.get(bone.parent());
            part.hidden && part.selected && bone.is_ok_and(|shown| shown.get())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::skin::ColliderSkin;
    use super::*;
    use crate::alamo::collision::TreeLink;
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
    fn boxes_of_skinned_colliders_are_computed_when_a_joint_moves() {
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
        // Its own place makes no difference, other joints do.
        *world.get_mut::<GlobalTransform>(collider).unwrap() = away;
        assert_eq!(computed(&mut world), 0);
        let mut skinned = world.get_mut::<SkinnedMesh>(collider).unwrap();
        skinned.joints.reverse();
        assert_eq!([(); 2].map(|()| computed(&mut world)), [1, 0]);
        world.despawn(joints[0]);
        assert_eq!(computed(&mut world), 1);
    }
}
