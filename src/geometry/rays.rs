//! Rays at the models of a format without collision trees.

use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::parts::{HitPart, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::{ColliderParts, ModelRayCastSettings, ModelRayHit};
use crate::geometry::surface::{Projected, Surface};
use bevy::ecs::system::{StaticSystemParam, SystemParam};
use bevy::math::Affine3A;
use bevy::prelude::*;

/// Rays at the surfaces `S` of a format, and their state.
#[derive(SystemParam)]
pub(crate) struct SurfaceRays<'w, 's, S: SystemParam + 'static> {
    pub(crate) surfaces: StaticSystemParam<'w, 's, S>,
    posed: Local<'s, PosedVertices>,
    projected: Local<'s, Projected>,
}

impl<S> SurfaceRays<'_, '_, S>
where
    S: SystemParam + 'static,
    for<'w, 's> S::Item<'w, 's>: Surfaces,
{
    /// Removes the poses of the last run. Call it in each run of the system, before the first ray.
    pub(crate) fn begin(&mut self) {
        self.posed.clear();
    }

    /// The nearest hit of a ray on a part within the distance `max`.
    pub(crate) fn cast(
        &mut self,
        part: HitPart,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> Option<ModelRayHit> {
        let surfaces = &*self.surfaces;
        let surface = surface(surfaces, part, settings, &mut self.posed)?;
        let hit = surface.cast(ray, max, settings.backfaces, &mut self.projected)?;
        Some(ModelRayHit {
            root: part.root,
            part: surfaces.target(part),
            bone: surfaces.bone(part, settings, &hit),
            triangle: hit.triangle,
            barycentrics: hit.barycentrics,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            uv: hit.uv,
        })
    }

    /// Whether a ray hits a part within the distance `max`.
    pub(crate) fn any_hit(
        &mut self,
        part: HitPart,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> bool {
        surface(&*self.surfaces, part, settings, &mut self.posed).is_some_and(|surface| {
            surface.any_hit(ray, max, settings.backfaces, &mut self.projected)
        })
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
    if !(settings.filter)(surfaces.target(part)) {
        return None;
    }
    surfaces.surface(part, settings, posed)
}
