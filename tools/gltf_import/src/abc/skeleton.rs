//! The nodes of the file: those of the converted model, or all nodes of a new one that can have children or vertices.

use crate::error::{Error, Result};
use crate::parts::Part;
use crate::scene::{Node, Scene};
use serde_json::Value;
use std::collections::HashSet;

/// The maximum count of nodes. Real files have at most 40.
const MAX_NODES: usize = 1024;

/// The nodes of the file in depth-first order.
pub struct Skeleton {
    pub joints: Vec<Joint>,
    /// For each node of the scene, the index of the joint that its vertices follow.
    pub joint_of: Vec<usize>,
    /// The node that converts the axes of a converted model.
    pub axes: Option<usize>,
}

/// A node of the file.
pub struct Joint {
    /// Its node of the scene. `None` for a root that was added.
    pub node: Option<usize>,
    pub parent: Option<usize>,
    pub name: String,
    /// The flags of a converted model.
    pub flags: Option<u8>,
    pub children: u32,
}

impl Skeleton {
    /// # Errors
    /// If there are too many.
    pub fn new(scene: &Scene, parts: &[Part<'_>]) -> Result<Self> {
        let axes = scene
            .nodes
            .iter()
            .position(|node| node.extras.get("format").and_then(Value::as_str) == Some("abc"));
        let skins = parts.iter().flat_map(|part| &part.alternatives);
        let skins: HashSet<usize> = skins.filter_map(|(_, node, _)| node.skin).collect();
        let joints = skins.iter().filter_map(|skin| scene.skins.get(*skin));
        let joints: HashSet<usize> = joints
            .flat_map(|skin| skin.joints.iter().copied())
            .collect();
        let is_kept = |(index, node): (usize, &Node)| {
            let is_own = match axes {
                Some(_) => stated_index(node).is_some(),
                None => node.skin.is_none(),
            };
            !node.is_coarse && (is_own || joints.contains(&index))
        };
        let kept: Vec<bool> = scene.nodes.iter().enumerate().map(is_kept).collect();
        let count = kept.iter().filter(|is_kept| **is_kept).count();
        if count >= MAX_NODES {
            return Err(Error::new(format_args!(
                "{count} nodes; at most {MAX_NODES} are supported"
            )));
        }
        let parents = kept_parents(scene, &kept);
        let mut builder = Builder {
            scene,
            names: HashSet::new(),
            skeleton: Self {
                joints: Vec::new(),
                joint_of: vec![0; scene.nodes.len()],
                axes,
            },
        };
        builder.add_all(&kept, &parents, parts);
        Ok(builder.skeleton)
    }
}

/// The index of a node in the converted model.
fn stated_index(node: &Node) -> Option<u64> {
    node.extras.get("index").and_then(Value::as_u64)
}

/// For each node, the nearest node above it that is in the file.
fn kept_parents(scene: &Scene, kept: &[bool]) -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(kept.len());
    for node in &scene.nodes {
        let parent = node.parent.and_then(|parent| match kept.get(parent) {
            Some(true) => Some(parent),
            _ => parents.get(parent).copied().flatten(),
        });
        parents.push(parent);
    }
    parents
}

struct Builder<'a> {
    scene: &'a Scene,
    names: HashSet<String>,
    skeleton: Skeleton,
}

impl Builder<'_> {
    fn add_all(&mut self, kept: &[bool], parents: &[Option<usize>], parts: &[Part<'_>]) {
        let mut children = vec![Vec::new(); kept.len()];
        let mut tops = Vec::new();
        for (index, parent) in parents.iter().enumerate() {
            if kept.get(index) != Some(&true) {
                continue;
            }
            match parent.and_then(|parent| children.get_mut(parent)) {
                Some(children) => children.push(index),
                None => tops.push(index),
            }
        }
        let order = |index: &usize| {
            let node = self.scene.nodes.get(*index);
            node.and_then(stated_index).unwrap_or(u64::MAX)
        };
        children.iter_mut().for_each(|it| it.sort_by_key(order));
        tops.sort_by_key(order);
        let root = match tops.as_slice() {
            [top]
                if self.skeleton.axes.is_some()
                    || !has_vertices(self.scene, *top, parents, parts) =>
            {
                None
            }
            _ => Some(self.add(None, None)),
        };
        // Nodes to add, with their parents. The last is next.
        let mut left: Vec<(usize, Option<usize>)> =
            tops.into_iter().rev().map(|top| (top, root)).collect();
        while let Some((index, parent)) = left.pop() {
            let joint = self.add(Some(index), parent);
            if let Some(slot) = self.skeleton.joint_of.get_mut(index) {
                *slot = joint;
            }
            let children = children.get(index).into_iter().flatten().rev();
            left.extend(children.map(|child| (*child, Some(joint))));
        }
        // Vertices of other nodes follow the node above.
        for (index, parent) in parents.iter().enumerate() {
            if kept.get(index) == Some(&false) {
                let joint = parent.and_then(|it| self.skeleton.joint_of.get(it).copied());
                if let Some(slot) = self.skeleton.joint_of.get_mut(index) {
                    *slot = joint.unwrap_or(0);
                }
            }
        }
    }

    fn add(&mut self, node: Option<usize>, parent: Option<usize>) -> usize {
        let source = node.and_then(|node| self.scene.nodes.get(node));
        let index = self.skeleton.joints.len();
        let name = source.map_or("Root", |node| {
            let stated = node.extras.get("name").and_then(Value::as_str);
            stated.unwrap_or(&node.name)
        });
        let name = match name {
            "" => format!("node{index}"),
            name => name.to_owned(),
        };
        let is_stated = source.is_some_and(|node| stated_index(node).is_some());
        let name = if is_stated { name } else { self.unique(name) };
        self.names.insert(name.clone());
        let flags = source.and_then(|node| node.extras.get("flags")?.as_u64());
        self.skeleton.joints.push(Joint {
            node,
            parent,
            name,
            flags: flags.map(|flags| flags as u8),
            children: 0,
        });
        if let Some(parent) = parent.and_then(|it| self.skeleton.joints.get_mut(it)) {
            parent.children += 1;
        }
        index
    }

    /// A name that no node has yet: the game finds nodes by their names.
    fn unique(&self, name: String) -> String {
        let mut unique = name.clone();
        let mut number = 2;
        while self.names.contains(&unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        unique
    }
}

/// Whether vertices may follow a node itself.
fn has_vertices(scene: &Scene, node: usize, parents: &[Option<usize>], parts: &[Part<'_>]) -> bool {
    let mut followed = parts.iter().flat_map(|part| &part.alternatives);
    followed.any(
        |(index, source, _)| match source.skin.and_then(|skin| scene.skins.get(skin)) {
            Some(skin) => skin.joints.contains(&node),
            None => *index == node || parents.get(*index).copied().flatten() == Some(node),
        },
    )
}
