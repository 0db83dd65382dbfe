//! The sub-meshes of spawned models, and their drawn triangles, for physics.

use crate::formats::alamo::components::{AloInstance, AloPart, AloSubmeshIndex};
use crate::formats::alamo::raycast::collider;
use crate::geometry::collider_mesh::ColliderMesh;
use crate::geometry::vertices::SurfaceTriangles;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::mesh::VertexAttributeValues;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;

/// A drawn sub-mesh.
type Drawn = (
    &'static Mesh3d,
    &'static GlobalTransform,
    Option<&'static SkinnedMesh>,
    &'static InheritedVisibility,
);

/// The sub-meshes of all spawned models.
#[derive(SystemParam)]
pub(crate) struct AloTriangles<'w, 's> {
    pub(crate) instances: Query<'w, 's, &'static AloInstance>,
    children: Query<'w, 's, &'static Children>,
    submeshes: Query<'w, 's, &'static ChildOf, With<AloSubmeshIndex>>,
    parts: Query<'w, 's, &'static AloPart>,
    drawn: Query<'w, 's, Drawn, With<AloSubmeshIndex>>,
    joints: Query<'w, 's, &'static GlobalTransform>,
    pub(crate) meshes: Option<Res<'w, Assets<Mesh>>>,
    bindposes: Option<Res<'w, Assets<SkinnedMeshInverseBindposes>>>,
}

impl AloTriangles<'_, '_> {
    /// The sub-meshes of a root's model, of the mesh of a model, or the sub-mesh itself.
    pub(crate) fn submeshes(&self, entity: Entity) -> Vec<Entity> {
        let single = [entity];
        let meshes = match self.instances.get(entity) {
            Ok(instance) => instance.parts(),
            Err(_) if self.submeshes.contains(entity) => return vec![entity],
            Err(_) => &single,
        };
        let children = meshes
            .iter()
            .filter_map(|mesh| self.children.get(*mesh).ok());
        let children = children.flat_map(|children| children.iter());
        children
            .filter(|child| self.submeshes.contains(*child))
            .collect()
    }

    /// Whether a sub-mesh is a collision hull: it is not drawn, or the file hides its mesh.
    pub(crate) fn is_hull(&self, submesh: Entity) -> bool {
        let mesh = self.submeshes.get(submesh).map(ChildOf::parent);
        let part = mesh.and_then(|mesh| self.parts.get(mesh));
        !self.drawn.contains(submesh) || part.is_ok_and(|part| part.hidden)
    }

    /// Adds the triangles of a sub-mesh that is drawn, as its bones pose it.
    pub(crate) fn add_drawn(
        &self,
        submesh: Entity,
        from_world: &Affine3A,
        mesh: &mut ColliderMesh,
    ) -> Option<()> {
        let (Mesh3d(handle), transform, skinned, visibility) = self.drawn.get(submesh).ok()?;
        if !visibility.get() {
            return None;
        }
        let drawn = self.meshes.as_ref()?.get(handle)?;
        let triangles = SurfaceTriangles::of(drawn)?.iter();
        let positions = drawn.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
        let positions = positions.as_float3()?;
        let Some(skinned) = skinned else {
            let positions = positions.iter().copied().map(Vec3::from_array);
            let affine = *from_world * transform.affine();
            mesh.add(positions, triangles, &affine);
            return Some(());
        };
        let posed = self.posed(drawn, positions, skinned)?;
        mesh.add(posed.into_iter(), triangles, from_world);
        Some(())
    }

    /// The vertices of a skinned mesh in the world.
    fn posed(
        &self,
        mesh: &Mesh,
        positions: &[[f32; 3]],
        skinned: &SkinnedMesh,
    ) -> Option<Vec<Vec3>> {
        let bindposes = self.bindposes.as_ref()?.get(&skinned.inverse_bindposes)?;
        let matrices: Vec<Option<Affine3A>> = skinned
            .joints
            .iter()
            .zip(bindposes.iter())
            .map(|(joint, bindpose)| {
                let joint = self.joints.get(*joint).map(GlobalTransform::affine);
                Some(joint.unwrap_or(Affine3A::NAN) * Affine3A::from_mat4(*bindpose))
            })
            .collect();
        let VertexAttributeValues::Uint16x4(joints) =
            mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok()?
        else {
            return None;
        };
        let VertexAttributeValues::Float32x4(weights) =
            mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT).ok()?
        else {
            return None;
        };
        Some(collider::skinned(positions, joints, weights, &matrices).collect())
    }
}
