//! Plays what [`PlayClip`] says on Bevy's `AnimationPlayer`.
//!
//! The player is on the root entity, which survives when the model's file changes. Whoever wants to
//! blend otherwise leaves `PlayClip` away and gives the root a graph of their own.

use crate::alamo::animation::graphs::{Binder, Source, node};
use crate::alamo::animation::targets::{Rotation, Scale, Translation, bone_target, says};
use crate::alamo::model::AloModel;
use crate::alamo::parts::{AloBone, AloInstance};
use crate::scene::{Chosen, ClipFinished, ClipRef, PlayClip, Playback, Repeat, wrap};
use bevy::animation::animation_curves::EvaluatorId;
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy::animation::{ActiveAnimation, AnimationClip, AnimationPlayer, RepeatAnimation};
use bevy::asset::{Assets, Handle};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::query::With;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::log::warn;
use bevy::math::Vec3;
use bevy::time::Time;
use bevy::transform::components::Transform;
use std::sync::Arc;

/// What a spawned Alamo model plays for its [`PlayClip`]. On the root entity, once its scene is
/// there.
#[derive(Component, Debug, Default)]
pub struct AloAnimator {
    /// What plays: the last is what was chosen, those before fade out.
    lanes: Vec<Lane>,
    /// What was asked for when it was chosen.
    chosen: Option<Chosen>,
    /// What was asked for and is not loaded yet.
    pending: Option<Pending>,
    /// The model that all of it is bound to; another one after a reload.
    model: Option<Arc<AloModel>>,
    graph: Option<Handle<AnimationGraph>>,
    fade: Option<Fade>,
    /// [`Playback::time`] as it was left. Another one is a jump.
    time: f32,
}

/// A clip that plays.
#[derive(Clone, Debug)]
struct Lane {
    source: Source,
    /// The clip as it is for the model.
    clip: Handle<AnimationClip>,
    /// Its weight when the last fade began.
    weight: f32,
    /// What the player knew of it before the last change of lanes.
    state: ActiveAnimation,
}

#[derive(Clone, Debug)]
struct Pending {
    source: Source,
    /// Whether it takes the place of what plays, of which only the file is another.
    goes_on: bool,
}

#[derive(Clone, Copy, Debug)]
struct Fade {
    seconds: f32,
    left: f32,
}

/// What is still there of what is faded from, from 1 to 0.
fn rest(fade: Option<Fade>) -> f32 {
    fade.map_or(0.0, |fade| fade.left / fade.seconds)
}

impl AloAnimator {
    /// The clip that was chosen, once it plays.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.lanes.last().map(|lane| &lane.source.clip)
    }

    /// How much of the chosen clip shows: 1 once nothing fades out any more.
    pub fn weight(&self) -> f32 {
        1.0 - rest(self.fade)
    }

    /// The weights of all lanes now. They add up to 1.
    fn weights(&self) -> Vec<f32> {
        let rest = rest(self.fade);
        let mut weights: Vec<_> = self.lanes.iter().map(|lane| lane.weight * rest).collect();
        if let Some(main) = weights.last_mut() {
            *main = 1.0 - rest;
        }
        weights
    }

    /// Chooses what is asked for. False if that is nothing.
    fn ask(&mut self, play: Option<&PlayClip>, model: &AloModel, binder: &Binder<'_, '_>) -> bool {
        let is_same = self.chosen.as_ref().is_some_and(|chosen| chosen.is(play));
        self.chosen = Some(Chosen::new(play));
        let source = play.and_then(|play| find(&play.clip, model, binder));
        let goes_on = is_same && !self.lanes.is_empty();
        self.pending = source.map(|source| Pending { source, goes_on });
        self.pending.is_some()
    }

    /// Begins what was chosen: the others fade out, or end at once.
    fn begin(&mut self, pending: Pending, play: &PlayClip) {
        let lane = Lane {
            clip: pending.source.clip.clone(),
            source: pending.source,
            weight: 1.0,
            state: ActiveAnimation::default(),
        };
        if pending.goes_on {
            if let Some(main) = self.lanes.last_mut() {
                let state = main.state;
                *main = Lane { state, ..lane };
            }
            return;
        }
        let fades = play.fade > 0.0 && play.fade.is_finite();
        if fades {
            let weights = self.weights();
            for (lane, weight) in self.lanes.iter_mut().zip(weights) {
                lane.weight = weight;
            }
            self.forget_the_lightest();
        } else {
            self.lanes.clear();
        }
        self.fade = (fades && !self.lanes.is_empty()).then_some(Fade {
            seconds: play.fade,
            left: play.fade,
        });
        self.lanes.push(lane);
    }

    /// Ends what hardly shows. Else clips would pile up where each choice comes before the fade of the
    /// last has ended.
    fn forget_the_lightest(&mut self) {
        /// No one sees that less is missing.
        const LEAST: f32 = 1e-3;
        /// So many fade out at most.
        const MOST: usize = 8;
        self.lanes.retain(|lane| lane.weight >= LEAST);
        while self.lanes.len() > MOST {
            let lanes = self.lanes.iter().enumerate();
            let lightest = lanes.min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
            if let Some((place, _)) = lightest {
                self.lanes.remove(place);
            }
        }
        let sum: f32 = self.lanes.iter().map(|lane| lane.weight).sum();
        for lane in &mut self.lanes {
            lane.weight /= sum;
        }
    }

    /// Ends all but what was chosen.
    fn end_fade(&mut self) {
        self.fade = None;
        let faded = self.lanes.len().saturating_sub(1);
        self.lanes.drain(..faded);
    }

    /// Ends everything.
    fn stop(&mut self) {
        self.fade = None;
        self.lanes.clear();
    }

    /// Takes down what the player knows of all lanes.
    fn remember(&mut self, player: &AnimationPlayer) {
        for (place, lane) in self.lanes.iter_mut().enumerate() {
            lane.state = player.animation(node(place)).copied().unwrap_or_default();
        }
    }

    /// Tells a player of all lanes.
    fn tell(&self, player: &mut AnimationPlayer) {
        player.stop_all();
        for (place, lane) in self.lanes.iter().enumerate() {
            *player.play(node(place)) = lane.state;
        }
        if self.lanes.len() > 1 {
            // The flags of the model, which have no time.
            player.play(node(self.lanes.len())).pause();
        }
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

/// The bones of all models.
type Bones<'w, 's> = Query<'w, 's, &'static mut Transform, With<AloBone>>;

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
        let is_of = |bound: &Arc<AloModel>| Arc::ptr_eq(bound, model);
        let is_other_model = !animator.model.as_ref().is_some_and(is_of);
        if is_other_model {
            animator.model = Some(model.clone());
        }
        let is_changed = play.as_ref().is_none_or(DetectChanges::is_changed);
        let play = play.as_deref();
        let is_chosen = animator
            .chosen
            .as_ref()
            .map_or(play.is_none(), |chosen| !is_changed || chosen.is(play));
        let is_asked = !is_chosen || (is_other_model && play.is_some());
        let stops = is_asked && !animator.ask(play, model, &binder);
        let ready = animator
            .pending
            .take_if(|pending| binder.is_ready(&pending.source));

        let begins = ready.as_ref().is_some_and(|ready| !ready.goes_on);
        let stands = begins || play.is_none_or(|play| play.paused);
        let ends_fade = match &mut animator.fade {
            Some(fade) if !stands => {
                fade.left -= time.delta_secs();
                fade.left <= 0.0
            }
            _ => false,
        };
        let is_rebound = (edited || is_other_model) && !animator.lanes.is_empty();
        if stops || ready.is_some() || ends_fade || is_rebound {
            animator.remember(player);
            let before: Vec<_> = animator
                .lanes
                .iter()
                .map(|lane| lane.clip.clone())
                .collect();
            if ends_fade {
                animator.end_fade();
            }
            if let (Some(ready), Some(play)) = (ready, play) {
                animator.begin(ready, play);
            }
            if stops {
                animator.stop();
            }
            for lane in &mut animator.lanes {
                lane.clip = binder.bound(&lane.source, model);
            }
            animator.tell(player);
            let old = animator.graph.take();
            if animator.lanes.is_empty() {
                // A graph that is not ours is the user's.
                if graph.is_some_and(|graph| Some(&graph.0) == old.as_ref()) {
                    commands.entity(root).remove::<AnimationGraphHandle>();
                }
            } else {
                let clips: Vec<_> = animator
                    .lanes
                    .iter()
                    .map(|lane| (lane.clip.clone(), lane.source.ala.is_some()))
                    .collect();
                let new = binder.graph(&clips, model);
                if graph.is_none_or(|graph| graph.0 != new) {
                    commands
                        .entity(root)
                        .insert(AnimationGraphHandle(new.clone()));
                }
                animator.graph = Some(new);
            }
            settle(instance, animator, &before, edited, &binder, &mut bones);
        }
        if let (Some(play), Some(mut playback)) = (play, playback) {
            let playback = playback.bypass_change_detection();
            steer(animator, player, play, playback, begins, &binder);
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
    for (place, weight) in animator.weights().into_iter().enumerate() {
        if let Some(active) = player.animation_mut(node(place)) {
            active.set_weight(weight);
            // Bevy takes a time at the end of what stands for the beginning.
            match play.paused || active.speed() == 0.0 {
                true => active.pause(),
                false => active.resume(),
            };
        }
    }
    let Some(lane) = animator.lanes.last() else {
        return;
    };
    let duration = binder
        .clips
        .get(&lane.clip)
        .map_or(0.0, AnimationClip::duration);
    let Some(active) = player.animation_mut(node(animator.lanes.len() - 1)) else {
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

/// Puts bones at rest that nothing moves any more: Bevy leaves them where they were.
///
/// An animation that says nothing of the scale of a bone that it moves says that it is 1.
fn settle(
    instance: &AloInstance,
    animator: &AloAnimator,
    before: &[Handle<AnimationClip>],
    all: bool,
    binder: &Binder<'_, '_>,
    bones: &mut Bones<'_, '_>,
) {
    let clips = |handles: &[Handle<AnimationClip>]| {
        let clips = handles.iter().filter_map(|clip| binder.clips.get(clip));
        clips.collect::<Vec<_>>()
    };
    let before = clips(before);
    let now: Vec<_> = animator
        .lanes
        .iter()
        .map(|lane| lane.clip.clone())
        .collect();
    let now = clips(&now);
    let main = animator.lanes.last();
    let is_ours = main.is_some_and(|lane| lane.source.ala.is_some());
    let main = main.and_then(|lane| binder.clips.get(&lane.clip));
    for (index, bone) in instance.bones().iter().enumerate() {
        let target = bone_target(index);
        let moves = |clip: &&AnimationClip| clip.curves_for_target(target).is_some();
        let is_let_go = all || before.iter().any(|clip| moves(clip));
        let says_one = is_ours && main.as_ref().is_some_and(moves);
        if !is_let_go && !says_one {
            continue;
        }
        let (Ok(mut transform), Some(at_rest)) =
            (bones.get_mut(*bone), instance.model().bones.get(index))
        else {
            continue;
        };
        let has = |id: &EvaluatorId<'_>| now.iter().any(|clip| says(clip, target, id));
        let mut settled = *transform;
        if is_let_go && !has(&Translation::id()) {
            settled.translation = at_rest.transform.translation;
        }
        if is_let_go && !has(&Rotation::id()) {
            settled.rotation = at_rest.transform.rotation;
        }
        if !has(&Scale::id()) {
            settled.scale = if says_one {
                Vec3::ONE
            } else {
                at_rest.transform.scale
            };
        }
        transform.set_if_neq(settled);
    }
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
        let Some(lane) = animator.lanes.last() else {
            continue;
        };
        let place = node(animator.lanes.len() - 1);
        let player = player.bypass_change_detection();
        let (Some(clip), Some(active)) = (clips.get(&lane.clip), player.animation_mut(place))
        else {
            continue;
        };
        let duration = clip.duration();
        let time = active.seek_time();
        if play.repeat == Repeat::Loop && !(0.0..=duration).contains(&time) {
            // Backwards by more than the clip in one step, or by a number beyond all numbers.
            let time = if time.is_finite() {
                wrap(time, duration)
            } else {
                0.0
            };
            active.set_seek_time(time);
        }
        let is_finished = active.is_finished();
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
