//! The frames of a clip, and parts of it.

use core::ops::Range;

/// When the frames of a clip are.
pub(crate) trait Frames {
    /// How many there are.
    fn count(&self) -> u32;

    /// When one of them is, in seconds that never descend.
    fn time(&self, frame: u32) -> f32;

    /// When the last one ends. What comes after it belongs to it.
    fn end(&self) -> f32;

    /// How long a single one takes.
    fn still(&self) -> f32;

    /// The part that consists of some of them; `None` if the clip has none of these.
    fn span(&self, frames: &Range<u32>) -> Option<Span> {
        let count = self.count();
        let last = frames.end.min(count).checked_sub(1)?;
        if last < frames.start {
            return None;
        }
        let start = self.time(frames.start);
        let end = match last + 1 == count {
            true => self.end(),
            false => self.time(last),
        };
        let length = if end > start {
            end - start
        } else {
            self.still()
        };
        Some(Span { start, end, length })
    }
}

/// A part of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    /// The time of its first frame in the clip, in seconds.
    pub(super) start: f32,
    /// That of its last.
    pub(super) end: f32,
    /// How long it takes; greater than 0.
    pub(super) length: f32,
}

impl Span {
    /// The time in the whole clip at a time of the part, which is clamped to it.
    #[inline]
    pub(crate) fn time(&self, time: f32) -> f32 {
        if time >= self.length {
            return self.end;
        }
        // A number that is none is as the beginning.
        (self.start + time.max(0.0)).min(self.end)
    }

    /// The other way round; `None` if it is not in the part.
    pub(super) fn time_within(&self, time: f32) -> Option<f32> {
        let is_within = (self.start..=self.end).contains(&time);
        is_within.then(|| (time - self.start).min(self.length))
    }

    pub(super) fn bits(&self) -> [u32; 3] {
        [self.start, self.end, self.length].map(f32::to_bits)
    }
}
