//! Animations that show and hide bones: they write [`BoneVisibility`], which `alamo::appearance` applies.

use crate::appearance::parts::BoneVisibility;
use crate::formats::alamo::animation::packed::{Bits, Timing};
use bevy::animation::{AnimationEntityMut, AnimationEvaluationError};
use bevy::prelude::*;
use core::any::{Any, TypeId};
use std::sync::Arc;

/// Shows or hides a bone, frame by frame: see [`BoneVisibility`]. The value of a frame is held until the next frame.
///
/// When clips are blended, their weights are votes, and the majority wins. In a tie the bone is shown. A clip without
/// such a curve has no vote on the bone: see [`DefaultVisibilityCurve`].
#[derive(Clone, Debug)]
pub struct VisibilityCurve(
    /// An array of bits, and the index of the first byte. `None` shows the bone in all frames.
    Option<(Arc<Bits>, u32)>,
);

impl VisibilityCurve {
    /// Shows the bone in all frames, as a file does that has the bone without a visibility track.
    pub const VISIBLE: Self = Self(None);

    /// Creates a curve from the visibility in each frame, and the count of frames per second.
    pub fn new(frames: impl IntoIterator<Item = bool>, fps: f32) -> Self {
        let mut bytes = Vec::new();
        let mut count = 0;
        for (frame, visible) in (0_u32..).zip(frames) {
            if frame % 8 == 0 {
                bytes.push(0);
            }
            if let Some(byte) = bytes.last_mut() {
                *byte |= u8::from(visible) << (frame % 8);
            }
            count = frame + 1;
        }
        let bits = Bits::new(bytes.into(), Timing::new(count, fps));
        Self::shared(Arc::new(bits), 0)
    }

    /// Creates a curve over the bits of one bone, in an array that bones share.
    pub(crate) fn shared(bits: Arc<Bits>, first: u32) -> Self {
        Self(Some((bits, first)))
    }

    /// Whether it was made from frames: [`VISIBLE`](Self::VISIBLE) was not.
    pub(crate) fn has_frames(&self) -> bool {
        self.0.is_some()
    }

    /// Whether the bone is visible at a time, in seconds.
    #[inline]
    pub fn sample(&self, time: f32) -> bool {
        self.0.as_ref().is_none_or(|(bits, first)| {
            let (frame, _) = bits.timing.frame(time);
            bits.get(*first, frame)
        })
    }
}

impl AnimationCurve for VisibilityCurve {
    fn clone_value(&self) -> Box<dyn AnimationCurve> {
        Box::new(self.clone())
    }

    fn domain(&self) -> Interval {
        let bits = self.0.as_ref();
        bits.map_or(Interval::EVERYWHERE, |(bits, _)| bits.timing.domain())
    }

    fn evaluator_id(&self) -> EvaluatorId<'_> {
        visibility_evaluator()
    }

    fn create_evaluator(&self) -> Box<dyn AnimationCurveEvaluator> {
        Box::<Evaluator>::default()
    }

    fn apply(
        &self,
        evaluator: &mut dyn AnimationCurveEvaluator,
        time: f32,
        weight: f32,
        node: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        let vote = VisibilityVote::new(self.sample(time));
        push(evaluator, vote, weight, node)
    }

    fn sample_clamped(&self, time: f32) -> Box<dyn Any> {
        Box::new(self.sample(time))
    }
}

/// Votes for the default visibility of a bone ([`AloBone::visible`](crate::alamo::AloBone::visible)), with the weight by
/// which the votes of other clips fall short of 1.
///
/// When a clip with a [`VisibilityCurve`] on a bone fades into one without, the default wins once the clip without has
/// the greater weight. [`PlayClip`](crate::root::PlayClip) does the same. For your own graph, add a
/// clip with this curve for each bone that any of your clips shows or hides. The weights of the other clips must add up
/// to 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultVisibilityCurve;

impl AnimationCurve for DefaultVisibilityCurve {
    fn clone_value(&self) -> Box<dyn AnimationCurve> {
        Box::new(*self)
    }

    fn domain(&self) -> Interval {
        Interval::EVERYWHERE
    }

    fn evaluator_id(&self) -> EvaluatorId<'_> {
        visibility_evaluator()
    }

    fn create_evaluator(&self) -> Box<dyn AnimationCurveEvaluator> {
        Box::<Evaluator>::default()
    }

    fn apply(
        &self,
        evaluator: &mut dyn AnimationCurveEvaluator,
        _: f32,
        _: f32,
        node: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        push(evaluator, VisibilityVote::DEFAULT, 0.0, node)
    }

    fn sample_clamped(&self, _: f32) -> Box<dyn Any> {
        Box::new(())
    }
}

/// The ID of the evaluator that blends all visibility curves of a bone.
pub(crate) fn visibility_evaluator() -> EvaluatorId<'static> {
    EvaluatorId::Type(TypeId::of::<Evaluator>())
}

fn push(
    evaluator: &mut dyn AnimationCurveEvaluator,
    vote: VisibilityVote,
    weight: f32,
    node: AnimationNodeIndex,
) -> Result<(), AnimationEvaluationError> {
    let inconsistent = AnimationEvaluationError::InconsistentEvaluatorImplementation;
    let evaluator = evaluator
        .downcast_mut::<Evaluator>()
        .ok_or_else(|| inconsistent(TypeId::of::<Evaluator>()))?;
    evaluator.stack.push(Element { vote, weight, node });
    Ok(())
}

/// Votes on the visibility of a bone, as fractions of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct VisibilityVote {
    visible: f32,
    hidden: f32,
    /// The vote for the default visibility of the bone.
    default: f32,
    /// Whether the default visibility also gets the fraction that is missing to 1.
    fills: bool,
}

impl VisibilityVote {
    const DEFAULT: Self = Self {
        visible: 0.0,
        hidden: 0.0,
        default: 0.0,
        fills: true,
    };

    fn new(is_visible: bool) -> Self {
        let (visible, hidden) = if is_visible { (1.0, 0.0) } else { (0.0, 1.0) };
        Self {
            visible,
            hidden,
            default: 0.0,
            fills: false,
        }
    }

    /// Adds another vote, multiplied by a weight.
    fn plus(self, other: Self, weight: f32) -> Self {
        Self {
            visible: self.visible + other.visible * weight,
            hidden: self.hidden + other.hidden * weight,
            default: self.default + other.default * weight,
            fills: self.fills || other.fills,
        }
    }

    /// Gives the missing fraction to the default visibility, and scales the votes so that they add up to 1.
    fn normalized(self) -> Self {
        let missing = (1.0 - self.visible - self.hidden - self.default).max(0.0);
        let default = self.default + if self.fills { missing } else { 0.0 };
        let sum = self.visible + self.hidden + default;
        if sum > 0.0 {
            Self {
                visible: self.visible / sum,
                hidden: self.hidden / sum,
                default: default / sum,
                fills: false,
            }
        } else {
            self
        }
    }

    fn is_visible(self, default: bool) -> bool {
        let (visible, hidden) = if default {
            (self.visible + self.default, self.hidden)
        } else {
            (self.visible, self.hidden + self.default)
        };
        // Weights add up to 1 only within the rounding error.
        visible >= hidden - 1e-6
    }
}

struct Element {
    vote: VisibilityVote,
    weight: f32,
    node: AnimationNodeIndex,
}

/// Adds up the votes of clips on one bone.
#[derive(Default)]
struct Evaluator {
    stack: Vec<Element>,
    register: Option<VisibilityVote>,
}

impl Evaluator {
    /// Adds the votes of a node to the register.
    fn accumulate(&mut self, node: AnimationNodeIndex) {
        // A node has two votes if its clip has both a visibility track and a default curve.
        while let Some(top) = self.stack.pop_if(|top| top.node == node) {
            let register = self.register.unwrap_or_default();
            self.register = Some(register.plus(top.vote, top.weight));
        }
    }
}

impl AnimationCurveEvaluator for Evaluator {
    fn blend(&mut self, node: AnimationNodeIndex) -> Result<(), AnimationEvaluationError> {
        self.accumulate(node);
        Ok(())
    }

    /// Visibility cannot be added. So the clips of an additive node vote with their weights too.
    fn add(&mut self, node: AnimationNodeIndex) -> Result<(), AnimationEvaluationError> {
        self.accumulate(node);
        Ok(())
    }

    fn push_blend_register(
        &mut self,
        weight: f32,
        node: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        if let Some(vote) = self.register.take() {
            let vote = vote.normalized();
            self.stack.push(Element { vote, weight, node });
        }
        Ok(())
    }

    fn commit(
        &mut self,
        mut entity: AnimationEntityMut<'_, '_>,
    ) -> Result<(), AnimationEvaluationError> {
        let top = self.stack.pop();
        self.stack.clear();
        self.register = None;
        let Some(top) = top else {
            let inconsistent = AnimationEvaluationError::InconsistentEvaluatorImplementation;
            return Err(inconsistent(TypeId::of::<Self>()));
        };
        // Clips also play on other skeletons, which have no such component.
        if let Some(mut bone) = entity.get_mut::<BoneVisibility>() {
            let bone = bone.bypass_change_detection();
            bone.animated = Some(top.vote.is_visible(bone.default));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(index: usize) -> AnimationNodeIndex {
        AnimationNodeIndex::new(index)
    }

    /// Blends the votes of sibling nodes, in the order in which Bevy evaluates them.
    fn blended(votes: &[(VisibilityVote, f32)]) -> VisibilityVote {
        let mut evaluator = Evaluator::default();
        for (index, (vote, weight)) in votes.iter().enumerate().rev() {
            let node = node(index + 1);
            push(&mut evaluator, *vote, *weight, node).unwrap();
        }
        for index in 0..votes.len() {
            evaluator.blend(node(index + 1)).unwrap();
        }
        evaluator.push_blend_register(1.0, node(0)).unwrap();
        assert_eq!(evaluator.stack.len(), 1);
        evaluator.stack.pop().unwrap().vote
    }

    #[test]
    fn the_majority_wins() {
        let [visible, hidden] = [true, false].map(VisibilityVote::new);
        for (weights, expected) in [
            ([0.4, 0.6], false),
            ([0.6, 0.4], true),
            ([0.5, 0.5], true),
            ([0.1, 0.2], false),
            ([2.0, 1.0], true),
        ] {
            let [first, second] = weights;
            let votes = [(visible, first), (hidden, second)];
            for votes in [votes, [votes[1], votes[0]]] {
                for default in [true, false] {
                    let vote = blended(&votes);
                    assert_eq!(vote.is_visible(default), expected, "{weights:?}");
                }
            }
        }
    }

    #[test]
    fn default_visibility_gets_the_missing_weight() {
        let is_visible = |visible, weight| {
            let vote = VisibilityVote::new(visible);
            let vote = blended(&[(vote, weight), (VisibilityVote::DEFAULT, 1.0)]);
            [true, false].map(|default| vote.is_visible(default))
        };
        assert_eq!(is_visible(false, 0.4), [true, false]);
        assert_eq!(is_visible(false, 0.6), [false, false]);
        assert_eq!(is_visible(true, 0.4), [true, false]);
        assert_eq!(is_visible(true, 0.6), [true, true]);
        assert_eq!(is_visible(false, 1.0), [false, false]);
        let alone = blended(&[(VisibilityVote::DEFAULT, 1.0)]);
        assert!(alone.is_visible(true) && !alone.is_visible(false));
    }

    #[test]
    fn default_visibility_keeps_its_share_in_outer_nodes() {
        let [visible, hidden] = [true, false].map(VisibilityVote::new);
        let below = blended(&[(visible, 0.75), (VisibilityVote::DEFAULT, 1.0)]);
        for (weight, expected) in [(0.4, [true, true]), (0.7, [true, false]), (1.5, [false; 2])] {
            let vote = blended(&[(below, 1.0), (hidden, weight)]);
            let shown = [true, false].map(|default| vote.is_visible(default));
            assert_eq!(shown, expected, "{weight}");
        }
    }

    #[test]
    fn curve_shows_the_bone_in_the_given_frames() {
        let frames = [true, false, false, true, false, false, false, false, true];
        let curve = VisibilityCurve::new(frames, 10.0);
        for (frame, visible) in frames.into_iter().enumerate() {
            let at = |fraction: f32| curve.sample((frame as f32 + fraction) / 10.0);
            assert_eq!([at(0.0), at(0.5), at(0.99)], [visible; 3], "frame {frame}");
        }
        assert!(curve.sample(-1.0) && curve.sample(100.0) && curve.sample(f32::NAN));
        assert!(VisibilityCurve::VISIBLE.sample(0.0));
    }
}
