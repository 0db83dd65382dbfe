//! Vertex animation of LithTech nodes as morph targets: one per distinct keyframe.

use crate::convert::mesh::{MeshData, Target};
use bevy::math::Vec3;
use bevy::mesh::{Mesh, VertexAttributeValues};
use bevy_classic_models::gpu::PoseBlend;
use bevy_classic_models::lithtech::{ConvertedAbc, ConvertedDeform};
use std::collections::HashMap;

/// The vertex animation of a mesh.
pub struct Deform {
    pub targets: Vec<Target>,
    /// For each keyframe of all animations, in file order, its index in `targets`.
    pub poses: Vec<usize>,
}

impl Deform {
    /// The vertex animation of the mesh of a node. `None` if the node has none.
    pub fn new(
        model: &ConvertedAbc<'_>,
        node: usize,
        mesh: &Mesh,
        data: &MeshData,
    ) -> Option<Self> {
        let deform = model.deforms.iter().find(|deform| deform.node == node)?;
        let VertexAttributeValues::Float32x2(slots) =
            mesh.try_attribute(Mesh::ATTRIBUTE_UV_1).ok()?
        else {
            return None;
        };
        let slots: Vec<Option<u32>> = slots
            .iter()
            .map(|[slot, _]| (*slot >= 0.0).then_some(*slot as u32))
            .collect();
        let mut result = Self {
            targets: Vec::new(),
            poses: Vec::new(),
        };
        // Many keyframes are equal: most animations do not deform vertices.
        let mut same: HashMap<Vec<[u32; 3]>, usize> = HashMap::new();
        for pose in 0..deform.poses {
            let target = target(deform, pose, &slots, data);
            let bits = |position: &[f32; 3]| position.map(f32::to_bits);
            let key: Vec<[u32; 3]> = target.positions.iter().map(bits).collect();
            let next = result.targets.len();
            let index = *same.entry(key).or_insert(next);
            if index == next {
                result.targets.push(target);
            }
            result.poses.push(index);
        }
        (!result.targets.is_empty()).then_some(result)
    }

    /// The target of the rest pose: the first keyframe of the first animation.
    pub fn rest(&self) -> Option<usize> {
        self.poses.first().copied()
    }
}

fn target(deform: &ConvertedDeform, pose: u32, slots: &[Option<u32>], data: &MeshData) -> Target {
    let vertices = slots.iter().zip(data.positions.iter().zip(&data.normals));
    let change = |(slot, (position, normal)): (&Option<u32>, (&[f32; 3], &[f32; 3]))| {
        let moved = slot.and_then(|slot| deform.vertex(PoseBlend::from(pose), slot));
        let Some((moved, turned)) = moved else {
            return ([0.0; 3], [0.0; 3]);
        };
        let [position, normal] = [position, normal].map(|it| Vec3::from_array(*it));
        let turned = turned.unwrap_or(normal);
        ((moved - position).to_array(), (turned - normal).to_array())
    };
    let (positions, normals) = vertices.map(change).unzip();
    Target { positions, normals }
}
