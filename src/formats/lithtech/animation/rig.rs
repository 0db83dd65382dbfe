//! The nodes and clips of LithTech models, for playback, and the vertex animation of the clips that play.

use crate::formats::lithtech::animation::sampler::AbcSampler;
use crate::formats::lithtech::animation::tracks::node_target;
use crate::formats::lithtech::asset::{Abc, AbcAnimation, AbcModel};
use crate::formats::lithtech::components::{AbcInstance, AbcMesh, AbcNode};
use crate::formats::lithtech::deform::pose_table::{AbcPoseRow, AbcPoseTable, set_pose};
use crate::gpu::pose_table::{PoseBlend, PosePair};
use crate::load::alternatives::listed_names;
use crate::playback::clip_events::StoredEvents;
use crate::playback::frames::keyframe_at;
use crate::playback::skeletal::active_clips::ActiveClips;
use crate::playback::skeletal::active_clips::PlayingClip;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::pose_source::{
    ClipCurves, ClipData, ClipOrigin, Timeline, curve_timeline,
};
use crate::playback::skeletal::rig::{ClipInfo, ClipSource, Rig, RigBone, RigClip};
use crate::playback::skeletal::shared_clips::Binding;
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use std::sync::Arc;

/// The playback state of a spawned LithTech model. It is on the root entity once the scene is spawned.
pub type AbcAnimator = ModelAnimator<Abc>;

/// The animation of a model that a clip was made from.
pub(crate) fn animation_of<'m>(
    clip: &Handle<AnimationClip>,
    model: &'m AbcModel,
) -> Option<&'m AbcAnimation> {
    let mut animations = model.animations.iter();
    animations.find(|animation| animation.clip == *clip)
}

impl Rig for Abc {
    type Model = AbcModel;
    type Bone = AbcNode;
    /// The file of the model, which has its clips.
    type ClipFile = Self;
    type Sampler = AbcSampler;

    fn model(instance: &AbcInstance) -> &Arc<AbcModel> {
        instance.model()
    }

    fn bone_entities(instance: &AbcInstance) -> &[Entity] {
        instance.nodes()
    }

    fn bones(model: &AbcModel) -> impl ExactSizeIterator<Item = RigBone<'_>> {
        model.nodes.iter().map(|node| RigBone {
            name: &node.name,
            parent: node.parent,
            rest: node.transform,
            is_visible: true,
        })
    }

    fn target(bone: usize) -> AnimationTargetId {
        node_target(bone)
    }

    fn clips(model: &AbcModel) -> impl Iterator<Item = RigClip<'_>> {
        model.animations.iter().map(|animation| RigClip {
            name: &animation.name,
            clip: &animation.clip,
            file: None,
        })
    }

    fn clip_info<'a>(
        source: &ClipSource,
        model: Option<&'a AbcModel>,
        abcs: &'a Assets<Self>,
    ) -> Option<ClipInfo<'a>> {
        let own = model.and_then(|model| animation_of(&source.clip, model));
        let of_other_models = || Some(of_other_model(&source.clip, abcs)?.0);
        let animation = own.or_else(of_other_models)?;
        Some(ClipInfo {
            frames: animation.frames(),
            events: Some(StoredEvents {
                clip: &animation.reference,
                events: &animation.events,
                fps: None,
            }),
        })
    }

    fn clip_data(
        source: &ClipSource,
        model: &AbcModel,
        files: &Assets<Self>,
        clips: &Assets<AnimationClip>,
    ) -> Option<ClipData<AbcSampler>> {
        let clip = clips.get(&source.clip)?;
        if let Some(animation) = animation_of(&source.clip, model) {
            return Some(keyframes(animation, None, ClipOrigin::Model));
        }
        let other = of_other_model(&source.clip, files);
        Some(match other {
            Some((animation, other)) => {
                let nodes = binding(model, other).tracks;
                keyframes(animation, Some(nodes), ClipOrigin::Clip)
            }
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

    fn mismatch(source: &ClipSource, model: &AbcModel, files: &Assets<Self>) -> Option<String> {
        if animation_of(&source.clip, model).is_some() {
            return None;
        }
        let (_, other) = of_other_model(&source.clip, files)?;
        let unbound = binding(model, other).unbound.into_iter();
        let names = unbound.filter_map(|node| other.nodes.get(node));
        let names: Vec<&str> = names.map(|node| &*node.name).collect();
        (!names.is_empty()).then(|| {
            let names = listed_names(names.iter().copied());
            format!("animates nodes that the model does not have, which are ignored: {names}")
        })
    }
}

/// The animation of any model that a clip was made from, with the model.
fn of_other_model<'m>(
    clip: &Handle<AnimationClip>,
    files: &'m Assets<Abc>,
) -> Option<(&'m AbcAnimation, &'m AbcModel)> {
    let mut models = files.iter().map(|(_, file)| &*file.model);
    models.find_map(|model| Some((animation_of(clip, model)?, model)))
}

/// Which nodes of another model's animations animate the nodes of a model.
fn binding(model: &AbcModel, other: &AbcModel) -> Binding {
    let tracks = other.nodes.iter().map(|node| &*node.name).enumerate();
    if let Some(bones) = &model.clip_bones {
        return bones.bind(tracks);
    }
    let names = model.nodes.iter().map(|node| &*node.name);
    Binding::new(names, &model.named_nodes, tracks, true)
}

/// `nodes` are those of another model's animation: see [`AbcSampler::Keyframes`].
fn keyframes(
    animation: &AbcAnimation,
    nodes: Option<Vec<Option<usize>>>,
    origin: ClipOrigin,
) -> ClipData<AbcSampler> {
    ClipData {
        sampler: AbcSampler::Keyframes {
            curves: animation.curves.clone(),
            nodes,
            deforms: None,
        },
        timeline: Timeline::Keyframes {
            times: (&*animation.keyframes).into(),
            end: animation.frames().end(),
        },
        holds: false,
        origin,
    }
}

/// Writes the keyframes of all deforming meshes to the [`AbcPoseTable`].
pub(crate) fn pose_deforms(
    roots: Query<(&AbcInstance, &AbcAnimator)>,
    mut rows: Query<(&AbcMesh, &mut AbcPoseRow)>,
    mut table: ResMut<AbcPoseTable>,
    mut poses: Local<Vec<(PosePair, f32)>>,
) {
    let table = table.bypass_change_detection();
    for (instance, animator) in &roots {
        for entity in instance.deforming() {
            let Ok((mesh, mut row)) = rows.get_mut(*entity) else {
                continue;
            };
            poses.clear();
            poses.extend(playing_poses(instance.model(), animator.active_clips()));
            if let Some(node) = mesh.node {
                add_layers(&mut poses, instance.model(), node, animator);
            }
            set_pose(
                table,
                row.bypass_change_detection(),
                two_heaviest(&mut poses),
            );
        }
    }
}

/// For each active clip, the two keyframes around its playback time, and its blend weight.
fn playing_poses(
    model: &AbcModel,
    active_clips: &ActiveClips,
) -> impl Iterator<Item = (PosePair, f32)> {
    let playing = active_clips.iter().zip(active_clips.weights());
    playing.filter_map(|(playing, weight)| Some((playing_pose(model, playing)?, weight)))
}

/// Blends the poses of layers over the active clips' poses of a node. Additive layers have no effect.
fn add_layers(
    poses: &mut Vec<(PosePair, f32)>,
    model: &AbcModel,
    node: usize,
    animator: &AbcAnimator,
) {
    for layer in animator.active_layers() {
        if layer.additive || !layer.bones.contains(node) {
            continue;
        }
        let Some(pair) = playing_pose(model, layer.playing) else {
            continue;
        };
        if poses.is_empty() {
            // At rest, a mesh has its first pose.
            poses.push((PosePair::default(), 1.0));
        }
        for (_, weight) in poses.iter_mut() {
            *weight *= 1.0 - layer.weight;
        }
        poses.push((pair, layer.weight));
    }
}

/// The two keyframes around the time of a clip that plays. `None` if the clip does not deform the model.
fn playing_pose(model: &AbcModel, playing: &PlayingClip) -> Option<PosePair> {
    let source = &playing.source;
    let animation = animation_of(&source.clip, model)?;
    if animation.keyframes.is_empty() {
        return None;
    }
    let part = source.frames.as_ref();
    let span = part.and_then(|part| animation.frames().span(part));
    let time = playing.playback.time;
    let seconds = span.map_or(time, |span| span.time(time));
    let (key, towards_b) = keyframe_at(&animation.keyframes, seconds);
    let a = (animation.first_pose + key) as u32;
    Some(PosePair {
        a,
        b: if towards_b > 0.0 { a + 1 } else { a },
        towards_b,
    })
}

/// Blends the two poses with the largest weights.
///
/// If a cross-fade interrupts another one, there are three poses. The third weight is subtracted from the other two, so
/// that the blend stays continuous when the second and the third pose exchange ranks.
fn two_heaviest(poses: &mut [(PosePair, f32)]) -> PoseBlend {
    poses.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let third = poses.get(2).map_or(0.0, |(_, weight)| *weight);
    match *poses {
        [] => PoseBlend::default(),
        [(to, first), (from, second), ..] if second > third => PoseBlend {
            to,
            from,
            from_weight: (second - third) / (first + second - 2.0 * third),
        },
        [(to, _), ..] => PoseBlend::from(to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: u32) -> PosePair {
        PosePair {
            a,
            b: a,
            towards_b: 0.0,
        }
    }

    /// The weights of poses 0, 1 and 2 in the blend.
    fn blended(weights: [f32; 3]) -> [f32; 3] {
        let poses = weights.iter().enumerate();
        let poses = poses.map(|(pose, weight)| (pair(pose as u32), *weight));
        let mut poses: Vec<_> = poses.collect();
        let blend = two_heaviest(&mut poses);
        let mut blended = [0.0; 3];
        blended[blend.to.a as usize] += 1.0 - blend.from_weight;
        blended[blend.from.a as usize] += blend.from_weight;
        blended
    }

    #[test]
    fn two_poses_keep_their_relative_weights() {
        assert_eq!(blended([0.75, 0.25, 0.0]), [0.75, 0.25, 0.0]);
        assert_eq!(blended([0.0, 0.5, 1.5]), [0.0, 0.25, 0.75]);
        assert_eq!(blended([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0]);
        assert_eq!(two_heaviest(&mut []), PoseBlend::default());
    }

    #[test]
    fn an_interrupted_fade_stays_continuous() {
        const STEPS: usize = 1000;
        // The first fade was interrupted at a weight of 0.4.
        let at = |step: usize| {
            let fraction = step as f32 / STEPS as f32;
            blended([0.6 * (1.0 - fraction), 0.4 * (1.0 - fraction), fraction])
        };
        assert_eq!(at(STEPS), [0.0, 0.0, 1.0]);
        for step in 0..STEPS {
            for (before, after) in at(step).into_iter().zip(at(step + 1)) {
                assert!((before - after).abs() < 0.02, "step {step}");
            }
        }
    }
}
