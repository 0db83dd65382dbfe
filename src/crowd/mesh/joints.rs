//! The vertex attributes that the shader of crowds reads.

use bevy::mesh::{Mesh, MeshVertexAttribute, VertexAttributeValues, VertexFormat};

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
