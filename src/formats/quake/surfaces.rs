//! The surfaces of spawned models, for ray casts: the mesh at the poses that it shows.

use crate::formats::quake::components::{MdlInstance, MdlPoseRow};
use crate::formats::quake::poses::MdlPoseTable;
use crate::geometry::parts::{HitPart, PartViews, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::ModelRayCastSettings;
use crate::geometry::surface::Surface;
use crate::geometry::vertices::{SurfaceTriangles, uvs};
use crate::gpu::pose_table::PoseBlend;
use bevy::ecs::system::SystemParam;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;

/// The meshes of all spawned models.
#[derive(SystemParam)]
pub(crate) struct MdlSurfaces<'w, 's> {
    roots: Query<'w, 's, &'static MdlInstance>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    rows: Query<'w, 's, &'static MdlPoseRow>,
    views: PartViews<'w, 's>,
    table: Option<Res<'w, MdlPoseTable>>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
}

impl MdlSurfaces<'_, '_> {
    /// The poses that a mesh shows.
    fn shown(&self, mesh: Entity) -> PoseBlend {
        let row = self.rows.get(mesh).ok().zip(self.table.as_ref());
        row.map_or_else(PoseBlend::default, |(row, table)| table.get(row.row))
    }
}

impl Surfaces for MdlSurfaces<'_, '_> {
    fn parts(&self, root: Entity, parts: &mut Vec<HitPart>) {
        let mesh = self.roots.get(root).map(MdlInstance::mesh);
        parts.extend(mesh.map(|entity| HitPart { root, entity }));
    }

    fn surface<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        if !self.views.includes(part.entity, settings.visibility) {
            return None;
        }
        let model = self.roots.get(part.root).ok()?.model();
        let affine = self.transforms.get(part.entity).ok()?.affine();
        let mesh = self.meshes.as_ref()?.get(&model.mesh)?;
        let Ok(VertexAttributeValues::Float32x2(file_vertices)) =
            mesh.try_attribute(Mesh::ATTRIBUTE_UV_1)
        else {
            return None;
        };
        let positions = posed.get(part.entity, model.mesh.id(), |positions| {
            let shown = self.shown(part.entity);
            let position = |[vertex, _]: &[f32; 2]| {
                let position = model.poses.position(shown, *vertex as u32);
                position.to_array()
            };
            positions.extend(file_vertices.iter().map(position));
        });
        Some(Surface {
            triangles: SurfaceTriangles::of(mesh)?,
            positions,
            uvs: uvs(mesh),
            affine,
        })
    }
}
