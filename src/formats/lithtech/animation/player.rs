//! Plays [`PlayClip`](crate::root::PlayClip) on LithTech models.
//!
//! Every clip of a model moves all of its nodes, so cross-fades need no rest pose.

use crate::formats::lithtech::animation::clip::node_target;
use crate::formats::lithtech::asset::{Abc, AbcAnimation, AbcModel};
use crate::formats::lithtech::components::{AbcInstance, AbcMesh, AbcNode};
use crate::formats::lithtech::deform::pose_table::{AbcPoseRow, AbcPoseTable, set_pose};
use crate::gpu::poses::{PoseBlend, PosePair};
use crate::playback::frame_times::keyframe_at;
use crate::playback::frames::Frames;
use crate::playback::graph::bone_set::BoneName;
use crate::playback::graph::clip_parts::{ClipParts, edited_clips};
use crate::playback::graph::shared_graphs::SharedGraphs;
use crate::playback::skeletal::active_clips::ActiveClips;
use crate::playback::skeletal::animator::Animator;
use crate::playback::skeletal::clip_provider::{
    ClipProvider, ClipSource, GraphAssets, is_edited_copy,
};
use crate::playback::skeletal::driver::{ClipDriver, ClipPlayer, on_animator_removed};
use crate::playback::skeletal::events::OwnGraph;
use crate::playback::skeletal::playing_clip::PlayingClip;
use crate::root::clip_ref::ClipRef;
use crate::root::layers::LayerId;
use bevy::animation::animation_curves::EvaluatorId;
use bevy::animation::graph::AnimationGraph;
use bevy::animation::{AnimationClip, AnimationTargetId, VariableCurve};
use bevy::asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Local, Query, Res, ResMut, SystemParam};
use bevy::transform::components::Transform;
use std::sync::Arc;

/// The playback state of a spawned LithTech model's [`PlayClip`](crate::root::PlayClip). On the root entity, once its
/// scene is spawned.
#[derive(Component, Debug, Default)]
#[require(OwnGraph)]
#[component(on_remove = on_animator_removed::<Self>)]
pub struct AbcAnimator(Animator<AbcModel>);

impl AbcAnimator {
    /// The selected clip, once it plays. For a part of a clip, the whole clip.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.0.clip()
    }

    /// Blend weight of the selected clip: 1 when no cross-fade is running, and 0 if nothing plays.
    pub fn weight(&self) -> f32 {
        self.0.weight()
    }

    /// The current weight of a layer of [`ClipLayers`](crate::root::ClipLayers), with fades. `None` if it does not
    /// play.
    pub fn layer_weight(&self, layer: LayerId) -> Option<f32> {
        self.0.layer_weight(layer)
    }
}

impl ClipPlayer for AbcAnimator {
    type Instance = AbcInstance;
    type Bone = AbcNode;
    type Model = AbcModel;

    fn model(instance: &AbcInstance) -> &Arc<AbcModel> {
        instance.model()
    }

    fn bones(instance: &Self::Instance) -> &[Entity] {
        instance.nodes()
    }

    fn animator(&self) -> &Animator<AbcModel> {
        &self.0
    }

    fn animator_mut(&mut self) -> &mut Animator<AbcModel> {
        &mut self.0
    }
}

/// Animation graphs and clip parts, shared by all models that play the same clips.
#[derive(Resource, Default)]
pub(crate) struct AbcGraphs {
    graphs: SharedGraphs<AbcModel>,
    parts: ClipParts,
}

/// Provides clips and animation graphs to the clip driver.
#[derive(SystemParam)]
pub(crate) struct AbcClipProvider<'w, 's> {
    clips: ResMut<'w, Assets<AnimationClip>>,
    clip_events: MessageReader<'w, 's, AssetEvent<AnimationClip>>,
    abcs: Res<'w, Assets<Abc>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, AbcGraphs>,
    graphs: GraphAssets<'w>,
}

/// The animation of a model that a clip was made from.
pub(crate) fn animation_of<'m>(
    clip: &Handle<AnimationClip>,
    model: &'m AbcModel,
) -> Option<&'m AbcAnimation> {
    let mut animations = model.animations.iter();
    animations.find(|animation| animation.clip == *clip)
}

impl ClipProvider for AbcClipProvider<'_, '_> {
    type Model = AbcModel;
    type Edits = Vec<AssetId<AnimationClip>>;

    const KEEPS_UNANIMATED: bool = false;

    const FADES_NEED_REST_POSE: bool = false;

    fn bone_count(model: &AbcModel) -> usize {
        model.nodes.len()
    }

    fn bone_name(model: &AbcModel, bone: usize) -> Option<BoneName<'_>> {
        let node = model.nodes.get(bone)?;
        Some(BoneName {
            name: &node.name,
            parent: node.parent,
        })
    }

    fn target(bone: usize) -> AnimationTargetId {
        node_target(bone)
    }

    fn rest_transform(model: &AbcModel, bone: usize) -> Option<Transform> {
        model.nodes.get(bone).map(|node| node.transform)
    }

    fn resets_scale(_: &ClipSource) -> bool {
        false
    }

    fn default_visibility() -> Option<(EvaluatorId<'static>, VariableCurve)> {
        None
    }

    fn clips(&self) -> &Assets<AnimationClip> {
        &self.clips
    }

    fn clips_mut(&mut self) -> &mut Assets<AnimationClip> {
        &mut self.clips
    }

    fn shared_graphs(&mut self) -> &mut SharedGraphs<AbcModel> {
        &mut self.shared.graphs
    }

    fn add_graph(&mut self, graph: AnimationGraph) -> Handle<AnimationGraph> {
        self.graphs.add(graph)
    }

    fn take_edits(&mut self) -> Self::Edits {
        let edited = edited_clips(&mut self.clip_events);
        self.shared.parts.remove(&edited);
        if !edited.is_empty() {
            self.shared.graphs.remove_copies();
        }
        edited
    }

    fn is_edited(edits: &Self::Edits, source: &ClipSource, is_copied: bool) -> bool {
        is_edited_copy(source, edits, is_copied)
    }

    fn find(&self, clip: &ClipRef, model: &AbcModel) -> Option<ClipSource> {
        let (clip, frames) = clip.split_frames();
        let clip = match clip {
            ClipRef::Name(name) => &model.animation(name)?.clip,
            ClipRef::Index(index) => &model.animations.get(*index)?.clip,
            ClipRef::Handle(clip) => clip,
            ClipRef::Frames(_) | ClipRef::Part { .. } => return None,
        };
        Some(ClipSource {
            clip: clip.clone(),
            frames,
            file: None,
        })
    }

    fn names<'m>(&self, model: &'m AbcModel) -> Vec<&'m str> {
        let animations = model.animations.iter();
        animations.map(|animation| &*animation.name).collect()
    }

    fn is_ready(&self, source: &ClipSource) -> bool {
        self.clips.contains(&source.clip)
    }

    fn has_failed(&self, source: &ClipSource) -> bool {
        matches!(self.server.load_state(&source.clip), LoadState::Failed(_))
    }

    fn frames<'a>(&'a self, source: &ClipSource, model: &'a AbcModel) -> Option<impl Frames> {
        let own = animation_of(&source.clip, model);
        let of_other_models = || {
            let mut others = self.abcs.iter();
            others.find_map(|(_, other)| animation_of(&source.clip, &other.model))
        };
        own.or_else(of_other_models).map(AbcAnimation::frames)
    }

    fn clip_for_model(
        &mut self,
        source: &ClipSource,
        model: &Arc<AbcModel>,
    ) -> Option<Handle<AnimationClip>> {
        let Some(part) = &source.frames else {
            return Some(source.clip.clone());
        };
        let span = self.frames(source, model)?.span(part)?;
        self.shared.parts.get(&source.clip, span, &mut self.clips)
    }
}

/// Starts, stops and advances clips.
pub(crate) fn play_clips(
    mut driver: ClipDriver<'_, '_, AbcAnimator>,
    mut provider: AbcClipProvider<'_, '_>,
) {
    driver.play(&mut provider);
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
            poses.extend(playing_poses(instance.model(), animator.0.active_clips()));
            if let Some(node) = mesh.node {
                add_layers(&mut poses, instance.model(), node, &animator.0);
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
    animator: &Animator<AbcModel>,
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
