//! Meshes with morph targets, and their animations. Programs limit the targets of a mesh, so a mesh with more is split: each
//! clip shows one of its parts at a time. It must not know the games' formats.

use crate::convert::clip::{Animated, Clip, Keys};
use crate::convert::document::{Document, extras, node};
use crate::convert::mesh::{Target, named};
use bevy::transform::components::Transform;
use gltf_json::mesh::Primitive;
use gltf_json::{Index, Node};
use serde_json::json;
use std::collections::BTreeSet;

/// The maximum count of morph targets of a mesh. Bevy rejects files with more.
pub const MAX_TARGETS: usize = 256;

/// A mesh that clips deform.
pub struct Morph<'a> {
    pub name: &'a str,
    pub node_name: &'a str,
    /// The mesh, without targets.
    pub primitive: Primitive,
    pub targets: &'a [Target],
    /// The names of the targets. Empty if they have none.
    pub target_names: &'a [String],
    /// The target at rest. `None` is the mesh itself.
    pub rest: Option<usize>,
    /// For each clip, when which target is reached.
    pub clips: Vec<Keys<usize>>,
}

/// The nodes of a mesh that clips deform. Without a split it is one.
pub struct MorphNodes {
    pub nodes: Vec<Index<Node>>,
    /// For each node, its targets.
    targets: Vec<Vec<usize>>,
    /// For each clip, the keys of the mesh.
    clips: Vec<Keys<usize>>,
    /// For each clip, the nodes that it shows, in order of time.
    spans: Vec<Vec<Span>>,
}

/// The keys of a clip for which a node is shown: those of both indices, and all between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    node: usize,
    first: usize,
    last: usize,
}

impl Morph<'_> {
    /// Adds the mesh. `add` adds its nodes.
    pub fn add(
        self,
        document: &mut Document,
        add: impl Fn(&mut Document, Node) -> Index<Node>,
    ) -> MorphNodes {
        let (parts, spans) = split(self.targets.len(), self.rest, &self.clips, MAX_TARGETS);
        let mut nodes = Vec::with_capacity(parts.len());
        for targets in &parts {
            let added = targets.iter().filter_map(|it| self.targets.get(*it));
            let added = added.map(|target| target.add(document)).collect();
            let mut primitive = self.primitive.clone();
            primitive.targets = Some(added);
            let mut mesh = named(self.name, vec![primitive]);
            let weight = |target: &usize| f32::from(u8::from(Some(*target) == self.rest));
            mesh.weights = Some(targets.iter().map(weight).collect());
            let names = targets.iter().filter_map(|it| self.target_names.get(*it));
            let names: Vec<&String> = names.collect();
            if !names.is_empty() {
                mesh.extras = extras(&json!({ "targetNames": names }));
            }
            let mut mesh_node = node(self.node_name, &Transform::IDENTITY);
            mesh_node.mesh = Some(document.root.push(mesh));
            if !nodes.is_empty() {
                mesh_node.scale = Some([0.0; 3]);
                // For the way back, where the parts become one mesh again.
                mesh_node.extras = extras(&json!({ "continues": self.node_name }));
            }
            nodes.push(add(document, mesh_node));
        }
        MorphNodes {
            nodes,
            targets: parts,
            clips: self.clips,
            spans,
        }
    }
}

impl MorphNodes {
    /// The maximum count of a node's targets.
    pub fn max_targets(&self) -> usize {
        self.targets.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// A warning if the mesh was split.
    pub fn warning(&self, name: &str) -> Option<String> {
        let count = self.nodes.len();
        (count > 1).then(|| {
            format!(
                "mesh \"{name}\" needs more than {MAX_TARGETS} morph targets, which Bevy rejects: split into {count} meshes, \
                 of which clips show one at a time"
            )
        })
    }

    /// Animates the mesh as in a clip of the file.
    pub fn animate(&self, document: &mut Document, clip: &mut Clip, index: usize) {
        let (Some(keys), Some(spans)) = (self.clips.get(index), self.spans.get(index)) else {
            return;
        };
        for (part, (node, targets)) in self.nodes.iter().zip(&self.targets).enumerate() {
            let own = spans.iter().filter(|span| span.node == part);
            let own = own.flat_map(|span| span.first..=span.last);
            let mut times = Vec::new();
            let mut weights = Vec::new();
            for key in own {
                let (Some(time), Some(target)) = (keys.times.get(key), keys.values.get(key)) else {
                    continue;
                };
                times.push(*time);
                weights.extend(targets.iter().map(|it| f32::from(u8::from(it == target))));
            }
            if !times.is_empty() {
                clip.weights(document, *node, &times, &weights);
            }
            if self.nodes.len() > 1 {
                clip.animate(
                    document,
                    *node,
                    Animated::Scale,
                    &shown(part, spans, &keys.times),
                );
            }
        }
    }
}

/// The scales of a part: 1 while it is shown, otherwise 0.
fn shown(part: usize, spans: &[Span], times: &[f32]) -> Keys<[f32; 3]> {
    let mut keys = Keys {
        times: Vec::new(),
        values: Vec::new(),
        steps: true,
    };
    for (index, span) in spans.iter().enumerate() {
        let scale = [f32::from(u8::from(span.node == part)); 3];
        if keys.values.last() == Some(&scale) {
            continue;
        }
        let begin = times.get(span.first).copied().unwrap_or_default();
        keys.times.push(if index == 0 { 0.0 } else { begin });
        keys.values.push(scale);
    }
    keys
}

/// Splits targets into parts of at most `max` so that each pair of keys that follow each other is in one. Returns the targets of
/// the parts, and for each clip which part is shown when.
fn split(
    count: usize,
    rest: Option<usize>,
    clips: &[Keys<usize>],
    max: usize,
) -> (Vec<Vec<usize>>, Vec<Vec<Span>>) {
    if count <= max {
        let whole = |keys: &Keys<usize>| Span {
            node: 0,
            first: 0,
            last: keys.values.len().saturating_sub(1),
        };
        return (
            vec![(0..count).collect()],
            clips.iter().map(|it| vec![whole(it)]).collect(),
        );
    }
    let mut parts: Vec<BTreeSet<usize>> = vec![rest.into_iter().collect()];
    let mut spans = Vec::with_capacity(clips.len());
    for keys in clips {
        let values = &keys.values;
        let all: BTreeSet<usize> = values.iter().copied().collect();
        // A clip that fits into one part is not split.
        if all.len() <= max
            && parts
                .last()
                .is_some_and(|part| part.union(&all).count() > max)
        {
            parts.push(BTreeSet::new());
        }
        let mut own: Vec<Span> = Vec::new();
        for key in 0..values.len().max(2) - 1 {
            let pair = || values.iter().skip(key).take(2).copied();
            let is_full = |part: &BTreeSet<usize>| {
                part.len() + pair().filter(|it| !part.contains(it)).count() > max
            };
            if parts.last().is_none_or(is_full) {
                parts.push(BTreeSet::new());
            }
            let node = parts.len() - 1;
            parts
                .last_mut()
                .into_iter()
                .for_each(|part| part.extend(pair()));
            let last = (key + 1).min(values.len().saturating_sub(1));
            match own.last_mut() {
                Some(span) if span.node == node => span.last = last,
                _ => own.push(Span {
                    node,
                    first: key,
                    last,
                }),
            }
        }
        spans.push(own);
    }
    let parts = parts.into_iter().map(|part| part.into_iter().collect());
    (parts.collect(), spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(values: &[usize]) -> Keys<usize> {
        Keys {
            times: (0..values.len()).map(|key| key as f32).collect(),
            values: values.to_vec(),
            steps: false,
        }
    }

    #[test]
    fn each_pair_of_keys_is_in_one_part() {
        let clips = [keys(&[0, 1, 2, 3, 4, 0]), keys(&[5, 6]), keys(&[7])];
        let (parts, spans) = split(8, Some(0), &clips, 3);
        assert!(parts.iter().all(|part| part.len() <= 3), "{parts:?}");
        for (keys, spans) in clips.iter().zip(&spans) {
            assert_eq!(spans[0].first, 0);
            assert_eq!(spans[spans.len() - 1].last, keys.values.len() - 1);
            for pair in spans.windows(2) {
                assert_eq!(pair[0].last, pair[1].first);
            }
            for span in spans {
                let used = &keys.values[span.first..=span.last];
                assert!(used.iter().all(|target| parts[span.node].contains(target)));
            }
        }
        assert_eq!(spans[1].len(), 1, "a clip that fits is not split");
    }

    #[test]
    fn meshes_within_the_limit_are_not_split() {
        let (parts, spans) = split(3, None, &[keys(&[2, 0])], 3);
        assert_eq!(parts, [[0, 1, 2]]);
        assert_eq!(
            spans,
            [[Span {
                node: 0,
                first: 0,
                last: 1
            }]]
        );
    }
}
