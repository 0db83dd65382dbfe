//! The joints that the vertices of a model follow, as vertex attributes, and the material extension that poses the vertices.

use crate::appearance::rebind_textures::HasTextures;
use crate::crowd::format::Missing;
use crate::crowd::skeleton::{CrowdSkeleton, Joint};
use crate::gpu::shaders::{embedded_shader, preload_shader};
use bevy::asset::embedded_asset;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{
    Mesh, MeshVertexAttribute, MeshVertexBufferLayoutRef, VertexAttributeValues, VertexFormat,
};
use bevy::pbr::{MaterialExtension, MaterialExtensionKey, MaterialExtensionPipeline};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::shader::ShaderRef;

/// The offsets of up to four joints' texels in a pose. Of a deformed vertex, the first two are the low and the high half
/// of the offset of its texel.
pub(crate) const JOINTS: MeshVertexAttribute =
    MeshVertexAttribute::new("CrowdJoints", 0xc1a5_51c0_0001, VertexFormat::Uint16x4);

/// The weights of these joints. The first is negative for a deformed vertex.
pub(crate) const WEIGHTS: MeshVertexAttribute =
    MeshVertexAttribute::new("CrowdWeights", 0xc1a5_51c0_0002, VertexFormat::Float32x4);

/// The index of the bit that decides whether the vertex is visible.
pub(crate) const VISIBILITY: MeshVertexAttribute =
    MeshVertexAttribute::new("CrowdVisibility", 0xc1a5_51c0_0003, VertexFormat::Uint32);

/// The joints of the vertices of a sub-mesh.
#[derive(Clone, Debug)]
pub(crate) enum VertexJoints {
    /// All vertices follow one joint. The value is the offset of its texels.
    One(u16),
    /// The mesh has joint indices and weights. The values are the offsets of the texels of the joints of its palette.
    Palette(Vec<u16>),
    /// Vertices may be deformed: the first coordinate of the second texture coordinates is the index of a deformed
    /// vertex, or negative.
    Deformed {
        /// The offset of the texels of the joint that the other vertices follow.
        joint: u16,
        /// The offset of the texel of the deformed vertex with the index 0.
        first: u32,
    },
}

/// The values of the attributes of a mesh.
#[derive(Default)]
pub(crate) struct CrowdJoints {
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    visibility: Vec<u32>,
}

impl VertexJoints {
    /// Whether the second texture coordinates of the mesh are not for its material.
    pub(crate) fn use_second_uvs(&self) -> bool {
        match self {
            Self::One(_) | Self::Palette(_) => false,
            Self::Deformed { .. } => true,
        }
    }
}

impl CrowdJoints {
    /// Adds the vertices of a sub-mesh. Returns whether the mesh has the attributes that `joints` needs.
    pub(crate) fn add(
        &mut self,
        mesh: &Mesh,
        count: usize,
        joints: &VertexJoints,
        visibility: u32,
    ) -> bool {
        match joints {
            VertexJoints::One(joint) => {
                let joints = [*joint, 0, 0, 0];
                self.joints.extend(core::iter::repeat_n(joints, count));
                let weights = [1.0, 0.0, 0.0, 0.0];
                self.weights.extend(core::iter::repeat_n(weights, count));
            }
            VertexJoints::Palette(palette) => {
                let (
                    Ok(VertexAttributeValues::Uint16x4(indices)),
                    Ok(VertexAttributeValues::Float32x4(weights)),
                ) = (
                    mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX),
                    mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT),
                )
                else {
                    return false;
                };
                let offset = |index: u16| palette.get(usize::from(index)).copied();
                let joints = indices.iter();
                self.joints
                    .extend(joints.map(|joints| joints.map(|joint| offset(joint).unwrap_or(0))));
                self.weights.extend(weights);
            }
            VertexJoints::Deformed { joint, first } => {
                let Ok(VertexAttributeValues::Float32x2(indices)) =
                    mesh.try_attribute(Mesh::ATTRIBUTE_UV_1)
                else {
                    return false;
                };
                for [index, _] in indices {
                    let (joints, weight) = if *index >= 0.0 {
                        let [a, b, c, d] = first.saturating_add(*index as u32).to_le_bytes();
                        let halves = [[a, b], [c, d]].map(u16::from_le_bytes);
                        ([halves[0], halves[1], 0, 0], -1.0)
                    } else {
                        ([*joint, 0, 0, 0], 1.0)
                    };
                    self.joints.push(joints);
                    self.weights.push([weight, 0.0, 0.0, 0.0]);
                }
            }
        }
        self.visibility
            .extend(core::iter::repeat_n(visibility, count));
        true
    }

    /// Adds the attributes to a mesh.
    pub(crate) fn insert_into(self, mesh: &mut Mesh) {
        mesh.insert_attribute(JOINTS, VertexAttributeValues::Uint16x4(self.joints));
        mesh.insert_attribute(WEIGHTS, VertexAttributeValues::Float32x4(self.weights));
        mesh.insert_attribute(VISIBILITY, VertexAttributeValues::Uint32(self.visibility));
    }
}

/// A [`CrowdSkeleton`] to which joints are added.
pub(crate) struct JointList {
    pub(crate) skeleton: CrowdSkeleton,
    /// The joint of each bone: of rigid vertices, and of skinned ones.
    joints: HashMap<(usize, bool), usize>,
    /// Whether vertices cannot store the offsets of some joints.
    pub(crate) is_full: bool,
}

impl JointList {
    /// The skeleton must have its visibility bits already: they come first in a pose.
    pub(crate) fn new(skeleton: CrowdSkeleton) -> Self {
        Self {
            skeleton,
            joints: HashMap::default(),
            is_full: false,
        }
    }

    /// The offset of the joint of a bone. `bind_pose` is that of skinned vertices, which are in the model's space at
    /// rest; others are in the bone's space. `bounds` is the box around the vertices. `None` if a vertex cannot store
    /// the offset.
    pub(crate) fn joint(
        &mut self,
        bone: usize,
        bind_pose: Option<Affine3A>,
        bounds: Option<Aabb3d>,
    ) -> Option<u16> {
        let joints = &mut self.skeleton.joints;
        let key = (bone, bind_pose.is_some());
        let index = *self.joints.entry(key).or_insert_with(|| {
            let inverse = bind_pose.map(|pose| pose.inverse());
            let inverse = inverse.filter(|inverse| inverse.is_finite());
            joints.push(Joint {
                bone,
                inverse_bind_pose: inverse.unwrap_or(Affine3A::IDENTITY),
                bounds: None,
            });
            joints.len() - 1
        });
        if let Some(joint) = joints.get_mut(index) {
            joint.bounds = crate::spawn::format::merged(joint.bounds, bounds);
        }
        let offset = self.skeleton.joint_offset(index);
        self.is_full |= offset.is_none();
        offset
    }

    /// Why sub-meshes are missing. `None` if none is.
    pub(crate) fn missing(&self, is_any_missing: bool) -> Option<Missing> {
        is_any_missing.then_some(if self.is_full {
            Missing::TooManyJoints
        } else {
            Missing::NotInMainWorld
        })
    }

    /// The offsets of the joints of a skinned mesh. `bones` are the bones of its joint indices, each with its bind pose.
    pub(crate) fn palette(
        &mut self,
        mesh: &Mesh,
        bones: impl ExactSizeIterator<Item = (usize, Affine3A)>,
    ) -> Option<Vec<u16>> {
        let mut boxes = vec![None; bones.len()];
        if let Some(bounds) = mesh.skinned_mesh_bounds() {
            let joints = bounds.aabbs.iter().zip(&bounds.aabb_index_to_joint_index);
            for (aabb, joint) in joints {
                if let Some(bounds) = boxes.get_mut(usize::from(joint.0)) {
                    *bounds = Some(Aabb3d::new(aabb.center, aabb.half_size));
                }
            }
        }
        bones
            .zip(boxes)
            .map(|((bone, pose), bounds)| self.joint(bone, Some(pose), bounds))
            .collect()
    }
}

/// The most texels of the baked clips of one model: 256 MiB. An adapter with smaller textures allows less.
pub const MAX_CROWD_TEXELS: u32 = 16 << 20;

/// The extension that poses the vertices of a crowd, over the material of a format.
///
/// The `MeshTag` of a mesh entity must be its row of the pose table.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
pub struct CrowdSkinning {
    /// The baked clips of the model.
    #[texture(110, sample_type = "float", filterable = false, visibility(vertex))]
    pub poses: Handle<Image>,
    /// The pose table, shared by all models of the format.
    #[texture(111, sample_type = "u_int", visibility(vertex, fragment))]
    pub instances: Handle<Image>,
}

impl HasTextures for CrowdSkinning {
    /// Neither of them has a file: they are rebound when they change.
    fn textures(&self) -> Vec<&Handle<Image>> {
        Vec::new()
    }
}

fn vertex_shader() -> ShaderRef {
    embedded_shader("crowd/crowd.wgsl")
}

impl MaterialExtension for CrowdSkinning {
    fn vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn prepass_vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn deferred_vertex_shader() -> ShaderRef {
        vertex_shader()
    }

    fn specialize(
        _: &MaterialExtensionPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        layout: &MeshVertexBufferLayoutRef,
        _: MaterialExtensionKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Behind the locations that Bevy uses.
        let own = layout.0.get_layout(&[
            JOINTS.at_shader_location(10),
            WEIGHTS.at_shader_location(11),
            VISIBILITY.at_shader_location(12),
        ])?;
        if let Some(buffer) = descriptor.vertex.buffers.first_mut() {
            buffer.attributes.extend(own.attributes);
        }
        if let Some(fragment) = &mut descriptor.fragment {
            fragment.shader_defs.push("CROWD".into());
        }
        Ok(())
    }
}

/// Adds the shader of crowds to an app. Calling it again has no effect.
pub(crate) fn add_crowd_shader(app: &mut App) {
    embedded_asset!(app, "crowd.wgsl");
    preload_shader(app, vertex_shader());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_beyond_the_range_of_offsets_are_a_reason_for_missing_meshes() {
        let mut joints = JointList::new(CrowdSkeleton::default());
        assert_eq!(joints.missing(true), Some(Missing::NotInMainWorld));
        // Three texels per joint.
        let count = usize::from(u16::MAX / 3) + 1;
        for bone in 0..count {
            assert!(joints.joint(bone, None, None).is_some());
        }
        assert_eq!(joints.missing(false), None);
        assert_eq!(joints.joint(count, None, None), None);
        assert_eq!(joints.missing(true), Some(Missing::TooManyJoints));
    }
}
