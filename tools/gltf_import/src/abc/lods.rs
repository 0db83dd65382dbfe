//! Levels of detail: each replaces two vertices by one new vertex between them.

use super::integers;
use super::mesh::{MAX_VERTICES, Mesh};
use crate::scene::Scene;
use classic_model_formats::abc::Vertex;
use glam::Vec3;
use serde_json::Value;
use zerocopy::little_endian::{F32, U16};

/// Adds the levels of detail of the converted model, if the mesh is the same.
pub fn add(scene: &Scene, mesh: &mut Mesh) {
    if let Some(pairs) = stated(scene, mesh) {
        add_pairs(mesh, &pairs);
    }
}

/// The vertices that each level of the converted model replaces.
fn stated(scene: &Scene, mesh: &Mesh) -> Option<Vec<[usize; 2]>> {
    let values = integers(scene.extra("abc", "lods"))?;
    let old_base = scene.extra("abc", "baseVertices").and_then(Value::as_u64)?;
    let base = mesh.stated.len();
    let index = |old: u32| match u64::from(old).checked_sub(old_base) {
        Some(level) => Some(base + level as usize),
        None => mesh.stated.binary_search(&old).ok(),
    };
    let (pairs, _) = values.as_chunks::<2>();
    let mut pairs_of = Vec::with_capacity(pairs.len());
    let mut is_replaced = vec![false; base + pairs.len()];
    for (level, [a, b]) in pairs.iter().enumerate() {
        let pair = [index(*a)?, index(*b)?];
        for vertex in pair {
            let slot = is_replaced
                .get_mut(vertex)
                .filter(|_| vertex < base + level)?;
            if core::mem::replace(slot, true) {
                return None;
            }
        }
        pairs_of.push(pair);
    }
    (base + pairs.len() <= MAX_VERTICES).then_some(pairs_of)
}

/// Adds a vertex for each pair, and the first vertex that is left at each level.
fn add_pairs(mesh: &mut Mesh, pairs: &[[usize; 2]]) {
    let geometry = &mut mesh.geometry;
    let base = geometry.vertices.len();
    let mut is_replaced = vec![false; base + pairs.len()];
    let mut first = 0;
    geometry.lod_starts = vec![0];
    for pair in pairs {
        let [Some(a), Some(b)] = pair.map(|index| geometry.vertices.get(index).copied()) else {
            return;
        };
        geometry.vertices.push(between(&a, &b, *pair));
        for vertex in pair {
            if let Some(slot) = is_replaced.get_mut(*vertex) {
                *slot = true;
            }
        }
        while first < base && is_replaced.get(first) == Some(&true) {
            first += 1;
        }
        geometry.lod_starts.push(first as u16);
    }
}

/// The vertex in the middle of two.
fn between(a: &Vertex, b: &Vertex, pair: [usize; 2]) -> Vertex {
    let position = |it: &Vertex| Vec3::from_array(it.position.map(|it| it.get()));
    let normal = |it: &Vertex| Vec3::from_array(it.normal.map(f32::from)).normalize_or_zero();
    let middle = (position(a) + position(b)) / 2.0;
    let turned = (normal(a) + normal(b)).normalize_or_zero();
    Vertex {
        position: middle.to_array().map(F32::new),
        normal: (turned * 127.0).round().to_array().map(|it| it as i8),
        node: a.node,
        replacements: pair.map(|index| U16::new(index as u16)),
    }
}
