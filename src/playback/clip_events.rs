//! The events of a clip that plays: those of a root's [`ModelEvents`], and those that are stored in the clip.

use crate::playback::clip_step::ClipStep;
use crate::playback::event_frames::{EventFrame, event_frames};
use crate::playback::frames::Span;
use crate::root::clip_ref::ClipRef;
use crate::root::clips::ModelClips;
use crate::root::events::{ModelEvents, PassedEvent, StoredEvent};
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

    /// Calls `send` with each event that a step passes, in the order of playback. At one time, the events that the file
    /// stores precede those of the root. `part` is the part of the file's clip that plays.
    pub(crate) fn for_each_passed(
        &self,
        events: Option<&ModelEvents>,
        stored: Option<StoredEvents<'_>>,
        part: Option<Span>,
        step: ClipStep,
        mut send: impl FnMut(PassedEvent<'_>),
    ) {
        if self.times.is_empty() && part.is_none() {
            // The usual case, without an allocation.
            if let Some(stored) = stored {
                stored.for_each_passed(step, send);
            }
            return;
        }
        let stored = stored.into_iter().flat_map(StoredEvents::timed);
        let stored = stored.filter_map(|(seconds, event)| match &part {
            Some(part) => Some((part.time_within(seconds)?, event)),
            None => Some((seconds, event)),
        });
        let timed = self.times.iter().filter_map(|(seconds, index)| {
            let event = events?.0.get(*index)?;
            Some((*seconds, PassedEvent::from(event)))
        });
        let mut all: Vec<_> = stored.chain(timed).collect();
        all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        for (_, event) in step.passed(&all, |(seconds, _)| *seconds) {
            send(*event);
        }
    }
}

/// The events that a file stores in a clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredEvents<'a> {
    /// The clip of the file.
    pub(crate) clip: &'a ClipRef,
    /// In the order of their times.
    pub(crate) events: &'a [StoredEvent],
}

impl<'a> StoredEvents<'a> {
    /// The events and their times in the whole clip, in seconds.
    fn timed(self) -> impl Iterator<Item = (f32, PassedEvent<'a>)> {
        let events = self.events.iter();
        events.map(move |event| (event.seconds, self.passed(event)))
    }

    fn passed(self, event: &'a StoredEvent) -> PassedEvent<'a> {
        PassedEvent {
            clip: self.clip,
            frame: event.frame,
            name: &event.string,
        }
    }

    /// Calls `send` with each event that a step of the whole clip passes, in the order of playback.
    pub(crate) fn for_each_passed(self, step: ClipStep, mut send: impl FnMut(PassedEvent<'_>)) {
        for event in step.passed(self.events, |event| event.seconds) {
            send(self.passed(event));
        }
    }
}
