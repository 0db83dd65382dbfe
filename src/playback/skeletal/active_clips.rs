//! The active clips of a model and their weights; the time, speed and end behavior of each; and clips that are not loaded
//! yet.

use crate::geometry::ground_motion::GroundMotion;
use crate::playback::advance::{ClipStep, Fade, first_time};
use crate::playback::clip_events::{ClipEvents, EventTables};
use crate::playback::skeletal::clips::Clips;
use crate::playback::skeletal::pose_source::BoundClip;
use crate::playback::skeletal::posed_bone::PosedBone;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use crate::playback::skeletal::root_motion::{Mover, MovingClip};
use crate::root::events::PassedEvent;
use crate::root::play::{ClipRef, PlayClip, Playback, Repeat, ResolvedPlay};
use bevy::prelude::*;
use std::sync::Arc;

/// The clips that play on a model: the last one is the selected clip, those before it fade out.
#[derive(Debug, Default)]
pub(crate) struct ActiveClips {
    clips: Vec<ActiveClip>,
    fade: Option<Fade>,
}

/// A clip that plays beside others.
#[derive(Debug)]
pub(crate) struct ActiveClip {
    pub(crate) playing: PlayingClip,
    /// The weight when the last fade began.
    weight: f32,
}

impl ActiveClips {
    pub(crate) fn is_empty(&self) -> bool {
        self.clips.is_empty()
    }

    /// The selected clip.
    pub(crate) fn selected(&self) -> Option<&PlayingClip> {
        self.clips.last().map(|active| &active.playing)
    }

    /// The selected clip, if no other clip fades out.
    #[inline]
    pub(crate) fn only(&self) -> Option<&PlayingClip> {
        match &self.clips[..] {
            [only] => Some(&only.playing),
            _ => None,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &PlayingClip> {
        self.clips.iter().map(|active| &active.playing)
    }

    /// The last one is the selected clip.
    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut PlayingClip> {
        self.clips.iter_mut().map(|active| &mut active.playing)
    }

    /// The fraction of the current fade that remains, from 1 to 0; 0 without a fade.
    pub(crate) fn fade_remaining(&self) -> f32 {
        self.fade.map_or(0.0, |fade| fade.fraction())
    }

    /// The current weights of all clips. They add up to 1.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f32> {
        let remaining = self.fade_remaining();
        let selected = self.clips.len().wrapping_sub(1);
        let clips = self.clips.iter().enumerate();
        clips.map(move |(index, active)| {
            if index == selected {
                1.0 - remaining
            } else {
                active.weight * remaining
            }
        })
    }

    /// Starts a clip. The others fade out over `fade` seconds, or stop at once if that is not a positive number.
    pub(crate) fn start(&mut self, source: ClipSource, fade: f32) {
        let fade = Fade::new(fade);
        if fade.is_some() {
            let weights: Vec<_> = self.weights().collect();
            for (active, weight) in self.clips.iter_mut().zip(weights) {
                active.weight = weight;
            }
            self.drop_lightest();
        } else {
            self.clips.clear();
        }
        self.fade = fade.filter(|_| !self.clips.is_empty());
        self.clips.push(ActiveClip {
            playing: PlayingClip::new(source),
            weight: 1.0,
        });
    }

    /// Replaces the source of the selected clip, and keeps its time.
    pub(crate) fn replace(&mut self, source: ClipSource) {
        if let Some(selected) = self.clips.last_mut() {
            selected.playing.source = source;
        }
    }

    /// Advances the fade. Returns true once it is over; then call [`end_fade`](Self::end_fade).
    pub(crate) fn advance_fade(&mut self, seconds: f32) -> bool {
        let fade = self.fade.as_mut();
        fade.is_some_and(|fade| !fade.advance(seconds))
    }

    /// Removes all clips but the selected one.
    pub(crate) fn end_fade(&mut self) {
        self.fade = None;
        let faded = self.clips.len().saturating_sub(1);
        self.clips.drain(..faded);
    }

    /// Removes the clips with the lowest weights. Otherwise clips would accumulate if each selection came before the
    /// end of the previous fade.
    fn drop_lightest(&mut self) {
        /// Removing a clip of a lower weight is not visible.
        const MIN_WEIGHT: f32 = 1e-3;
        /// The most clips that fade out at the same time.
        const MAX_FADING: usize = 8;
        self.clips.retain(|active| active.weight >= MIN_WEIGHT);
        while self.clips.len() > MAX_FADING {
            let clips = self.clips.iter().enumerate();
            let lightest = clips.min_by(|(_, a), (_, b)| a.weight.total_cmp(&b.weight));
            if let Some((index, _)) = lightest {
                self.clips.remove(index);
            }
        }
        let sum: f32 = self.clips.iter().map(|active| active.weight).sum();
        for active in &mut self.clips {
            active.weight /= sum;
        }
    }

    /// Removes all clips.
    pub(crate) fn stop(&mut self) {
        self.fade = None;
        self.clips.clear();
    }
}

/// A clip that plays.
#[derive(Debug)]
pub(crate) struct PlayingClip {
    pub(crate) source: ClipSource,
    /// The clip as it poses the model; `None` until [`bind`](Self::bind).
    pub(crate) bound: Option<Arc<BoundClip>>,
    /// Seconds of the clip or part.
    length: f32,
    pub(crate) playback: Playback,
    speed: f32,
    repeat: Repeat,
    /// The step of this frame; `None` if the clip has not moved.
    step: Option<ClipStep>,
    /// The distance of one pass, in units of the root, if it moves the root by its stride.
    pub(crate) stride: f32,
    /// The events of the clip, if it was selected last.
    events: ClipEvents,
}

impl PlayingClip {
    pub(crate) fn new(source: ClipSource) -> Self {
        Self {
            source,
            bound: None,
            length: 0.0,
            playback: Playback::default(),
            speed: 1.0,
            repeat: Repeat::Loop,
            step: None,
            stride: 0.0,
            events: ClipEvents::default(),
        }
    }

    /// Binds the clip to a model. If an edit has left it without frames, its previous version plays on.
    pub(crate) fn bind<F: Rig>(&mut self, clips: &mut Clips<'_, '_, F>, model: &Arc<F::Model>) {
        if let Some((bound, length)) = clips.for_model(&self.source, model) {
            self.bound = Some(bound);
            self.length = length;
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
    pub(crate) fn restart(&mut self, start: Option<f32>) {
        let first = first_time(self.repeat, self.speed, self.length);
        self.playback.time = start.unwrap_or(first);
        self.playback.finished = false;
    }

    /// Advances the clip. Returns whether it has just ended.
    pub(crate) fn advance(&mut self, seconds: f32) -> bool {
        let (moved, length) = (seconds * self.speed, self.length);
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

    /// `None` until [`bind`](Self::bind).
    pub(crate) fn moving(&self) -> Option<MovingClip<'_>> {
        Some(MovingClip {
            clip: self.bound.as_deref()?,
            part: self.source.frames.as_ref(),
            length: self.length,
        })
    }

    /// How the clip has moved the model in this frame. `bones` are at rest.
    pub(crate) fn motion(&self, mover: &Mover, bones: &[PosedBone]) -> GroundMotion {
        let Some((step, moving)) = self.step.zip(self.moving()) else {
            return GroundMotion::default();
        };
        match mover {
            Mover::Bone(bone) => bone.step(&moving, step, bones),
            Mover::Stride(_) => GroundMotion::forward(self.stride * step.passes(self.length)),
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
}

/// A clip that is requested and not yet loaded.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) source: ClipSource,
    /// Whether it replaces the clip that plays at its time, because only the file has changed.
    pub(crate) continues: bool,
    /// Whether there was a warning that its part has no frames.
    has_warned: bool,
}

/// The state of a pending clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PendingState {
    /// It is not loaded yet.
    Loading,
    /// It can play.
    Ready,
    /// It cannot play: loading has failed, or its part has no frames. It may play after a reload.
    Unplayable,
}

impl Pending {
    pub(crate) fn new(source: ClipSource, continues: bool) -> Self {
        Self {
            source,
            continues,
            has_warned: false,
        }
    }

    /// Checks whether the clip can play. Adds a warning if its part has no frames. `requested` describes the clip in the
    /// warning.
    pub(crate) fn poll<F: Rig>(
        &mut self,
        requested: Option<&ResolvedPlay>,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        warnings: &mut Vec<String>,
    ) -> PendingState {
        if !clips.is_ready(&self.source) {
            // The asset server has logged the error. The clip starts if the file is fixed later.
            return if clips.has_failed(&self.source) {
                PendingState::Unplayable
            } else {
                PendingState::Loading
            };
        }
        let frames = clips.info(&self.source, model).map(|info| info.frames);
        let part = self.source.frames.as_ref();
        if part.is_none_or(|part| frames.is_some_and(|frames| frames.span(part).is_some())) {
            return PendingState::Ready;
        }
        if let Some(requested) = requested.filter(|_| !self.has_warned) {
            let count = frames.map(|frames| frames.count());
            warnings.push(requested.empty_part_warning(count));
        }
        self.has_warned = true;
        PendingState::Unplayable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> ClipSource {
        ClipSource {
            clip: Handle::default(),
            frames: None,
            file: None,
        }
    }

    fn weights(clips: &ActiveClips) -> Vec<f32> {
        clips.weights().collect()
    }

    #[test]
    fn fade_during_fade_starts_from_current_weights() {
        let mut clips = ActiveClips::default();
        clips.start(source(), 1.0);
        assert_eq!(weights(&clips), [1.0], "there is no clip to fade from");
        clips.start(source(), 1.0);
        assert!(!clips.advance_fade(0.25));
        assert_eq!(weights(&clips), [0.75, 0.25]);
        clips.start(source(), 0.5);
        assert_eq!(weights(&clips), [0.75, 0.25, 0.0]);
        assert!(!clips.advance_fade(0.25));
        assert_eq!(weights(&clips), [0.375, 0.125, 0.5]);
        assert!(clips.advance_fade(0.25));
        clips.end_fade();
        assert_eq!(weights(&clips), [1.0]);
    }

    #[test]
    fn fading_clips_do_not_accumulate() {
        let mut clips = ActiveClips::default();
        for number in 0..1000 {
            clips.start(source(), 1.0);
            clips.advance_fade(0.001 * (number % 7) as f32);
            assert!(clips.iter().count() <= 9);
            let sum: f32 = clips.weights().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
        clips.start(source(), 0.0);
        assert_eq!(weights(&clips), [1.0]);
    }
}
