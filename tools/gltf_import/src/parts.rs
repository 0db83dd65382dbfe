//! The primitives that models are made of.

use crate::pose::Pose;
use crate::scene::{Node, Primitive, Scene};
use serde_json::Value;
use std::collections::HashMap;

/// A primitive of a node. Some nodes show the same primitive by turns, because the targets of one mesh are limited.
pub(crate) struct Part<'a> {
    pub primitive: &'a Primitive,
    pub alternatives: Vec<(usize, &'a Node, &'a Primitive)>,
    /// Whether the node mirrors the primitive, so that its triangles turn the other way.
    pub is_mirrored: bool,
    /// The index of the first vertex in the merged mesh before equal ones are merged.
    pub first_vertex: usize,
}

impl<'a> Part<'a> {
    /// The alternative whose scale is not 0; the first if there is none.
    pub fn shown(&self, pose: &Pose) -> Option<&(usize, &'a Node, &'a Primitive)> {
        let is_shown = |(index, ..): &&(usize, &Node, &Primitive)| {
            let world = pose.worlds.get(*index);
            world.is_some_and(|world| world.matrix3.determinant().abs() > f32::MIN_POSITIVE)
        };
        let shown = self.alternatives.iter().find(is_shown);
        shown.or(self.alternatives.first())
    }
}

/// The primitives that are drawn at rest or in an animation: all of the finest level of detail, except hidden ones.
pub fn parts(scene: &Scene) -> Vec<Part<'_>> {
    let rest = scene.pose(None);
    let mut named: HashMap<&str, usize> = HashMap::new();
    for (index, node) in scene.nodes.iter().enumerate() {
        named.entry(&node.name).or_insert(index);
    }
    let mut parts: Vec<Part<'_>> = Vec::new();
    // The parts by node and primitive.
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let mut first_vertex = 0;
    let nodes = scene.nodes.iter().enumerate().zip(scene.ever_drawn());
    for ((index, node), _) in nodes.filter(|(_, is_drawn)| *is_drawn) {
        let mesh = node.mesh.and_then(|mesh| scene.meshes.get(mesh));
        let continued = node.extras.get("continues").and_then(Value::as_str);
        let first = continued.and_then(|name| named.get(name)).copied();
        for (at, primitive) in mesh.iter().flat_map(|mesh| &mesh.primitives).enumerate() {
            let part = first.and_then(|first| known.get(&(first, at)).copied());
            let part = part.and_then(|part| parts.get_mut(part));
            let count = primitive.positions.len();
            if let Some(part) = part.filter(|part| part.primitive.positions.len() == count) {
                part.alternatives.push((index, node, primitive));
                continue;
            }
            let world = rest.worlds.get(index).copied().unwrap_or_default();
            known.insert((index, at), parts.len());
            parts.push(Part {
                primitive,
                alternatives: vec![(index, node, primitive)],
                is_mirrored: node.skin.is_none() && world.matrix3.determinant() < 0.0,
                first_vertex,
            });
            first_vertex += count;
        }
    }
    parts
}
