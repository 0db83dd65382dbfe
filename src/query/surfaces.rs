//! Rays at the parts of models without collision trees: all formats except ALO.

use crate::geometry::box_index::{Index, Pending, TIE};
use crate::geometry::parts::{HitPart, HitPartKind, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::ModelRayCastSettings;
use crate::geometry::surface::Surface;
use crate::query::hit::ModelRayHit;
use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::{Local, SystemChangeTick, SystemParam};
use bevy::math::Ray3d;

/// The parts of all models without collision trees, and the state of rays at them.
#[derive(SystemParam)]
pub(crate) struct SurfaceRayCast<'w, 's> {
    parts: FormatSurfaces<'w, 's>,
    ticks: SystemChangeTick,
    /// The tick of the index's last update.
    last_update: Local<'s, Option<Tick>>,
    index: Local<'s, Index<HitPart>>,
    stack: Local<'s, Vec<Pending>>,
    posed: Local<'s, PosedVertices>,
    /// A buffer of projected vertices, kept for its memory.
    projected: Local<'s, Vec<[f32; 3]>>,
}

/// The parts of each format.
#[derive(SystemParam)]
pub(crate) struct FormatSurfaces<'w, 's> {
    #[cfg(feature = "quake")]
    mdl: crate::formats::quake::surfaces::MdlSurfaces<'w, 's>,
    #[cfg(feature = "lithtech")]
    abc: crate::formats::lithtech::surfaces::AbcSurfaces<'w, 's>,
    #[cfg(feature = "lgw")]
    lgw: crate::formats::lgw::surfaces::LgwSurfaces<'w, 's>,
}

impl FormatSurfaces<'_, '_> {
    /// The parts of the format of a part.
    fn of(&self, kind: HitPartKind) -> &dyn Surfaces {
        match kind {
            #[cfg(feature = "quake")]
            HitPartKind::Mdl => &self.mdl,
            #[cfg(feature = "lithtech")]
            HitPartKind::Abc | HitPartKind::AbcBox => &self.abc,
            #[cfg(feature = "lgw")]
            HitPartKind::Lgw => &self.lgw,
        }
    }

    fn update_index(&self, index: &mut Index<HitPart>, changed: &dyn Fn(Tick) -> bool) {
        index.begin_update();
        #[cfg(feature = "quake")]
        self.mdl.update_index(index, changed);
        #[cfg(feature = "lithtech")]
        self.abc.update_index(index, changed);
        #[cfg(feature = "lgw")]
        self.lgw.update_index(index, changed);
        index.end_update();
    }

    /// Adds the parts of a root's model.
    pub(crate) fn parts(&self, root: Entity, parts: &mut Vec<HitPart>) {
        #[cfg(feature = "quake")]
        self.mdl.parts(root, parts);
        #[cfg(feature = "lithtech")]
        self.abc.parts(root, parts);
        #[cfg(feature = "lgw")]
        self.lgw.parts(root, parts);
    }

    /// The surface of a part, if the settings include it.
    pub(crate) fn surface<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        match (settings.filter)(part.entity) {
            true => self.of(part.kind).surface(part, settings, posed),
            false => None,
        }
    }
}

impl SurfaceRayCast<'_, '_> {
    /// Updates the index and removes the poses of the last run, once per run of the system.
    fn refresh(&mut self) {
        let now = self.ticks.this_run();
        if *self.last_update == Some(now) {
            return;
        }
        let last = self.last_update.replace(now);
        self.posed.clear();
        let changed = |tick: Tick| last.is_none_or(|last| tick.is_newer_than(last, now));
        self.parts.update_index(&mut self.index, &changed);
    }

    /// Appends the hits of a ray within the distance `max`: all that are not behind a part at which the ray stops.
    pub(crate) fn cast_ray(
        &mut self,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
        hits: &mut Vec<ModelRayHit>,
    ) {
        self.refresh();
        let Self {
            parts,
            index,
            stack,
            posed,
            projected,
            ..
        } = self;
        index.visit_along(ray, max, stack, |part: HitPart, max| {
            let surface = parts.surface(part, settings, posed);
            let hit =
                surface.and_then(|surface| surface.cast(ray, max, settings.backfaces, projected));
            let Some(hit) = hit else {
                return max;
            };
            hits.push(ModelRayHit {
                root: part.root,
                part: part.entity,
                bone: parts.of(part.kind).bone(part, settings, &hit),
                triangle: hit.triangle,
                barycentrics: hit.barycentrics,
                distance: hit.distance,
                point: hit.point,
                normal: hit.normal,
                uv: hit.uv,
            });
            match (settings.early_exit_test)(part.entity) {
                true => max.min(hit.distance * (1.0 + TIE)),
                false => max,
            }
        });
    }

    /// Whether a ray hits anything.
    pub(crate) fn any_hit(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> bool {
        self.refresh();
        let Self {
            parts,
            index,
            stack,
            posed,
            projected,
            ..
        } = self;
        let mut found = false;
        index.visit_along(ray, settings.max_distance, stack, |part, max| {
            let surface = parts.surface(part, settings, posed);
            found = surface
                .is_some_and(|surface| surface.any_hit(ray, max, settings.backfaces, projected));
            if found { -1.0 } else { max }
        });
        found
    }
}
