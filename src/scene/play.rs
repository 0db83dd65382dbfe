//! Components of a model's root that choose what it plays, and what tells where it is.

use crate::scene::same_name;
use crate::scene::stated::{Stated, forget_stated};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
use bevy::animation::AnimationClip;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
use bevy::asset::Handle;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::message::Message;
use bevy::ecs::reflect::ReflectComponent;
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
    /// [`Playback::time`] is 0 at the first of them:
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

    /// What is not a part, and which of its frames if this is one.
    pub(crate) fn flat(&self) -> (&Self, Option<Range<u32>>) {
        let (mut clip, mut frames) = (self, None);
        while let Self::Part {
            clip: of,
            frames: which,
        } = clip
        {
            frames = Some(part_within(which, frames));
            clip = of;
        }
        (clip, frames)
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
    /// It stays in its last pose, and a [`ClipFinished`] is written.
    Once,
    /// What [`ModelClips`](super::ModelClips) state about the clip; without them it begins again.
    AsStated,
}

/// Plays a clip of a model.
///
/// A clip that does not exist, or cannot be loaded, is a warning. It never finishes: no [`ClipFinished`] is written, and
/// [`Playback::finished`] stays false. Meanwhile a Quake model shows its frame 0, and other models rest. The clip begins
/// when a reload brings it.
///
/// Put it on the entity that has the `WorldAssetRoot`, when spawning it or at any time later.
/// A change of `clip`, `repeat` or `start` begins anew; a change of anything else goes on from where
/// the clip is. To begin the same clip again or to jump in it, set [`Playback::time`].
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Playback, Stated)]
#[component(on_remove = forget_stated)]
pub struct PlayClip {
    /// Which clip.
    pub clip: ClipRef,
    /// What happens at its end.
    pub repeat: Repeat,
    /// Seconds of the clip per second of time; negative plays backwards.
    pub speed: f32,
    /// Where to begin, in seconds. `None` is the beginning (the end if `speed` is negative), but for a
    /// frame group of an MDL model that loops it is the time of the client's clock, as in the games:
    /// with a phase of the entity's own if the model's synctype is random, and not if it is that of the
    /// frame's time.
    pub start: Option<f32>,
    /// Seconds over which what showed when the clip was chosen fades into it: the pose of an MDL model, the
    /// clips that play on others, which go on meanwhile.
    pub fade: f32,
    /// Whether to interpolate between the poses of an MDL model. Animations of ALO models say that
    /// themselves, and those of ABC models always do.
    pub interpolate: bool,
    /// Whether time stands still, that of a fade as well (which a speed of 0 does not stop).
    pub paused: bool,
}

impl PlayClip {
    /// Plays a clip over and over.
    pub fn looping(clip: impl Into<ClipRef>) -> Self {
        Self {
            clip: clip.into(),
            repeat: Repeat::Loop,
            speed: 1.0,
            start: None,
            fade: 0.0,
            interpolate: true,
            paused: false,
        }
    }

    /// Plays a clip as a manifest states it, and over and over where none does.
    pub fn stated(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::AsStated,
            ..Self::looping(clip)
        }
    }

    /// Plays a clip once and stays in its last pose.
    pub fn once(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::Once,
            ..Self::looping(clip)
        }
    }

    /// Sets the speed; negative plays backwards.
    #[must_use]
    pub fn with_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Begins `start` seconds into the clip.
    #[must_use]
    pub fn starting_at(self, start: f32) -> Self {
        Self {
            start: Some(start),
            ..self
        }
    }

    /// Fades from what shows now, over so many seconds: see [`fade`](Self::fade).
    #[must_use]
    pub fn with_fade(self, fade: f32) -> Self {
        Self { fade, ..self }
    }

    /// Shows each pose unchanged until the next one's time.
    #[must_use]
    pub fn without_interpolation(self) -> Self {
        Self {
            interpolate: false,
            ..self
        }
    }

    /// Stands still.
    #[must_use]
    pub fn paused(self) -> Self {
        Self {
            paused: true,
            ..self
        }
    }
}

/// Where in its clip a model is. Required by [`PlayClip`], and kept over hot reloads.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct Playback {
    /// Seconds since the beginning of the clip; set it to jump.
    pub time: f32,
    /// Whether a clip that plays once has come to its end.
    pub finished: bool,
}

impl Playback {
    /// Advances by `seconds` in a clip of the given length. True if a clip that plays once has come
    /// to its end by this step.
    pub(crate) fn advance(&mut self, seconds: f32, length: f32, repeat: Repeat) -> bool {
        let time = self.time + seconds;
        let time = if time.is_finite() { time } else { 0.0 };
        match repeat {
            Repeat::Loop | Repeat::AsStated => {
                self.time = wrap(time, length);
                self.finished = false;
                false
            }
            Repeat::Once => {
                self.time = time.clamp(0.0, length);
                let at_end = (seconds > 0.0 && time >= length) || (seconds < 0.0 && time <= 0.0);
                let moved_away = seconds != 0.0 && !at_end;
                let just_now = at_end && !self.finished;
                self.finished = at_end || (self.finished && !moved_away);
                just_now
            }
        }
    }
}

/// `time` modulo `length`, from 0 up to but not including it; 0 for a clip without length.
pub(crate) fn wrap(time: f32, length: f32) -> f32 {
    if length <= 0.0 {
        return 0.0;
    }
    let wrapped = time.rem_euclid(length);
    // The remainder of a tiny negative number rounds up to the length itself.
    if wrapped < length { wrapped } else { 0.0 }
}

/// Written when a clip that plays once comes to its end. A clip that does not exist never does.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct ClipFinished {
    /// The entity that has the [`PlayClip`].
    pub entity: Entity,
    /// The clip, as [`PlayClip::clip`] names it. It can be compared with a name: `finished.clip == "die"`.
    pub clip: ClipRef,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_compare_with_names_in_any_case() {
        let die = ClipRef::from("Die");
        let owned = "dIE".to_owned();
        assert!(die == "die" && die == *"DIE" && die == owned);
        assert!(die != "dies" && ClipRef::from(0) != "0");
        assert!(ClipRef::part("die", 0..2) != "die");
    }

    #[test]
    fn a_loop_wraps_both_ways() {
        let mut playback = Playback::default();
        assert!(!playback.advance(0.9, 0.8, Repeat::Loop));
        assert!((playback.time - 0.1).abs() < 1e-6);
        playback.advance(-0.2, 0.8, Repeat::Loop);
        assert!((playback.time - 0.7).abs() < 1e-6);
        playback.advance(f32::NAN, 0.8, Repeat::Loop);
        assert_eq!(playback.time, 0.0);
        assert_eq!(wrap(-1e-9, 0.8), 0.0);
        assert_eq!(wrap(3.0, 0.0), 0.0);
    }

    #[test]
    fn once_finishes_once_and_again_after_a_jump() {
        let mut playback = Playback::default();
        assert!(!playback.advance(0.5, 0.8, Repeat::Once));
        assert!(playback.advance(0.5, 0.8, Repeat::Once));
        assert_eq!((playback.time, playback.finished), (0.8, true));
        assert!(!playback.advance(0.5, 0.8, Repeat::Once));
        playback.time = 0.0;
        assert!(!playback.advance(0.1, 0.8, Repeat::Once));
        assert!(!playback.finished);
        assert!(playback.advance(1.0, 0.8, Repeat::Once));
        playback.finished = false;
        assert!(playback.advance(-1.0, 0.8, Repeat::Once));
        assert_eq!(playback.time, 0.0);
    }
}
