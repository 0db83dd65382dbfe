//! What poses the bones of a model at a position of a clip.

use crate::playback::frames::{Frames, keyframe_at};
use crate::playback::properties::{Rotation, Scale, Translation};
use bevy::animation::AnimationTargetId;
use bevy::asset::UntypedAssetId;
use bevy::prelude::*;
use core::any::Any;
use core::fmt;
use core::ops::{BitOrAssign, Range};
use std::sync::Arc;

/// The poses of a clip: of all bones, or of one.
pub trait PoseSource: fmt::Debug + Send + Sync + 'static {
    /// Writes the transforms and visibility of the bones that the clip animates, at a position: see [`Timeline`]. Transforms
    /// are relative to the bone's parent. The others stay as they are, and have the values of the rest pose. So do those of
    /// animated bones at the first call. Each call writes the same fields.
    fn pose(&self, position: f32, local: &mut [Transform], visible: &mut [bool]) {
        for (bone, (local, visible)) in local.iter_mut().zip(visible).enumerate() {
            (*local, *visible) = self.bone(bone, position, (*local, *visible));
        }
    }

    /// The transform of one bone relative to its parent, and its own visibility. `rest` has those of the rest pose, which are
    /// those of a bone that the clip does not animate.
    fn bone(&self, bone: usize, position: f32, rest: (Transform, bool)) -> (Transform, bool);

    /// What the clip animates of a bone.
    fn animates(&self, bone: usize) -> Animated;
}

/// What a clip animates of a bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Animated {
    /// Its transform: if a clip animates one field of it, the others are those of the rest pose.
    pub(crate) transform: bool,
    /// Whether it is visible.
    pub(crate) visibility: bool,
}

impl BitOrAssign for Animated {
    fn bitor_assign(&mut self, other: Self) {
        self.transform |= other.transform;
        self.visibility |= other.visibility;
    }
}

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

/// The source of a clip's data. When it changes, clips are baked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClipOrigin {
    /// The model, which does not change: a reload makes another one.
    Model,
    /// The clip.
    Clip,
    /// The clip and the asset that it belongs to.
    File(UntypedAssetId),
}

/// The data of a clip.
pub struct ClipData<S> {
    /// Poses the bones.
    pub(crate) sampler: S,
    pub(crate) timeline: Timeline,
    /// Whether some values are held until the next frame.
    pub(crate) holds: bool,
    pub(crate) origin: ClipOrigin,
}

/// A clip as it poses the bones of one model.
#[derive(Debug)]
pub(crate) struct BoundClip {
    source: Box<dyn PoseSource>,
    timeline: Timeline,
    /// What it animates of each bone.
    animated: Box<[Animated]>,
}

impl BoundClip {
    /// `bones` is the count of the model's bones.
    pub(crate) fn new(data: ClipData<impl PoseSource>, bones: usize) -> Self {
        Self {
            animated: (0..bones).map(|bone| data.sampler.animates(bone)).collect(),
            source: Box::new(data.sampler),
            timeline: data.timeline,
        }
    }

    /// Converts a time of the part of the clip that plays, in seconds, to a position in the whole clip.
    pub(crate) fn position(&self, time: f32, part: Option<&Range<u32>>) -> f32 {
        self.timeline.position(time, part)
    }

    /// What it animates of a bone.
    #[inline]
    pub(crate) fn animates(&self, bone: usize) -> Animated {
        self.animated.get(bone).copied().unwrap_or_default()
    }

    /// See [`PoseSource::bone`].
    #[inline]
    pub(crate) fn bone(
        &self,
        bone: usize,
        position: f32,
        rest: (Transform, bool),
    ) -> (Transform, bool) {
        self.source.bone(bone, position, rest)
    }
}

/// Samples per second of a clip that is not from a file.
const CURVE_RATE: f32 = 60.0;

/// The frames of a clip that is not from a file.
pub(crate) fn curve_timeline(clip: &AnimationClip) -> Timeline {
    // Casting saturates.
    let last = (clip.duration() * CURVE_RATE).ceil() as u32;
    Timeline::Rate {
        count: last.saturating_add(1),
        fps: CURVE_RATE,
    }
}

/// The curves of the bones of a model, of a clip that is not from a file.
#[derive(Debug)]
pub struct ClipCurves(Vec<BoneCurves>);

/// The curves of one bone.
#[derive(Debug, Default)]
struct BoneCurves {
    translation: Option<Box<dyn AnimationCurve>>,
    rotation: Option<Box<dyn AnimationCurve>>,
    scale: Option<Box<dyn AnimationCurve>>,
    visibility: Option<Box<dyn AnimationCurve>>,
}

impl ClipCurves {
    /// Copies the curves of a model's bones. `target` returns the animation target of a bone, and `visibility` is the
    /// evaluator of the format's visibility tracks.
    pub(crate) fn new(
        clip: &AnimationClip,
        bones: usize,
        target: impl Fn(usize) -> AnimationTargetId,
        visibility: Option<&EvaluatorId<'_>>,
    ) -> Self {
        let curves = (0..bones).map(|bone| BoneCurves::new(clip, target(bone), visibility));
        Self(curves.collect())
    }
}

impl PoseSource for ClipCurves {
    fn bone(&self, bone: usize, seconds: f32, rest: (Transform, bool)) -> (Transform, bool) {
        let curves = self.0.get(bone);
        curves.map_or(rest, |curves| curves.sample(seconds, rest))
    }

    fn animates(&self, bone: usize) -> Animated {
        let curves = self.0.get(bone);
        curves.map_or(Animated::default(), |curves| Animated {
            transform: curves.translation.is_some()
                || curves.rotation.is_some()
                || curves.scale.is_some(),
            visibility: curves.visibility.is_some(),
        })
    }
}

impl BoneCurves {
    fn new(
        clip: &AnimationClip,
        target: AnimationTargetId,
        visibility: Option<&EvaluatorId<'_>>,
    ) -> Self {
        let mut curves = Self::default();
        for curve in clip.curves_for_target(target).into_iter().flatten() {
            let field = curve.0.evaluator_id();
            let target = if field == Translation::id() {
                &mut curves.translation
            } else if field == Rotation::id() {
                &mut curves.rotation
            } else if field == Scale::id() {
                &mut curves.scale
            } else if visibility == Some(&field) {
                &mut curves.visibility
            } else {
                continue;
            };
            *target = Some(curve.0.clone_value());
        }
        curves
    }

    fn sample(&self, seconds: f32, (rest, is_visible): (Transform, bool)) -> (Transform, bool) {
        let translation = value::<Vec3>(self.translation.as_deref(), seconds);
        let rotation = value::<Quat>(self.rotation.as_deref(), seconds);
        let scale = value::<Vec3>(self.scale.as_deref(), seconds);
        let transform = Transform {
            translation: translation.unwrap_or(rest.translation),
            rotation: rotation.unwrap_or(rest.rotation),
            scale: scale.unwrap_or(rest.scale),
        };
        let visible = value::<bool>(self.visibility.as_deref(), seconds);
        (transform, visible.unwrap_or(is_visible))
    }
}

/// The value of a curve, if it has the expected type.
fn value<T: Any>(curve: Option<&dyn AnimationCurve>, seconds: f32) -> Option<T> {
    let value = curve?.sample_clamped(seconds).downcast::<T>().ok()?;
    Some(*value)
}
