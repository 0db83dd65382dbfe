//! Which clip a component means, and what happens at its end.

use crate::scene::same_name;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
use bevy::animation::AnimationClip;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
use bevy::asset::Handle;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use core::ops::Range;
use std::sync::Arc;

/// Which clip of a model.
#[derive(Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClipRef {
    /// The first clip of this name in [`ModelClips`](super::ModelClips), else in the model's file.
    Name(String),
    /// The clip at this place in the model's list.
    Index(usize),
    /// Frames of an MDL model by their numbers, as game code counts them.
    Frames(Range<u32>),
    /// Any clip, on models that Bevy animates. It plays once it is loaded.
    #[cfg(any(feature = "alamo", feature = "lithtech"))]
    Handle(Handle<AnimationClip>),
    /// Frames of a clip by their numbers, of which the clip's first is 0: of an ALA animation its frames, of an
    /// ABC animation its keyframes, of an MDL clip its poses. The one at the end of the range is not among them.
    ///
    /// They play at the clip's own pace, as a clip would of these frames alone, and
    /// [`Playback::time`](super::Playback::time) is 0 at the first of them:
    /// * on ALO and ABC from the first frame to the last, at which a loop begins again, as in a whole clip: a range
    ///   of 5 frames takes 4 steps. Where the first and the last are not the same pose, that is a jump.
    ///   What an ABC clip has after its last keyframe belongs to that.
    /// * on MDL each pose has its time, the last one too, in which a loop goes on to the first: a range of 5 poses
    ///   takes 5 steps. Poses of a frame group begin at the first, whatever the client's clock says.
    ///
    /// Frames that the clip does not have are left out. If none is left, that is told and nothing plays.
    /// A part may be of another part. A `Handle` is known by its frames on models of the format that it is
    /// of: an ALA file's anywhere, an ABC file's while an `Abc` is loaded that has it.
    Part {
        /// The clip that they are of.
        clip: Arc<ClipRef>,
        /// Which of its frames.
        frames: Range<u32>,
    },
}

impl ClipRef {
    /// Frames of a clip: see [`ClipRef::Part`].
    pub fn part(clip: impl Into<ClipRef>, frames: Range<u32>) -> Self {
        Self::Part {
            clip: Arc::new(clip.into()),
            frames,
        }
    }
}

/// The frames of a part, told in those of the clip that another part is of.
pub(super) fn part_within(of: &Range<u32>, part: Option<Range<u32>>) -> Range<u32> {
    match part {
        Some(part) => {
            let within = |frame: u32| of.start.saturating_add(frame);
            within(part.start)..within(part.end).min(of.end)
        }
        None => of.clone(),
    }
}

/// Whether it is the clip of a name, in any case, as clips are found.
impl PartialEq<str> for ClipRef {
    fn eq(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if same_name(own, name))
    }
}

/// Whether it is the clip of a name, in any case, as clips are found.
impl PartialEq<&str> for ClipRef {
    fn eq(&self, name: &&str) -> bool {
        *self == **name
    }
}

/// Whether it is the clip of a name, in any case, as clips are found.
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

#[cfg(any(feature = "alamo", feature = "lithtech"))]
impl From<Handle<AnimationClip>> for ClipRef {
    fn from(clip: Handle<AnimationClip>) -> Self {
        Self::Handle(clip)
    }
}

impl core::fmt::Display for ClipRef {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Name(name) => write!(f, "\"{name}\""),
            Self::Index(index) => write!(f, "number {index}"),
            Self::Frames(range) => write!(f, "of frames {} to {}", range.start, range.end),
            #[cfg(any(feature = "alamo", feature = "lithtech"))]
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

/// What happens at the end of a clip.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Clone, Debug, PartialEq, Hash)]
pub enum Repeat {
    /// It begins again.
    #[default]
    Loop,
    /// It stays in its last pose, and a [`ClipFinished`](super::ClipFinished) is written.
    Once,
    /// What [`ModelClips`](super::ModelClips) state about the clip; without them it begins again.
    FromManifest,
}
