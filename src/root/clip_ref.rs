//! References to clips, and the behavior at the end of a clip.

use crate::load::names::same_name;
use bevy::ecs::VariantDefaults;
use bevy::prelude::*;
use core::ops::Range;
use std::sync::Arc;

/// Selects a clip of a model.
#[derive(VariantDefaults, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Default, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClipRef {
    /// The first clip with this name in [`ModelClips`](crate::root::ModelClips), otherwise in the model's file.
    Name(String),
    /// The clip at this index in the model's list.
    Index(usize),
    /// A range of frame indices of an MDL model, counted as in the games' code.
    Frames(Range<u32>),
    /// Any clip, on models that Bevy animates. It plays as soon as it is loaded.
    Handle(Handle<AnimationClip>),
    /// A range of frames of a clip: frames of an ALA animation, keyframes of an ABC animation, poses of an MDL clip.
    /// Frame indices start at 0, and the end of the range is exclusive.
    ///
    /// The range plays at the clip's own speed, as if the clip had no other frames.
    /// [`Playback::time`](crate::root::Playback::time) is 0 at the first frame of the range.
    /// * ALO and ABC: playback runs from the first frame to the last, where a loop starts again. A range of 5 frames
    ///   takes 4 steps. The loop jumps if the first and the last pose differ. Time after the last keyframe of an ABC
    ///   clip belongs to a range that ends with that keyframe.
    /// * MDL: each pose has a duration. During the last one, a loop interpolates to the first pose. A range of 5 poses
    ///   takes 5 steps. A range of a frame group starts at its first pose, independent of the client's clock.
    ///
    /// Frames that the clip does not have are skipped. If no frame remains, a warning is logged and nothing plays.
    /// Parts can be nested. A part of a `Handle` plays only on models of the clip's own format. The clip of an ABC file
    /// additionally requires that an `Abc` with this clip is loaded.
    Part {
        /// The clip that contains the frames.
        clip: Arc<ClipRef>,
        /// The range of frame indices.
        frames: Range<u32>,
    },
}

/// The first clip in the model's list.
impl Default for ClipRef {
    fn default() -> Self {
        Self::Index(0)
    }
}

// Types that contain handles are not `Unpin`, so that `bsn!` does not create them by `Default` and `Clone`. Clips are
// mostly named.
impl Unpin for ClipRef {}

impl ClipRef {
    /// A range of frames of a clip: see [`ClipRef::Part`].
    pub fn part(clip: impl Into<ClipRef>, frames: Range<u32>) -> Self {
        Self::Part {
            clip: Arc::new(clip.into()),
            frames,
        }
    }
}

/// Converts a range relative to part `of` into a range relative to the clip of `of`. `None` is all of `of`.
pub(crate) fn part_within(of: &Range<u32>, part: Option<Range<u32>>) -> Range<u32> {
    match part {
        Some(part) => {
            let within = |frame: u32| of.start.saturating_add(frame);
            within(part.start)..within(part.end).min(of.end)
        }
        None => of.clone(),
    }
}

/// Whether it selects a clip by this name (case-insensitive).
impl PartialEq<str> for ClipRef {
    fn eq(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if same_name(own, name))
    }
}

/// Whether it selects a clip by this name (case-insensitive).
impl PartialEq<&str> for ClipRef {
    fn eq(&self, name: &&str) -> bool {
        *self == **name
    }
}

/// Whether it selects a clip by this name (case-insensitive).
impl PartialEq<String> for ClipRef {
    fn eq(&self, name: &String) -> bool {
        *self == **name
    }
}

impl From<&str> for ClipRef {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for ClipRef {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<usize> for ClipRef {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<Range<u32>> for ClipRef {
    fn from(frames: Range<u32>) -> Self {
        Self::Frames(frames)
    }
}

impl From<Handle<AnimationClip>> for ClipRef {
    fn from(clip: Handle<AnimationClip>) -> Self {
        Self::Handle(clip)
    }
}

impl core::fmt::Display for ClipRef {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Name(name) => write!(f, "\"{name}\""),
            Self::Index(index) => write!(f, "at index {index}"),
            Self::Frames(range) => write!(f, "of frames {} to {}", range.start, range.end),
            Self::Handle(clip) => match clip.path() {
                Some(path) => write!(f, "{path}"),
                None => write!(f, "{:?}", clip.id()),
            },
            Self::Part { clip, frames } => {
                write!(f, "{clip}, frames {} to {}", frames.start, frames.end)
            }
        }
    }
}

/// The behavior at the end of a clip.
#[derive(VariantDefaults, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub enum Repeat {
    /// Starts again.
    #[default]
    Loop,
    /// Stops at the last pose and sends a [`ClipFinished`](crate::root::ClipFinished).
    Once,
    /// As the clip's entry in [`ModelClips`](crate::root::ModelClips) specifies; without an entry, the clip loops.
    FromManifest,
}
