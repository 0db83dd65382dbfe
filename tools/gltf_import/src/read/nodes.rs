//! The nodes of a scene, with their levels of detail.

use super::checked;
use crate::error::{At, Error, Result};
use crate::json::{self, Root};
use crate::scene::{Lod, Mesh, Node, Transform};
use glam::{Mat4, Quat, Vec3};
use serde_json::Value;
use std::collections::HashSet;

/// The maximum count of vertices of all nodes.
const MAX_VERTICES: usize = 1 << 21;

pub const VISIBILITY: &str = "KHR_node_visibility";

/// The nodes of the default scene, parents first, and their indices by those of the file. Skinned meshes of a converted Alamo model
/// that are hidden at rest are outside of the scene, because a scale of 0 would not hide them.
pub fn nodes(root: &Root, meshes: &[Mesh]) -> Result<(Vec<Node>, Vec<Option<usize>>)> {
    let scene = checked(root.scene, root.scenes.len(), "scene")?;
    let children: HashSet<usize> = root
        .nodes
        .iter()
        .flat_map(|node| node.children.iter().copied())
        .collect();
    let scene = scene.or_else(|| (!root.scenes.is_empty()).then_some(0));
    let roots: Vec<usize> = match scene.and_then(|scene| root.scenes.get(scene)) {
        Some(scene) => scene.nodes.clone(),
        // Without scenes, all nodes without a parent.
        None => (0..root.nodes.len())
            .filter(|node| !children.contains(node))
            .collect(),
    };
    let mut nodes: Vec<Node> = Vec::new();
    let mut indices = vec![None; root.nodes.len()];
    // The levels that are no children have the parents of their finest levels.
    let mut placed: HashSet<usize> = root.nodes.iter().flat_map(levels).collect();
    placed.extend(&children);
    placed.extend(&roots);
    placed.extend(root.scenes.iter().flat_map(|scene| &scene.nodes));
    let is_outside = |index: usize, node: &json::Node| {
        !placed.contains(&index) && node.skin.is_some() && node.extras.get("parentBone").is_some()
    };
    let outside = root.nodes.iter().enumerate();
    let outside = outside.filter(|(index, node)| is_outside(*index, node));
    let outside: Vec<usize> = outside.map(|(index, _)| index).collect();
    let mut queued = HashSet::new();
    // Nodes to visit, with their parents in the result. The last is next.
    let all = roots.iter().chain(&outside).rev();
    let mut left: Vec<(usize, Option<usize>)> = all.map(|it| (*it, None)).collect();
    while let Some((index, parent)) = left.pop() {
        let place = || format!("nodes[{index}]");
        let node = root.nodes.get(index);
        let node = node.ok_or_else(|| Error::new("does not exist").at(place()))?;
        let new = nodes.len();
        match indices.get_mut(index) {
            Some(slot @ None) => *slot = Some(new),
            _ => return Err(Error::new("has two parents").at(place())),
        }
        let levels =
            levels(node).filter(|level| !children.contains(level) && queued.insert(*level));
        let levels: Vec<usize> = levels.collect();
        left.extend(levels.into_iter().rev().map(|level| (level, parent)));
        left.extend(node.children.iter().rev().map(|child| (*child, Some(new))));
        nodes.push(read_node(root, node, parent, meshes).at(place())?);
    }
    for index in outside {
        let node = indices
            .get(index)
            .copied()
            .flatten()
            .and_then(|it| nodes.get_mut(it));
        if let Some(node) = node {
            node.transform.visible = false;
        }
    }
    mark_levels(root, &indices, &mut nodes);
    check_vertices(&nodes, meshes)?;
    Ok((nodes, indices))
}

/// Checks the count of vertices of all nodes: many nodes can have the same mesh.
fn check_vertices(nodes: &[Node], meshes: &[Mesh]) -> Result<()> {
    let of_mesh = |mesh: &Mesh| {
        mesh.primitives
            .iter()
            .map(|it| it.positions.len())
            .sum::<usize>()
    };
    let counts: Vec<usize> = meshes.iter().map(of_mesh).collect();
    let counts = nodes.iter().filter_map(|node| counts.get(node.mesh?));
    let count = counts.fold(0_usize, |sum, count| sum.saturating_add(*count));
    match count > MAX_VERTICES {
        true => Err(Error::new(format_args!(
            "{count} vertices; at most {MAX_VERTICES} are supported"
        ))),
        false => Ok(()),
    }
}

/// The coarser levels of detail of a node.
fn levels(node: &json::Node) -> impl Iterator<Item = usize> {
    let levels = node
        .extensions
        .get("MSFT_lod")
        .and_then(|it| it.get("ids")?.as_array());
    let levels = levels.into_iter().flatten();
    levels.filter_map(|level| Some(level.as_u64()? as usize))
}

/// Marks the levels of detail, and the nodes below them.
fn mark_levels(root: &Root, indices: &[Option<usize>], nodes: &mut [Node]) {
    let found = |index: usize| indices.get(index).copied().flatten();
    for (index, node) in root.nodes.iter().enumerate() {
        let Some(finest) = found(index).filter(|_| levels(node).next().is_some()) else {
            continue;
        };
        if let Some(node) = nodes.get_mut(finest) {
            let lod = Lod {
                level: 0,
                finest: None,
            };
            node.lod.get_or_insert(lod);
        }
        for (level, index) in (1..).zip(levels(node)) {
            if let Some(node) = found(index).and_then(|index| nodes.get_mut(index)) {
                node.is_coarse = true;
                node.lod = Some(Lod {
                    level,
                    finest: Some(finest),
                });
            }
        }
    }
    for index in 0..nodes.len() {
        let parent = nodes.get(index).and_then(|node| nodes.get(node.parent?));
        let Some((is_coarse, lod)) = parent.map(|parent| (parent.is_coarse, parent.lod)) else {
            continue;
        };
        if let Some(node) = nodes.get_mut(index) {
            node.is_coarse |= is_coarse;
            node.lod = node.lod.or(lod.map(|lod| Lod {
                finest: None,
                ..lod
            }));
        }
    }
}

fn read_node(
    root: &Root,
    node: &json::Node,
    parent: Option<usize>,
    meshes: &[Mesh],
) -> Result<Node> {
    let mesh = checked(node.mesh, root.meshes.len(), "mesh")?;
    let targets = mesh.and_then(|mesh| meshes.get(mesh));
    let targets = targets
        .and_then(|mesh| mesh.primitives.first())
        .map_or(0, |it| it.targets.len());
    let stated = mesh.and_then(|mesh| root.meshes.get(mesh)?.weights.clone());
    let mut weights = node.weights.clone().or(stated).unwrap_or_default();
    weights.resize(targets, 0.0);
    let visible = node
        .extensions
        .get(VISIBILITY)
        .and_then(|it| it.get("visible"));
    let visible = visible.and_then(Value::as_bool).unwrap_or(true);
    let transform = match &node.matrix {
        Some(matrix) => {
            let (scale, rotation, translation) =
                Mat4::from_cols_array(matrix).to_scale_rotation_translation();
            Transform {
                translation,
                rotation,
                scale,
                visible,
            }
        }
        None => Transform {
            visible,
            translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
            rotation: node
                .rotation
                .map_or(Quat::IDENTITY, |it| Quat::from_array(it).normalize()),
            scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
        },
    };
    let Transform {
        translation,
        rotation,
        scale,
        ..
    } = &transform;
    if !(translation.is_finite() && rotation.is_finite() && scale.is_finite()) {
        return Err(Error::new("the transform is not finite"));
    }
    Ok(Node {
        name: node.name.clone(),
        parent,
        transform,
        mesh,
        skin: checked(node.skin, root.skins.len(), "skin")?,
        weights,
        is_coarse: false,
        lod: None,
        light: light(root, node),
        extras: node.extras.as_object().cloned().unwrap_or_default(),
    })
}

/// The light of a node.
fn light(root: &Root, node: &json::Node) -> Option<Value> {
    let name = "KHR_lights_punctual";
    let index = node.extensions.get(name)?.get("light")?.as_u64()?;
    root.extensions
        .get(name)?
        .get("lights")?
        .get(index as usize)
        .cloned()
}
