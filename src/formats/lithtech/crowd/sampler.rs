//! Poses the nodes of a model at a position of a clip, without entities.

use crate::crowd::bake::PoseSource;
use crate::crowd::clips::{ClipData, ClipOrigin};
use crate::crowd::deformed::PosedVertex;
use crate::crowd::timeline::{ClipCurves, Timeline, curve_timeline};
use crate::formats::lithtech::animation::clip::node_target;
use crate::formats::lithtech::animation::rig::animation_of;
use crate::formats::lithtech::animation::tracks::AbcCurves;
use crate::formats::lithtech::asset::{Abc, AbcAnimation, AbcModel};
use crate::formats::lithtech::crowd::model::AbcCrowdData;
use crate::formats::lithtech::crowd::node_deform::NodeDeform;
use crate::gpu::pose_table::PosePair;
use crate::playback::skeletal::rig::ClipSource;
use bevy::prelude::*;
use std::sync::Arc;

/// Poses the nodes and the deforming vertices of a model.
#[derive(Debug)]
pub enum AbcSampler {
    /// Of an animation of a LithTech file. Positions are those of [`Timeline::Keyframes`].
    Keyframes {
        curves: AbcCurves,
        /// The vertex animation. `None` if the animation is of another model, which does not deform this one.
        deforms: Option<Deforms>,
    },
    /// Of a clip that is not from a LithTech file.
    Curves(ClipCurves),
}

/// The vertex animation of a model in one of its animations.
#[derive(Debug)]
pub struct Deforms {
    nodes: Arc<[NodeDeform]>,
    /// The index of the animation's first keyframe among those of all animations.
    first_pose: usize,
}

/// What a clip is baked from. `None` if it is not loaded.
pub(crate) fn clip(
    source: &ClipSource,
    model: &AbcModel,
    data: &AbcCrowdData,
    abcs: &Assets<Abc>,
    clips: &Assets<AnimationClip>,
) -> Option<ClipData<AbcSampler>> {
    let clip = clips.get(&source.clip)?;
    if let Some(animation) = animation_of(&source.clip, model) {
        let deforms = Deforms {
            nodes: data.deforms.clone(),
            first_pose: animation.first_pose,
        };
        return Some(keyframes(animation, Some(deforms), ClipOrigin::Model));
    }
    let mut others = abcs.iter();
    let other = others.find_map(|(_, other)| animation_of(&source.clip, &other.model));
    Some(match other {
        Some(animation) => keyframes(animation, None, ClipOrigin::Clip),
        None => ClipData {
            sampler: AbcSampler::Curves(ClipCurves::new(
                clip,
                model.nodes.len(),
                node_target,
                None,
            )),
            timeline: curve_timeline(clip),
            holds: false,
            origin: ClipOrigin::Clip,
        },
    })
}

fn keyframes(
    animation: &AbcAnimation,
    deforms: Option<Deforms>,
    origin: ClipOrigin,
) -> ClipData<AbcSampler> {
    ClipData {
        sampler: AbcSampler::Keyframes {
            curves: animation.curves.clone(),
            deforms,
        },
        timeline: Timeline::Keyframes {
            times: (&*animation.keyframes).into(),
            end: animation.frames().end(),
        },
        holds: false,
        origin,
    }
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

impl PoseSource for AbcSampler {
    fn pose(&self, position: f32, local: &mut [Transform], visible: &mut [bool]) {
        match self {
            Self::Keyframes { curves, .. } => {
                let Some((key, fraction)) = split(position, curves) else {
                    return;
                };
                for (node, local) in local.iter_mut().enumerate().take(curves.nodes()) {
                    *local = curves.transform(node, key, fraction);
                }
            }
            Self::Curves(curves) => {
                for (node, (local, visible)) in local.iter_mut().zip(visible).enumerate() {
                    (*local, *visible) = curves.bone(node, position, (*local, *visible));
                }
            }
        }
    }

    fn deform(&self, position: f32, needs_normals: bool, vertices: &mut [PosedVertex]) {
        let Self::Keyframes {
            curves,
            deforms: Some(deforms),
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

    fn bone(&self, bone: usize, position: f32, rest: (Transform, bool)) -> (Transform, bool) {
        match self {
            Self::Keyframes { curves, .. } => match split(position, curves) {
                Some((key, fraction)) if bone < curves.nodes() => {
                    (curves.transform(bone, key, fraction), rest.1)
                }
                _ => rest,
            },
            Self::Curves(curves) => curves.bone(bone, position, rest),
        }
    }
}
