//! The events of a clip that plays: those of a root's [`ModelEvents`], and those that are stored in the clip.

use crate::playback::advance::ClipStep;
use crate::playback::frames::Span;
use crate::playback::resolve::{Lookup, look_up};
use crate::root::events::{ClipEvent, ModelEvents, PassedEvent, StoredEvent};
use crate::root::play::{ClipRef, ModelClips, ResolvedPlay};
use core::ops::Range;

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
    /// Frames per second, if events have only times: their frames are the nearest ones.
    pub(crate) fps: Option<f32>,
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
            // Casting saturates.
            frame: self
                .fps
                .map_or(event.frame, |fps| (event.seconds * fps).round() as u32),
            name: &event.string,
            bone: event.bone.as_deref(),
        }
    }

    /// Calls `send` with each event that a step of the whole clip passes, in the order of playback.
    pub(crate) fn for_each_passed(self, step: ClipStep, mut send: impl FnMut(PassedEvent<'_>)) {
        for event in step.passed(self.events, |event| event.seconds) {
            send(self.passed(event));
        }
    }
}

/// An event of the clip that plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventFrame {
    /// The index of its frame, counted from the first frame that plays.
    pub(crate) frame: u32,
    /// The index of the event in [`ModelEvents`].
    pub(crate) event: usize,
}

/// The events of the clip that plays, in the order of their frames.
///
/// `file_frame` converts a frame of a clip of the file to a frame of the file's whole clip that plays. It returns
/// `None` if that clip does not contain the frame. Frames after the last of the clip remain in the result.
pub(crate) fn event_frames(
    playing: &ResolvedPlay,
    clips: Option<&ModelClips>,
    events: &ModelEvents,
    file_frame: impl Fn(&ClipRef, u32) -> Option<u32>,
) -> Vec<EventFrame> {
    let lookup = look_up(&playing.requested, clips);
    let playing = events.0.iter().enumerate().filter_map(|(event, entry)| {
        let frame = played_frame(&lookup, clips, entry, &file_frame)?;
        Some(EventFrame { frame, event })
    });
    let mut frames: Vec<_> = playing.collect();
    frames.sort_by_key(|event| event.frame);
    frames
}

/// The frame of an event, counted from the first frame that plays; `None` if that frame does not play.
fn played_frame(
    lookup: &Lookup<'_>,
    clips: Option<&ModelClips>,
    event: &ClipEvent,
    file_frame: impl Fn(&ClipRef, u32) -> Option<u32>,
) -> Option<u32> {
    let (clip, part) = event.clip.split_frames();
    let frame = match part {
        Some(part) => part
            .start
            .checked_add(event.frame)
            .filter(|frame| part.contains(frame))?,
        None => event.frame,
    };
    let entry = match clip {
        ClipRef::Name(name) => clips.and_then(|clips| clips.index_of(name)),
        _ => None,
    };
    let frame = match entry {
        Some(entry) => {
            let mut names = lookup.names.iter();
            let name = names.find(|name| name.entry == entry)?;
            frame_within(name.frames.as_ref(), frame)?
        }
        None => frame_within(lookup.frames.as_ref(), file_frame(clip, frame)?)?,
    };
    let count = lookup.frames.as_ref().map(ExactSizeIterator::len);
    count
        .is_none_or(|count| (frame as usize) < count)
        .then_some(frame)
}

/// The index of a frame in the range that plays; `None` is the whole clip.
fn frame_within(playing: Option<&Range<u32>>, frame: u32) -> Option<u32> {
    match playing {
        Some(playing) if playing.contains(&frame) => Some(frame - playing.start),
        Some(_) => None,
        None => Some(frame),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::play::{NamedClip, PlayClip, Repeat};

    fn named(name: &str, clip: impl Into<ClipRef>) -> NamedClip {
        NamedClip {
            name: name.to_owned(),
            clip: clip.into(),
            speed: 1.0,
            repeat: Repeat::Loop,
            stride: None,
        }
    }

    /// `walk` is a clip of the file, and `stride` a part of it.
    fn clips() -> ModelClips {
        ModelClips::new([
            named("sneak", "walk"),
            named("stride", ClipRef::part("walk", 2..6)),
            named("step", ClipRef::part("Stride", 1..3)),
            named("run", ClipRef::part("run", 4..8)),
        ])
    }

    fn events() -> ModelEvents {
        ModelEvents::new([
            ClipEvent::new("WALK", 3, "file"),
            ClipEvent::new("sneak", 3, "soft"),
            ClipEvent::new("stride", 1, "part"),
            ClipEvent::new("stride", 4, "after the part"),
            ClipEvent::new("run", 2, "named as the file's clip"),
            ClipEvent::new(1_usize, 6, "by index"),
            ClipEvent::new(ClipRef::part("walk", 1..4), 2, "given as a part"),
            ClipEvent::new(ClipRef::part("walk", 1..4), 3, "after the given part"),
            ClipEvent::new("swim", 0, "of another clip"),
        ])
    }

    /// The names and frames of the events of a clip. Clip 0 of the file is `walk`, and clip 1 is `run`.
    fn played(requested: impl Into<ClipRef>) -> Vec<(String, u32)> {
        let (clips, events) = (clips(), events());
        let play = PlayClip::looping(requested);
        let playing = ResolvedPlay::new(&play, Some(&clips));
        let index = |clip: &ClipRef| match clip {
            ClipRef::Index(index) => Some(*index),
            name if *name == "walk" => Some(0),
            name if *name == "run" => Some(1),
            _ => None,
        };
        let whole = index(playing.play.clip.split_frames().0);
        let file_frame = |clip: &ClipRef, frame| {
            (index(clip).is_some() && index(clip) == whole).then_some(frame)
        };
        let frames = event_frames(&playing, Some(&clips), &events, file_frame);
        let name = |event: &EventFrame| events.0[event.event].name.clone();
        frames
            .iter()
            .map(|event| (name(event), event.frame))
            .collect()
    }

    #[track_caller]
    fn assert_played(requested: impl Into<ClipRef>, expected: &[(&str, u32)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, frame)| ((*name).to_owned(), *frame))
            .collect();
        assert_eq!(played(requested), expected);
    }

    #[test]
    fn events_of_a_file_clip_are_sent_under_every_name() {
        let file = [("file", 3), ("given as a part", 3)];
        assert_played("Walk", &file);
        assert_played(0, &file);
        assert_played("sneak", &[("file", 3), ("soft", 3), ("given as a part", 3)]);
        assert_played("idle", &[]);
    }

    #[test]
    fn frames_are_counted_from_the_first_that_plays() {
        let stride = [("file", 1), ("part", 1), ("given as a part", 1)];
        assert_played("stride", &stride);
        assert_played(
            ClipRef::part("walk", 3..5),
            &[("file", 0), ("given as a part", 0)],
        );
        assert_played(ClipRef::part("walk", 4..9), &[]);
        assert_played("step", &[("file", 0), ("part", 0), ("given as a part", 0)]);
    }

    #[test]
    fn a_name_in_model_clips_hides_the_clip_of_the_file() {
        assert_played("run", &[("named as the file's clip", 2), ("by index", 2)]);
        assert_played(1, &[("by index", 6)]);
    }

    #[test]
    fn events_without_named_clips_belong_to_clips_of_the_file() {
        let playing = ResolvedPlay::new(&PlayClip::looping("stride"), None);
        let same = |clip: &ClipRef, frame| (*clip == playing.play.clip).then_some(frame);
        let frames = event_frames(&playing, None, &events(), same);
        let expected = [(1, 2), (4, 3)].map(|(frame, event)| EventFrame { frame, event });
        assert_eq!(frames, expected);
    }
}
