//! Converts Bevy meshes to glTF's primitives, and repairs values that glTF does not allow. It must not know formats.

use crate::convert::accessors::Usage;
use crate::convert::document::Document;
use bevy::math::Affine3A;
use bevy::mesh::{MeshVertexAttribute, VertexAttributeValues};
use bevy::prelude::*;
use gltf_json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf_json::validation::Checked;
use gltf_json::{Index, Material};
use std::collections::BTreeMap;

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
        let positions = float3(mesh, Mesh::ATTRIBUTE_POSITION);
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
        let (joints, weights) = skin(mesh).unwrap_or_default();
        let normals = float3(mesh, Mesh::ATTRIBUTE_NORMAL);
        let unit = |normal: [f32; 3]| Vec3::from_array(normal).normalize_or(Vec3::Y).to_array();
        let normals: Vec<[f32; 3]> = normals.into_iter().map(unit).collect();
        let tangents = float4(mesh, Mesh::ATTRIBUTE_TANGENT).into_iter();
        let tangents = tangents.zip(&normals).map(|(tangent, normal)| {
            let [x, y, z, w] = tangent;
            let other = Vec3::from_array(*normal).any_orthonormal_vector();
            let unit = Vec3::new(x, y, z).normalize_or(other);
            unit.extend(if w < 0.0 { -1.0 } else { 1.0 }).to_array()
        });
        let colors = float4(mesh, Mesh::ATTRIBUTE_COLOR).into_iter();
        let clamp = |color| {
            Vec4::from_array(color)
                .clamp(Vec4::ZERO, Vec4::ONE)
                .to_array()
        };
        Some(Self {
            tangents: tangents.collect(),
            normals,
            uvs: float2(mesh, Mesh::ATTRIBUTE_UV_0),
            colors: colors.map(clamp).collect(),
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
        let mut attributes = BTreeMap::new();
        let mut insert = |semantic, accessor| {
            attributes.insert(Checked::Valid(semantic), accessor);
        };
        let positions = document.floats(&self.positions, Usage::Positions);
        insert(Semantic::Positions, positions);
        if !self.normals.is_empty() {
            let normals = document.floats(&self.normals, Usage::Vertices);
            insert(Semantic::Normals, normals);
        }
        if !self.tangents.is_empty() {
            let tangents = document.floats(&self.tangents, Usage::Vertices);
            insert(Semantic::Tangents, tangents);
        }
        if !self.uvs.is_empty() {
            let uvs = document.floats(&self.uvs, Usage::Vertices);
            insert(Semantic::TexCoords(0), uvs);
        }
        if !self.colors.is_empty() {
            let colors = document.floats(&self.colors, Usage::Vertices);
            insert(Semantic::Colors(0), colors);
        }
        if !self.joints.is_empty() {
            insert(Semantic::Joints(0), document.joints(&self.joints));
            let weights = document.floats(&self.weights, Usage::Vertices);
            insert(Semantic::Weights(0), weights);
        }
        Primitive {
            attributes,
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
fn skin(mesh: &Mesh) -> Option<Influences> {
    let joints = mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok()?;
    let VertexAttributeValues::Uint16x4(joints) = joints else {
        return None;
    };
    let weights = float4(mesh, Mesh::ATTRIBUTE_JOINT_WEIGHT);
    Some(joints.iter().zip(weights).map(influences).unzip())
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

fn float2(mesh: &Mesh, attribute: MeshVertexAttribute) -> Vec<[f32; 2]> {
    match mesh.try_attribute(attribute) {
        Ok(VertexAttributeValues::Float32x2(values)) => values.clone(),
        _ => Vec::new(),
    }
}

fn float3(mesh: &Mesh, attribute: MeshVertexAttribute) -> Vec<[f32; 3]> {
    match mesh.try_attribute(attribute) {
        Ok(VertexAttributeValues::Float32x3(values)) => values.clone(),
        _ => Vec::new(),
    }
}

fn float4(mesh: &Mesh, attribute: MeshVertexAttribute) -> Vec<[f32; 4]> {
    match mesh.try_attribute(attribute) {
        Ok(VertexAttributeValues::Float32x4(values)) => values.clone(),
        _ => Vec::new(),
    }
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
