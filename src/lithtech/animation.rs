//! Plays [`PlayClip`](crate::scene::PlayClip) on LithTech models.
//!
//! Every clip of a model moves all of its nodes, so cross-fades need no rest pose.

use crate::lithtech::asset::{Abc, AbcAnimation, AbcModel};
use crate::lithtech::clip::node_target;
use crate::lithtech::components::{AbcInstance, AbcNode};
use crate::lithtech::pose_table::{AbcPoseRow, AbcPoseTable, set_pose};
use crate::lithtech::tracks::keyframe_at;
use crate::scene::{
    ActiveClips, Animator, ClipDriver, ClipParts, ClipPlayer, ClipProvider, ClipRef, ClipSource,
    Frames, GraphAssets, PoseBlend, PosePair, edited_clips, is_in_use, node, on_animator_removed,
};
use bevy::animation::graph::AnimationGraph;
use bevy::animation::{AnimationClip, AnimationPlayer, AnimationTargetId};
use bevy::asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::component::Component;
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Local, Query, Res, ResMut, SystemParam};
use bevy::platform::collections::HashMap;
use bevy::transform::components::Transform;
use core::ops::Range;
use std::sync::Arc;

/// The playback state of a spawned LithTech model's [`PlayClip`](crate::scene::PlayClip). On the root entity, once its
/// scene is spawned.
#[derive(Component, Debug, Default)]
#[component(on_remove = on_animator_removed::<Self>)]
pub struct AbcAnimator(Animator<AbcModel, AbcSource>);

impl AbcAnimator {
    /// The selected clip, once it plays. For a part of a clip, the whole clip.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.0.clip()
    }

    /// Blend weight of the selected clip: 1 when no cross-fade is running, and 0 if nothing plays.
    pub fn weight(&self) -> f32 {
        self.0.weight()
    }
}

impl ClipPlayer for AbcAnimator {
    type Instance = AbcInstance;
    type Bone = AbcNode;
    type Model = AbcModel;
    type Source = AbcSource;

    fn model(instance: &AbcInstance) -> &Arc<AbcModel> {
        instance.model()
    }

    fn animator(&self) -> &Animator<AbcModel, AbcSource> {
        &self.0
    }

    fn animator_mut(&mut self) -> &mut Animator<AbcModel, AbcSource> {
        &mut self.0
    }
}

/// A clip or a part of it. It doesn't depend on the model that plays it.
#[derive(Clone, Debug)]
pub(crate) struct AbcSource {
    clip: Handle<AnimationClip>,
    /// The range of its keyframes to play; `None` for all.
    frames: Option<Range<u32>>,
}

impl AbcSource {
    /// Converts a playback time to seconds from the start of the whole clip. `animation` is that of the clip.
    fn seconds(&self, animation: &AbcAnimation, time: f32) -> f32 {
        let part = self.frames.as_ref();
        let span = part.and_then(|part| animation.frames().span(part));
        span.map_or(time, |span| span.time(time))
    }
}

impl ClipSource for AbcSource {
    fn clip(&self) -> &Handle<AnimationClip> {
        &self.clip
    }

    fn frames(&self) -> Option<&Range<u32>> {
        self.frames.as_ref()
    }
}

/// Animation graphs and clip parts, shared by all models that play the same clips.
#[derive(Resource, Default)]
pub(super) struct AbcGraphs {
    /// Graphs in use, by the clips that they blend.
    graphs: HashMap<Vec<AssetId<AnimationClip>>, Handle<AnimationGraph>>,
    parts: ClipParts,
}

/// Provides clips and animation graphs to the clip driver.
#[derive(SystemParam)]
pub(super) struct AbcClipProvider<'w, 's> {
    clips: ResMut<'w, Assets<AnimationClip>>,
    clip_events: MessageReader<'w, 's, AssetEvent<AnimationClip>>,
    abcs: Res<'w, Assets<Abc>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, AbcGraphs>,
    graphs: GraphAssets<'w>,
}

/// The animation of a model that a clip was made from.
fn animation_of<'m>(clip: &Handle<AnimationClip>, model: &'m AbcModel) -> Option<&'m AbcAnimation> {
    let mut animations = model.animations.iter();
    animations.find(|animation| animation.clip == *clip)
}

impl ClipProvider for AbcClipProvider<'_, '_> {
    type Model = AbcModel;
    type Source = AbcSource;
    type Edits = Vec<AssetId<AnimationClip>>;

    const KEEPS_UNANIMATED: bool = false;

    fn target(bone: usize) -> AnimationTargetId {
        node_target(bone)
    }

    fn rest_transform(model: &AbcModel, bone: usize) -> Option<Transform> {
        model.nodes.get(bone).map(|node| node.transform)
    }

    fn resets_scale(_: &AbcSource) -> bool {
        false
    }

    fn clips(&self) -> &Assets<AnimationClip> {
        &self.clips
    }

    fn take_edits(&mut self) -> Self::Edits {
        let edited = edited_clips(&mut self.clip_events);
        self.shared.parts.remove(&edited);
        edited
    }

    fn any_edited(edits: &Self::Edits, active_clips: &ActiveClips<AbcSource>) -> bool {
        active_clips.has_part_of(edits)
    }

    fn find(&self, clip: &ClipRef, model: &AbcModel) -> Option<AbcSource> {
        let (clip, frames) = clip.split_frames();
        let clip = match clip {
            ClipRef::Name(name) => &model.animation(name)?.clip,
            ClipRef::Index(index) => &model.animations.get(*index)?.clip,
            ClipRef::Handle(clip) => clip,
            ClipRef::Frames(_) | ClipRef::Part { .. } => return None,
        };
        Some(AbcSource {
            clip: clip.clone(),
            frames,
        })
    }

    fn names<'m>(&self, model: &'m AbcModel) -> Vec<&'m str> {
        let animations = model.animations.iter();
        animations.map(|animation| &*animation.name).collect()
    }

    fn is_ready(&self, source: &AbcSource) -> bool {
        self.clips.contains(&source.clip)
    }

    fn has_failed(&self, source: &AbcSource) -> bool {
        matches!(self.server.load_state(&source.clip), LoadState::Failed(_))
    }

    fn frames<'a>(&'a self, source: &AbcSource, model: &'a AbcModel) -> Option<impl Frames> {
        let own = animation_of(&source.clip, model);
        let of_other_models = || {
            let mut others = self.abcs.iter();
            others.find_map(|(_, other)| animation_of(&source.clip, &other.model))
        };
        own.or_else(of_other_models).map(AbcAnimation::frames)
    }

    fn clip_for_model(
        &mut self,
        source: &AbcSource,
        model: &Arc<AbcModel>,
    ) -> Option<Handle<AnimationClip>> {
        let Some(part) = &source.frames else {
            return Some(source.clip.clone());
        };
        let span = self.frames(source, model)?.span(part)?;
        self.shared.parts.get(&source.clip, span, &mut self.clips)
    }

    fn graph(
        &mut self,
        active_clips: &ActiveClips<AbcSource>,
        _: &Arc<AbcModel>,
    ) -> Handle<AnimationGraph> {
        let key: Vec<_> = active_clips.iter().map(|active| active.clip.id()).collect();
        if let Some(graph) = self.shared.graphs.get(&key) {
            return graph.clone();
        }
        let graph = self.graphs.add(active_clips.handles());
        self.shared.graphs.retain(|_, graph| is_in_use(graph));
        self.shared.graphs.insert(key, graph.clone());
        graph
    }

    fn play_extra_nodes(_: &ActiveClips<AbcSource>, _: &mut AnimationPlayer) {}
}

/// Starts the selected clips and advances cross-fades.
pub(super) fn play_clips(
    mut driver: ClipDriver<'_, '_, AbcAnimator>,
    mut provider: AbcClipProvider<'_, '_>,
) {
    driver.play(&mut provider);
}

/// Writes the keyframes of all deforming meshes to the [`AbcPoseTable`].
pub(super) fn pose_deforms(
    roots: Query<(&AbcInstance, &AbcAnimator, &AnimationPlayer)>,
    mut rows: Query<&mut AbcPoseRow>,
    mut table: ResMut<AbcPoseTable>,
    mut poses: Local<Vec<(PosePair, f32)>>,
) {
    let table = table.bypass_change_detection();
    for (instance, animator, player) in &roots {
        if instance.deforming().is_empty() {
            continue;
        }
        poses.clear();
        poses.extend(playing_poses(
            instance.model(),
            animator.0.active_clips(),
            player,
        ));
        let shown = two_heaviest(&mut poses);
        for mesh in instance.deforming() {
            if let Ok(mut row) = rows.get_mut(*mesh) {
                set_pose(table, row.bypass_change_detection(), shown);
            }
        }
    }
}

/// For each active clip, the two keyframes around its playback time, and its blend weight.
fn playing_poses(
    model: &AbcModel,
    active_clips: &ActiveClips<AbcSource>,
    player: &AnimationPlayer,
) -> impl Iterator<Item = (PosePair, f32)> {
    let playing = active_clips.iter().zip(active_clips.weights()).enumerate();
    playing.filter_map(|(index, (active, weight))| {
        let animation = animation_of(&active.source.clip, model)?;
        if animation.keyframes.is_empty() {
            return None;
        }
        let time = player.animation(node(index))?.seek_time();
        let seconds = active.source.seconds(animation, time);
        let (key, towards_b) = keyframe_at(&animation.keyframes, seconds);
        let a = (animation.first_pose + key) as u32;
        let pair = PosePair {
            a,
            b: if towards_b > 0.0 { a + 1 } else { a },
            towards_b,
        };
        Some((pair, weight))
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
