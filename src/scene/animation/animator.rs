//! Plays what [`PlayClip`](crate::scene::PlayClip) says on Bevy's `AnimationPlayer`, for formats whose clips are Bevy's.
//!
//! The player is on the root entity, which survives when the model's file changes. Whoever wants to
//! blend otherwise leaves `PlayClip` away and gives the root a graph of their own.

use crate::scene::animation::active_clips::{ActiveClips, ClipSource, node};
use crate::scene::animation::clip_provider::ClipProvider;
use crate::scene::animation::frames::Frames;
use crate::scene::animation::settle::{Bones, settle};
use crate::scene::clip_ref::Repeat;
use crate::scene::clips::ModelClips;
use crate::scene::play::{PlayClip, Playback, ResolvedClip, ResolvedPlay};
use crate::scene::playing::{ClipSelection, wrap};
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy::animation::{ActiveAnimation, AnimationClip, AnimationPlayer, RepeatAnimation};
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::{DetectChanges, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::EntityCommands;
use std::sync::Arc;

/// What a root asks for.
pub(crate) struct ClipRequest<'a> {
    pub(crate) play: Option<&'a Ref<'a, ResolvedClip>>,
    /// Its clips by names of their own.
    pub(crate) named: Option<&'a ModelClips>,
    /// Whether a clip that it plays was edited.
    pub(crate) is_edited: bool,
}

impl<'a> ClipRequest<'a> {
    fn clip(&self) -> Option<&'a ResolvedPlay> {
        self.play.and_then(|play| play.get())
    }
}

/// What a spawned model plays for its [`PlayClip`]. Formats have it in a component of the root.
#[derive(Debug)]
pub(crate) struct Animator<M, S> {
    lanes: ActiveClips<S>,
    /// What was asked for when it was chosen.
    chosen: Option<ClipSelection>,
    /// What was asked for and is not loaded yet. Until then what played before plays on.
    pending: Option<Pending<S>>,
    /// The model that all of it is bound to; another one after a reload.
    model: Option<Arc<M>>,
    /// What we have given the root.
    graph: Option<Handle<AnimationGraph>>,
    /// [`Playback::time`] as it was left. Another one is a jump.
    time: f32,
}

#[derive(Clone, Debug)]
struct Pending<S> {
    source: S,
    /// Whether it takes the place of what plays, of which only the file is another.
    goes_on: bool,
    /// Whether it was told that nothing is left of it.
    is_told: bool,
}

/// A root of a model in one frame.
pub(crate) struct AnimatedRoot<'a, M> {
    pub(crate) asked: ClipRequest<'a>,
    pub(crate) model: &'a Arc<M>,
    /// The entities of the bones.
    pub(crate) skeleton: &'a [Entity],
    pub(crate) player: &'a mut AnimationPlayer,
    pub(crate) playback: Option<&'a mut Playback>,
    /// The graph that the root has.
    pub(crate) graph: Option<&'a AnimationGraphHandle>,
    pub(crate) commands: EntityCommands<'a>,
}

/// What changes about what plays.
struct Change<S> {
    begins: Option<Pending<S>>,
    stops: bool,
    ends_fade: bool,
    /// The model or clips are others than what the clips were bound to.
    is_rebound: bool,
    /// What is to be said of the model.
    complaint: Option<String>,
}

impl<S> Change<S> {
    fn is_any(&self) -> bool {
        self.begins.is_some() || self.stops || self.ends_fade || self.is_rebound
    }

    /// Whether a clip begins anew.
    fn is_beginning(&self) -> bool {
        self.begins.as_ref().is_some_and(|begins| !begins.goes_on)
    }
}

impl<M, S> Default for Animator<M, S> {
    fn default() -> Self {
        Self {
            lanes: ActiveClips::default(),
            chosen: None,
            pending: None,
            model: None,
            graph: None,
            time: 0.0,
        }
    }
}

impl<M, S: ClipSource> Animator<M, S> {
    /// The clip that was chosen, once it plays.
    pub(crate) fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.lanes.main().map(|(_, lane)| lane.source.clip())
    }

    /// How much of what shows is the chosen clip: 1 once nothing fades out any more, and 0 where
    /// nothing plays.
    pub(crate) fn weight(&self) -> f32 {
        match self.lanes.is_empty() {
            true => 0.0,
            false => 1.0 - self.lanes.rest(),
        }
    }

    /// One frame of a root, from what its [`PlayClip`] asks for to the pose. Returns what to warn about.
    ///
    /// Bevy then advances the player and poses the bones, and [`read_player`](Self::read_player) reads how far the clip is.
    pub(crate) fn update<B: ClipProvider<Model = M, Source = S>, C: Component>(
        &mut self,
        root: AnimatedRoot<'_, M>,
        binder: &mut B,
        bones: &mut Bones<'_, '_, C>,
        seconds: f32,
    ) -> Option<String> {
        let (model, player, graph) = (root.model, root.player, root.graph);
        let (is_edited, play) = (root.asked.is_edited, root.asked.clip());
        let play = play.map(|stated| &stated.play);
        // Which clips begin or end, for what is asked for, what is loaded, and what has faded out.
        let mut change = self.decide(root.asked, model, seconds, binder);
        let complaint = change.complaint.take();
        let begins = change.is_beginning();
        if change.is_any() {
            let before = self.lanes.clips();
            // The states of the clips that go on move to their nodes in another graph.
            self.remember(player, graph);
            let fade = play.map_or(0.0, |play| play.fade);
            self.apply(change, fade, model, binder);
            self.tell(player, graph);
            B::play_beside(&self.lanes, player);
            self.set_graph(graph, root.commands, model, binder);
            let before = (B::KEEPS_UNMOVED && !is_edited).then_some(&*before);
            settle(binder, (model, root.skeleton), &self.lanes, before, bones);
        }
        // Speed, end, time and weights, which may change in any frame.
        if let (Some(play), Some(playback)) = (play, root.playback) {
            self.write_player(player, play, playback, begins, (seconds, binder.clips()));
        }
        complaint
    }

    /// The clips that play.
    pub(crate) fn lanes(&self) -> &ActiveClips<S> {
        &self.lanes
    }

    /// Sees what is asked for, and what of it begins or ends now.
    fn decide(
        &mut self,
        asked: ClipRequest<'_>,
        model: &Arc<M>,
        seconds: f32,
        binder: &impl ClipProvider<Model = M, Source = S>,
    ) -> Change<S> {
        let is_of = |bound: &Arc<M>| Arc::ptr_eq(bound, model);
        let is_other_model = !self.model.as_ref().is_some_and(is_of);
        if is_other_model {
            self.model = Some(model.clone());
        }
        let is_changed = asked.play.is_none_or(DetectChanges::is_changed);
        let clip = asked.clip();
        let is_chosen = match &self.chosen {
            Some(chosen) => !is_changed || chosen.is(clip),
            None => clip.is_none(),
        };
        let is_other_file = is_other_model || asked.is_edited;
        let is_asked = !is_chosen || (is_other_file && clip.is_some());
        let mut change = Change {
            stops: false,
            is_rebound: is_other_file && !self.lanes.is_empty(),
            begins: None,
            ends_fade: false,
            complaint: None,
        };
        if is_asked {
            self.ask(&mut change, &asked, model, binder);
        }
        if self.pending.is_some() {
            self.await_clip(&mut change, clip, model, binder);
        }
        let stands = change.is_beginning() || clip.is_none_or(|clip| clip.play.paused);
        change.ends_fade = !stands && self.lanes.advance_fade(seconds);
        change
    }

    /// Chooses what is asked for.
    fn ask(
        &mut self,
        change: &mut Change<S>,
        asked: &ClipRequest<'_>,
        model: &M,
        binder: &impl ClipProvider<Model = M, Source = S>,
    ) {
        let clip = asked.clip();
        let is_same = self.chosen.as_ref().is_some_and(|chosen| chosen.is(clip));
        self.chosen = Some(ClipSelection::new(clip));
        let source = clip.and_then(|clip| {
            let source = binder.find(&clip.play.clip, model);
            if source.is_none() {
                change.complaint = Some(clip.missing(asked.named, &binder.names(model)));
            }
            source
        });
        let has_begun = self.pending.as_ref().is_none_or(|pending| pending.goes_on);
        let goes_on = is_same && has_begun && !self.lanes.is_empty();
        self.pending = source.map(|source| Pending {
            source,
            goes_on,
            is_told: false,
        });
        change.stops = self.pending.is_none();
    }

    /// Lets what is asked for begin once it is loaded. What played before ends if that will not be.
    fn await_clip(
        &mut self,
        change: &mut Change<S>,
        clip: Option<&ResolvedPlay>,
        model: &M,
        binder: &impl ClipProvider<Model = M, Source = S>,
    ) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        // The server has told of what has failed. It begins should the file ever be mended.
        let mut is_lost = binder.has_failed(&pending.source);
        if binder.is_ready(&pending.source) {
            let (is_empty, count) = left_of(&pending.source, model, binder);
            is_lost = is_empty;
            if !is_lost {
                change.begins = self.pending.take();
                return;
            }
            if let Some(clip) = clip.filter(|_| !pending.is_told) {
                change.complaint = Some(clip.empty(count));
            }
            pending.is_told = true;
        }
        if is_lost {
            change.stops |= !self.lanes.is_empty();
            pending.goes_on = false;
        }
    }

    /// Whether what plays is not what is asked for, because that is not loaded yet.
    fn is_waiting(&self) -> bool {
        self.pending
            .as_ref()
            .is_some_and(|pending| !pending.goes_on)
    }

    /// Plays what has changed.
    fn apply(
        &mut self,
        change: Change<S>,
        fade: f32,
        model: &Arc<M>,
        binder: &mut impl ClipProvider<Model = M, Source = S>,
    ) {
        if change.ends_fade {
            self.lanes.end_fade();
        }
        match change.begins {
            Some(pending) if pending.goes_on => self.lanes.replace(pending.source),
            Some(pending) => self.lanes.begin(pending.source, fade),
            None => {}
        }
        if change.stops {
            self.lanes.stop();
        }
        for lane in self.lanes.iter_mut() {
            // Of what fades out, and was edited so that nothing is left of it, that fades out which was.
            if let Some(clip) = binder.bound(&lane.source, model) {
                lane.clip = clip;
            }
        }
    }

    /// Whether a root's graph is what we have given it. Another one is the user's.
    pub(crate) fn owns(&self, has: Option<&AnimationGraphHandle>) -> bool {
        self.graph.is_some() && has.map(|has| &has.0) == self.graph.as_ref()
    }

    /// Takes down the states of the clips that play.
    fn remember(&mut self, player: &AnimationPlayer, has: Option<&AnimationGraphHandle>) {
        if self.owns(has) {
            self.lanes.remember(player);
        }
    }

    /// Has the player play the clips of the lanes, in the states that were taken down.
    fn tell(&self, player: &mut AnimationPlayer, has: Option<&AnimationGraphHandle>) {
        if self.owns(has) || !self.lanes.is_empty() {
            self.lanes.tell(player);
        }
    }

    /// Gives the root the graph of what plays.
    fn set_graph(
        &mut self,
        has: Option<&AnimationGraphHandle>,
        mut root: EntityCommands<'_>,
        model: &Arc<M>,
        binder: &mut impl ClipProvider<Model = M, Source = S>,
    ) {
        let owns = self.owns(has);
        self.graph = None;
        if !self.lanes.is_empty() {
            let graph = binder.graph(&self.lanes, model);
            if has.is_none_or(|has| has.0 != graph) {
                root.try_insert(AnimationGraphHandle(graph.clone()));
            }
            self.graph = Some(graph);
        } else if owns {
            root.try_remove::<AnimationGraphHandle>();
        }
    }

    fn set_weights(&self, player: &mut AnimationPlayer, play: &PlayClip, seconds: f32) {
        for (place, weight) in self.lanes.weights().enumerate() {
            if let Some(active) = player.animation_mut(node(place)) {
                active.set_weight(weight);
                match play.paused || stands(active.speed(), seconds) {
                    true => active.pause(),
                    false => active.resume(),
                };
            }
        }
    }

    /// Tells a player's animations what was chosen about them.
    fn write_player(
        &mut self,
        player: &mut AnimationPlayer,
        play: &PlayClip,
        playback: &mut Playback,
        begins: bool,
        (seconds, clips): (f32, &Assets<AnimationClip>),
    ) {
        self.set_weights(player, play, seconds);
        let Some((main, lane)) = self.lanes.main() else {
            // Nothing plays that could be at its end.
            playback.finished = false;
            return;
        };
        if self.is_waiting() {
            return;
        }
        let duration = clips.get(&lane.clip).map_or(0.0, AnimationClip::duration);
        let Some(active) = player.animation_mut(node(main)) else {
            return;
        };
        let speed = set_speed_and_end(active, play);
        if begins {
            playback.time = play.start.unwrap_or(first_time(play, speed, duration));
            playback.finished = false;
        }
        let jumps = begins || playback.time.to_bits() != self.time.to_bits();
        if jumps || leaves_end(active, speed, duration) {
            let time = match jumps {
                true => playback.time,
                false => active.seek_time(),
            };
            let time = within(time, duration, play.repeat);
            active.replay();
            active.set_seek_time(time);
            playback.time = time;
            self.time = time;
        }
        // It shows where it begins for a frame before it goes on.
        match begins || play.paused || stands(speed, seconds) {
            true => active.pause(),
            false => active.resume(),
        };
    }

    /// Tells where a clip is. True if it has come to its end just now.
    pub(crate) fn read_player(
        &mut self,
        player: &mut AnimationPlayer,
        playback: &mut Playback,
        clips: &Assets<AnimationClip>,
    ) -> bool {
        let Some((main, lane)) = self.lanes.main() else {
            return false;
        };
        let (Some(clip), Some(active)) = (clips.get(&lane.clip), player.animation_mut(node(main)))
        else {
            return false;
        };
        let duration = clip.duration();
        let time = active.seek_time();
        if active.repeat_mode() == RepeatAnimation::Forever && !(0.0..=duration).contains(&time) {
            // Backwards by more than the clip in one step, or by a number beyond all numbers.
            let time = if time.is_finite() {
                wrap(time, duration)
            } else {
                0.0
            };
            active.set_seek_time(time);
        }
        // What is asked for has not begun.
        let is_finished = active.is_finished() && !self.is_waiting();
        let just_now = is_finished && !playback.finished;
        playback.time = active.seek_time().clamp(0.0, duration);
        playback.finished = is_finished;
        self.time = playback.time;
        just_now
    }
}

/// Sets the speed of an animation, and what happens at its end. Returns the speed.
fn set_speed_and_end(active: &mut ActiveAnimation, play: &PlayClip) -> f32 {
    let speed = match play.speed.is_finite() {
        true => play.speed,
        false => 0.0,
    };
    active.set_speed(speed);
    active.set_repeat(match play.repeat {
        Repeat::Loop | Repeat::FromManifest => RepeatAnimation::Forever,
        Repeat::Once => RepeatAnimation::Never,
    });
    speed
}

/// Where a clip begins whose start is not given.
fn first_time(play: &PlayClip, speed: f32, duration: f32) -> f32 {
    match play.repeat == Repeat::Once && speed < 0.0 {
        true => duration,
        false => 0.0,
    }
}

/// A time of a clip, for any number.
fn within(time: f32, duration: f32, repeat: Repeat) -> f32 {
    match repeat {
        _ if !time.is_finite() => 0.0,
        Repeat::Loop | Repeat::FromManifest => wrap(time, duration),
        Repeat::Once => time.clamp(0.0, duration),
    }
}

/// Whether an animation that has come to its end goes on from it, because its speed or its length is another one.
fn leaves_end(active: &ActiveAnimation, speed: f32, duration: f32) -> bool {
    let time = active.seek_time();
    active.is_finished() && (speed > 0.0 && time < duration || speed < 0.0 && time > 0.0)
}

/// Whether an animation must not be advanced by so many seconds, as Bevy takes a time at the end of what
/// does not move, or is about to go backwards, for the beginning.
fn stands(speed: f32, seconds: f32) -> bool {
    speed == 0.0 || (speed < 0.0 && seconds == 0.0)
}

/// Whether nothing is left of a part of a clip, and how many frames the clip has if that is known.
fn left_of<B: ClipProvider>(
    source: &B::Source,
    model: &B::Model,
    binder: &B,
) -> (bool, Option<u32>) {
    let frames = binder.frames(source, model);
    let has_part = |part| {
        frames
            .as_ref()
            .and_then(|frames| frames.span(part))
            .is_some()
    };
    let is_empty = source.frames().is_some_and(|part| !has_part(part));
    (is_empty, frames.as_ref().map(Frames::count))
}
