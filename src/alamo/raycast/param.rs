//! The system parameter.

use super::collider::{AloCollider, Placed};
use super::index::{Index, NOWHERE, Waiting, moved};
use super::settings::{AloRayCastSettings, AloRayCastVisibility, AloRayHit};
use crate::alamo::collision::CollisionTree;
use crate::alamo::parts::AloPart;
use crate::alamo::spawn::AloSubmeshOf;
use bevy::camera::visibility::{InheritedVisibility, ViewVisibility};
use bevy::ecs::change_detection::{DetectChanges, Ref, Tick};
use bevy::ecs::entity::{Entity, EntityHashMap};
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::query::{Has, QueryData};
use bevy::ecs::system::{Local, Query, SystemChangeTick, SystemParam};
use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Ray3d};
use bevy::mesh::Mesh3d;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::transform::components::GlobalTransform;

/// What is known of a collider.
#[derive(QueryData)]
pub(super) struct Collider {
    collider: &'static AloCollider,
    of: &'static AloSubmeshOf,
    transform: &'static GlobalTransform,
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
    Option<&'static SkinnedMesh>,
);

/// Casts rays at the collision trees of spawned models: the counterpart of Bevy's `MeshRayCast`.
///
/// Rays meet parts exactly, on their triangles, where `GlobalTransform`s have them when a system casts
/// its first ray: those of the last propagation, as with `MeshRayCast`. Rigid parts follow their
/// bones, skinned ones are posed by theirs, once a run; any scale is right, be it uneven or mirrored.
/// What is flattened to nothing is not met.
///
/// The first ray of a run looks at all colliders for those that moved; each further one costs little,
/// however many there are. Each system has an index of its own, so let one cast for others if many
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
    /// When the index was last brought up to date.
    known: Local<'s, Option<Tick>>,
    index: Local<'s, Index>,
    stack: Local<'s, Vec<Waiting>>,
    hits: Local<'s, Vec<(Entity, AloRayHit)>>,
}

/// The colliders and what they hang on.
#[derive(SystemParam)]
pub(super) struct Colliders<'w, 's> {
    colliders: Query<'w, 's, Collider>,
    parts: Query<'w, 's, (&'static AloPart, &'static ChildOf)>,
    shown: Query<'w, 's, &'static InheritedVisibility>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    ticks: SystemChangeTick,
    posed: Local<'s, Posed>,
}

/// Trees of skinned colliders as they are posed in this run of the system, once they are asked.
#[derive(Default)]
struct Posed {
    /// The run.
    when: Option<Tick>,
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
                hit.distance
            } else {
                max
            }
        });
        hits.sort_unstable_by(|(_, a), (_, b)| a.distance.total_cmp(&b.distance));
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
        let now = self.world.ticks.this_run();
        if *self.known == Some(now) {
            return;
        }
        let known = self.known.replace(now);
        let changed = |tick: Tick| known.is_none_or(|known| tick.is_newer_than(known, now));
        let transforms = &self.world.transforms;
        self.index.begin();
        for (entity, collider, transform, skinned) in &self.places {
            let moved = collider.is_skinned()
                || changed(transform.last_changed())
                || changed(collider.last_changed());
            self.index.tell(entity, moved, || {
                bounds(&collider, &transform, skinned, transforms)
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
    transforms: &Query<&GlobalTransform>,
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

fn joint(
    skinned: &SkinnedMesh,
    index: usize,
    transforms: &Query<&GlobalTransform>,
) -> Option<Affine3A> {
    let joint = skinned.joints.get(index)?;
    Some(transforms.get(*joint).ok()?.affine())
}

impl Colliders<'_, '_> {
    fn cast(
        &mut self,
        entity: Entity,
        ray: Ray3d,
        max: f32,
        settings: &AloRayCastSettings<'_>,
    ) -> Option<AloRayHit> {
        self.ask(entity, settings, |known, placed| {
            let hit = placed.cast(ray, max, settings.backfaces)?;
            Some(AloRayHit {
                distance: hit.distance,
                point: hit.point,
                normal: hit.normal,
                barycentrics: hit.barycentrics,
                triangle: hit.triangle,
                mesh: known.of.mesh,
                submesh: known.of.submesh,
                bone: known.collider.bone(),
            })
        })?
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
        let Posed {
            when,
            trees,
            vertices,
        } = &mut *self.posed;
        let now = self.ticks.this_run();
        if when.replace(now) != Some(now) {
            trees.clear();
        }
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
            AloRayCastVisibility::Solid => known.inherited.get() || self.is_hull(known.parent),
            AloRayCastVisibility::Visible => known.inherited.get(),
            // What nothing draws has no box either, so that Bevy takes it for in view.
            AloRayCastVisibility::VisibleInView => known.is_drawn && known.in_view.get(),
        }
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
