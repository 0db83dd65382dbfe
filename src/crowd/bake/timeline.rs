//! The times of a clip's frames, which may be regular or not.
//!
//! Samples are regular. So a clip whose keyframes have individual times is sampled by positions: the index of a keyframe
//! plus the fraction of the way to the next one. At keyframes, its poses are exact.

use crate::crowd::bake::task::ClipFrames;
use crate::playback::frames::{Frames, keyframe_at};
use core::ops::Range;
use std::sync::Arc;

/// The most samples from one frame to the next.
const MAX_PER_FRAME: u32 = 16;

/// The same for frames at individual times. Some are seconds apart, and turn bones by 180°.
const MAX_PER_KEYFRAME: u32 = 64;

/// The times of a clip's frames.
#[derive(Clone, Debug)]
pub(crate) enum Timeline {
    /// Frames at a constant rate. A position is a time in seconds.
    Rate {
        count: u32,
        /// Frames per second.
        fps: f32,
    },
    /// Frames at individual times. A position is the index of a frame plus a fraction.
    Keyframes {
        /// In seconds. They never descend.
        times: Arc<[f32]>,
        /// The end of the clip, in seconds.
        end: f32,
    },
}

impl Timeline {
    /// The frames to sample. `holds` is whether some values are held until the next frame.
    pub(crate) fn frames(&self, holds: bool) -> ClipFrames {
        match self {
            Self::Rate { count, fps } => ClipFrames {
                count: *count,
                fps: *fps,
                holds,
                max_per_frame: MAX_PER_FRAME,
            },
            Self::Keyframes { times, .. } => ClipFrames {
                count: times.len().try_into().unwrap_or(u32::MAX),
                fps: 1.0,
                holds,
                max_per_frame: MAX_PER_KEYFRAME,
            },
        }
    }

    /// Converts a time of the part of the clip that plays, in seconds, to a position in the whole clip.
    #[inline]
    pub(crate) fn position(&self, time: f32, part: Option<&Range<u32>>) -> f32 {
        match self {
            Self::Rate { count, fps } => {
                let (count, fps) = (*count, *fps);
                seconds(Frames::Rate { count, fps }, time, part)
            }
            Self::Keyframes { times, end } => {
                let frames = Frames::Times { times, end: *end };
                let (key, fraction) = keyframe_at(times, seconds(frames, time, part));
                key as f32 + fraction
            }
        }
    }
}

/// Converts a time of the part of a clip that plays to a time of the whole clip, in seconds.
#[inline]
fn seconds(frames: Frames<'_>, time: f32, part: Option<&Range<u32>>) -> f32 {
    let span = part.and_then(|part| frames.span(part));
    span.map_or(time, |span| span.time(time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_keyframes_are_their_indices() {
        let times = [0.0, 0.1, 0.4, 0.4, 1.0];
        let timeline = Timeline::Keyframes {
            times: times.into(),
            end: 1.5,
        };
        assert_eq!(timeline.frames(false).count, 5);
        for (seconds, expected) in [
            (f32::NAN, 0.0),
            (-1.0, 0.0),
            (0.0, 0.0),
            (0.1, 1.0),
            (0.25, 1.5),
            // Of two keyframes at one time, the last one is shown.
            (0.4, 3.0),
            (0.7, 3.5),
            (1.0, 4.0),
            (1.4, 4.0),
        ] {
            let found = timeline.position(seconds, None);
            assert!((found - expected).abs() < 1e-6, "{seconds}: {found}");
        }
        assert!((timeline.position(0.15, Some(&(1..3))) - 1.5).abs() < 1e-5);
        assert_eq!(timeline.position(9.0, Some(&(1..3))), 3.0);
    }

    #[test]
    fn a_clip_without_keyframes_has_one_position() {
        let timeline = Timeline::Keyframes {
            times: Arc::default(),
            end: 1.0,
        };
        assert_eq!(timeline.position(0.7, None), 0.0);
        assert_eq!(timeline.position(0.7, Some(&(0..3))), 0.0);
    }
}
