//! Plays what [`PlayClip`] says on Bevy's `AnimationPlayer`.
//!
//! The player is on the root entity, which survives when the model's file changes. Whoever wants to
//! blend otherwise leaves `PlayClip` away and gives the root a graph of their own.

use crate::alamo::animation::graphs::{Binder, Source, node};
use crate::alamo::animation::lanes::Lanes;
use crate::alamo::animation::rest::{Bones, settle};
use crate::alamo::model::AloModel;
use crate::alamo::parts::AloInstance;
use crate::scene::{Chosen, ClipFinished, ClipRef, PlayClip, Playback, Repeat, wrap};
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy::animation::{AnimationClip, AnimationPlayer, RepeatAnimation};
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::system::{Commands, EntityCommands, Query, Res};
use bevy::ecs::world::DeferredWorld;
use bevy::log::warn;
use bevy::time::Time;
use std::sync::Arc;

/// What a spawned Alamo model plays for its [`PlayClip`]. On the root entity, once its scene is
/// there.
#[derive(Component, Debug, Default)]
#[component(on_remove = take_away)]
pub struct AloAnimator {
    lanes: Lanes,
    /// What was asked for when it was chosen.
    chosen: Option<Chosen>,
    /// What was asked for and is not loaded yet. Until then what played before plays on.
    pending: Option<Pending>,
    /// The model that all of it is bound to; another one after a reload.
    model: Option<Arc<AloModel>>,
    /// What we have given the root.
    graph: Option<Handle<AnimationGraph>>,
    /// [`Playback::time`] as it was left. Another one is a jump.
    time: f32,
}

#[derive(Clone, Debug)]
struct Pending {
    source: Source,
    /// Whether it takes the place of what plays, of which only the file is another.
    goes_on: bool,
}

/// What changes about what plays.
#[derive(Default)]
struct Change {
    begins: Option<Pending>,
    stops: bool,
    ends_fade: bool,
    /// The model or clips are others than what the clips were bound to.
    is_rebound: bool,
}

impl Change {
    fn is_any(&self) -> bool {
        self.begins.is_some() || self.stops || self.ends_fade || self.is_rebound
    }

    /// Whether a clip begins anew.
    fn is_beginning(&self) -> bool {
        self.begins.as_ref().is_some_and(|begins| !begins.goes_on)
    }
}

impl AloAnimator {
    /// The clip that was chosen, once it plays.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.lanes.main().map(|(_, lane)| &lane.source.clip)
    }

    /// How much of what shows is the chosen clip: 1 once nothing fades out any more, and 0 where
    /// nothing plays.
    pub fn weight(&self) -> f32 {
        match self.lanes.is_empty() {
            true => 0.0,
            false => 1.0 - self.lanes.rest(),
        }
    }

    /// Sees what is asked for, and what of it begins or ends now.
    fn decide(
        &mut self,
        play: Option<&Ref<'_, PlayClip>>,
        model: &Arc<AloModel>,
        seconds: f32,
        binder: &Binder<'_, '_>,
    ) -> Change {
        let is_of = |bound: &Arc<AloModel>| Arc::ptr_eq(bound, model);
        let is_other_model = !self.model.as_ref().is_some_and(is_of);
        if is_other_model {
            self.model = Some(model.clone());
        }
        let is_changed = play.is_none_or(DetectChanges::is_changed);
        let play = play.map(|play| &**play);
        let is_chosen = match &self.chosen {
            Some(chosen) => !is_changed || chosen.is(play),
            None => play.is_none(),
        };
        let is_asked = !is_chosen || (is_other_model && play.is_some());
        let mut change = Change {
            stops: is_asked && !self.ask(play, model, binder),
            is_rebound: is_other_model && !self.lanes.is_empty(),
            ..Change::default()
        };
        let is_ready = |pending: &mut Pending| binder.is_ready(&pending.source);
        change.begins = self.pending.take_if(is_ready);
        // The server has told of it. It begins should the file ever be mended.
        let has_failed = |pending: &Pending| binder.has_failed(&pending.source);
        change.stops |= !self.lanes.is_empty() && self.pending.as_ref().is_some_and(has_failed);
        let stands = change.is_beginning() || play.is_none_or(|play| play.paused);
        change.ends_fade = !stands && self.lanes.advance_fade(seconds);
        change
    }

    /// Chooses what is asked for. False if that is nothing.
    fn ask(&mut self, play: Option<&PlayClip>, model: &AloModel, binder: &Binder<'_, '_>) -> bool {
        let is_same = self.chosen.as_ref().is_some_and(|chosen| chosen.is(play));
        self.chosen = Some(Chosen::new(play));
        let source = play.and_then(|play| find(&play.clip, model, binder));
        let has_begun = self.pending.as_ref().is_none_or(|pending| pending.goes_on);
        let goes_on = is_same && has_begun && !self.lanes.is_empty();
        self.pending = source.map(|source| Pending { source, goes_on });
        self.pending.is_some()
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
        change: Change,
        fade: f32,
        model: &Arc<AloModel>,
        binder: &mut Binder<'_, '_>,
    ) {
        if change.ends_fade {
            self.lanes.end_fade();
        }
        match change.begins {
            Some(Pending { source, goes_on }) if goes_on => self.lanes.replace(source),
            Some(Pending { source, .. }) => self.lanes.begin(source, fade),
            None => {}
        }
        if change.stops {
            self.lanes.stop();
        }
        for lane in self.lanes.iter_mut() {
            lane.clip = binder.bound(&lane.source, model);
        }
    }

    /// Whether a root's graph is what we have given it. Another one is the user's.
    fn owns(&self, has: Option<&AnimationGraphHandle>) -> bool {
        self.graph.is_some() && has.map(|has| &has.0) == self.graph.as_ref()
    }

    fn remember(&mut self, player: &AnimationPlayer, has: Option<&AnimationGraphHandle>) {
        if self.owns(has) {
            self.lanes.remember(player);
        }
    }

    fn tell(&self, player: &mut AnimationPlayer, has: Option<&AnimationGraphHandle>) {
        if self.owns(has) || !self.lanes.is_empty() {
            self.lanes.tell(player);
        }
    }

    /// Gives the root the graph of what plays.
    fn hand_over(
        &mut self,
        has: Option<&AnimationGraphHandle>,
        mut root: EntityCommands<'_>,
        model: &Arc<AloModel>,
        binder: &mut Binder<'_, '_>,
    ) {
        let owns = self.owns(has);
        self.graph = None;
        if !self.lanes.is_empty() {
            let graph = binder.graph(&self.lanes, model);
            if has.is_none_or(|has| has.0 != graph) {
                root.insert(AnimationGraphHandle(graph.clone()));
            }
            self.graph = Some(graph);
        } else if owns {
            root.remove::<AnimationGraphHandle>();
        }
    }
}

/// Takes away what we have given to a root that is no model any more.
fn take_away(mut world: DeferredWorld<'_>, context: HookContext) {
    let root = context.entity;
    let has = world.get::<AnimationGraphHandle>(root);
    let animator = world.get::<AloAnimator>(root);
    if !animator.is_some_and(|animator| animator.owns(has)) {
        return;
    }
    if let Some(mut player) = world.get_mut::<AnimationPlayer>(root) {
        player.stop_all();
    }
    let mut commands = world.commands();
    if let Ok(mut root) = commands.get_entity(root) {
        root.try_remove::<AnimationGraphHandle>();
    }
}

/// The clip that is meant, if the model has it.
fn find(clip: &ClipRef, model: &AloModel, binder: &Binder<'_, '_>) -> Option<Source> {
    let animation = match clip {
        ClipRef::Name(name) => model.animation(name),
        ClipRef::Index(index) => model.animations.get(*index),
        ClipRef::Handle(clip) => return Some(binder.source_of(clip)),
        ClipRef::Frames(_) => None,
    };
    if animation.is_none() {
        let names: Vec<&str> = model.animations.iter().map(|found| &*found.name).collect();
        warn!(
            "the model has no clip {clip}; there {}",
            match names.len() {
                0 => "are none".to_owned(),
                _ => format!("are {}", names.join(", ")),
            }
        );
    }
    animation.map(|animation| Source {
        clip: animation.clip.clone(),
        ala: Some(animation.ala.clone()),
    })
}

/// What decides about what a model plays.
type Players<'w> = (
    Entity,
    &'w AloInstance,
    Option<Ref<'w, PlayClip>>,
    Option<&'w mut Playback>,
    &'w mut AloAnimator,
    &'w mut AnimationPlayer,
    Option<&'w AnimationGraphHandle>,
);

/// Plays what is chosen, and lets fades go on.
pub(super) fn choose_clips(
    mut commands: Commands,
    time: Res<Time>,
    mut binder: Binder<'_, '_>,
    mut roots: Query<Players<'static>>,
    mut bones: Bones<'_, '_>,
) {
    let edited = binder.take_edits();
    for (root, instance, play, playback, mut animator, mut player, graph) in &mut roots {
        let animator = animator.bypass_change_detection();
        let player = player.bypass_change_detection();
        let model = instance.model();
        let mut change = animator.decide(play.as_ref(), model, time.delta_secs(), &binder);
        let is_edited = animator.lanes.iter().any(|lane| {
            let ala = lane.source.ala.as_ref();
            ala.is_some_and(|ala| edited.contains(&ala.id()))
        });
        change.is_rebound |= is_edited;
        let begins = change.is_beginning();
        if change.is_any() {
            let before = animator.lanes.clips();
            let fade = play.as_ref().map_or(0.0, |play| play.fade);
            animator.remember(player, graph);
            animator.apply(change, fade, model, &mut binder);
            animator.tell(player, graph);
            let root = commands.entity(root);
            animator.hand_over(graph, root, model, &mut binder);
            let before = (!is_edited).then_some(&*before);
            settle(instance, &animator.lanes, before, &binder.clips, &mut bones);
        }
        if let (Some(play), Some(mut playback)) = (play, playback) {
            let playback = playback.bypass_change_detection();
            steer(animator, player, &play, playback, begins, &binder);
        }
    }
}

/// Tells a player's animations what was chosen about them.
fn steer(
    animator: &mut AloAnimator,
    player: &mut AnimationPlayer,
    play: &PlayClip,
    playback: &mut Playback,
    begins: bool,
    binder: &Binder<'_, '_>,
) {
    for (place, weight) in animator.lanes.weights().enumerate() {
        if let Some(active) = player.animation_mut(node(place)) {
            active.set_weight(weight);
            // Bevy takes a time at the end of what stands for the beginning.
            match play.paused || active.speed() == 0.0 {
                true => active.pause(),
                false => active.resume(),
            };
        }
    }
    let Some((main, lane)) = animator.lanes.main() else {
        return;
    };
    if animator.is_waiting() {
        return;
    }
    let duration = binder
        .clips
        .get(&lane.clip)
        .map_or(0.0, AnimationClip::duration);
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
        Repeat::Loop => RepeatAnimation::Forever,
        Repeat::Once => RepeatAnimation::Never,
    });
    let place = |time: f32| match play.repeat {
        _ if !time.is_finite() => 0.0,
        Repeat::Loop => wrap(time, duration),
        Repeat::Once => time.clamp(0.0, duration),
    };
    if begins {
        let from_end = play.repeat == Repeat::Once && speed < 0.0;
        let start = play.start.unwrap_or(if from_end { duration } else { 0.0 });
        playback.time = start;
        playback.finished = false;
    }
    let jumps = begins || playback.time.to_bits() != animator.time.to_bits();
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
        animator.time = time;
    }
    // It shows where it begins for a frame before it goes on.
    match begins || play.paused || speed == 0.0 {
        true => active.pause(),
        false => active.resume(),
    };
}

/// Tells where a clip is, and when it has come to its end.
pub(super) fn follow_player(
    clips: Res<Assets<AnimationClip>>,
    mut finished: MessageWriter<ClipFinished>,
    mut roots: Query<(
        Entity,
        &PlayClip,
        &mut Playback,
        &mut AloAnimator,
        &mut AnimationPlayer,
    )>,
) {
    for (entity, play, mut playback, mut animator, mut player) in &mut roots {
        let animator = animator.bypass_change_detection();
        let Some((main, lane)) = animator.lanes.main() else {
            continue;
        };
        let player = player.bypass_change_detection();
        let (Some(clip), Some(active)) = (clips.get(&lane.clip), player.animation_mut(node(main)))
        else {
            continue;
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
        let is_finished = active.is_finished() && !animator.is_waiting();
        let just_now = is_finished && !playback.finished;
        let playback = playback.bypass_change_detection();
        playback.time = active.seek_time().clamp(0.0, duration);
        playback.finished = is_finished;
        animator.time = playback.time;
        if just_now {
            finished.write(ClipFinished {
                entity,
                clip: play.clip.clone(),
            });
        }
    }
}
