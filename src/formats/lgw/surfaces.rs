//! The surfaces of spawned models, for ray casts: their meshes.

use crate::formats::lgw::components::{LgwInstance, LgwMesh};
use crate::geometry::box_index::{EMPTY_BOX, Index, transformed};
use crate::geometry::parts::{HitPart, PartViews, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::ModelRayCastSettings;
use crate::geometry::surface::{Surface, SurfaceHit};
use crate::geometry::vertices::{SurfaceTriangles, uvs};
use bevy::ecs::change_detection::Tick;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The meshes of all spawned models.
#[derive(SystemParam)]
pub(crate) struct LgwSurfaces<'w, 's> {
    roots: Query<'w, 's, (Entity, &'static LgwInstance)>,
    parts: Query<'w, 's, (&'static LgwMesh, Ref<'static, GlobalTransform>)>,
    views: PartViews<'w, 's>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
}

impl Surfaces for LgwSurfaces<'_, '_> {
    fn update_index(&self, index: &mut Index<HitPart>, changed: &dyn Fn(Tick) -> bool) {
        for (root, instance) in &self.roots {
            let parts = instance.meshes().iter();
            for (entity, (mesh, transform)) in
                parts.filter_map(|entity| Some((*entity, self.parts.get(*entity).ok()?)))
            {
                let part = HitPart::mesh(root, entity);
                index.update(part, changed(transform.last_changed()), || {
                    let info = instance.model().meshes.get(mesh.index);
                    let bounds = info.filter(|info| info.mesh.is_some());
                    let bounds = bounds.and_then(|info| info.bounds);
                    bounds.map_or(EMPTY_BOX, |bounds| {
                        transformed(&transform.affine(), &bounds)
                    })
                });
            }
        }
    }

    fn parts(&self, root: Entity, parts: &mut Vec<HitPart>) {
        let instance = self.roots.get(root).ok();
        let meshes = instance.map(|(_, instance)| instance.meshes());
        let part = |entity: &Entity| HitPart::mesh(root, *entity);
        parts.extend(meshes.into_iter().flatten().map(part));
    }

    fn surface<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        _: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        if !self.views.includes(part.entity, settings.visibility) {
            return None;
        }
        let (_, instance) = self.roots.get(part.root).ok()?;
        let (mesh, transform) = self.parts.get(part.entity).ok()?;
        let info = instance.model().meshes.get(mesh.index)?;
        let mesh = self.meshes.as_ref()?.get(info.mesh.as_ref()?)?;
        let positions = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
        Some(Surface {
            triangles: SurfaceTriangles::of(mesh)?,
            positions: positions.as_float3()?,
            uvs: uvs(mesh),
            affine: transform.affine(),
        })
    }

    /// These models have no bones.
    fn bone(&self, _: HitPart, _: &ModelRayCastSettings<'_>, _: &SurfaceHit) -> Option<Entity> {
        None
    }
}
