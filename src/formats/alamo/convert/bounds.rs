//! The bounds of the parts that are drawn of a model in its rest pose.

use crate::formats::alamo::asset::{AloMesh, AloModel};
use bevy::math::Vec3A;
use bevy::math::bounding::{Aabb3d, BoundingVolume};

impl AloModel {
    /// The box around the parts that are drawn in the rest pose, undamaged and at the finest level of detail, in the
    /// model's space. `None` if nothing is drawn.
    pub fn bounds(&self) -> Option<Aabb3d> {
        let meshes = self.meshes.iter().filter(|mesh| self.is_drawn(mesh));
        let boxes = meshes.flat_map(|mesh| {
            let submeshes = mesh.submeshes.iter();
            let drawn =
                submeshes.filter(|submesh| submesh.mesh.is_some() && submesh.material.is_some());
            drawn.map(|submesh| {
                if submesh.palette.is_empty() {
                    self.posed(submesh.bounds, mesh.bone)
                } else {
                    submesh.bounds
                }
            })
        });
        boxes.reduce(|one, other| one.merge(&other))
    }

    /// Whether a mesh is drawn undamaged and at the finest level of detail.
    fn is_drawn(&self, mesh: &AloMesh) -> bool {
        let is_level = mesh.tags.lod.is_none() || mesh.tags.lod == self.lod(0);
        let is_undamaged = mesh.tags.alt.unwrap_or_default() == 0;
        !mesh.hidden && is_level && is_undamaged && self.is_bone_visible(mesh.bone)
    }

    /// A box in the space of a bone, as the box around it in the model's space.
    fn posed(&self, of_bone: Aabb3d, bone: usize) -> Aabb3d {
        let Some(bone) = self.bones.get(bone) else {
            return of_bone;
        };
        let (min, max) = (of_bone.min, of_bone.max);
        let corner = |corner: u32| {
            let side =
                |axis: u32, min: f32, max: f32| if corner >> axis & 1 == 0 { min } else { max };
            let corner = Vec3A::new(
                side(0, min.x, max.x),
                side(1, min.y, max.y),
                side(2, min.z, max.z),
            );
            bone.bind_pose.transform_point3a(corner)
        };
        let first = corner(0);
        let corners = (1..8).map(corner);
        let (min, max) = corners.fold((first, first), |(min, max), corner| {
            (min.min(corner), max.max(corner))
        });
        Aabb3d { min, max }
    }
}
