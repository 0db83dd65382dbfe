//! Bones that animations show and hide.
//!
//! A bone's visibility is its own: parts that hang on it have theirs, and below a hidden bone nothing is
//! drawn whatever they say. So what hides a bone never shows what the level of detail, the damage
//! stage or the user has hidden, nor the other way round.

use crate::alamo::animation::timing::{Bits, Timing};
use crate::alamo::components::{AloBone, BoneVisibility, visibility};
use bevy::animation::animation_curves::{AnimationCurve, AnimationCurveEvaluator, EvaluatorId};
use bevy::animation::graph::AnimationNodeIndex;
use bevy::animation::{AnimatedBy, AnimationEntityMut, AnimationEvaluationError};
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{With, Without};
use bevy::ecs::system::Query;
use bevy::math::curve::Interval;
use core::any::{Any, TypeId};
use std::sync::Arc;

/// Whether a bone, and with it what hangs on it and on its children, is drawn, frame by frame. What
/// a frame says holds until the next.
///
/// Where clips blend, each says as much as it weighs, and the majority wins; of two that weigh the same, the
/// one that shows. A clip without such a curve says nothing of the bone: see [`DefaultVisibilityCurve`].
#[derive(Clone, Debug)]
pub struct VisibilityCurve {
    bits: Arc<Bits>,
    /// Which byte is the first.
    first: u32,
}

impl VisibilityCurve {
    /// A curve of its own: whether the bone is drawn at each frame.
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

    /// The bits of one of many bones.
    pub(super) fn shared(bits: Arc<Bits>, first: u32) -> Self {
        Self { bits, first }
    }

    /// Whether the bone is drawn at a time, in seconds.
    pub fn sample(&self, time: f32) -> bool {
        let (frame, _) = self.bits.timing.frame(time);
        self.bits.get(self.first, frame)
    }
}

impl AnimationCurve for VisibilityCurve {
    fn clone_value(&self) -> Box<dyn AnimationCurve> {
        Box::new(self.clone())
    }

    fn domain(&self) -> Interval {
        self.bits.timing.domain()
    }

    fn evaluator_id(&self) -> EvaluatorId<'_> {
        evaluator_id()
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
        let said = Say::about(self.sample(time));
        push(evaluator, said, weight, node)
    }

    fn sample_clamped(&self, time: f32) -> Box<dyn Any> {
        Box::new(self.sample(time))
    }
}

/// Says for the model's own flag ([`AloBone::visible`]) what other clips leave unsaid: as much as their
/// weights lack to 1.
///
/// Where a clip with a track fades into one without, the flag wins as soon as the one without
/// weighs more. Clips that [`PlayClip`](crate::scene::PlayClip) fades have this beside them. In a graph of your
/// own, put a clip with this curve, for each bone that any of your clips has a track for, beside clips
/// whose weights add up to 1.
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
        evaluator_id()
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
        push(evaluator, Say::THE_FLAG, 0.0, node)
    }

    fn sample_clamped(&self, _: f32) -> Box<dyn Any> {
        Box::new(())
    }
}

/// What all curves about a bone's visibility are blended by.
pub(super) fn evaluator_id() -> EvaluatorId<'static> {
    EvaluatorId::Type(TypeId::of::<Evaluator>())
}

fn push(
    evaluator: &mut dyn AnimationCurveEvaluator,
    said: Say,
    weight: f32,
    node: AnimationNodeIndex,
) -> Result<(), AnimationEvaluationError> {
    let inconsistent = AnimationEvaluationError::InconsistentEvaluatorImplementation;
    let evaluator = evaluator
        .downcast_mut::<Evaluator>()
        .ok_or_else(|| inconsistent(TypeId::of::<Evaluator>()))?;
    evaluator.stack.push(Element { said, weight, node });
    Ok(())
}

/// What is said about a bone, in parts of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Say {
    visible: f32,
    hidden: f32,
    /// Whether the model's flag says what is left to 1.
    asks_flag: bool,
}

impl Say {
    const THE_FLAG: Self = Self {
        visible: 0.0,
        hidden: 0.0,
        asks_flag: true,
    };

    fn about(visible: bool) -> Self {
        let (yes, no) = if visible { (1.0, 0.0) } else { (0.0, 1.0) };
        Self {
            visible: yes,
            hidden: no,
            asks_flag: false,
        }
    }

    fn plus(self, other: Self, weight: f32) -> Self {
        Self {
            visible: self.visible + other.visible * weight,
            hidden: self.hidden + other.hidden * weight,
            asks_flag: self.asks_flag || other.asks_flag,
        }
    }

    /// The same said with a weight of 1.
    fn whole(self) -> Self {
        let sum = self.visible + self.hidden;
        // Where the flag is asked, what is not said stays so.
        let sum = if self.asks_flag { sum.max(1.0) } else { sum };
        if sum > 0.0 {
            Self {
                visible: self.visible / sum,
                hidden: self.hidden / sum,
                ..self
            }
        } else {
            self
        }
    }

    fn is_visible(self, flag: bool) -> bool {
        let unsaid = if self.asks_flag {
            (1.0 - self.visible - self.hidden).max(0.0)
        } else {
            0.0
        };
        let (visible, hidden) = if flag {
            (self.visible + unsaid, self.hidden)
        } else {
            (self.visible, self.hidden + unsaid)
        };
        // Weights that add up to 1 do so but for what rounding takes.
        visible >= hidden - 1e-6
    }
}

struct Element {
    said: Say,
    weight: f32,
    node: AnimationNodeIndex,
}

/// Adds up what clips say about one bone.
#[derive(Default)]
struct Evaluator {
    stack: Vec<Element>,
    register: Option<Say>,
}

impl Evaluator {
    /// Takes what a node said into the register.
    fn take(&mut self, node: AnimationNodeIndex) {
        // A node says two things where a clip and a flag of the model are one.
        while let Some(top) = self.stack.pop_if(|top| top.node == node) {
            let register = self.register.unwrap_or_default();
            self.register = Some(register.plus(top.said, top.weight));
        }
    }
}

impl AnimationCurveEvaluator for Evaluator {
    fn blend(&mut self, node: AnimationNodeIndex) -> Result<(), AnimationEvaluationError> {
        self.take(node);
        Ok(())
    }

    /// There is nothing between seen and not seen to be added: what is layered on top says as
    /// much as it weighs.
    fn add(&mut self, node: AnimationNodeIndex) -> Result<(), AnimationEvaluationError> {
        self.take(node);
        Ok(())
    }

    fn push_blend_register(
        &mut self,
        weight: f32,
        node: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        if let Some(said) = self.register.take() {
            let said = said.whole();
            self.stack.push(Element { said, weight, node });
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
        let flag = entity.get::<AloBone>().is_none_or(|bone| bone.visible);
        if let Some(mut bone) = entity.get_mut::<BoneVisibility>() {
            bone.bypass_change_detection().is_animated = true;
        }
        let missing = AnimationEvaluationError::ComponentNotPresent;
        entity
            .get_mut::<Visibility>()
            .ok_or_else(|| missing(TypeId::of::<Visibility>()))?
            .set_if_neq(visibility(top.said.is_visible(flag)));
        Ok(())
    }
}

/// What [`release_bones`] reads and writes of a bone.
type Released = (
    &'static AloBone,
    &'static mut BoneVisibility,
    &'static mut Visibility,
);

/// Gives bones that animations have let go of the visibility of the model's flag.
///
/// Only bones with a player are visited, and those that just lost it.
pub(super) fn release_bones(
    mut unlinked: RemovedComponents<AnimatedBy>,
    mut playing: Query<Released, With<AnimatedBy>>,
    mut idle: Query<Released, Without<AnimatedBy>>,
) {
    for (bone, mut state, mut shown) in &mut playing {
        if state.bypass_change_detection().advance() {
            shown.set_if_neq(visibility(bone.visible));
        }
    }
    for bone in unlinked.read() {
        if let Ok((bone, mut state, mut shown)) = idle.get_mut(bone) {
            // No animation can decide any more.
            let state = state.bypass_change_detection();
            state.was_animated |= state.is_animated;
            state.is_animated = false;
            if state.advance() {
                shown.set_if_neq(visibility(bone.visible));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(index: usize) -> AnimationNodeIndex {
        AnimationNodeIndex::new(index)
    }

    /// Nodes below one that blends, as Bevy evaluates them.
    fn blended(said: &[(Say, f32)]) -> Say {
        let mut evaluator = Evaluator::default();
        for (index, (said, weight)) in said.iter().enumerate().rev() {
            let node = node(index + 1);
            push(&mut evaluator, *said, *weight, node).unwrap();
        }
        for index in 0..said.len() {
            evaluator.blend(node(index + 1)).unwrap();
        }
        evaluator.push_blend_register(1.0, node(0)).unwrap();
        assert_eq!(evaluator.stack.len(), 1);
        evaluator.stack.pop().unwrap().said
    }

    #[test]
    fn the_majority_wins() {
        let [yes, no] = [true, false].map(Say::about);
        for (weights, expected) in [
            ([0.4, 0.6], false),
            ([0.6, 0.4], true),
            ([0.5, 0.5], true),
            ([0.1, 0.2], false),
            ([2.0, 1.0], true),
        ] {
            let [of_yes, of_no] = weights;
            for said in [[(yes, of_yes), (no, of_no)], [(no, of_no), (yes, of_yes)]] {
                for flag in [true, false] {
                    let said = blended(&said);
                    assert_eq!(said.is_visible(flag), expected, "{weights:?}");
                }
            }
        }
    }

    #[test]
    fn the_flag_says_what_is_left() {
        let said = |visible, weight| {
            let said = blended(&[(Say::about(visible), weight), (Say::THE_FLAG, 1.0)]);
            [true, false].map(|flag| said.is_visible(flag))
        };
        assert_eq!(said(false, 0.4), [true, false]);
        assert_eq!(said(false, 0.6), [false, false]);
        assert_eq!(said(true, 0.4), [true, false]);
        assert_eq!(said(true, 0.6), [true, true]);
        assert_eq!(said(false, 1.0), [false, false]);
        let alone = blended(&[(Say::THE_FLAG, 1.0)]);
        assert!(alone.is_visible(true) && !alone.is_visible(false));
    }

    #[test]
    fn bits_are_counted_from_the_lowest() {
        let frames = [true, false, false, true, false, false, false, false, true];
        let curve = VisibilityCurve::new(frames, 10.0);
        for (frame, visible) in frames.into_iter().enumerate() {
            let at = |way: f32| curve.sample((frame as f32 + way) / 10.0);
            assert_eq!([at(0.0), at(0.5), at(0.99)], [visible; 3], "frame {frame}");
        }
        assert!(curve.sample(-1.0) && curve.sample(100.0) && curve.sample(f32::NAN));
    }
}
