//! The joints that the vertices of a model follow, as vertex attributes; meshes that are merged with them; and the material
//! extension that poses the vertices.

use crate::crowd::skeleton::{CrowdSkeleton, Joint};
use crate::gpu::shaders::{embedded_shader, preload_shader};
use bevy::asset::{RenderAssetUsages, embedded_asset};
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{
    Indices, Mesh, MeshVertexAttribute, MeshVertexBufferLayoutRef, PrimitiveTopology,
    VertexAttributeValues, VertexFormat,
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

/// Why sub-meshes of a model are missing in its crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Their meshes are not in the main world.
    NotInMainWorld,
    /// Vertices cannot store the offsets of their joints.
    TooManyJoints,
    /// The texture has no room for a pose.
    PoseTooLarge,
}

impl Missing {
    /// The warning. It follows the path of the model.
    pub(crate) fn warning(self) -> &'static str {
        match self {
            Self::NotInMainWorld => {
                "has meshes that are not in the main world, so its crowd cannot draw them: set `asset_usage` of its loader \
                 settings to the default"
            }
            Self::TooManyJoints => {
                "has more than 21,000 bones with vertices, so its crowd cannot draw all of them: spawn it as a scene"
            }
            Self::PoseTooLarge => {
                "has a pose that exceeds the adapter's maximum texture size, so its crowd draws nothing: spawn it as a scene"
            }
        }
    }
}

/// The optional attributes of a mesh that change how it is drawn. Only meshes with the same attributes are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AttributeSet {
    second_uvs: bool,
    tangents: bool,
    colors: bool,
}

impl AttributeSet {
    /// The same set without the second texture coordinates.
    pub(crate) fn without_second_uvs(self) -> Self {
        Self {
            second_uvs: false,
            ..self
        }
    }

    /// `None` if the mesh is not in the main world.
    pub(crate) fn of(mesh: &Mesh) -> Option<Self> {
        mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
        let has = |attribute| mesh.try_attribute(attribute).is_ok();
        Some(Self {
            second_uvs: has(Mesh::ATTRIBUTE_UV_1),
            tangents: has(Mesh::ATTRIBUTE_TANGENT),
            colors: has(Mesh::ATTRIBUTE_COLOR),
        })
    }
}

/// Sub-meshes merged to one mesh. Vertices stay in the space of their joints.
#[derive(Default)]
pub(crate) struct MergedMesh {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    second_uvs: Vec<[f32; 2]>,
    tangents: Vec<[f32; 4]>,
    colors: Vec<[f32; 4]>,
    indices: Vec<u32>,
    joints: CrowdJoints,
}

/// Adds the values of an attribute, if the mesh has it.
macro_rules! add {
    ($values:expr, $mesh:expr, $attribute:ident, $format:ident) => {
        if let Ok(VertexAttributeValues::$format(values)) = $mesh.try_attribute(Mesh::$attribute) {
            $values.extend(values);
        }
    };
}

impl MergedMesh {
    /// Adds a sub-mesh. All must have the same [`AttributeSet`]. `visibility` is the index of the bit that decides
    /// whether it is visible. A mesh without triangles or joints is skipped.
    pub(crate) fn add(&mut self, mesh: &Mesh, joints: &VertexJoints, visibility: u32) {
        let (first, count) = (self.positions.len() as u32, mesh.count_vertices());
        let Ok(indices) = mesh.try_indices() else {
            return;
        };
        if !self.joints.add(mesh, count, joints, visibility) {
            return;
        }
        add!(self.positions, mesh, ATTRIBUTE_POSITION, Float32x3);
        add!(self.normals, mesh, ATTRIBUTE_NORMAL, Float32x3);
        add!(self.uvs, mesh, ATTRIBUTE_UV_0, Float32x2);
        if !joints.use_second_uvs() {
            add!(self.second_uvs, mesh, ATTRIBUTE_UV_1, Float32x2);
        }
        add!(self.tangents, mesh, ATTRIBUTE_TANGENT, Float32x4);
        add!(self.colors, mesh, ATTRIBUTE_COLOR, Float32x4);
        let indices = indices.iter().map(|index| first + index as u32);
        self.indices.extend(indices);
    }

    /// The mesh. The main world keeps it for rays.
    pub(crate) fn build(self) -> Mesh {
        let usage = RenderAssetUsages::default();
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, usage);
        let count = self.positions.len();
        mesh.insert_indices(match u16::try_from(count) {
            Ok(_) => Indices::U16(self.indices.into_iter().map(|index| index as u16).collect()),
            Err(_) => Indices::U32(self.indices),
        });
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, self.positions);
        let mut insert = |attribute: MeshVertexAttribute, values: VertexAttributeValues| {
            if values.len() == count {
                mesh.insert_attribute(attribute, values);
            }
        };
        insert(Mesh::ATTRIBUTE_NORMAL, self.normals.into());
        insert(Mesh::ATTRIBUTE_UV_0, self.uvs.into());
        insert(Mesh::ATTRIBUTE_UV_1, self.second_uvs.into());
        insert(Mesh::ATTRIBUTE_TANGENT, self.tangents.into());
        insert(Mesh::ATTRIBUTE_COLOR, self.colors.into());
        self.joints.insert_into(&mut mesh);
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::skinning::{JOINTS, VISIBILITY, WEIGHTS};

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

    fn triangle(x: f32) -> Mesh {
        let mut mesh = Mesh::new(
            PrimitiveTopology::TriangleList,
            RenderAssetUsages::default(),
        );
        mesh.insert_indices(Indices::U16(vec![0, 2, 1]));
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[x, 0.0, 0.0]; 3]);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 0.0, 1.0]; 3]);
        mesh.insert_attribute(
            Mesh::ATTRIBUTE_JOINT_INDEX,
            VertexAttributeValues::Uint16x4(vec![[1, 0, 9, 0]; 3]),
        );
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, vec![[0.5, 0.5, 0.0, 0.0]; 3]);
        mesh
    }

    #[test]
    fn merged_meshes_keep_vertices_joints_and_triangles() {
        let mut merged = MergedMesh::default();
        merged.add(&triangle(1.0), &VertexJoints::One(7), 3);
        merged.add(&triangle(2.0), &VertexJoints::Palette(vec![10, 13]), 4);
        let mesh = merged.build();
        let indices: Vec<usize> = mesh.indices().unwrap().iter().collect();
        assert_eq!(indices, [0, 2, 1, 3, 5, 4]);
        let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(JOINTS) else {
            panic!("no joints");
        };
        assert_eq!([joints[0], joints[5]], [[7, 0, 0, 0], [13, 10, 0, 10]]);
        let Some(VertexAttributeValues::Uint32(visibility)) = mesh.attribute(VISIBILITY) else {
            panic!("no visibility");
        };
        assert_eq!(**visibility, [3, 3, 3, 4, 4, 4]);
        assert!(mesh.attribute(Mesh::ATTRIBUTE_UV_0).is_none());
    }

    #[test]
    fn deformed_vertices_have_the_offset_of_their_texel() {
        let mut mesh = triangle(1.0);
        let slots = vec![[0.0, 0.0], [-1.0, 0.0], [70_000.0, 0.0]];
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_1, slots);
        let mut merged = MergedMesh::default();
        let (joint, first) = (7, 5);
        merged.add(&mesh, &VertexJoints::Deformed { joint, first }, 0);
        let mesh = merged.build();
        let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(JOINTS) else {
            panic!("no joints");
        };
        assert_eq!(joints[..2], [[5, 0, 0, 0], [7, 0, 0, 0]]);
        assert_eq!(joints[2], [(70_005 % 65_536) as u16, 1, 0, 0]);
        let Some(VertexAttributeValues::Float32x4(weights)) = mesh.attribute(WEIGHTS) else {
            panic!("no weights");
        };
        let weights: Vec<f32> = weights.iter().map(|weights| weights[0]).collect();
        assert_eq!(weights, [-1.0, 1.0, -1.0]);
        assert!(mesh.attribute(Mesh::ATTRIBUTE_UV_1).is_none());
    }
}
