//! The boxes around the vertices that each node moves.

use crate::formats::lithtech::asset::{AbcNodeInfo, NodeBounds};
use crate::formats::lithtech::convert::file::ConvertedLod;
use crate::formats::lithtech::convert::meshes::ConvertedMesh;
use crate::formats::lithtech::deform::ConvertedDeform;
use bevy::math::Affine3A;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;

/// The boxes of all nodes, over all levels of detail. `joints` are the nodes of the skinned meshes.
pub(crate) fn node_bounds(
    levels: &[ConvertedLod],
    joints: &[usize],
    nodes: &[AbcNodeInfo],
    deforms: &[ConvertedDeform],
) -> Vec<NodeBounds> {
    let mut all = vec![NodeBounds::default(); nodes.len()];
    for mesh in levels.iter().flat_map(|level| &level.meshes) {
        match mesh.node {
            Some(node) => {
                if let Some(bounds) = all.get_mut(node) {
                    add(&mut bounds.own, mesh.bounds);
                }
            }
            None => add_skinned(&mut all, mesh, joints, nodes),
        }
    }
    for deform in deforms {
        if let Some(NodeBounds { own: Some(own), .. }) = all.get_mut(deform.node) {
            let [min, max] = deform.bounds.map(Vec3A::from);
            *own = own.merge(&Aabb3d { min, max });
        }
    }
    all
}

fn add(bounds: &mut Option<Aabb3d>, other: Aabb3d) {
    *bounds = Some(bounds.map_or(other, |bounds| bounds.merge(&other)));
}

/// Adds the vertices of a skinned mesh, each to the box of its only joint.
fn add_skinned(
    all: &mut [NodeBounds],
    mesh: &ConvertedMesh,
    joints: &[usize],
    nodes: &[AbcNodeInfo],
) {
    let to_nodes: Vec<Affine3A> = nodes
        .iter()
        .map(|node| Affine3A::from(node.bind_pose.inverse()))
        .collect();
    let positions = mesh.mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok();
    let Some(positions) = positions.and_then(VertexAttributeValues::as_float3) else {
        return;
    };
    let Some(vertex_joints) = vertex_joints(&mesh.mesh) else {
        return;
    };
    for (position, [joint, ..]) in positions.iter().zip(vertex_joints) {
        let Some(node) = joints.get(usize::from(*joint)) else {
            continue;
        };
        if let (Some(bounds), Some(to_node)) = (all.get_mut(*node), to_nodes.get(*node)) {
            let position = to_node.transform_point3a(Vec3A::from(*position));
            let point = Aabb3d {
                min: position,
                max: position,
            };
            add(&mut bounds.skinned, point);
        }
    }
}

/// The joints of a skinned mesh's vertices. The first of the four has all the weight. `None` if they are not in the main
/// world.
pub(crate) fn vertex_joints(mesh: &Mesh) -> Option<&[[u16; 4]]> {
    match mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok()? {
        VertexAttributeValues::Uint16x4(joints) => Some(joints),
        _ => None,
    }
}
