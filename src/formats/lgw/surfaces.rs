//! The surfaces of spawned models, for ray casts: their meshes.

use crate::formats::lgw::components::{LgwInstance, LgwMesh};
use crate::geometry::parts::{HitPart, PartViews, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::ModelRayCastSettings;
use crate::geometry::surface::Surface;
use crate::geometry::vertices::{SurfaceTriangles, uvs};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The meshes of all spawned models.
#[derive(SystemParam)]
pub(crate) struct LgwSurfaces<'w, 's> {
    roots: Query<'w, 's, &'static LgwInstance>,
    parts: Query<'w, 's, (&'static LgwMesh, &'static GlobalTransform)>,
    views: PartViews<'w, 's>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
}

impl Surfaces for LgwSurfaces<'_, '_> {
    fn parts(&self, root: Entity, parts: &mut Vec<HitPart>) {
        let meshes = self.roots.get(root).map(LgwInstance::meshes);
        let meshes = meshes.into_iter().flatten().copied();
        parts.extend(meshes.map(|entity| HitPart { root, entity }));
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
        let instance = self.roots.get(part.root).ok()?;
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
}
