//! Clips that play a part of another clip.

use crate::playback::frames::Span;
use bevy::animation::AnimationEvaluationError;
use bevy::prelude::*;
use core::any::Any;

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
