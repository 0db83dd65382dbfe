//! Plays [`PlayClip`](crate::scene::PlayClip) on LithTech models.
//!
//! Clips of a model move all of its nodes, so they fade into each other as they are.

use crate::lithtech::asset::{Abc, AbcAnimation, AbcModel};
use crate::lithtech::clip::node_target;
use crate::lithtech::components::{AbcInstance, AbcNode};
use crate::lithtech::pose_table::{AbcPoseRow, AbcPoseTable, show};
use crate::lithtech::tracks::moment;
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

/// What a spawned LithTech model plays for its [`PlayClip`](crate::scene::PlayClip). On the root entity, once its scene is
/// there.
#[derive(Component, Debug, Default)]
#[component(on_remove = on_animator_removed::<Self>)]
pub struct AbcAnimator(Animator<AbcModel, AbcSource>);

impl AbcAnimator {
    /// The clip that was chosen, once it plays; of a part the clip that it is of.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.0.clip()
    }

    /// How much of what shows is the chosen clip: 1 once nothing fades out any more, and 0 where
    /// nothing plays.
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

/// A clip, which is the same for all models.
#[derive(Clone, Debug)]
pub(crate) struct AbcSource {
    clip: Handle<AnimationClip>,
    /// Which of its keyframes; `None` are all.
    frames: Option<Range<u32>>,
}

impl AbcSource {
    /// Seconds in the whole clip, whose animation this is, at a time of what plays.
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

/// What models share that do the same.
#[derive(Resource, Default)]
pub(super) struct AbcGraphs {
    /// Of clips in use: one for each clip, and one for each fade from one to another.
    graphs: HashMap<Vec<AssetId<AnimationClip>>, Handle<AnimationGraph>>,
    parts: ClipParts,
}

/// Makes clips ready to be played.
#[derive(SystemParam)]
pub(super) struct AbcClipProvider<'w, 's> {
    clips: ResMut<'w, Assets<AnimationClip>>,
    clip_events: MessageReader<'w, 's, AssetEvent<AnimationClip>>,
    abcs: Res<'w, Assets<Abc>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, AbcGraphs>,
    graphs: GraphAssets<'w>,
}

/// The animation that a clip is of.
fn animation_of<'m>(clip: &Handle<AnimationClip>, model: &'m AbcModel) -> Option<&'m AbcAnimation> {
    let mut animations = model.animations.iter();
    animations.find(|animation| animation.clip == *clip)
}

impl ClipProvider for AbcClipProvider<'_, '_> {
    type Model = AbcModel;
    type Source = AbcSource;
    type Edits = Vec<AssetId<AnimationClip>>;

    const KEEPS_UNMOVED: bool = false;

    fn target(bone: usize) -> AnimationTargetId {
        node_target(bone)
    }

    fn rest(model: &AbcModel, bone: usize) -> Option<Transform> {
        model.nodes.get(bone).map(|node| node.transform)
    }

    fn sets_scale(_: &AbcSource) -> bool {
        false
    }

    fn clips(&self) -> &Assets<AnimationClip> {
        &self.clips
    }

    fn take_edits(&mut self) -> Self::Edits {
        let edited = edited_clips(&mut self.clip_events);
        self.shared.parts.forget(&edited);
        edited
    }

    fn are_edited(edits: &Self::Edits, lanes: &ActiveClips<AbcSource>) -> bool {
        lanes.have_part_of(edits)
    }

    fn find(&self, clip: &ClipRef, model: &AbcModel) -> Option<AbcSource> {
        let (clip, frames) = clip.flat();
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
        let of_others = || {
            let mut others = self.abcs.iter();
            others.find_map(|(_, other)| animation_of(&source.clip, &other.model))
        };
        own.or_else(of_others).map(AbcAnimation::frames)
    }

    fn bound(
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
        lanes: &ActiveClips<AbcSource>,
        _: &Arc<AbcModel>,
    ) -> Handle<AnimationGraph> {
        let key: Vec<_> = lanes.iter().map(|lane| lane.clip.id()).collect();
        if let Some(graph) = self.shared.graphs.get(&key) {
            return graph.clone();
        }
        let graph = self.graphs.add(lanes.clips());
        self.shared.graphs.retain(|_, graph| is_in_use(graph));
        self.shared.graphs.insert(key, graph.clone());
        graph
    }

    fn play_beside(_: &ActiveClips<AbcSource>, _: &mut AnimationPlayer) {}
}

/// Plays what is chosen, and lets fades go on.
pub(super) fn choose_clips(
    mut driver: ClipDriver<'_, '_, AbcAnimator>,
    mut binder: AbcClipProvider<'_, '_>,
) {
    driver.play(&mut binder);
}

/// Writes to the [`AbcPoseTable`] which keyframes the meshes show that deform.
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
        poses.extend(playing_poses(instance.model(), animator.0.lanes(), player));
        let shown = heaviest(&mut poses);
        for mesh in instance.deforming() {
            if let Ok(mut row) = rows.get_mut(*mesh) {
                show(table, row.bypass_change_detection(), shown);
            }
        }
    }
}

/// The keyframes on both sides of the time of each clip that plays, and its weight.
fn playing_poses(
    model: &AbcModel,
    lanes: &ActiveClips<AbcSource>,
    player: &AnimationPlayer,
) -> impl Iterator<Item = (PosePair, f32)> {
    let playing = lanes.iter().zip(lanes.weights()).enumerate();
    playing.filter_map(|(place, (lane, weight))| {
        let animation = animation_of(&lane.source.clip, model)?;
        if animation.keyframes.is_empty() {
            return None;
        }
        let time = player.animation(node(place))?.seek_time();
        let seconds = lane.source.seconds(animation, time);
        let (key, towards_b) = moment(&animation.keyframes, seconds);
        let a = (animation.first_pose + key) as u32;
        let pair = PosePair {
            a,
            b: if towards_b > 0.0 { a + 1 } else { a },
            towards_b,
        };
        Some((pair, weight))
    })
}

/// A blend of the two heaviest of several poses. Where a fade interrupts another there are three: the weight of the
/// third is taken off the others, so that nothing jumps when the second and the third change places.
fn heaviest(poses: &mut [(PosePair, f32)]) -> PoseBlend {
    poses.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let third = poses.get(2).map_or(0.0, |(_, weight)| *weight);
    match *poses {
        [] => PoseBlend::default(),
        [(to, of_to), (from, of_from), ..] if of_from > third => PoseBlend {
            to,
            from,
            from_weight: (of_from - third) / (of_to + of_from - 2.0 * third),
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

    /// The shares of poses 0, 1 and 2.
    fn shares(weights: [f32; 3]) -> [f32; 3] {
        let poses = weights.iter().enumerate();
        let poses = poses.map(|(pose, weight)| (pair(pose as u32), *weight));
        let mut poses: Vec<_> = poses.collect();
        let blend = heaviest(&mut poses);
        let mut shares = [0.0; 3];
        shares[blend.to.a as usize] += 1.0 - blend.from_weight;
        shares[blend.from.a as usize] += blend.from_weight;
        shares
    }

    #[test]
    fn two_poses_have_their_weights() {
        assert_eq!(shares([0.75, 0.25, 0.0]), [0.75, 0.25, 0.0]);
        assert_eq!(shares([0.0, 0.5, 1.5]), [0.0, 0.25, 0.75]);
        assert_eq!(shares([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0]);
        assert_eq!(heaviest(&mut []), PoseBlend::default());
    }

    #[test]
    fn a_fade_that_interrupts_another_does_not_jump() {
        const STEPS: usize = 1000;
        // The first fade was interrupted at a share of 0.4.
        let at = |step: usize| {
            let way = step as f32 / STEPS as f32;
            shares([0.6 * (1.0 - way), 0.4 * (1.0 - way), way])
        };
        assert_eq!(at(STEPS), [0.0, 0.0, 1.0]);
        for step in 0..STEPS {
            for (before, after) in at(step).into_iter().zip(at(step + 1)) {
                assert!((before - after).abs() < 0.02, "step {step}");
            }
        }
    }
}
