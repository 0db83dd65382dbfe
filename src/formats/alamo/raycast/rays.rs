//! Rays at the collision trees of spawned models, for code on any format: the counterpart of
//! [`SurfaceRays`](crate::geometry::rays::SurfaceRays).

use crate::crowd::rays::CrowdSurfaces;
use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::raycast::colliders::Colliders;
use crate::formats::alamo::raycast::triangles::AloTriangles;
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::parts::HitPart;
use crate::geometry::ray_settings::{ColliderParts, ModelRayCastSettings, ModelRayHit};
use crate::geometry::rays::SurfaceRays;
use crate::geometry::vertices::{SurfaceTriangles, uv_at, uvs};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;

/// Rays at collision trees and at the members of crowds, and the triangles of trees and drawn sub-meshes.
#[derive(SystemParam)]
pub(crate) struct AloRays<'w, 's> {
    colliders: Colliders<'w, 's>,
    triangles: AloTriangles<'w, 's>,
    crowds: SurfaceRays<'w, 's, CrowdSurfaces<'static, 'static, Alo>>,
}

impl AloRays<'_, '_> {
    pub(crate) fn begin(&mut self) {
        self.colliders.begin();
        self.crowds.begin();
    }

    /// Whether a root's model is a member of a crowd.
    fn is_crowd(&self, root: Entity) -> bool {
        self.crowds.surfaces.contains(root)
    }

    pub(crate) fn cast(
        &mut self,
        part: HitPart,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> Option<ModelRayHit> {
        if self.is_crowd(part.root) {
            return self.crowds.cast(part, ray, max, settings);
        }
        let hit = self.colliders.with_tree(part.entity, settings, |placed| {
            placed.cast(ray, max, settings.backfaces)
        })??;
        let mut hit = ModelRayHit {
            root: part.root,
            part: part.entity,
            bone: None,
            triangle: hit.triangle,
            barycentrics: hit.barycentrics,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            uv: None,
        };
        self.add_details(&mut hit);
        Some(hit)
    }

    /// Sets the bone that moves the hit point, of a skinned part the one with the greatest weight there, and the texture
    /// coordinate, if the mesh is in the main world.
    fn add_details(&self, hit: &mut ModelRayHit) -> Option<()> {
        let item = self.colliders.colliders.get(hit.part).ok()?;
        let instance = self.triangles.instances.get(hit.root).ok()?;
        hit.bone = instance.bones().get(item.collider.bone()).copied();
        let mesh = instance.model().meshes.get(item.submesh.mesh)?;
        let submesh = mesh.submeshes.get(item.submesh.submesh)?;
        let meshes = self.triangles.meshes.as_ref()?;
        let mesh = meshes.get(submesh.mesh.as_ref()?)?;
        let vertices = SurfaceTriangles::of(mesh)?.get(hit.triangle as usize)?;
        hit.uv = uv_at(uvs(mesh), vertices, hit.barycentrics);
        let joint = item.collider.skin()?.joint_at(vertices, hit.barycentrics)?;
        hit.bone = Some(*item.skinned?.joints.get(joint)?);
        Some(())
    }

    pub(crate) fn any_hit(
        &mut self,
        part: HitPart,
        ray: Ray3d,
        max: f32,
        settings: &ModelRayCastSettings<'_>,
    ) -> bool {
        if self.is_crowd(part.root) {
            return self.crowds.any_hit(part, ray, max, settings);
        }
        let any_hit = self.colliders.with_tree(part.entity, settings, |placed| {
            placed.any_hit(ray, max, settings.backfaces)
        });
        any_hit.unwrap_or(false)
    }

    pub(crate) fn add_triangles(
        &mut self,
        root: Entity,
        entity: Entity,
        parts: ColliderParts,
        from_world: &Affine3A,
        mesh: &mut ColliderMesh,
    ) {
        if self.is_crowd(root) {
            let crowds = &mut self.crowds;
            return crowds.add_triangles(root, entity, parts, from_world, mesh);
        }
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
                    self.colliders.with_tree(submesh, &settings, |placed| {
                        let (tree, affine) = placed.parts();
                        let affine = *from_world * *affine;
                        mesh.add(tree.positions(), tree.corner_indices(), &affine);
                    });
                }
            }
        }
    }
}
