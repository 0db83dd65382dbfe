//! Converts Bevy meshes to glTF's primitives, and repairs values that glTF does not allow. It must not know formats.

use crate::convert::accessors::Usage;
use crate::convert::document::Document;
use bevy::math::Affine3A;
use bevy::mesh::{MeshVertexAttribute, VertexAttributeValues};
use bevy::prelude::*;
use gltf_json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf_json::validation::Checked;
use gltf_json::{Index, Material};

/// The attributes and triangles of a mesh. Optional attributes are empty if they do not exist.
#[derive(Clone, Debug, Default)]
pub struct MeshData {
    pub positions: Vec<[f32; 3]>,
    /// Unit vectors.
    pub normals: Vec<[f32; 3]>,
    /// Texture coordinates, V downward.
    pub uvs: Vec<[f32; 2]>,
    pub tangents: Vec<[f32; 4]>,
    /// Linear red, green and blue, and alpha.
    pub colors: Vec<[f32; 4]>,
    pub joints: Vec<[u16; 4]>,
    pub weights: Vec<[f32; 4]>,
    /// Three per triangle.
    pub indices: Vec<u32>,
}

/// The changes of a pose relative to a mesh: one per vertex.
#[derive(Clone, Debug, Default)]
pub struct Target {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
}

impl MeshData {
    /// Copies a mesh. `None` if it has no triangles.
    pub fn of(mesh: &Mesh) -> Option<Self> {
        let positions: Vec<[f32; 3]> = values(mesh, Mesh::ATTRIBUTE_POSITION);
        let count = positions.len() as u32;
        let indices: Vec<u32> = mesh.indices()?.iter().map(|index| index as u32).collect();
        let (triangles, _) = indices.as_chunks::<3>();
        let is_valid = |triangle: &&[u32; 3]| triangle.iter().all(|index| *index < count);
        let indices: Vec<u32> = triangles
            .iter()
            .filter(is_valid)
            .flatten()
            .copied()
            .collect();
        if indices.is_empty() {
            return None;
        }
        let (joints, weights) = skin(mesh);
        let normals: Vec<[f32; 3]> = values(mesh, Mesh::ATTRIBUTE_NORMAL);
        let unit = |normal: [f32; 3]| Vec3::from_array(normal).normalize_or(Vec3::Y).to_array();
        let normals: Vec<[f32; 3]> = normals.into_iter().map(unit).collect();
        let tangents: Vec<[f32; 4]> = values(mesh, Mesh::ATTRIBUTE_TANGENT);
        let tangents = tangents.into_iter().zip(&normals).map(|(tangent, normal)| {
            let [x, y, z, w] = tangent;
            let other = Vec3::from_array(*normal).any_orthonormal_vector();
            let unit = Vec3::new(x, y, z).normalize_or(other);
            unit.extend(if w < 0.0 { -1.0 } else { 1.0 }).to_array()
        });
        let colors: Vec<[f32; 4]> = values(mesh, Mesh::ATTRIBUTE_COLOR);
        let clamp = |color| {
            Vec4::from_array(color)
                .clamp(Vec4::ZERO, Vec4::ONE)
                .to_array()
        };
        Some(Self {
            tangents: tangents.collect(),
            normals,
            uvs: values(mesh, Mesh::ATTRIBUTE_UV_0),
            colors: colors.into_iter().map(clamp).collect(),
            positions,
            joints,
            weights,
            indices,
        })
    }

    /// Transforms the vertices.
    pub fn transform(&mut self, matrix: &Affine3A) {
        for position in &mut self.positions {
            *position = matrix.transform_point3((*position).into()).to_array();
        }
        let turn = |vector: Vec3| matrix.transform_vector3(vector).normalize_or(vector);
        for normal in &mut self.normals {
            *normal = turn((*normal).into()).to_array();
        }
        for [x, y, z, _] in &mut self.tangents {
            [*x, *y, *z] = turn(Vec3::new(*x, *y, *z)).to_array();
        }
    }

    /// Adds the data to a document.
    pub fn primitive(
        &self,
        document: &mut Document,
        material: Option<Index<Material>>,
    ) -> Primitive {
        let accessors = [
            (
                Semantic::Positions,
                Some(document.floats(&self.positions, Usage::Positions)),
            ),
            (Semantic::Normals, document.vertices(&self.normals)),
            (Semantic::Tangents, document.vertices(&self.tangents)),
            (Semantic::TexCoords(0), document.vertices(&self.uvs)),
            (Semantic::Colors(0), document.vertices(&self.colors)),
            (
                Semantic::Joints(0),
                (!self.joints.is_empty()).then(|| document.joints(&self.joints)),
            ),
            (Semantic::Weights(0), document.vertices(&self.weights)),
        ];
        let attributes = accessors.into_iter();
        let attributes = attributes.filter_map(|(of, data)| Some((Checked::Valid(of), data?)));
        Primitive {
            attributes: attributes.collect(),
            extensions: None,
            extras: None,
            indices: Some(document.indices(&self.indices)),
            material,
            mode: Checked::Valid(Mode::Triangles),
            targets: None,
        }
    }
}

impl Target {
    /// Adds the data to a document. Each target has accessors of its own, because Panda3D rejects files that share them.
    pub fn add(&self, document: &mut Document) -> MorphTarget {
        let positions = document.floats(&self.positions, Usage::Positions);
        let normals = document.floats(&self.normals, Usage::Vertices);
        MorphTarget {
            positions: Some(document.unshared(positions)),
            normals: Some(document.unshared(normals)),
            tangents: None,
        }
    }
}

/// A glTF mesh of these primitives.
pub fn named(name: &str, primitives: Vec<Primitive>) -> gltf_json::Mesh {
    gltf_json::Mesh {
        extensions: None,
        extras: None,
        name: Some(name.to_owned()),
        primitives,
        weights: None,
    }
}

/// The joints and the weights of all vertices.
type Influences = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// The joints and weights of the vertices. The weights of one vertex have the sum 1, no joint occurs twice, and joints
/// without weight are 0.
fn skin(mesh: &Mesh) -> Influences {
    let joints: Vec<[u16; 4]> = values(mesh, Mesh::ATTRIBUTE_JOINT_INDEX);
    let weights: Vec<[f32; 4]> = values(mesh, Mesh::ATTRIBUTE_JOINT_WEIGHT);
    joints.iter().zip(weights).map(influences).unzip()
}

fn influences((joints, weights): (&[u16; 4], [f32; 4])) -> ([u16; 4], [f32; 4]) {
    let mut result = ([0; 4], [0.0; 4]);
    let mut count = 0;
    for (joint, weight) in joints.iter().zip(weights) {
        if weight <= 0.0 {
            continue;
        }
        let (used, sums) = &mut result;
        match used[..count].iter().position(|other| other == joint) {
            Some(same) => sums[same] += weight,
            None => {
                (used[count], sums[count]) = (*joint, weight);
                count += 1;
            }
        }
    }
    let (joints, weights) = &mut result;
    if count == 0 {
        (joints[0], weights[0]) = (0, 1.0);
    }
    let sum: f32 = weights.iter().sum();
    *weights = weights.map(|weight| weight / sum);
    // Rounding makes the sum differ from 1 in its last digits.
    let others: f32 = weights[1..].iter().sum();
    weights[0] = (1.0 - others).max(0.0);
    result
}

/// The values of an attribute. Empty if the mesh does not have it, or in another format.
pub fn values<T>(mesh: &Mesh, attribute: MeshVertexAttribute) -> Vec<T>
where
    Vec<T>: TryFrom<VertexAttributeValues>,
{
    let values = mesh.try_attribute(attribute).ok().cloned();
    let values = values.and_then(|values| values.try_into().ok());
    values.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::influences;

    #[test]
    fn influences_are_merged_and_add_up_to_one() {
        for (joints, weights, expected) in [
            (
                [3, 3, 1, 7],
                [0.25, 0.25, 0.5, 0.0],
                ([3, 1, 0, 0], [0.5, 0.5, 0.0, 0.0]),
            ),
            (
                [2, 9, 9, 9],
                [0.0, 1.0, 0.0, 0.0],
                ([9, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]),
            ),
            ([5, 5, 5, 5], [0.0; 4], ([0; 4], [1.0, 0.0, 0.0, 0.0])),
        ] {
            assert_eq!(influences((&joints, weights)), expected);
        }
        let (_, weights) = influences((&[0, 1, 2, 3], [0.1, 0.7, 0.3, 0.3]));
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 2e-7);
    }
}
