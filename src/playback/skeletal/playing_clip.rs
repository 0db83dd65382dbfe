//! A clip that plays: its time, speed and end behavior as plain values, which are written to Bevy's player.
//!
//! Bevy's player advances its own copy of the time, because only then it triggers the events that users add to clips.
//! The copy is overwritten in each frame, and never read.

use crate::playback::clip_events::{ClipEvents, EventTables};
use crate::playback::clip_step::ClipStep;
use crate::playback::playing::first_time;
use crate::playback::skeletal::clips::Clips;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use crate::root::clip_ref::{ClipRef, Repeat};
use crate::root::events::PassedEvent;
use crate::root::play::{PlayClip, Playback, ResolvedPlay};
use bevy::animation::{ActiveAnimation, RepeatAnimation};
use bevy::prelude::*;

/// A clip that plays.
#[derive(Debug)]
pub(crate) struct PlayingClip {
    pub(crate) source: ClipSource,
    /// The clip as adapted to the model.
    pub(crate) clip: Handle<AnimationClip>,
    pub(crate) playback: Playback,
    speed: f32,
    repeat: Repeat,
    /// The step of this frame; `None` if the clip has not moved.
    step: Option<ClipStep>,
    /// The events of the clip, if it was selected last.
    events: ClipEvents,
}

impl PlayingClip {
    pub(crate) fn new(source: ClipSource) -> Self {
        Self {
            clip: source.clip.clone(),
            source,
            playback: Playback::default(),
            speed: 1.0,
            repeat: Repeat::Loop,
            step: None,
            events: ClipEvents::default(),
        }
    }

    /// Applies the speed and the end behavior of a request.
    pub(crate) fn apply(&mut self, play: &PlayClip) {
        self.speed = if play.speed.is_finite() {
            play.speed
        } else {
            0.0
        };
        self.repeat = play.repeat;
    }

    /// Moves the clip to its start; `None` is its beginning, or its end if it plays once and backward.
    pub(crate) fn restart(&mut self, start: Option<f32>, clips: &Assets<AnimationClip>) {
        let length = clips.get(&self.clip).map_or(0.0, AnimationClip::duration);
        let first = first_time(self.repeat, self.speed, length);
        self.playback.time = start.unwrap_or(first);
        self.playback.finished = false;
    }

    /// Advances the clip. Returns whether it has just ended.
    pub(crate) fn advance(&mut self, seconds: f32, clips: &Assets<AnimationClip>) -> bool {
        self.step = None;
        let Some(clip) = clips.get(&self.clip) else {
            self.playback.duration = 0.0;
            return false;
        };
        let (moved, length) = (seconds * self.speed, clip.duration());
        self.playback.duration = length;
        let advance = self.playback.advance(moved, length, self.repeat);
        let is_at_end = self.playback.finished && !advance.step.ends;
        self.step = (moved != 0.0 && !is_at_end).then_some(advance.step);
        advance.has_ended
    }

    /// Finds the events of the clip, and calls `send` with each that it has passed in this frame, in the order of
    /// playback. `play` is `None` while another clip is requested.
    pub(crate) fn send_events<F: Rig>(
        &mut self,
        play: Option<&ResolvedPlay>,
        tables: EventTables<'_>,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        send: impl FnMut(PassedEvent<'_>),
    ) {
        let source = &self.source;
        let is_playing = |clip: &ClipRef| match clip {
            ClipRef::Handle(clip) => *clip == source.clip,
            clip => clips
                .find(clip, model)
                .is_some_and(|found| found.clip == source.clip),
        };
        let file_frame = |clip: &ClipRef, frame| is_playing(clip).then_some(frame);
        let info = clips.info(source, model);
        let part = source.frames.as_ref();
        let span = part.and_then(|part| info?.frames.span(part));
        let times = || {
            let frames = info?.frames;
            let first = part.map_or(0, |part| part.start);
            Some(move |frame: u32| {
                let frame = first.saturating_add(frame);
                let time = (frame < frames.count()).then(|| frames.time(frame))?;
                span.map_or(Some(time), |span| span.time_within(time))
            })
        };
        self.events.update(play, tables, file_frame, times);
        if let Some(step) = self.step {
            let stored = info.and_then(|info| info.events);
            self.events
                .for_each_passed(tables.events, stored, span, step, send);
        }
    }

    /// The seconds until the clip ends. Infinite if it repeats or does not move.
    pub(crate) fn seconds_to_end(&self) -> f32 {
        let to_end = if self.speed > 0.0 {
            self.playback.duration - self.playback.time
        } else {
            self.playback.time
        };
        if self.repeat == Repeat::Once && self.speed != 0.0 {
            to_end / self.speed.abs()
        } else {
            f32::INFINITY
        }
    }

    /// Writes the clip to Bevy's state of it, so that Bevy makes the step of this frame.
    pub(crate) fn write(&self, animation: &mut ActiveAnimation, weight: f32) {
        animation.replay();
        animation.set_repeat(match self.repeat {
            Repeat::Loop | Repeat::FromManifest => RepeatAnimation::Forever,
            Repeat::Once => RepeatAnimation::Never,
        });
        let time = self.step.map_or(self.playback.time, |step| step.from);
        animation.set_seek_time(time);
        animation.set_speed(self.speed).set_weight(weight);
        // Without motion, Bevy would take the end of a clip for its beginning, or end it again.
        match self.step {
            Some(_) => animation.resume(),
            None => animation.pause(),
        };
    }
}
