//! Plays what [`PlayClip`](crate::scene::PlayClip) says on Bevy's `AnimationPlayer`, for formats whose clips are Bevy's.
//!
//! The player is on the root entity, which survives when the model's file changes. Whoever wants to
//! blend otherwise leaves `PlayClip` away and gives the root a graph of their own.

use crate::scene::animation::frames::Frames;
use crate::scene::animation::lanes::{ClipSource, Lanes, node};
use crate::scene::clip_ref::{ClipRef, Repeat};
use crate::scene::clips::ModelClips;
use crate::scene::play::{PlayClip, Playback, Stated, StatedClip, wrap};
use crate::scene::stated::Chosen;
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy::animation::{AnimationClip, AnimationPlayer, RepeatAnimation};
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::{DetectChanges, Ref};
use bevy::ecs::entity::Entity;
use bevy::ecs::system::EntityCommands;
use bevy::ecs::world::DeferredWorld;
use std::sync::Arc;

/// What a format knows of its clips, and how it makes them ready to be played.
pub(crate) trait Binder {
    /// What instances of one model share.
    type Model;
    /// Where a clip is from.
    type Source: ClipSource;

    /// The clip that is meant, which is no name of [`ModelClips`], if the model has it.
    fn find(&self, clip: &ClipRef, model: &Self::Model) -> Option<Self::Source>;

    /// The names of the model's clips.
    fn names<'m>(&self, model: &'m Self::Model) -> Vec<&'m str>;

    /// Whether all is loaded that is needed to play it.
    fn is_ready(&self, source: &Self::Source) -> bool;

    /// Whether it could not be loaded, and perhaps never will be.
    fn has_failed(&self, source: &Self::Source) -> bool;

    /// The frames of the clip, if they are known.
    fn frames<'a>(&'a self, source: &Self::Source, model: &'a Self::Model) -> Option<Frames<'a>>;

    /// The clip as it is for a model; `None` if nothing is left of it.
    fn bound(
        &mut self,
        source: &Self::Source,
        model: &Arc<Self::Model>,
    ) -> Option<Handle<AnimationClip>>;

    /// The graph that blends the clips of lanes, in their order.
    fn graph(
        &mut self,
        lanes: &Lanes<Self::Source>,
        model: &Arc<Self::Model>,
    ) -> Handle<AnimationGraph>;
}

/// What a root asks for.
pub(crate) struct Asked<'a> {
    pub(crate) play: Option<&'a Ref<'a, Stated>>,
    /// Its clips by names of their own.
    pub(crate) named: Option<&'a ModelClips>,
    /// Whether a clip that it plays was edited.
    pub(crate) is_edited: bool,
}

impl<'a> Asked<'a> {
    fn clip(&self) -> Option<&'a StatedClip> {
        self.play.and_then(|play| play.get())
    }
}

/// What a spawned model plays for its [`PlayClip`]. Formats have it in a component of the root.
#[derive(Debug)]
pub(crate) struct Animator<M, S> {
    pub(crate) lanes: Lanes<S>,
    /// What was asked for when it was chosen.
    chosen: Option<Chosen>,
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

/// What changes about what plays.
pub(crate) struct Change<S> {
    begins: Option<Pending<S>>,
    stops: bool,
    ends_fade: bool,
    /// The model or clips are others than what the clips were bound to.
    is_rebound: bool,
    /// What is to be said of the model.
    pub(crate) complaint: Option<String>,
}

impl<S> Change<S> {
    pub(crate) fn is_any(&self) -> bool {
        self.begins.is_some() || self.stops || self.ends_fade || self.is_rebound
    }

    /// Whether a clip begins anew.
    pub(crate) fn is_beginning(&self) -> bool {
        self.begins.as_ref().is_some_and(|begins| !begins.goes_on)
    }
}

impl<M, S> Default for Animator<M, S> {
    fn default() -> Self {
        Self {
            lanes: Lanes::default(),
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

    /// Sees what is asked for, and what of it begins or ends now.
    pub(crate) fn decide(
        &mut self,
        asked: Asked<'_>,
        model: &Arc<M>,
        seconds: f32,
        binder: &impl Binder<Model = M, Source = S>,
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
        asked: &Asked<'_>,
        model: &M,
        binder: &impl Binder<Model = M, Source = S>,
    ) {
        let clip = asked.clip();
        let is_same = self.chosen.as_ref().is_some_and(|chosen| chosen.is(clip));
        self.chosen = Some(Chosen::new(clip));
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
        clip: Option<&StatedClip>,
        model: &M,
        binder: &impl Binder<Model = M, Source = S>,
    ) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        // The server has told of what has failed. It begins should the file ever be mended.
        let mut is_lost = binder.has_failed(&pending.source);
        if binder.is_ready(&pending.source) {
            let frames = binder.frames(&pending.source, model);
            let part = pending.source.frames();
            is_lost =
                part.is_some_and(|part| frames.and_then(|frames| frames.span(part)).is_none());
            if !is_lost {
                change.begins = self.pending.take();
                return;
            }
            if let Some(clip) = clip.filter(|_| !pending.is_told) {
                change.complaint = Some(clip.empty(frames.map(|frames| frames.count())));
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
    pub(crate) fn apply(
        &mut self,
        change: Change<S>,
        fade: f32,
        model: &Arc<M>,
        binder: &mut impl Binder<Model = M, Source = S>,
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

    pub(crate) fn remember(
        &mut self,
        player: &AnimationPlayer,
        has: Option<&AnimationGraphHandle>,
    ) {
        if self.owns(has) {
            self.lanes.remember(player);
        }
    }

    pub(crate) fn tell(&self, player: &mut AnimationPlayer, has: Option<&AnimationGraphHandle>) {
        if self.owns(has) || !self.lanes.is_empty() {
            self.lanes.tell(player);
        }
    }

    /// Gives the root the graph of what plays.
    pub(crate) fn hand_over(
        &mut self,
        has: Option<&AnimationGraphHandle>,
        mut root: EntityCommands<'_>,
        model: &Arc<M>,
        binder: &mut impl Binder<Model = M, Source = S>,
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

    /// Tells a player's animations what was chosen about them.
    pub(crate) fn steer(
        &mut self,
        player: &mut AnimationPlayer,
        play: &PlayClip,
        playback: &mut Playback,
        begins: bool,
        (seconds, clips): (f32, &Assets<AnimationClip>),
    ) {
        for (place, weight) in self.lanes.weights().enumerate() {
            if let Some(active) = player.animation_mut(node(place)) {
                active.set_weight(weight);
                match play.paused || stands(active.speed(), seconds) {
                    true => active.pause(),
                    false => active.resume(),
                };
            }
        }
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
        let speed = if play.speed.is_finite() {
            play.speed
        } else {
            0.0
        };
        active.set_speed(speed);
        active.set_repeat(match play.repeat {
            Repeat::Loop | Repeat::AsStated => RepeatAnimation::Forever,
            Repeat::Once => RepeatAnimation::Never,
        });
        let place = |time: f32| match play.repeat {
            _ if !time.is_finite() => 0.0,
            Repeat::Loop | Repeat::AsStated => wrap(time, duration),
            Repeat::Once => time.clamp(0.0, duration),
        };
        if begins {
            let from_end = play.repeat == Repeat::Once && speed < 0.0;
            let start = play.start.unwrap_or(if from_end { duration } else { 0.0 });
            playback.time = start;
            playback.finished = false;
        }
        let jumps = begins || playback.time.to_bits() != self.time.to_bits();
        let leaves_end = active.is_finished()
            && (speed > 0.0 && active.seek_time() < duration
                || speed < 0.0 && active.seek_time() > 0.0);
        if jumps || leaves_end {
            let time = place(if jumps {
                playback.time
            } else {
                active.seek_time()
            });
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
    pub(crate) fn follow(
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

/// Whether an animation must not be advanced by so many seconds, as Bevy takes a time at the end of what
/// does not move, or is about to go backwards, for the beginning.
fn stands(speed: f32, seconds: f32) -> bool {
    speed == 0.0 || (speed < 0.0 && seconds == 0.0)
}

/// Takes away what an animator has given to a root that is no model any more.
pub(crate) fn take_away(mut world: DeferredWorld<'_>, root: Entity) {
    if let Some(mut player) = world.get_mut::<AnimationPlayer>(root) {
        player.stop_all();
    }
    let mut commands = world.commands();
    if let Ok(mut root) = commands.get_entity(root) {
        root.try_remove::<AnimationGraphHandle>();
    }
}
