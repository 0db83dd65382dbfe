//! Components of a model's root that control the playback of clips and report its state: references to clips, named clips, and
//! speeds that follow the velocity.

use crate::load::names::{equals_folded, folded, same_name};
use bevy::ecs::VariantDefaults;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use core::ops::Range;
use std::sync::Arc;

/// Plays a clip of a model.
///
/// A clip that is missing or cannot be loaded causes a warning. It never finishes: no [`ClipFinished`] is sent, and
/// [`Playback::finished`] stays false. Until a reload provides the clip, a Quake model shows its frame 0, and other
/// models show their rest pose.
///
/// Insert it on the root, at any time. Changing `clip`, `repeat` or `start` restarts
/// playback; changing another field does not. To restart the same clip or to seek, set [`Playback::time`].
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(Playback, ResolvedClip)]
#[component(on_remove = remove_resolved_clip)]
pub struct PlayClip {
    /// The clip to play.
    pub clip: ClipRef,
    /// The behavior at the end of the clip.
    pub repeat: Repeat,
    /// Seconds of the clip per second of time; a negative speed plays backwards.
    pub speed: f32,
    /// The start time in seconds. `None` is the beginning, or the end if `speed` is negative.
    ///
    /// For a looping frame group of an MDL model, `None` is the time of the client's clock, as in the games. With a
    /// random synctype, each entity has its own phase. With the synctype of frame time, playback starts at the
    /// beginning.
    pub start: Option<f32>,
    /// The duration of the cross-fade into the clip, in seconds. An MDL model fades from the pose that it showed last.
    /// Other models fade from the active clips, which continue to play during the fade.
    pub fade: f32,
    /// Whether to interpolate between the poses of an MDL model. Ignored by other formats: animations of ALO models
    /// specify their interpolation, and those of ABC models always interpolate.
    pub interpolate: bool,
    /// Whether playback and cross-fades are paused. A speed of 0 does not pause cross-fades.
    pub paused: bool,
}

/// The first clip of the model, in a loop.
impl Default for PlayClip {
    fn default() -> Self {
        Self {
            clip: ClipRef::default(),
            repeat: Repeat::Loop,
            speed: 1.0,
            start: None,
            fade: 0.0,
            interpolate: true,
            paused: false,
        }
    }
}

impl PlayClip {
    /// Plays a clip in a loop.
    pub fn looping(clip: impl Into<ClipRef>) -> Self {
        Self {
            clip: clip.into(),
            ..Self::default()
        }
    }

    /// Plays a clip with the end behavior of its manifest; loops if no manifest specifies one.
    pub fn from_manifest(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::FromManifest,
            ..Self::looping(clip)
        }
    }

    /// Plays a clip once and stops at its last pose.
    pub fn once(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::Once,
            ..Self::looping(clip)
        }
    }

    /// Sets the speed; a negative speed plays backwards.
    #[must_use]
    pub fn with_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Starts `start` seconds into the clip.
    #[must_use]
    pub fn starting_at(self, start: f32) -> Self {
        Self {
            start: Some(start),
            ..self
        }
    }

    /// Sets the duration of the cross-fade in seconds: see [`fade`](Self::fade).
    #[must_use]
    pub fn with_fade(self, fade: f32) -> Self {
        Self { fade, ..self }
    }

    /// Disables interpolation between the poses of an MDL model.
    #[must_use]
    pub fn without_interpolation(self) -> Self {
        Self {
            interpolate: false,
            ..self
        }
    }

    /// Pauses playback.
    #[must_use]
    pub fn paused(self) -> Self {
        Self {
            paused: true,
            ..self
        }
    }
}

/// The playback state of a model's clip. Required by [`PlayClip`]. Hot reloads keep it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct Playback {
    /// Seconds since the beginning of the clip; set it to seek.
    pub time: f32,
    /// Whether a clip with [`Repeat::Once`] has ended.
    pub finished: bool,
    /// The seconds from the start of the clip to its end, as of the last frame. 0 while the requested clip does not play.
    pub duration: f32,
}

/// Sent to the root when a clip with [`Repeat::Once`] ends. It is not sent for missing clips.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct ClipFinished {
    /// The entity that has the [`PlayClip`].
    pub entity: Entity,
    /// The clip as specified in [`PlayClip::clip`]. It can be compared with a name: `finished.clip == "die"`.
    pub clip: ClipRef,
}

/// The resolved form of a [`PlayClip`]; `None` until it is resolved for the first time. Required by [`PlayClip`].
///
/// It is not registered for reflection, because saved worlds contain registered components. `clone_behavior = Ignore`
/// lets Bevy spawn scenes that contain a [`PlayClip`]: otherwise it rejects unregistered components.
#[derive(Component, Debug, Default, PartialEq)]
#[component(clone_behavior = Ignore)]
pub(crate) struct ResolvedClip(pub(crate) Option<ResolvedPlay>);

/// A clip with all names resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResolvedPlay {
    /// The request with a clip of a file or a part of one, and with the speed and end behavior of
    /// [`ModelClips`](crate::root::ModelClips) applied.
    pub(crate) play: PlayClip,
    /// The clip as requested.
    pub(crate) requested: ClipRef,
    /// The end behavior as requested.
    pub(crate) requested_repeat: Repeat,
    /// The speed and end behavior of the clip's entries in [`ModelClips`](crate::root::ModelClips).
    pub(crate) named: (f32, Repeat),
    /// The stride of the first of these entries that has one.
    pub(crate) stride: Option<f32>,
}

impl ResolvedPlay {
    /// The stride and the speed of the clip's entries in [`ModelClips`](crate::root::ModelClips).
    pub(crate) fn stride_and_speed(&self) -> (Option<f32>, f32) {
        (self.stride, self.named.0)
    }
}

impl ResolvedClip {
    pub(crate) fn get(&self) -> Option<&ResolvedPlay> {
        self.0.as_ref()
    }
}

/// Removes the [`ResolvedClip`] together with the [`PlayClip`].
pub(crate) fn remove_resolved_clip(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Ok(mut root) = world.commands().get_entity(context.entity) {
        root.try_remove::<ResolvedClip>();
    }
}

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
            Self::Frames(range) => write!(f, "of {}", Frames(range)),
            Self::Handle(clip) => match clip.path() {
                Some(path) => write!(f, "{path}"),
                None => write!(f, "{:?}", clip.id()),
            },
            Self::Part { clip, frames } => write!(f, "{clip}, {}", Frames(frames)),
        }
    }
}

/// Displays a range of frames with its last frame, as in manifests.
pub(crate) struct Frames<'a>(pub(crate) &'a Range<u32>);

impl core::fmt::Display for Frames<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            range if range.is_empty() => write!(f, "frames {range:?}"),
            Range { start, end } if end - start == 1 => write!(f, "frame {start}"),
            Range { start, end } => write!(f, "frames {start} to {}", end - 1),
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

/// Named clips of a model, in addition to the clips of its file. A manifest's clips are inserted as this component.
///
/// [`PlayClip`](crate::root::PlayClip) looks up a name here first, then in the model's file.
///
/// Insert it on the root, and change it at any time. Playback continues if only the
/// speed or the end behavior changes. It restarts if its name now refers to a different clip.
///
/// All entities of one manifest share one list of clips.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelClips(pub Arc<[NamedClip]>);

impl PartialEq for ModelClips {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl FromIterator<NamedClip> for ModelClips {
    fn from_iter<T: IntoIterator<Item = NamedClip>>(clips: T) -> Self {
        Self(clips.into_iter().collect())
    }
}

/// A clip with a name, a speed and an end behavior.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone, Debug, PartialEq)]
pub struct NamedClip {
    /// The name (case-insensitive).
    pub name: String,
    /// The clip that is played under this name.
    ///
    /// It can be another name in the same list. Then the speeds are multiplied, and the first `repeat` that is not
    /// [`Repeat::FromManifest`] applies. Each name is looked up at most once, so `walk` can refer to the file's `walk`.
    pub clip: ClipRef,
    /// A factor for [`PlayClip::speed`](crate::root::PlayClip::speed).
    pub speed: f32,
    /// The end behavior if [`PlayClip::repeat`](crate::root::PlayClip::repeat) is [`Repeat::FromManifest`].
    /// `FromManifest` here uses the end behavior of `clip`.
    pub repeat: Repeat,
    /// The distance that the model covers in one pass through the clip, for [`FollowVelocity`](crate::root::FollowVelocity).
    /// `None` here uses the stride of `clip`, if that is another name.
    pub stride: Option<f32>,
}

/// The first clip of the model without a name, at its own speed.
impl Default for NamedClip {
    fn default() -> Self {
        Self {
            name: String::new(),
            clip: ClipRef::default(),
            speed: 1.0,
            repeat: Repeat::FromManifest,
            stride: None,
        }
    }
}

impl ModelClips {
    /// Creates the component from a list. If several clips have the same name, the first is used.
    pub fn new(clips: impl IntoIterator<Item = NamedClip>) -> Self {
        clips.into_iter().collect()
    }

    /// The first clip with this name (case-insensitive).
    pub fn get(&self, name: &str) -> Option<&NamedClip> {
        self.0.get(self.index_of(name)?)
    }

    /// The index of the first clip with this name (case-insensitive).
    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        let name = folded(name);
        self.0
            .iter()
            .position(|clip| equals_folded(&clip.name, &name))
    }
}

/// Sets [`PlayClip::speed`](crate::root::PlayClip::speed) so that the clip's stride matches the velocity of the model.
///
/// The stride is the distance that the model covers in one pass through the clip, in units of the root: meters for a model
/// with [`BevySpace`](crate::root::BevySpace). If the root is scaled, so is the stride. While the clip has no stride, its
/// speed does not change. A stride that is not given is measured, as by
/// [`ModelQuery::stride`](crate::query::ModelQuery::stride). If the model moves with a clip in which it does not walk, this is
/// a warning.
///
/// Only movement in the plane across the root's Y axis counts. If the model moves away from its front (the root's −Z axis),
/// the clip plays backward. At rest, the speed is 0.
///
/// Insert it on the entity that has the [`PlayClip`](crate::root::PlayClip).
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(LastPosition, MeasuredStride)]
#[component(on_remove = remove_last_position)]
pub struct FollowVelocity {
    /// The stride of whatever clip plays. `None` is that of the clip's entry in [`ModelClips`](crate::root::ModelClips),
    /// otherwise the measured one. A value that is not a finite number above 0 is no stride.
    pub stride: Option<f32>,
    /// The velocity in world space, in units per second. `None`, the default, is measured from the root's movement since
    /// the last frame. A movement of more than one stride in a frame is a jump, which does not change the speed.
    pub velocity: Option<Vec3>,
}

/// The position of a root in the last frame, in world space.
///
/// It is not registered for reflection, because saved worlds contain registered components.
#[derive(Component, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(crate) struct LastPosition(pub(crate) Option<Vec3>);

/// The stride of the clip that plays, on a root that needs it.
#[derive(Component, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(crate) struct MeasuredStride {
    /// In units of the root: that of the clip's entry in [`ModelClips`](crate::root::ModelClips), otherwise the measured one.
    pub(crate) stride: Option<f32>,
    /// Whether the root moved along the ground in the last frame.
    pub(crate) is_moving: bool,
    /// Whether there was a warning about the clip, in which the model does not walk.
    pub(crate) is_warned: bool,
}

fn remove_last_position(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Ok(mut root) = world.commands().get_entity(context.entity) {
        root.try_remove::<LastPosition>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clip_names_are_compared_case_insensitively() {
        let die = ClipRef::from("Die");
        let owned = "dIE".to_owned();
        assert!(die == "die" && die == *"DIE" && die == owned);
        assert!(die != "dies" && ClipRef::from(0) != "0");
        assert!(ClipRef::part("die", 0..2) != "die");
    }
}
