//! The times of a clip's frames, and parts of clips.

use core::ops::Range;

/// The times of a clip's frames.
pub(crate) trait Frames {
    /// The count of frames.
    fn count(&self) -> u32;

    /// The time of a frame, in seconds. Times never descend.
    fn time(&self, frame: u32) -> f32;

    /// The end of the last frame, in seconds. The time after the last frame belongs to it.
    fn end(&self) -> f32;

    /// The duration of a part that has no length, such as a single frame, in seconds.
    fn single_frame_seconds(&self) -> f32;

    /// The part that consists of a range of frames; `None` if the clip has no frame in the range.
    fn span(&self, frames: &Range<u32>) -> Option<Span> {
        let count = self.count();
        let last = frames.end.min(count).checked_sub(1)?;
        if last < frames.start {
            return None;
        }
        let start = self.time(frames.start);
        let end = if last + 1 == count {
            self.end()
        } else {
            self.time(last)
        };
        let length = if end > start {
            end - start
        } else {
            self.single_frame_seconds()
        };
        Some(Span { start, end, length })
    }
}

/// A part of a clip. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// The time of its first frame in the clip.
    pub(crate) start: f32,
    /// The time of its last frame in the clip, or the clip's end if that is the clip's last frame.
    pub(crate) end: f32,
    /// Its duration; greater than 0.
    pub(crate) length: f32,
}

impl Span {
    /// Converts a time of the part to a time of the whole clip. Clamps it to the part.
    #[inline]
    pub(crate) fn time(&self, time: f32) -> f32 {
        if time >= self.length {
            return self.end;
        }
        // NaN maps to the start.
        (self.start + time.max(0.0)).min(self.end)
    }

    /// Converts a time of the whole clip to a time of the part; `None` if it is outside of the part.
    pub(crate) fn time_within(&self, time: f32) -> Option<f32> {
        let is_within = (self.start..=self.end).contains(&time);
        is_within.then(|| (time - self.start).min(self.length))
    }

    pub(crate) fn bits(&self) -> [u32; 3] {
        [self.start, self.end, self.length].map(f32::to_bits)
    }
}
