//! Clips made of others: parts of a clip, and differences from its first frame, which Bevy's additive nodes add to a pose.

use crate::playback::frames::Span;
use crate::playback::graph::rest_poses::{Rotation, Scale, Translation};
use bevy::animation::AnimationEvaluationError;
use bevy::prelude::*;
use core::any::Any;
use std::sync::Arc;

/// A clip that plays a part of another clip. The curves share their data. Events that users have added to the clip are left
/// out, because Bevy does not give access to them.
pub(crate) fn part_of(clip: &AnimationClip, span: Span) -> AnimationClip {
    let mut part = AnimationClip::default();
    for (target, curves) in clip.curves() {
        let curves = curves.iter().map(|VariableCurve(curve)| {
            let whole = curve.clone_value();
            VariableCurve(Box::new(PartOfCurve { whole, span }))
        });
        part.curves_mut().insert(*target, curves.collect());
    }
    part.set_duration(span.length);
    part
}

/// A curve at the times of a part. It has the evaluator of the whole curve, so both blend with each other.
#[derive(Debug)]
struct PartOfCurve {
    whole: Box<dyn AnimationCurve>,
    span: Span,
}

impl AnimationCurve for PartOfCurve {
    fn clone_value(&self) -> Box<dyn AnimationCurve> {
        Box::new(Self {
            whole: self.whole.clone_value(),
            span: self.span,
        })
    }

    fn domain(&self) -> Interval {
        Interval::new(0.0, self.span.length).unwrap_or(Interval::UNIT)
    }

    fn evaluator_id(&self) -> EvaluatorId<'_> {
        self.whole.evaluator_id()
    }

    fn create_evaluator(&self) -> Box<dyn AnimationCurveEvaluator> {
        self.whole.create_evaluator()
    }

    fn apply(
        &self,
        evaluator: &mut dyn AnimationCurveEvaluator,
        time: f32,
        weight: f32,
        node: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        self.whole
            .apply(evaluator, self.span.time(time), weight, node)
    }

    fn sample_clamped(&self, time: f32) -> Box<dyn Any> {
        self.whole.sample_clamped(self.span.time(time))
    }
}

/// The difference between a clip and its first frame. Translations and scales are differences; a rotation is the one
/// that turns the first frame's rotation into the current one.
///
/// Only curves of translations, rotations and scales are converted; other curves are left out. Bevy's events stay.
pub(crate) fn difference_from_first_frame(clip: &AnimationClip) -> AnimationClip {
    let mut difference = clip.clone();
    for curves in difference.curves_mut().values_mut() {
        *curves = curves.iter().filter_map(converted).collect();
    }
    difference
        .curves_mut()
        .retain(|_, curves| !curves.is_empty());
    difference
}

fn converted(VariableCurve(curve): &VariableCurve) -> Option<VariableCurve> {
    let field = curve.evaluator_id();
    if field == Translation::id() {
        let difference = Difference::new(&**curve)?;
        Some(VariableCurve::new(AnimatableCurve::new(
            Translation,
            difference,
        )))
    } else if field == Scale::id() {
        let difference = Difference::new(&**curve)?;
        Some(VariableCurve::new(AnimatableCurve::new(Scale, difference)))
    } else if field == Rotation::id() {
        let turn = Turn::new(&**curve)?;
        Some(VariableCurve::new(AnimatableCurve::new(Rotation, turn)))
    } else {
        None
    }
}

/// The value of a curve at a time, if it has the expected type.
fn sample<T: Any>(curve: &dyn AnimationCurve, time: f32) -> Option<T> {
    let value = curve.sample_clamped(time).downcast::<T>().ok()?;
    Some(*value)
}

/// The difference between a curve's value and its first value.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
struct Difference {
    whole: Arc<dyn AnimationCurve>,
    first: Vec3,
}

impl Difference {
    fn new(curve: &dyn AnimationCurve) -> Option<Self> {
        Some(Self {
            whole: curve.clone_value().into(),
            first: sample(curve, 0.0)?,
        })
    }
}

impl Curve<Vec3> for Difference {
    fn domain(&self) -> Interval {
        self.whole.domain()
    }

    fn sample_clamped(&self, t: f32) -> Vec3 {
        sample(&*self.whole, t).unwrap_or(self.first) - self.first
    }

    fn sample_unchecked(&self, t: f32) -> Vec3 {
        self.sample_clamped(t)
    }
}

/// The rotation from a curve's first value to its value.
#[derive(Clone, Debug, Reflect)]
#[reflect(opaque, Clone, Debug)]
struct Turn {
    whole: Arc<dyn AnimationCurve>,
    first: Quat,
}

impl Turn {
    fn new(curve: &dyn AnimationCurve) -> Option<Self> {
        Some(Self {
            whole: curve.clone_value().into(),
            first: sample(curve, 0.0)?,
        })
    }
}

impl Curve<Quat> for Turn {
    fn domain(&self) -> Interval {
        self.whole.domain()
    }

    fn sample_clamped(&self, t: f32) -> Quat {
        // Bevy's additive nodes multiply from the left.
        sample(&*self.whole, t).unwrap_or(self.first) * self.first.inverse()
    }

    fn sample_unchecked(&self, t: f32) -> Quat {
        self.sample_clamped(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::animation::AnimationTargetId;
    use bevy::animation::animation_curves::AnimatableKeyframeCurve;

    #[test]
    fn differences_are_zero_at_the_first_frame() {
        let target = AnimationTargetId::from_iter(["bone"]);
        let mut clip = AnimationClip::default();
        let moved = [2.0, 3.0].map(|x| Vec3::new(x, 0.0, 0.0));
        let moved = AnimatableKeyframeCurve::new([0.0, 1.0].into_iter().zip(moved)).unwrap();
        clip.add_curve_to_target(target, AnimatableCurve::new(Translation, moved));
        let turned = [1.0, 2.0].map(Quat::from_rotation_z);
        let turned = AnimatableKeyframeCurve::new([0.0, 1.0].into_iter().zip(turned)).unwrap();
        clip.add_curve_to_target(target, AnimatableCurve::new(Rotation, turned));
        let difference = difference_from_first_frame(&clip);
        let curves = difference.curves_for_target(target).unwrap();
        let [moved, turned] = &**curves else {
            panic!("{} curves", curves.len());
        };
        assert_eq!(sample::<Vec3>(&*moved.0, 0.0), Some(Vec3::ZERO));
        assert_eq!(sample::<Vec3>(&*moved.0, 0.5), Some(Vec3::X * 0.5));
        let at = |time| sample::<Quat>(&*turned.0, time).unwrap();
        assert!(at(0.0).angle_between(Quat::IDENTITY) < 1e-3);
        assert!(at(0.5).angle_between(Quat::from_rotation_z(0.5)) < 1e-3);
        assert_eq!(difference.duration(), clip.duration());
    }
}
