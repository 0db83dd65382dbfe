//! Rays at the models of a format without collision trees.

use crate::geometry::box_index::{Index, Pending, TIE};
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::parts::{HitPart, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::{ColliderParts, ModelRayCastSettings, ModelRayHit};
use crate::geometry::surface::Surface;
use bevy::ecs::change_detection::Tick;
use bevy::ecs::system::{StaticSystemParam, SystemChangeTick, SystemParam};
use bevy::math::Affine3A;
use bevy::prelude::*;

/// Rays at the surfaces `S` of a format, and their state.
#[derive(SystemParam)]
pub(crate) struct SurfaceRays<'w, 's, S: SystemParam + 'static> {
    surfaces: StaticSystemParam<'w, 's, S>,
    ticks: SystemChangeTick,
    /// The tick of the index's last update.
    last_update: Local<'s, Option<Tick>>,
    index: Local<'s, Index<HitPart>>,
    stack: Local<'s, Vec<Pending>>,
    posed: Local<'s, PosedVertices>,
    /// A buffer of projected vertices, kept for its memory.
    projected: Local<'s, Vec<[f32; 3]>>,
}

impl<S> SurfaceRays<'_, '_, S>
where
    S: SystemParam + 'static,
    for<'w, 's> S::Item<'w, 's>: Surfaces,
{
    /// Updates the index and removes the poses of the last run, once per run of the system.
    fn refresh(&mut self) {
        let now = self.ticks.this_run();
        if *self.last_update == Some(now) {
            return;
        }
        let last = self.last_update.replace(now);
        self.posed.clear();
        let changed = |tick: Tick| last.is_none_or(|last| tick.is_newer_than(last, now));
        self.index.begin_update();
        self.surfaces.update_index(&mut self.index, &changed);
        self.index.end_update();
    }

    /// Appends the hits of a ray within the distance `max`: at least all that are not behind a part at which the ray stops.
    pub(crate) fn cast_ray(
        &mut self,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
        hits: &mut Vec<ModelRayHit>,
    ) {
        self.refresh();
        let Self {
            surfaces,
            index,
            stack,
            posed,
            projected,
            ..
        } = self;
        let surfaces = &**surfaces;
        index.visit_along(ray, max, stack, |part: HitPart, max| {
            let hit = surface(surfaces, part, settings, posed)
                .and_then(|surface| surface.cast(ray, max, settings.backfaces, projected));
            let Some(hit) = hit else {
                return max;
            };
            hits.push(ModelRayHit {
                root: part.root,
                part: part.entity,
                bone: surfaces.bone(part, settings, &hit),
                triangle: hit.triangle,
                barycentrics: hit.barycentrics,
                distance: hit.distance,
                point: hit.point,
                normal: hit.normal,
                uv: hit.uv,
            });
            if (settings.early_exit_test)(part.entity) {
                max.min(hit.distance * (1.0 + TIE))
            } else {
                max
            }
        });
    }

    /// Whether a ray hits anything.
    pub(crate) fn any_hit(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> bool {
        self.refresh();
        let Self {
            surfaces,
            index,
            stack,
            posed,
            projected,
            ..
        } = self;
        let surfaces = &**surfaces;
        let mut found = false;
        index.visit_along(ray, settings.max_distance, stack, |part, max| {
            found = surface(surfaces, part, settings, posed)
                .is_some_and(|surface| surface.any_hit(ray, max, settings.backfaces, projected));
            if found { -1.0 } else { max }
        });
        found
    }

    /// Adds the triangles of the model of `root`, or of its part `entity`. `from_world` transforms the world to the space of
    /// the mesh.
    pub(crate) fn add_triangles(
        &mut self,
        root: Entity,
        entity: Entity,
        parts: ColliderParts,
        from_world: &Affine3A,
        mesh: &mut ColliderMesh,
    ) {
        if parts == ColliderParts::Hulls {
            return;
        }
        let settings = parts.settings();
        let mut all = Vec::new();
        self.surfaces.parts(root, &mut all);
        all.retain(|part| entity == root || part.entity == entity);
        // Poses may have changed since the last call.
        self.posed.clear();
        for part in all {
            if let Some(surface) = surface(&*self.surfaces, part, &settings, &mut self.posed) {
                let affine = *from_world * surface.affine;
                mesh.add(surface.vertices(), surface.triangles.iter(), &affine);
            }
        }
    }
}

/// The surface of a part, if the settings include it.
fn surface<'a>(
    surfaces: &'a impl Surfaces,
    part: HitPart,
    settings: &ModelRayCastSettings<'_>,
    posed: &'a mut PosedVertices,
) -> Option<Surface<'a>> {
    if !(settings.filter)(part.entity) {
        return None;
    }
    surfaces.surface(part, settings, posed)
}
