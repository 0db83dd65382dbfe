//! The events of a clip that plays: those of a root's [`ModelEvents`], and those that are stored in the clip.

use crate::playback::clip_step::ClipStep;
use crate::playback::event_frames::{EventFrame, event_frames};
use crate::playback::event_track::EventTrack;
use crate::root::clip_ref::ClipRef;
use crate::root::clips::ModelClips;
use crate::root::events::{ModelEvents, PassedEvent};
use crate::root::play::ResolvedPlay;

/// The events of a root, and what determines which of them belong to a clip.
#[derive(Clone, Copy)]
pub(crate) struct EventTables<'a> {
    pub(crate) clips: Option<&'a ModelClips>,
    pub(crate) events: Option<&'a ModelEvents>,
    /// Whether the tables, the model or the requested clips have changed.
    pub(crate) is_changed: bool,
}

/// The events of [`ModelEvents`] that belong to a clip.
#[derive(Debug, Default)]
pub(crate) struct ClipEvents {
    /// In the order of their frames. `None` until they are found.
    frames: Option<Vec<EventFrame>>,
    /// Whether the root had [`ModelClips`] when they were found.
    has_clips: bool,
    /// The times in the clip that plays, in seconds, and the indices in [`ModelEvents`]. In the order of the times.
    times: Vec<(f32, usize)>,
}

impl ClipEvents {
    /// Finds the events of a clip and their times. `play` is `None` while another clip is requested.
    ///
    /// `file_frame` is that of [`event_frames`]. `times` returns a function of a frame, counted from the first that
    /// plays, to its time.
    pub(crate) fn update<T: Fn(u32) -> Option<f32>>(
        &mut self,
        play: Option<&ResolvedPlay>,
        tables: EventTables<'_>,
        file_frame: impl Fn(&ClipRef, u32) -> Option<u32>,
        times: impl FnOnce() -> Option<T>,
    ) {
        self.times.clear();
        let Some(events) = tables.events else {
            self.frames = None;
            return;
        };
        let is_stale = tables.is_changed || self.has_clips != tables.clips.is_some();
        if let Some(play) = play.filter(|_| is_stale || self.frames.is_none()) {
            self.has_clips = tables.clips.is_some();
            self.frames = Some(event_frames(play, tables.clips, events, file_frame));
        }
        let frames = self.frames.as_deref().unwrap_or_default();
        if frames.is_empty() {
            return;
        }
        // In every frame, because an edit of the clip changes the times.
        if let Some(time) = times() {
            let timed = |event: &EventFrame| Some((time(event.frame)?, event.event));
            self.times.extend(frames.iter().filter_map(timed));
        }
    }

    /// Calls `send` with each event that a step passes, in the order of playback. At one time, the events of the clip's
    /// track precede those of the root.
    pub(crate) fn for_each_passed(
        &self,
        events: Option<&ModelEvents>,
        track: Option<&EventTrack>,
        step: ClipStep,
        mut send: impl FnMut(PassedEvent<'_>),
    ) {
        if self.times.is_empty() {
            // The usual case, without an allocation.
            for_each_stored(track, step, send);
            return;
        }
        let mut all = Vec::new();
        if let Some(track) = track {
            let events = track.events.iter();
            all.extend(events.map(|event| (event.seconds, track.passed_event(event))));
        }
        let timed = self.times.iter().filter_map(|(seconds, index)| {
            let event = events?.0.get(*index)?;
            Some((*seconds, PassedEvent::from(event)))
        });
        all.extend(timed);
        all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for (_, event) in step.passed(&all, |(seconds, _)| *seconds) {
            send(*event);
        }
    }
}

/// Calls `send` with each event of a clip's track that a step passes, in the order of playback.
pub(crate) fn for_each_stored(
    track: Option<&EventTrack>,
    step: ClipStep,
    mut send: impl FnMut(PassedEvent<'_>),
) {
    let Some(track) = track else {
        return;
    };
    for event in step.passed(&track.events, |event| event.seconds) {
        send(track.passed_event(event));
    }
}
