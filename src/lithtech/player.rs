//! Plays what [`PlayClip`] says on the models of this room.
//!
//! Clips of a model move all of its nodes, so they fade into each other as they are.

use crate::lithtech::clip::node_target;
use crate::lithtech::deform::MOST_POSES;
use crate::lithtech::instance::{AbcInstance, AbcNode};
use crate::lithtech::model::{Abc, AbcAnimation, AbcModel};
use crate::lithtech::tracks::moment;
use crate::scene::{
    Animator, Asked, Binder, ClipFinished, ClipParts, ClipRef, ClipSource, Frames, Lanes,
    ModelClips, PlayClip, Playback, Rotation, Scale, Stated, Told, Translation, edited_clips, node,
    says, take_away,
};
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy::animation::{AnimationClip, AnimationPlayer};
use bevy::asset::{AssetEvent, AssetId, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::change_detection::{DetectChangesMut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::message::{MessageReader, MessageWriter};
use bevy::ecs::query::With;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Commands, Query, Res, ResMut, SystemParam};
use bevy::ecs::world::DeferredWorld;
use bevy::mesh::MeshTag;
use bevy::platform::collections::HashMap;
use bevy::time::Time;
use bevy::transform::components::Transform;
use core::ops::Range;
use std::sync::Arc;

/// What a spawned LithTech model plays for its [`PlayClip`]. On the root entity, once its scene is
/// there.
#[derive(Component, Debug, Default)]
#[component(on_remove = on_remove)]
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

/// A root that is no model any more keeps nothing of ours.
fn on_remove(world: DeferredWorld<'_>, context: HookContext) {
    let root = context.entity;
    let has = world.get::<AnimationGraphHandle>(root);
    let animator = world.get::<AbcAnimator>(root);
    if animator.is_some_and(|animator| animator.0.owns(has)) {
        take_away(world, root);
    }
}

/// A clip, which is the same for all models.
#[derive(Clone, Debug)]
pub(super) struct AbcSource {
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
pub(super) struct AbcBinder<'w, 's> {
    clips: ResMut<'w, Assets<AnimationClip>>,
    clip_events: MessageReader<'w, 's, AssetEvent<AnimationClip>>,
    abcs: Res<'w, Assets<Abc>>,
    server: Res<'w, AssetServer>,
    shared: ResMut<'w, AbcGraphs>,
    graphs: ResMut<'w, Assets<AnimationGraph>>,
    graph_events: MessageWriter<'w, AssetEvent<AnimationGraph>>,
}

impl AbcBinder<'_, '_> {
    /// The clips that were edited since the last time.
    fn take_edits(&mut self) -> Vec<AssetId<AnimationClip>> {
        let edited = edited_clips(&mut self.clip_events);
        self.shared.parts.forget(&edited);
        edited
    }
}

/// The animation that a clip is of.
fn animation_of<'m>(clip: &Handle<AnimationClip>, model: &'m AbcModel) -> Option<&'m AbcAnimation> {
    let mut animations = model.animations.iter();
    animations.find(|animation| animation.clip == *clip)
}

impl Binder for AbcBinder<'_, '_> {
    type Model = AbcModel;
    type Source = AbcSource;

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

    fn frames<'a>(&'a self, source: &AbcSource, model: &'a AbcModel) -> Option<Frames<'a>> {
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

    fn graph(&mut self, lanes: &Lanes<AbcSource>, _: &Arc<AbcModel>) -> Handle<AnimationGraph> {
        let key: Vec<_> = lanes.iter().map(|lane| lane.clip.id()).collect();
        if let Some(graph) = self.shared.graphs.get(&key) {
            return graph.clone();
        }
        let mut graph = AnimationGraph::new();
        for clip in lanes.clips() {
            graph.add_clip(clip, 1.0, graph.root);
        }
        let graph = self.graphs.add(graph);
        // Bevy would see it when it next tells of new assets, which is after this frame's animations.
        let id = graph.id();
        self.graph_events.write(AssetEvent::Added { id });
        // Nobody but us has the others.
        let in_use = |_: &_, graph: &mut Handle<AnimationGraph>| match graph {
            Handle::Strong(graph) => Arc::strong_count(graph) > 1,
            Handle::Uuid(..) => true,
        };
        self.shared.graphs.retain(in_use);
        self.shared.graphs.insert(key, graph.clone());
        graph
    }
}

/// What decides about what a model plays.
type Players<'w> = (
    Entity,
    &'w AbcInstance,
    Option<Ref<'w, Stated>>,
    Option<&'w ModelClips>,
    Option<&'w mut Playback>,
    &'w mut AbcAnimator,
    &'w mut AnimationPlayer,
    Option<&'w AnimationGraphHandle>,
);

/// The nodes of all models.
type Nodes<'w, 's> = Query<'w, 's, &'static mut Transform, With<AbcNode>>;

/// Plays what is chosen, and lets fades go on.
pub(super) fn choose_clips(
    mut commands: Commands,
    time: Res<Time>,
    mut binder: AbcBinder<'_, '_>,
    mut told: Told,
    mut roots: Query<Players<'static>>,
    mut nodes: Nodes<'_, '_>,
) {
    let edits = binder.take_edits();
    for (root, instance, play, named, playback, mut animator, mut player, graph) in &mut roots {
        let animator = &mut animator.bypass_change_detection().0;
        let player = player.bypass_change_detection();
        let model = instance.model();
        let asked = Asked {
            play: play.as_ref(),
            named,
            is_edited: animator.lanes.have_part_of(&edits),
        };
        let change = animator.decide(asked, model, time.delta_secs(), &binder);
        if let Some(complaint) = &change.complaint {
            told.warn_once(root, complaint);
        }
        let play = play.as_ref().and_then(|play| play.get());
        let play = play.map(|stated| &stated.play);
        let begins = change.is_beginning();
        if change.is_any() {
            let fade = play.map_or(0.0, |play| play.fade);
            animator.remember(player, graph);
            animator.apply(change, fade, model, &mut binder);
            animator.tell(player, graph);
            let root = commands.entity(root);
            animator.hand_over(graph, root, model, &mut binder);
            settle(instance, &animator.lanes, &binder.clips, &mut nodes);
        }
        if let (Some(play), Some(mut playback)) = (play, playback) {
            let playback = playback.bypass_change_detection();
            let moment = (time.delta_secs(), &*binder.clips);
            animator.steer(player, play, playback, begins, moment);
        }
    }
}

/// Puts nodes at rest that no clip moves: Bevy leaves them where one has put them before.
fn settle(
    instance: &AbcInstance,
    lanes: &Lanes<AbcSource>,
    clips: &Assets<AnimationClip>,
    nodes: &mut Nodes<'_, '_>,
) {
    let handles = lanes.clips();
    let playing: Vec<&AnimationClip> = handles.iter().filter_map(|clip| clips.get(clip)).collect();
    let entities = instance.nodes().iter().zip(&instance.model().nodes);
    for (index, (entity, at_rest)) in entities.enumerate() {
        let Ok(mut transform) = nodes.get_mut(*entity) else {
            continue;
        };
        let has = |id| {
            playing
                .iter()
                .any(|clip| says(clip, node_target(index), &id))
        };
        let mut settled = *transform;
        if !has(Translation::id()) {
            settled.translation = at_rest.transform.translation;
        }
        if !has(Rotation::id()) {
            settled.rotation = at_rest.transform.rotation;
        }
        if !has(Scale::id()) {
            settled.scale = at_rest.transform.scale;
        }
        transform.set_if_neq(settled);
    }
}

/// Tells the meshes that deform which keyframes their instance shows.
pub(super) fn pose_deforms(
    roots: Query<(&AbcInstance, &AbcAnimator, &AnimationPlayer)>,
    mut meshes: Query<&mut MeshTag>,
) {
    for (instance, animator, player) in &roots {
        if instance.deforming().is_empty() {
            continue;
        }
        let tag = tag(instance.model(), &animator.0.lanes, player);
        for mesh in instance.deforming() {
            if let Ok(mut shown) = meshes.get_mut(*mesh) {
                shown.set_if_neq(MeshTag(tag));
            }
        }
    }
}

/// The poses that a model shows, as the shader has them: between the keyframes of the one clip that
/// plays; where clips fade, between what is nearest to each of the two heaviest.
fn tag(model: &AbcModel, lanes: &Lanes<AbcSource>, player: &AnimationPlayer) -> u32 {
    let playing = lanes.iter().zip(lanes.weights()).enumerate();
    let playing = playing.filter_map(|(place, (lane, weight))| {
        let animation = animation_of(&lane.source.clip, model)?;
        if animation.keyframes.is_empty() {
            return None;
        }
        let time = player.animation(node(place))?.seek_time();
        let seconds = lane.source.seconds(animation, time);
        let (key, way) = moment(&animation.keyframes, seconds);
        Some((animation.first_pose + key, way, weight))
    });
    let mut playing: Vec<(usize, f32, f32)> = playing.collect();
    playing.sort_by(|(.., a), (.., b)| b.total_cmp(a));
    let nearest = |pose: usize, way: f32| if way < 0.5 { pose } else { pose + 1 };
    let (a, b, way) = match playing[..] {
        [] => (0, 0, 0.0),
        [(pose, way, _)] => (pose, pose + 1, way),
        [(a, to_a, of_a), (b, to_b, of_b), ..] => {
            (nearest(a, to_a), nearest(b, to_b), of_b / (of_a + of_b))
        }
    };
    let bits = |pose: usize| pose.min(MOST_POSES - 1) as u32;
    bits(a) | bits(b) << 11 | ((way * 1023.0).round() as u32).min(1023) << 22
}

/// Tells where clips are, and when they have come to their end.
pub(super) fn follow_player(
    clips: Res<Assets<AnimationClip>>,
    mut finished: MessageWriter<ClipFinished>,
    mut roots: Query<(
        Entity,
        &PlayClip,
        &mut Playback,
        &mut AbcAnimator,
        &mut AnimationPlayer,
    )>,
) {
    for (entity, play, mut playback, mut animator, mut player) in &mut roots {
        let animator = &mut animator.bypass_change_detection().0;
        let player = player.bypass_change_detection();
        let playback = playback.bypass_change_detection();
        if animator.follow(player, playback, &clips) {
            finished.write(ClipFinished {
                entity,
                clip: play.clip.clone(),
            });
        }
    }
}
