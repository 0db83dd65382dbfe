//! Plays a [`PlayClip`](crate::scene::PlayClip) on an `AnimationPlayer`, for formats whose clips are Bevy
//! `AnimationClip`s.
//!
//! The player is on the root entity, which survives a reload of the model. To blend clips in another way, don't add a
//! `PlayClip`, and give the root a graph of your own.

use crate::scene::animation::active_clips::{ActiveClips, ClipSource, node};
use crate::scene::animation::clip_provider::ClipProvider;
use crate::scene::animation::frames::Frames;
use crate::scene::animation::rest_bones::{Bones, restore_rest_pose};
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

/// The clip that a root requests.
pub(crate) struct ClipRequest<'a> {
    pub(crate) play: Option<&'a Ref<'a, ResolvedClip>>,
    /// The clips that the root names itself.
    pub(crate) named: Option<&'a ModelClips>,
    /// Whether any active clip was edited.
    pub(crate) is_edited: bool,
}

impl<'a> ClipRequest<'a> {
    fn clip(&self) -> Option<&'a ResolvedPlay> {
        self.play.and_then(|play| play.get())
    }
}

/// The playback state of a spawned model. Each format has a root component that wraps it.
#[derive(Debug)]
pub(crate) struct Animator<M, S> {
    active: ActiveClips<S>,
    /// The request when the clip was selected.
    selection: Option<ClipSelection>,
    /// The requested clip until it is loaded. The previous clips play on meanwhile.
    pending: Option<Pending<S>>,
    /// The model that the clips are adapted to. A reload changes it.
    model: Option<Arc<M>>,
    /// The graph that this animator has inserted on the root.
    graph: Option<Handle<AnimationGraph>>,
    /// [`Playback::time`] as last written. If it differs now, the user has set it.
    time: f32,
}

#[derive(Clone, Debug)]
struct Pending<S> {
    source: S,
    /// Whether it replaces the selected clip at its time, because only the file has changed.
    continues: bool,
    /// Whether there was a warning that its part has no frames.
    has_warned: bool,
}

/// The data of a model's root in one frame.
pub(crate) struct AnimatedRoot<'a, M> {
    pub(crate) request: ClipRequest<'a>,
    pub(crate) model: &'a Arc<M>,
    /// The entities of the bones.
    pub(crate) skeleton: &'a [Entity],
    pub(crate) player: &'a mut AnimationPlayer,
    pub(crate) playback: Option<&'a mut Playback>,
    /// The current graph of the root. It may be the user's.
    pub(crate) graph: Option<&'a AnimationGraphHandle>,
    pub(crate) commands: EntityCommands<'a>,
}

/// A change of the active clips.
struct Change<S> {
    /// The clip to start.
    starts: Option<Pending<S>>,
    /// Whether all clips stop.
    stops: bool,
    ends_fade: bool,
    /// Whether the clips must be adapted again, because the model or a clip has changed.
    rebinds: bool,
    /// A warning about the model.
    warning: Option<String>,
}

impl<S> Change<S> {
    fn is_any(&self) -> bool {
        self.starts.is_some() || self.stops || self.ends_fade || self.rebinds
    }

    /// Whether a clip starts from its beginning.
    fn restarts(&self) -> bool {
        self.starts
            .as_ref()
            .is_some_and(|pending| !pending.continues)
    }
}

impl<M, S> Default for Animator<M, S> {
    fn default() -> Self {
        Self {
            active: ActiveClips::default(),
            selection: None,
            pending: None,
            model: None,
            graph: None,
            time: 0.0,
        }
    }
}

impl<M, S: ClipSource> Animator<M, S> {
    /// The selected clip, once it plays.
    pub(crate) fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.active
            .selected()
            .map(|(_, selected)| selected.source.clip())
    }

    /// The weight of the selected clip: below 1 during a fade, and 0 if no clip plays.
    pub(crate) fn weight(&self) -> f32 {
        match self.active.is_empty() {
            true => 0.0,
            false => 1.0 - self.active.fade_remaining(),
        }
    }

    /// Updates a root's player for one frame. Returns a warning, if there is one.
    ///
    /// Bevy then advances the player and poses the bones, and [`read_player`](Self::read_player) reads the clip's time.
    pub(crate) fn update<B: ClipProvider<Model = M, Source = S>, C: Component>(
        &mut self,
        root: AnimatedRoot<'_, M>,
        provider: &mut B,
        bones: &mut Bones<'_, '_, C>,
        seconds: f32,
    ) -> Option<String> {
        let (model, player, graph) = (root.model, root.player, root.graph);
        let (is_edited, play) = (root.request.is_edited, root.request.clip());
        let play = play.map(|resolved| &resolved.play);
        // The clips that start and stop depend on the request, on the loaded assets and on the fade.
        let mut change = self.decide(root.request, model, seconds, provider);
        let warning = change.warning.take();
        let restarts = change.restarts();
        if change.is_any() {
            let before = self.active.handles();
            // The clips that play on have other nodes in the new graph.
            self.save_states(player, graph);
            let fade = play.map_or(0.0, |play| play.fade);
            self.apply(change, fade, model, provider);
            self.restore_states(player, graph);
            B::play_extra_nodes(&self.active, player);
            self.set_graph(graph, root.commands, model, provider);
            let before = (B::KEEPS_UNANIMATED && !is_edited).then_some(&*before);
            restore_rest_pose(
                provider,
                (model, root.skeleton),
                &self.active,
                before,
                bones,
            );
        }
        // Speed, repetition, time and weights may change in any frame.
        if let (Some(play), Some(playback)) = (play, root.playback) {
            let clips = provider.clips();
            self.write_player(player, play, playback, restarts, (seconds, clips));
        }
        warning
    }

    /// The clips that play.
    pub(crate) fn active_clips(&self) -> &ActiveClips<S> {
        &self.active
    }

    /// Decides which clips start and stop in this frame, and advances the fade.
    fn decide(
        &mut self,
        request: ClipRequest<'_>,
        model: &Arc<M>,
        seconds: f32,
        provider: &impl ClipProvider<Model = M, Source = S>,
    ) -> Change<S> {
        let is_same = |previous: &Arc<M>| Arc::ptr_eq(previous, model);
        let is_other_model = !self.model.as_ref().is_some_and(is_same);
        if is_other_model {
            self.model = Some(model.clone());
        }
        let is_changed = request.play.is_none_or(DetectChanges::is_changed);
        let clip = request.clip();
        let is_selected = match &self.selection {
            Some(selection) => !is_changed || selection.matches(clip),
            None => clip.is_none(),
        };
        let is_other_file = is_other_model || request.is_edited;
        let selects = !is_selected || (is_other_file && clip.is_some());
        let mut change = Change {
            stops: false,
            rebinds: is_other_file && !self.active.is_empty(),
            starts: None,
            ends_fade: false,
            warning: None,
        };
        if selects {
            self.select(&mut change, &request, model, provider);
        }
        if self.pending.is_some() {
            self.start_pending(&mut change, clip, model, provider);
        }
        let is_paused = change.restarts() || clip.is_none_or(|clip| clip.play.paused);
        change.ends_fade = !is_paused && self.active.advance_fade(seconds);
        change
    }

    /// Selects the requested clip, which starts once it is loaded.
    fn select(
        &mut self,
        change: &mut Change<S>,
        request: &ClipRequest<'_>,
        model: &M,
        provider: &impl ClipProvider<Model = M, Source = S>,
    ) {
        let clip = request.clip();
        let selection = self.selection.as_ref();
        let is_same = selection.is_some_and(|selection| selection.matches(clip));
        self.selection = Some(ClipSelection::new(clip));
        let source = clip.and_then(|clip| {
            let source = provider.find(&clip.play.clip, model);
            if source.is_none() {
                change.warning =
                    Some(clip.missing_clip_warning(request.named, &provider.names(model)));
            }
            source
        });
        let pending = self.pending.as_ref();
        let has_started = pending.is_none_or(|pending| pending.continues);
        let continues = is_same && has_started && !self.active.is_empty();
        self.pending = source.map(|source| Pending {
            source,
            continues,
            has_warned: false,
        });
        change.stops = self.pending.is_none();
    }

    /// Starts the pending clip once it is loaded. If that fails, the previous clips stop.
    fn start_pending(
        &mut self,
        change: &mut Change<S>,
        clip: Option<&ResolvedPlay>,
        model: &M,
        provider: &impl ClipProvider<Model = M, Source = S>,
    ) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        // The asset server has logged the error. The clip starts if the file is fixed later.
        let mut is_unplayable = provider.has_failed(&pending.source);
        if provider.is_ready(&pending.source) {
            let (is_empty, count) = check_part(&pending.source, model, provider);
            is_unplayable = is_empty;
            if !is_unplayable {
                change.starts = self.pending.take();
                return;
            }
            if let Some(clip) = clip.filter(|_| !pending.has_warned) {
                change.warning = Some(clip.empty_part_warning(count));
            }
            pending.has_warned = true;
        }
        if is_unplayable {
            change.stops |= !self.active.is_empty();
            pending.continues = false;
        }
    }

    /// Whether the requested clip does not play yet, because it is not loaded.
    fn is_waiting(&self) -> bool {
        self.pending
            .as_ref()
            .is_some_and(|pending| !pending.continues)
    }

    /// Applies a change to the active clips.
    fn apply(
        &mut self,
        change: Change<S>,
        fade: f32,
        model: &Arc<M>,
        provider: &mut impl ClipProvider<Model = M, Source = S>,
    ) {
        if change.ends_fade {
            self.active.end_fade();
        }
        match change.starts {
            Some(pending) if pending.continues => self.active.replace(pending.source),
            Some(pending) => self.active.start(pending.source, fade),
            None => {}
        }
        if change.stops {
            self.active.stop();
        }
        for active in self.active.iter_mut() {
            // If an edit has left a clip without frames, its previous version fades out.
            if let Some(clip) = provider.clip_for_model(&active.source, model) {
                active.clip = clip;
            }
        }
    }

    /// Whether this animator has inserted the root's current graph. Otherwise the graph is the user's.
    pub(crate) fn owns(&self, current: Option<&AnimationGraphHandle>) -> bool {
        self.graph.is_some() && current.map(|current| &current.0) == self.graph.as_ref()
    }

    /// Saves the player's states of the active clips.
    fn save_states(&mut self, player: &AnimationPlayer, current: Option<&AnimationGraphHandle>) {
        if self.owns(current) {
            self.active.save_states(player);
        }
    }

    /// Restarts the player with the active clips, in their saved states.
    fn restore_states(&self, player: &mut AnimationPlayer, current: Option<&AnimationGraphHandle>) {
        if self.owns(current) || !self.active.is_empty() {
            self.active.restore_states(player);
        }
    }

    /// Inserts the graph of the active clips on the root, or removes it if no clip plays.
    fn set_graph(
        &mut self,
        current: Option<&AnimationGraphHandle>,
        mut root: EntityCommands<'_>,
        model: &Arc<M>,
        provider: &mut impl ClipProvider<Model = M, Source = S>,
    ) {
        let owns = self.owns(current);
        self.graph = None;
        if !self.active.is_empty() {
            let graph = provider.graph(&self.active, model);
            if current.is_none_or(|current| current.0 != graph) {
                root.try_insert(AnimationGraphHandle(graph.clone()));
            }
            self.graph = Some(graph);
        } else if owns {
            root.try_remove::<AnimationGraphHandle>();
        }
    }

    fn set_weights(&self, player: &mut AnimationPlayer, play: &PlayClip, seconds: f32) {
        for (index, weight) in self.active.weights().enumerate() {
            if let Some(animation) = player.animation_mut(node(index)) {
                animation.set_weight(weight);
                match play.paused || must_pause(animation.speed(), seconds) {
                    true => animation.pause(),
                    false => animation.resume(),
                };
            }
        }
    }

    /// Writes weights, speed, repetition and time to the player.
    fn write_player(
        &mut self,
        player: &mut AnimationPlayer,
        play: &PlayClip,
        playback: &mut Playback,
        restarts: bool,
        (seconds, clips): (f32, &Assets<AnimationClip>),
    ) {
        self.set_weights(player, play, seconds);
        let Some((index, selected)) = self.active.selected() else {
            // No clip plays that could be at its end.
            playback.finished = false;
            return;
        };
        if self.is_waiting() {
            return;
        }
        let clip = clips.get(&selected.clip);
        let duration = clip.map_or(0.0, AnimationClip::duration);
        let Some(animation) = player.animation_mut(node(index)) else {
            return;
        };
        let speed = set_speed_and_repeat(animation, play);
        if restarts {
            playback.time = play.start.unwrap_or(first_time(play, speed, duration));
            playback.finished = false;
        }
        let jumps = restarts || playback.time.to_bits() != self.time.to_bits();
        if jumps || continues_from_end(animation, speed, duration) {
            let time = match jumps {
                true => playback.time,
                false => animation.seek_time(),
            };
            let time = valid_time(time, duration, play.repeat);
            animation.replay();
            animation.set_seek_time(time);
            playback.time = time;
            self.time = time;
        }
        // A clip shows its start time for one frame before it advances.
        match restarts || play.paused || must_pause(speed, seconds) {
            true => animation.pause(),
            false => animation.resume(),
        };
    }

    /// Writes the player's time to `playback`. Returns whether the clip has just ended.
    pub(crate) fn read_player(
        &mut self,
        player: &mut AnimationPlayer,
        playback: &mut Playback,
        clips: &Assets<AnimationClip>,
    ) -> bool {
        let Some((index, selected)) = self.active.selected() else {
            return false;
        };
        let clip = clips.get(&selected.clip);
        let (Some(clip), Some(animation)) = (clip, player.animation_mut(node(index))) else {
            return false;
        };
        let duration = clip.duration();
        let time = animation.seek_time();
        if animation.repeat_mode() == RepeatAnimation::Forever && !(0.0..=duration).contains(&time)
        {
            // One step went backwards by more than the clip's duration, or the time is not finite.
            let time = if time.is_finite() {
                wrap(time, duration)
            } else {
                0.0
            };
            animation.set_seek_time(time);
        }
        // While the requested clip is not loaded, the clip that plays is another one.
        let is_finished = animation.is_finished() && !self.is_waiting();
        let has_just_ended = is_finished && !playback.finished;
        playback.time = animation.seek_time().clamp(0.0, duration);
        playback.finished = is_finished;
        self.time = playback.time;
        has_just_ended
    }
}

/// Sets the speed and the repetition of an animation. Returns the speed.
fn set_speed_and_repeat(animation: &mut ActiveAnimation, play: &PlayClip) -> f32 {
    let speed = match play.speed.is_finite() {
        true => play.speed,
        false => 0.0,
    };
    animation.set_speed(speed);
    animation.set_repeat(match play.repeat {
        Repeat::Loop | Repeat::FromManifest => RepeatAnimation::Forever,
        Repeat::Once => RepeatAnimation::Never,
    });
    speed
}

/// The start time of a clip without an explicit start, in seconds.
fn first_time(play: &PlayClip, speed: f32, duration: f32) -> f32 {
    match play.repeat == Repeat::Once && speed < 0.0 {
        true => duration,
        false => 0.0,
    }
}

/// Wraps or clamps any number to a valid time of a clip, in seconds.
fn valid_time(time: f32, duration: f32, repeat: Repeat) -> f32 {
    match repeat {
        _ if !time.is_finite() => 0.0,
        Repeat::Loop | Repeat::FromManifest => wrap(time, duration),
        Repeat::Once => time.clamp(0.0, duration),
    }
}

/// Whether a finished animation must play on, because its speed or its duration has changed.
fn continues_from_end(animation: &ActiveAnimation, speed: f32, duration: f32) -> bool {
    let time = animation.seek_time();
    animation.is_finished() && (speed > 0.0 && time < duration || speed < 0.0 && time > 0.0)
}

/// Whether an animation must be paused in a frame of `seconds`.
///
/// Bevy takes the end of a clip for its beginning if the speed is 0, or negative with a time step of 0.
fn must_pause(speed: f32, seconds: f32) -> bool {
    speed == 0.0 || (speed < 0.0 && seconds == 0.0)
}

/// Whether the selected part of a clip has no frames, and the count of the clip's frames if it is loaded.
fn check_part<B: ClipProvider>(
    source: &B::Source,
    model: &B::Model,
    provider: &B,
) -> (bool, Option<u32>) {
    let frames = provider.frames(source, model);
    let has_part = |part| {
        frames
            .as_ref()
            .and_then(|frames| frames.span(part))
            .is_some()
    };
    let is_empty = source.frames().is_some_and(|part| !has_part(part));
    (is_empty, frames.as_ref().map(Frames::count))
}
