//! The vertices and triangles of the file.

use super::integers;
use super::sample::{PartVertices, Sampled, Sampler};
use super::tracks::vertices;
use crate::error::{Error, Result};
use crate::parts::Part;
use crate::scene::Primitive;
use classic_model_formats::abc::write::GeometryDocument;
use classic_model_formats::abc::{MAX_UV, Triangle, Vertex};
use glam::Vec3;
use serde_json::Value;
use std::collections::HashMap;
use zerocopy::little_endian::{F32, U16};

/// The maximum count of vertices, with those of levels of detail: triangles have 16 bits for an index.
pub const MAX_VERTICES: usize = 1 << 16;

/// The maximum count of nodes with vertices: vertices have 8 bits for an index.
const MAX_NODES: usize = 1 << 8;

/// The steps of positions in the size of a model. They are more than rounding errors of a conversion, so that positions are the
/// same after each one.
const STEPS: f32 = 524_288.0;

/// The geometry of the file, and where its vertices are from.
pub struct Mesh {
    pub geometry: GeometryDocument,
    /// For each node, the vertices that it moves one by one.
    pub deforming: Vec<Vec<u16>>,
    /// For each vertex, its part and its index in it.
    sources: Vec<(usize, usize)>,
    /// For each vertex, its index in the converted model. Empty if the scene is not as it was converted.
    pub stated: Vec<u32>,
    /// The count of vertices that several nodes should move.
    shared: usize,
}

/// A checksum of the vertices and triangles of a mesh: 31 bits of FNV-1a.
pub fn checksum(positions: &[[f32; 3]], indices: impl IntoIterator<Item = u32>) -> u32 {
    let positions = positions.as_flattened().iter().map(|it| it.to_bits());
    let mut hash = 0x811C_9DC5_u32;
    for byte in positions.chain(indices).flat_map(u32::to_le_bytes) {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    // Custom properties of Blender are signed.
    hash & 0x7FFF_FFFF
}

/// A vertex with its index in the converted model and its source.
type Added = (u32, Vertex, (usize, usize));

/// What makes a vertex.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    /// The index in the converted model.
    Stated(u32),
    Values {
        joint: usize,
        position: [u32; 3],
        normal: [i8; 3],
        /// The part, and the differences of its morph targets, if there are any, or the position if the vertex is hidden.
        morph: Option<(usize, Vec<[u32; 3]>)>,
    },
}

impl Mesh {
    /// `moving` has the nodes whose vertices deform, and `uvs` the coordinates of the vertices of a primitive.
    ///
    /// # Errors
    /// If there are too many vertices, or vertices of too many nodes.
    pub fn new(
        sampler: &Sampler<'_>,
        rest: &Sampled,
        moving: &[bool],
        uvs: impl Fn(&Primitive) -> Vec<[f32; 2]>,
        flips: bool,
    ) -> Result<Self> {
        let parts = vertices(sampler, rest);
        let size = sampler.size(rest, &parts);
        let mut mesh = Self {
            geometry: GeometryDocument::default(),
            deforming: vec![Vec::new(); sampler.skeleton.joints.len()],
            sources: Vec::new(),
            stated: stated(sampler.parts).unwrap_or_default(),
            shared: 0,
        };
        let unused = match mesh.stated.is_empty() {
            true => Vec::new(),
            false => unused(sampler),
        };
        let indices = mesh.add_vertices(sampler, &parts, step(size), unused)?;
        for ((part, vertices), indices) in sampler.parts.iter().zip(&parts).zip(&indices) {
            let uvs = uvs(part.primitive);
            mesh.add_triangles(part.primitive, vertices, (indices, &uvs), flips);
        }
        if !mesh.stated.is_empty() {
            mesh.sort_triangles(sampler.parts);
        }
        for (index, vertex) in (0..).zip(&mesh.geometry.vertices) {
            let node = usize::from(vertex.node);
            if let (Some(true), Some(list)) = (moving.get(node), mesh.deforming.get_mut(node)) {
                list.push(index);
            }
        }
        Ok(mesh)
    }

    /// Adds the vertices that triangles use. Returns their indices: for each part, for each vertex.
    fn add_vertices(
        &mut self,
        sampler: &Sampler<'_>,
        parts: &[PartVertices],
        step: f32,
        mut added: Vec<Added>,
    ) -> Result<Vec<Vec<u16>>> {
        let mut known: HashMap<Identity, usize> = HashMap::new();
        let mut stated = self.stated.iter().copied();
        let mut merged: Vec<Vec<usize>> = Vec::new();
        for (index, (part, vertices)) in sampler.parts.iter().zip(parts).enumerate() {
            let is_used = used(part.primitive);
            let mut indices = Vec::with_capacity(is_used.len());
            let bindings = sampler.bindings.get(index).into_iter().flatten();
            let values = vertices
                .positions
                .iter()
                .zip(&vertices.normals)
                .zip(bindings);
            for (vertex, ((position, normal), binding)) in values.enumerate() {
                let file_index = stated.next();
                if is_used.get(vertex) != Some(&true) {
                    indices.push(0);
                    continue;
                }
                let position = snapped(*position, step);
                let normal = quantized(*normal);
                let identity = match file_index {
                    Some(index) => Identity::Stated(index),
                    None => Identity::Values {
                        joint: binding.joint,
                        position: position.map(f32::to_bits),
                        normal,
                        morph: match vertices.determinants.get(vertex) {
                            Some(0.0) => hidden(part, vertex),
                            _ => morph(part, vertex),
                        }
                        .map(|values| (index, values)),
                    },
                };
                let next = added.len();
                let merged = *known.entry(identity).or_insert(next);
                if merged == next {
                    self.shared += usize::from(binding.weight < 0.99);
                    let vertex_of = Vertex {
                        position: position.map(F32::new),
                        normal,
                        node: node(binding.joint)?,
                        replacements: [U16::new(0); 2],
                    };
                    added.push((
                        file_index.unwrap_or(next as u32),
                        vertex_of,
                        (index, vertex),
                    ));
                }
                indices.push(merged);
            }
            merged.push(indices);
        }
        if added.len() > MAX_VERTICES {
            let count = added.len();
            return Err(Error::new(format_args!(
                "{count} vertices; the format has at most {MAX_VERTICES}"
            )));
        }
        let mut order: Vec<usize> = (0..added.len()).collect();
        order.sort_by_key(|index| added.get(*index).map(|(stated, ..)| *stated));
        let mut ranks = vec![0_u16; added.len()];
        for (rank, index) in order.iter().enumerate() {
            if let Some(slot) = ranks.get_mut(*index) {
                *slot = rank as u16;
            }
        }
        let has_stated = !self.stated.is_empty();
        self.stated.clear();
        for (index, vertex, source) in order.iter().filter_map(|index| added.get(*index)) {
            self.geometry.vertices.push(*vertex);
            self.sources.push(*source);
            if has_stated {
                self.stated.push(*index);
            }
        }
        self.geometry.base_vertices = added.len() as u32;
        let rank = |index: &usize| ranks.get(*index).copied().unwrap_or(0);
        let indices = merged.iter();
        Ok(indices.map(|it| it.iter().map(rank).collect()).collect())
    }

    fn add_triangles(
        &mut self,
        primitive: &Primitive,
        vertices: &PartVertices,
        (indices, uvs): (&[u16], &[[f32; 2]]),
        flips: bool,
    ) {
        for triangle in &primitive.triangles {
            let corners = triangle.map(|index| index as usize);
            let determinant = vertices.determinants.get(corners[0]);
            let mirrored = determinant.is_some_and(|it| *it < 0.0);
            // Front faces are clockwise in the file's left-handed space, unless it flips them.
            let corners = match (mirrored, flips) {
                (false, false) | (true, true) => [corners[0], corners[2], corners[1]],
                _ => corners,
            };
            let corner = |index: usize| indices.get(index).copied().unwrap_or(0);
            let [a, b, c] = corners.map(corner);
            if a == b || b == c || c == a {
                continue;
            }
            let uv = |index: usize| uvs.get(index).copied().unwrap_or_default();
            let clean = |it: f32| if it.abs() <= MAX_UV { it } else { 0.0 };
            self.geometry.triangles.push(Triangle {
                uvs: corners.map(|index| uv(index).map(|it| F32::new(clean(it)))),
                vertices: [a, b, c].map(U16::new),
                normal: self.face_normal([a, b, c], flips),
            });
        }
    }

    /// Sorts the triangles as in the converted model, unless some were left out.
    fn sort_triangles(&mut self, parts: &[Part<'_>]) {
        let nodes = parts.iter().filter_map(|part| part.alternatives.first());
        let lists = nodes.map(|(_, node, _)| integers(node.extras.get("triangles")));
        let order: Vec<u32> = lists.flatten().flatten().collect();
        if order.len() == self.geometry.triangles.len() {
            let mut pairs: Vec<_> = order.iter().zip(self.geometry.triangles.iter()).collect();
            pairs.sort_by_key(|(index, _)| **index);
            self.geometry.triangles = pairs.into_iter().map(|(_, it)| *it).collect();
        }
    }

    fn face_normal(&self, corners: [u16; 3], flips: bool) -> [i8; 3] {
        let vertex = |index: u16| self.geometry.vertices.get(usize::from(index));
        let position = |it: &Vertex| Vec3::from_array(it.position.map(|it| it.get()));
        let [a, b, c] = corners.map(|index| vertex(index).map(position).unwrap_or_default());
        let normal = (b - a).cross(c - a);
        quantized(if flips { -normal } else { normal }.normalize_or_zero())
    }

    /// Sorts the vertices and triangles: `order` and `triangles` have the old indices in the new order. Returns the new index of
    /// each vertex. Those of the converted model are forgotten.
    pub fn reorder(&mut self, order: &[usize], triangles: &[usize]) -> Vec<u16> {
        let mut ranks = vec![0_u16; order.len()];
        for (rank, old) in order.iter().enumerate() {
            if let Some(slot) = ranks.get_mut(*old) {
                *slot = rank as u16;
            }
        }
        let rank = |old: u16| ranks.get(usize::from(old)).copied().unwrap_or(0);
        self.geometry.vertices = picked(&self.geometry.vertices, order);
        self.sources = picked(&self.sources, order);
        self.stated.clear();
        self.geometry.triangles = picked(&self.geometry.triangles, triangles);
        for triangle in &mut self.geometry.triangles {
            triangle.vertices = triangle.vertices.map(|it| U16::new(rank(it.get())));
        }
        for list in &mut self.deforming {
            list.iter_mut().for_each(|vertex| *vertex = rank(*vertex));
            list.sort_unstable();
        }
        ranks
    }

    /// The position of a vertex of the full model. `parts` has the vertices of all parts.
    pub fn position(&self, vertex: u16, parts: &[PartVertices]) -> Vec3 {
        let source = self.sources.get(usize::from(vertex));
        let position = source.and_then(|(part, index)| parts.get(*part)?.positions.get(*index));
        let stored = || {
            let vertex = self.geometry.vertices.get(usize::from(vertex));
            vertex.map(|it| Vec3::from_array(it.position.map(|it| it.get())))
        };
        position.copied().or_else(stored).unwrap_or_default()
    }

    /// Warnings about content that was left out.
    pub fn warning(&self) -> Option<String> {
        let count = self.shared;
        (count > 0).then(|| {
            format!("{count} vertices follow several bones: the format has one, which is that with the greatest weight")
        })
    }
}

/// The values at these indices.
fn picked<T: Copy>(values: &[T], indices: &[usize]) -> Vec<T> {
    let picked = indices.iter().filter_map(|index| values.get(*index));
    picked.copied().collect()
}

/// The vertices of the converted model that no triangle uses.
fn unused(sampler: &Sampler<'_>) -> Vec<Added> {
    let values = sampler.scene.extra("abc", "unusedVertices");
    let values = values.and_then(Value::as_array).into_iter().flatten();
    let numbers: Vec<f32> = values
        .map(|it| it.as_f64().unwrap_or_default() as f32)
        .collect();
    let nodes = sampler.skeleton.joints.len().min(MAX_NODES);
    let (vertices, _) = numbers.as_chunks::<8>();
    let vertices = vertices.iter().map(|[index, node, x, y, z, normal @ ..]| {
        let vertex = Vertex {
            position: [*x, *y, *z].map(|it| F32::new(if it.is_finite() { it } else { 0.0 })),
            normal: normal.map(|it| it as i8),
            // The conversion saturates.
            node: (*node as usize).min(nodes.saturating_sub(1)) as u8,
            replacements: [U16::new(0); 2],
        };
        (*index as u32, vertex, (usize::MAX, 0))
    });
    vertices.collect()
}

fn node(joint: usize) -> Result<u8> {
    u8::try_from(joint).map_err(|_| {
        Error::new(format_args!(
            "vertices follow node {joint}; only the first {MAX_NODES} nodes can have vertices"
        ))
    })
}

/// Whether triangles use each vertex.
fn used(primitive: &Primitive) -> Vec<bool> {
    let mut used = vec![false; primitive.positions.len()];
    for index in primitive.triangles.as_flattened() {
        if let Some(used) = used.get_mut(*index as usize) {
            *used = true;
        }
    }
    used
}

/// The differences of the morph targets of a vertex. `None` if all are 0.
fn morph(part: &Part<'_>, vertex: usize) -> Option<Vec<[u32; 3]>> {
    let targets = part.alternatives.iter().flat_map(|(.., it)| &it.targets);
    let differences = targets.map(|target| target.positions.get(vertex).copied());
    let differences: Vec<[f32; 3]> = differences.map(Option::unwrap_or_default).collect();
    let is_moved = differences.as_flattened().iter().any(|it| *it != 0.0);
    is_moved.then(|| differences.iter().map(|it| it.map(f32::to_bits)).collect())
}

/// The position of a vertex in its primitive, because all vertices that a scale of 0 hides are at one position.
fn hidden(part: &Part<'_>, vertex: usize) -> Option<Vec<[u32; 3]>> {
    let position = part.primitive.positions.get(vertex)?;
    Some(vec![position.map(f32::to_bits)])
}

/// For each vertex of all parts, its index in the converted model. `None` if a part is not as it was converted.
fn stated(parts: &[Part<'_>]) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for part in parts {
        let (_, node, primitive) = part.alternatives.first()?;
        let indices = integers(node.extras.get("vertices"))?;
        let stated = node.extras.get("checksum").and_then(Value::as_u64)?;
        let corners = primitive.triangles.as_flattened().iter().copied();
        let is_same = indices.len() == primitive.positions.len()
            && u64::from(checksum(&primitive.positions, corners)) == stated;
        if !is_same {
            return None;
        }
        all.extend(indices);
    }
    Some(all)
}

/// The step of positions in a model of a size: a power of two.
fn step(size: f32) -> f32 {
    // Sizes that are powers of two themselves must not depend on rounding errors.
    let size = (size * 1.001).max(f32::MIN_POSITIVE);
    size.log2().ceil().exp2() / STEPS
}

fn snapped(position: Vec3, step: f32) -> [f32; 3] {
    // Adding 0 makes both zeros equal.
    let snapped = |value: f32| (value / step).round() * step + 0.0;
    match step > 0.0 {
        true => position.to_array().map(snapped),
        false => position.to_array(),
    }
}

/// A unit vector in units of 1/127. It is the same if it is read and quantized again.
fn quantized(normal: Vec3) -> [i8; 3] {
    let round = |normal: Vec3| (normal * 127.0).round();
    let mut result = round(normal);
    for _ in 0..8 {
        let next = round(result.normalize_or_zero());
        if next == result {
            break;
        }
        result = next;
    }
    result.to_array().map(|it| it as i8)
}
