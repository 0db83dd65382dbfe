//! Samples the curves of an `AnimationClip` that is not from a file of the model's format.

use crate::crowd::bake::timeline::Timeline;
use crate::playback::graph::properties::{Rotation, Scale, Translation};
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use core::any::Any;

/// Samples per second of a clip.
const CURVE_RATE: f32 = 60.0;

/// The curves of the bones of a model.
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

    /// The transform of a bone relative to its parent, and its own visibility. `rest` has those of the rest pose.
    pub(crate) fn bone(
        &self,
        bone: usize,
        seconds: f32,
        rest: (Transform, bool),
    ) -> (Transform, bool) {
        let curves = self.0.get(bone);
        curves.map_or(rest, |curves| curves.sample(seconds, rest))
    }
}

/// The frames at which a clip of this duration is sampled.
pub(crate) fn curve_timeline(clip: &AnimationClip) -> Timeline {
    // Casting saturates.
    let last = (clip.duration() * CURVE_RATE).ceil() as u32;
    Timeline::Rate {
        count: last.saturating_add(1),
        fps: CURVE_RATE,
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
