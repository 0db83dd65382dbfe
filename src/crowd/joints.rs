//! The vertex attributes that the shader of crowds reads.

use bevy::mesh::{Mesh, MeshVertexAttribute, VertexAttributeValues, VertexFormat};

/// The offsets of up to four joints' texels in a pose.
pub(super) const JOINTS: MeshVertexAttribute =
    MeshVertexAttribute::new("CrowdJoints", 0xc1a5_51c0_0001, VertexFormat::Uint16x4);

/// The weights of these joints.
pub(super) const WEIGHTS: MeshVertexAttribute =
    MeshVertexAttribute::new("CrowdWeights", 0xc1a5_51c0_0002, VertexFormat::Float32x4);

/// The index of the bit that decides whether the vertex is visible.
pub(super) const VISIBILITY: MeshVertexAttribute =
    MeshVertexAttribute::new("CrowdVisibility", 0xc1a5_51c0_0003, VertexFormat::Uint32);

/// The joints of the vertices of a sub-mesh.
#[derive(Clone, Debug)]
pub(crate) enum VertexJoints {
    /// All vertices follow one joint. The value is the offset of its texels.
    One(u16),
    /// The mesh has joint indices and weights. The values are the offsets of the texels of the joints of its palette.
    Palette(Vec<u16>),
}

/// The values of the attributes of a mesh.
#[derive(Default)]
pub(crate) struct CrowdJoints {
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    visibility: Vec<u32>,
}

impl CrowdJoints {
    /// Adds the vertices of a sub-mesh. Returns whether the mesh has the attributes that `joints` needs.
    pub(super) fn add(
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
        }
        self.visibility
            .extend(core::iter::repeat_n(visibility, count));
        true
    }

    /// Adds the attributes to a mesh.
    pub(super) fn insert_into(self, mesh: &mut Mesh) {
        mesh.insert_attribute(JOINTS, VertexAttributeValues::Uint16x4(self.joints));
        mesh.insert_attribute(WEIGHTS, VertexAttributeValues::Float32x4(self.weights));
        mesh.insert_attribute(VISIBILITY, VertexAttributeValues::Uint32(self.visibility));
    }
}
