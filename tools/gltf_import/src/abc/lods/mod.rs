//! Levels of detail: each replaces two vertices of a node by one in the middle between them. `stated` has those of a converted
//! model, and `collapse` makes new ones.
//!
//! The crate `meshopt` is not used, because it does not report which vertices become one.

mod collapse;
mod quadric;
mod stated;

use super::clips::Clip;
use super::mesh::{MAX_VERTICES, Mesh};
use super::sample::Sampler;
use super::tracks::vertices;
use classic_model_formats::abc::Vertex;
use collapse::{Collapsed, Input, collapse};
use glam::{DVec3, Vec3};
use std::collections::HashMap;
use zerocopy::little_endian::{F32, U16};

pub use stated::restore;

/// The coarsest level has one of this many triangles, but no fewer than the second count, so that something is left.
const COARSEST: usize = 8;
const FEWEST: usize = 4;

/// The maximum count of keyframes, of all animations together, in which the shape counts.
const POSES: usize = 8;

/// Makes levels of detail down to an eighth of the triangles, and returns a warning if that is not possible.
///
/// Vertices and triangles are sorted as in the games' files: the first ones are replaced first. Vertices of different nodes are
/// never replaced by one.
pub fn build(mesh: &mut Mesh, sampler: &Sampler<'_>, clips: &[Clip<'_>]) -> Option<String> {
    let input = input(mesh, sampler, clips);
    let all = input.triangles.len();
    let fewest = (all / COARSEST).max(FEWEST);
    let Collapsed { pairs, removed_at } = collapse(&input, fewest, MAX_VERTICES);
    let count = input.spots.len();
    let mut replaced_at = vec![usize::MAX; count];
    for (level, vertex) in (0..)
        .zip(&pairs)
        .flat_map(|(at, pair)| pair.map(|it| (at, it)))
    {
        if let Some(slot) = replaced_at.get_mut(vertex) {
            *slot = level;
        }
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|vertex| replaced_at.get(*vertex));
    let mut triangles: Vec<usize> = (0..removed_at.len()).collect();
    triangles.sort_by_key(|triangle| {
        removed_at
            .get(*triangle)
            .copied()
            .flatten()
            .unwrap_or(usize::MAX)
    });
    let ranks = mesh.reorder(&order, &triangles);
    let renamed = pairs.iter().map(|pair| {
        let mut pair = pair.map(|vertex| ranks.get(vertex).map_or(vertex, |it| usize::from(*it)));
        pair.sort_unstable();
        pair
    });
    add_pairs(mesh, &renamed.collect::<Vec<_>>());
    let left = removed_at.iter().filter(|it| it.is_none()).count();
    (left > fewest || pairs.is_empty()).then(|| {
        format!("the coarsest level of detail has {left} of {all} triangles: no more vertices can be merged")
    })
}

/// A command string with the distances at which levels begin: from `near` on, evenly before `far`. It is unchanged if there are no
/// levels.
pub fn with_distances(command_string: String, [near, far]: [f32; 2], mesh: &Mesh) -> String {
    let count = mesh.geometry.lod_starts.len().saturating_sub(1);
    if count == 0 {
        return command_string;
    }
    let is_kept = |command: &&str| {
        let name = command.split_whitespace().next().unwrap_or_default();
        !name.is_empty() && !name.to_ascii_uppercase().starts_with("LOD")
    };
    let increment = (far - near) / count as f32;
    let new = [
        format!("LODSTARTDIST {near}"),
        format!("LODINCREMENT {increment}"),
        format!("LODMAXDIST {far}"),
    ];
    let kept = command_string.split(';').filter(is_kept);
    let all: Vec<&str> = new.iter().map(String::as_str).chain(kept).collect();
    all.join(";")
}

fn input(mesh: &Mesh, sampler: &Sampler<'_>, clips: &[Clip<'_>]) -> Input {
    let all = &mesh.geometry.vertices;
    let keys = clips
        .iter()
        .flat_map(|clip| clip.keys.iter().map(move |key| (clip, key)));
    let keys: Vec<_> = keys.collect();
    let poses = POSES.min(keys.len());
    let sampled: Vec<_> = (0..poses)
        .filter_map(|pose| keys.get(pose * keys.len() / poses))
        .map(|(clip, key)| clip.at(sampler, key))
        .collect();
    let parts: Vec<_> = sampled.iter().map(|it| vertices(sampler, it)).collect();
    let mut known: HashMap<(u8, Vec<[u32; 3]>), usize> = HashMap::new();
    let mut input = Input {
        spots: Vec::with_capacity(all.len()),
        nodes: Vec::new(),
        positions: Vec::new(),
        triangles: Vec::new(),
        uvs: Vec::new(),
    };
    for (index, vertex) in (0..).zip(all) {
        let node = usize::from(vertex.node);
        let deforms = mesh.deforming.get(node).is_some_and(|it| !it.is_empty());
        let locals: Vec<Vec3> = match deforms {
            true => parts.iter().map(|it| mesh.position(index, it)).collect(),
            false => vec![position(vertex); poses],
        };
        // Adding 0 makes both zeros equal.
        let bits = locals
            .iter()
            .map(|it| (*it + 0.0).to_array().map(f32::to_bits));
        let new = input.positions.len();
        let spot = *known.entry((vertex.node, bits.collect())).or_insert(new);
        if spot == new {
            let places = sampled.iter().zip(&locals);
            let places = places.map(|(it, local)| sampler.in_scene(it, node, *local).as_dvec3());
            input.positions.push(places.collect::<Vec<DVec3>>());
            input.nodes.push(vertex.node);
        }
        input.spots.push(spot);
    }
    for triangle in &mesh.geometry.triangles {
        input
            .triangles
            .push(triangle.indices().map(|index| index as usize));
        input.uvs.push(triangle.clean_uvs());
    }
    input
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

fn position(vertex: &Vertex) -> Vec3 {
    Vec3::from_array(vertex.position.map(|it| it.get()))
}
