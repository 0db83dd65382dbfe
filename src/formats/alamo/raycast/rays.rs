//! Rays at the collision trees of spawned Alamo models, for code on any format: the counterpart of
//! [`SurfaceRays`](crate::geometry::rays::SurfaceRays).

use crate::formats::alamo::raycast::param::AloRayCast;
use crate::formats::alamo::raycast::triangles::AloTriangles;
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::ray_settings::ModelRayHit;
use crate::geometry::ray_settings::{ColliderParts, ModelRayCastSettings};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;

/// Rays at collision trees, and the triangles of trees and drawn sub-meshes.
#[derive(SystemParam)]
pub(crate) struct AloRays<'w, 's> {
    trees: AloRayCast<'w, 's>,
    triangles: AloTriangles<'w, 's>,
}

impl AloRays<'_, '_> {
    pub(crate) fn cast_ray(
        &mut self,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
        hits: &mut Vec<ModelRayHit>,
    ) {
        self.trees.cast_ray(ray, &settings.with_max_distance(max));
        let details = self.trees.details(self.triangles.meshes());
        hits.extend(details.map(|(part, hit, details)| ModelRayHit {
            root: hit.root,
            part,
            bone: details.bone,
            triangle: hit.triangle,
            barycentrics: hit.barycentrics,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            uv: details.uv,
        }));
    }

    pub(crate) fn any_hit(&mut self, ray: Ray3d, settings: &ModelRayCastSettings<'_>) -> bool {
        self.trees.any_hit(ray, settings)
    }

    pub(crate) fn add_triangles(
        &mut self,
        _: Entity,
        entity: Entity,
        parts: ColliderParts,
        from_world: &Affine3A,
        mesh: &mut ColliderMesh,
    ) {
        let settings = parts.settings();
        for submesh in self.triangles.submeshes(entity) {
            match parts {
                ColliderParts::Drawn => {
                    self.triangles.add_drawn(submesh, from_world, mesh);
                }
                ColliderParts::Hulls if !self.triangles.is_hull(submesh) => {}
                ColliderParts::Hulls | ColliderParts::Solid => {
                    self.triangles
                        .add_tree(submesh, &settings, from_world, mesh);
                }
            }
        }
    }
}
