//! Rays at the collision trees of spawned models, for code on any format: the counterpart of
//! [`SurfaceRays`](crate::geometry::rays::SurfaceRays).

use crate::formats::alamo::raycast::colliders::Colliders;
use crate::formats::alamo::raycast::triangles::AloTriangles;
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::parts::HitPart;
use crate::geometry::ray_settings::{ColliderParts, ModelRayCastSettings, ModelRayHit};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;

/// Rays at collision trees, and the triangles of trees and drawn sub-meshes.
#[derive(SystemParam)]
pub(crate) struct AloRays<'w, 's> {
    colliders: Colliders<'w, 's>,
    triangles: AloTriangles<'w, 's>,
}

impl AloRays<'_, '_> {
    pub(crate) fn begin(&mut self) {
        self.colliders.begin();
    }

    pub(crate) fn cast(
        &mut self,
        part: HitPart,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> Option<ModelRayHit> {
        self.colliders.cast(part, ray, max, settings)
    }

    pub(crate) fn any_hit(
        &mut self,
        part: HitPart,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> bool {
        self.colliders.any_hit(part, ray, max, settings)
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
        // Poses may have changed since the last call.
        self.colliders.begin();
        for submesh in self.triangles.submeshes(entity) {
            match parts {
                ColliderParts::Drawn => {
                    self.triangles.add_drawn(submesh, from_world, mesh);
                }
                ColliderParts::Hulls if !self.triangles.is_hull(submesh) => {}
                ColliderParts::Hulls | ColliderParts::Solid => {
                    self.colliders.with_tree(submesh, &settings, |_, placed| {
                        let (tree, affine) = placed.parts();
                        let affine = *from_world * *affine;
                        mesh.add(tree.positions(), tree.corner_indices(), &affine);
                    });
                }
            }
        }
    }
}
