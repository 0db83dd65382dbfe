//! Advances the clips of spawned models and writes what each of them shows to the [`PoseTable`].

use crate::quake::asset::{Sequence, SyncType};
use crate::quake::components::{Fade, MdlAnimator};
use crate::quake::mdl::Timing;
use crate::quake::pose_table::PoseTable;
use crate::scene::{
    ClipFinished, ClipSelection, ModelClips, ModelWarnings, PlayClip, Playback, PoseBlend,
    PosePair, Repeat, ResolvedClip, ResolvedPlay, wrap,
};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::system::{Query, Res, ResMut};
use bevy::time::Time;

impl MdlAnimator {
    /// Chooses the sequence that is asked for, or that of the model if nothing is asked for or it is missing. Returns
    /// whether it begins in this frame.
    fn choose(
        &mut self,
        clip: Option<&ResolvedPlay>,
        found: Option<Sequence>,
        playback: &mut Playback,
        time: &Time,
    ) -> bool {
        let is_same = self.chosen.as_ref().is_some_and(|chosen| chosen.is(clip));
        let goes_on = self.stale && is_same && !self.is_missing;
        self.is_missing = clip.is_some() && found.is_none();
        self.sequence = found.unwrap_or_else(|| self.model.default_sequence());
        // Nothing has been shown that could be faded from.
        let fresh = self.stale || self.chosen.is_none();
        self.chosen = Some(ClipSelection::new(clip));
        self.stale = false;
        if goes_on {
            return false;
        }
        let fade = clip.map_or(0.0, |clip| clip.play.fade);
        let play = self.played(clip).map(|clip| &clip.play);
        self.fade = (fade > 0.0 && fade.is_finite() && !fresh).then(|| Fade {
            from: self.nearest_shown(),
            seconds: fade,
            left: fade,
        });
        playback.time = self.start(play, time);
        playback.finished = false;
        true
    }

    /// What is asked for, unless the model lacks it.
    fn played<'c>(&self, clip: Option<&'c ResolvedPlay>) -> Option<&'c ResolvedPlay> {
        clip.filter(|_| !self.is_missing)
    }

    /// The sequence of a clip, or what to say of the model that has none.
    fn find(&self, clip: &ResolvedPlay, named: Option<&ModelClips>) -> Result<Sequence, String> {
        let sequence = self.model.sequence(&clip.play.clip);
        sequence.ok_or_else(|| match self.model.sequence(clip.play.clip.flat().0) {
            Some(whole) => clip.empty(Some(whole.pose_count)),
            None => {
                let names: Vec<_> = self.model.clips.iter().map(|clip| &*clip.name).collect();
                clip.missing(named, &names)
            }
        })
    }

    fn start(&self, play: Option<&PlayClip>, time: &Time) -> f32 {
        let length = self.sequence.seconds();
        let repeat = play.map_or(Repeat::Loop, |play| play.repeat);
        let runs_by_itself = self.sequence.is_group
            && repeat == Repeat::Loop
            && self.model.sync_type != SyncType::FrameTime;
        match play.and_then(|play| play.start) {
            Some(start) => start,
            None if runs_by_itself => (self.clock(time) % f64::from(length)) as f32,
            None if play.is_some_and(|play| play.speed < 0.0) => match repeat {
                Repeat::Once => length,
                Repeat::Loop | Repeat::FromManifest => 0.0,
            },
            None => 0.0,
        }
    }

    /// The place between two poses that is closest to what shows: half of an unfinished fade is
    /// left behind.
    fn nearest_shown(&self) -> PosePair {
        if self.shown.from_weight > 0.5 {
            self.shown.from
        } else {
            self.shown.to
        }
    }

    fn locate(&self, time: f32, repeat: Repeat, interpolate: bool) -> PosePair {
        let Sequence {
            first_pose,
            pose_count,
            timing,
            ..
        } = &self.sequence;
        let (element, towards_next) = timing.locate(time, *pose_count);
        let next = match element + 1 {
            next if next < *pose_count => next,
            _ if repeat == Repeat::Loop => 0,
            _ => element,
        };
        PosePair {
            a: first_pose + element,
            b: first_pose + next,
            towards_b: if interpolate { towards_next } else { 0.0 },
        }
    }

    /// Share of the pose that is faded from, after `seconds` more.
    fn fade_weight(&mut self, seconds: f32) -> f32 {
        let Some(fade) = &mut self.fade else {
            return 0.0;
        };
        fade.left -= seconds;
        if fade.left > 0.0 {
            fade.left / fade.seconds
        } else {
            self.fade = None;
            0.0
        }
    }
}

/// What decides about what a model plays.
type Players<'w> = (
    Entity,
    &'w mut MdlAnimator,
    &'w mut Playback,
    Option<Ref<'w, ResolvedClip>>,
    Option<&'w ModelClips>,
);

/// Advances every model's clip.
pub(super) fn play(
    time: Res<Time>,
    mut table: ResMut<PoseTable>,
    mut finished: MessageWriter<ClipFinished>,
    mut told: ModelWarnings,
    mut models: Query<Players<'static>>,
) {
    let delta = time.delta_secs();
    for (entity, mut animator, mut playback, stated, named) in &mut models {
        let animator = animator.bypass_change_detection();
        let playback = playback.bypass_change_detection();
        let changed = match &stated {
            Some(stated) => stated.is_changed(),
            None => animator
                .chosen
                .as_ref()
                .is_some_and(|chosen| !chosen.is(None)),
        };
        let clip = stated.as_ref().and_then(|stated| stated.get());
        let fresh = animator.stale || animator.chosen.is_none();
        let differs = || {
            !animator
                .chosen
                .as_ref()
                .is_some_and(|chosen| chosen.is(clip))
        };
        let reconsider = fresh || (changed && differs());
        let begins = reconsider && {
            let found = clip.map(|clip| animator.find(clip, named)).transpose();
            let found = found.unwrap_or_else(|complaint| {
                told.warn_once(entity, &complaint);
                None
            });
            animator.choose(clip, found, playback, &time)
        };
        let asked = clip.map(|clip| &clip.play);
        let played = animator.played(clip);
        let play = played.map(|clip| &clip.play);

        let paused = asked.is_some_and(|play| play.paused);
        let seconds = if begins || paused { 0.0 } else { delta };
        let speed = play.map_or(1.0, |play| play.speed);
        let repeat = play.map_or(Repeat::Loop, |play| play.repeat);
        let length = animator.sequence.seconds();
        if playback.advance(seconds * speed, length, repeat)
            && let Some(clip) = played
        {
            finished.write(ClipFinished {
                entity,
                clip: clip.asked.clone(),
            });
        }

        let interpolate = animator.model.interpolate && asked.is_none_or(|play| play.interpolate);
        let to = animator.locate(playback.time, repeat, interpolate);
        let from_weight = animator.fade_weight(seconds);
        let from = animator.fade.map_or(PosePair::default(), |fade| fade.from);
        animator.shown = PoseBlend {
            to,
            from,
            from_weight,
        };
        match animator.row {
            Some(row) if fresh => table.reset(row, animator.shown),
            Some(row) => table.set(row, animator.shown),
            None => {}
        }
    }
}

/// The element of a sequence on the client's clock.
pub(super) fn element_at(timing: &Timing, count: u32, clock: f64) -> u32 {
    let length = timing.seconds(count);
    let time = wrap((clock % f64::from(length)) as f32, length);
    timing.locate(time, count).0
}
