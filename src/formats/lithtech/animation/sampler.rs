//! Poses the nodes of LithTech models from the keyframes of an animation, and the vertices that it deforms.

use crate::crowd::bake::BakeSource;
use crate::crowd::deformed::PosedVertex;
use crate::formats::lithtech::animation::tracks::AbcCurves;
use crate::formats::lithtech::deform::node_deform::NodeDeform;
use crate::gpu::pose_table::PosePair;
use crate::playback::skeletal::pose_source::{Animated, ClipCurves, PoseSource};
use bevy::prelude::*;
use std::sync::Arc;

/// Poses the nodes and the deforming vertices of a model.
#[derive(Debug)]
pub enum AbcSampler {
    /// Of an animation of a LithTech file. Positions are those of [`Timeline::Keyframes`].
    Keyframes {
        curves: AbcCurves,
        /// For each node of the model, that of the animation. `None` if the animation is the model's own.
        nodes: Option<Vec<Option<usize>>>,
        /// The vertex animation. `None` if the animation is of another model, which does not deform this one.
        deforms: Option<Deforms>,
    },
    /// Of a clip that is not from a LithTech file.
    Curves(ClipCurves),
}

/// The vertex animation of a model in one of its animations.
#[derive(Debug)]
pub struct Deforms {
    pub(crate) nodes: Arc<[NodeDeform]>,
    /// The index of the animation's first keyframe among those of all animations.
    pub(crate) first_pose: usize,
}

/// The keyframe of a position, and the fraction of the way to the next one. `None` without keyframes.
fn split(position: f32, curves: &AbcCurves) -> Option<(usize, f32)> {
    let last = curves.keyframes().checked_sub(1)?;
    // Casting saturates.
    let key = position as usize;
    Some(if key < last {
        (key, position - key as f32)
    } else {
        (last, 0.0)
    })
}

impl BakeSource for AbcSampler {
    fn deform(&self, position: f32, needs_normals: bool, vertices: &mut [PosedVertex]) {
        let Self::Keyframes {
            curves,
            deforms: Some(deforms),
            ..
        } = self
        else {
            return;
        };
        let Some((key, towards_b)) = split(position, curves) else {
            return;
        };
        let a = (deforms.first_pose + key) as u32;
        let b = if towards_b > 0.0 { a + 1 } else { a };
        let shown = PosePair { a, b, towards_b };
        let mut rest = vertices;
        for node in &*deforms.nodes {
            let count = node.count().min(rest.len());
            let (own, others) = rest.split_at_mut(count);
            node.pose(shown, needs_normals, own);
            rest = others;
        }
    }
}

/// The node of an animation that animates a node of a model.
fn animating(curves: &AbcCurves, nodes: Option<&[Option<usize>]>, node: usize) -> Option<usize> {
    let node = match nodes {
        Some(nodes) => nodes.get(node).copied().flatten()?,
        None => node,
    };
    (node < curves.nodes()).then_some(node)
}

impl PoseSource for AbcSampler {
    fn bone(&self, bone: usize, position: f32, rest: (Transform, bool)) -> (Transform, bool) {
        match self {
            Self::Keyframes { curves, nodes, .. } => {
                let node = animating(curves, nodes.as_deref(), bone);
                match node.zip(split(position, curves)) {
                    Some((node, (key, fraction))) => {
                        (curves.transform(node, key, fraction), rest.1)
                    }
                    None => rest,
                }
            }
            Self::Curves(curves) => curves.bone(bone, position, rest),
        }
    }

    fn animates(&self, bone: usize) -> Animated {
        match self {
            Self::Keyframes { curves, nodes, .. } => Animated {
                transform: animating(curves, nodes.as_deref(), bone).is_some(),
                visibility: false,
            },
            Self::Curves(curves) => curves.animates(bone),
        }
    }
}
