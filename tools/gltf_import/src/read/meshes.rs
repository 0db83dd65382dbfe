//! Meshes and skins.

use super::materials::variants;
use super::{Reader, checked};
use crate::error::{At, Error, Result};
use crate::json;
use crate::scene::{Mesh, Primitive, Skin, Target};
use glam::Mat4;
use serde_json::Value;
use std::collections::BTreeMap;

impl Reader<'_> {
    pub(super) fn mesh(&mut self, mesh: &json::Mesh) -> Result<Mesh> {
        let mut primitives = Vec::new();
        for (index, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("primitives[{index}]");
            match primitive.mode.unwrap_or(4) {
                4..=6 => primitives.push(self.primitive(primitive).at(place)?),
                _ => self.warnings.push(format!(
                    "mesh {:?}: points and lines are left out",
                    mesh.name
                )),
            }
        }
        let names = mesh.extras.get("targetNames").and_then(Value::as_array);
        let name = |name: &Value| name.as_str().unwrap_or_default().to_owned();
        Ok(Mesh {
            primitives,
            target_names: names.into_iter().flatten().map(name).collect(),
        })
    }

    fn primitive(&mut self, primitive: &json::Primitive) -> Result<Primitive> {
        let attributes = &primitive.attributes;
        let positions = attributes
            .get("POSITION")
            .ok_or_else(|| Error::new("no positions"))?;
        let positions = self.arrays.read(*positions, None).at("POSITION")?;
        let count = positions.len();
        if let Some(index) = positions
            .iter()
            .flatten()
            .position(|value: &f32| !value.is_finite())
        {
            let vertex = index / 3;
            return Err(Error::new(format_args!(
                "the position of vertex {vertex} is not finite"
            )));
        }
        let mut uvs = Vec::new();
        while let Some(set) = attributes.get(&format!("TEXCOORD_{}", uvs.len())) {
            uvs.push(self.arrays.read(*set, Some(count)).at("TEXCOORD")?);
        }
        let targets = primitive.targets.iter().enumerate();
        let targets = targets.map(|(index, target)| {
            let place = format!("targets[{index}]");
            Ok(Target {
                positions: self.optional(target, "POSITION", count).at(&place)?,
                normals: self.optional(target, "NORMAL", count).at(&place)?,
            })
        });
        let targets = targets.collect::<Result<_>>()?;
        let joints = match attributes.get("JOINTS_0") {
            Some(joints) => self.arrays.read(*joints, Some(count)).at("JOINTS_0")?,
            None => Vec::new(),
        };
        if attributes.contains_key("JOINTS_1") {
            self.warnings
                .push("more than four joints per vertex: the first four are used".to_owned());
        }
        Ok(Primitive {
            normals: self.optional(attributes, "NORMAL", count)?,
            tangents: self.optional(attributes, "TANGENT", count)?,
            colors: self.colors(attributes, count)?,
            uvs,
            joints,
            weights: self.optional(attributes, "WEIGHTS_0", count)?,
            triangles: self.triangles(primitive, count)?,
            material: checked(primitive.material, self.root.materials.len(), "material")?,
            variants: variants(&primitive.extensions, self.root.materials.len())?,
            targets,
            positions,
        })
    }

    /// An attribute. Empty if it does not exist.
    fn optional<const N: usize>(
        &mut self,
        attributes: &BTreeMap<String, usize>,
        name: &str,
        count: usize,
    ) -> Result<Vec<[f32; N]>> {
        match attributes.get(name) {
            Some(index) => self.arrays.read(*index, Some(count)).at(name),
            None => Ok(Vec::new()),
        }
    }

    /// The colors of vertices, which may have no alpha.
    fn colors(
        &mut self,
        attributes: &BTreeMap<String, usize>,
        count: usize,
    ) -> Result<Vec<[f32; 4]>> {
        let name = "COLOR_0";
        let Some(index) = attributes.get(name) else {
            return Ok(Vec::new());
        };
        let is_opaque = self
            .root
            .accessors
            .get(*index)
            .is_some_and(|it| it.kind == "VEC3");
        if !is_opaque {
            return self.arrays.read(*index, Some(count)).at(name);
        }
        let colors = self.arrays.read::<f32, 3>(*index, Some(count)).at(name)?;
        Ok(colors
            .into_iter()
            .map(|[red, green, blue]| [red, green, blue, 1.0])
            .collect())
    }

    fn triangles(&mut self, primitive: &json::Primitive, count: usize) -> Result<Vec<[u32; 3]>> {
        let indices: Vec<u32> = match primitive.indices {
            Some(indices) => {
                let indices = self.arrays.read::<u32, 1>(indices, None).at("indices")?;
                indices.into_iter().flatten().collect()
            }
            None => (0..count as u32).collect(),
        };
        if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
            return Err(Error::new(format_args!(
                "vertex index {index}, but there are {count} vertices"
            )));
        }
        let triple = |at: usize| indices.get(at..)?.first_chunk::<3>().copied();
        let triangles = match primitive.mode.unwrap_or(4) {
            5 => (0..indices.len().saturating_sub(2))
                .filter_map(|at| {
                    let [a, b, c] = triple(at)?;
                    Some(if at % 2 == 0 { [a, b, c] } else { [b, a, c] })
                })
                .collect(),
            6 => (1..indices.len().saturating_sub(1))
                .filter_map(|at| {
                    let [b, c] = indices.get(at..)?.first_chunk::<2>().copied()?;
                    Some([*indices.first()?, b, c])
                })
                .collect(),
            _ => indices.as_chunks().0.to_vec(),
        };
        Ok(triangles)
    }

    pub(super) fn skin(&mut self, skin: &json::Skin, indices: &[Option<usize>]) -> Result<Skin> {
        let joint = |joint: &usize| {
            let index = indices.get(*joint).copied().flatten();
            index
                .ok_or_else(|| Error::new(format_args!("joint {joint} is not a node of the scene")))
        };
        let joints = skin.joints.iter().map(joint).collect::<Result<Vec<_>>>()?;
        let inverse_bind_matrices = match skin.inverse_bind_matrices {
            Some(index) => {
                let matrices = self.arrays.read::<f32, 16>(index, Some(joints.len()));
                let matrices = matrices.at("inverseBindMatrices")?;
                matrices.iter().map(Mat4::from_cols_array).collect()
            }
            None => vec![Mat4::IDENTITY; joints.len()],
        };
        Ok(Skin {
            joints,
            inverse_bind_matrices,
        })
    }
}
