//! Adds constant curves to clips that are blended.
//!
//! Bevy blends the curves of a bone by the weights of their clips. If one clip has no curve for the bone, the others
//! decide alone, and the bone jumps when they end. So each blended clip gets a constant curve for every bone field that
//! only other clips animate.

use crate::playback::graph::bone_set::BoneSet;
use crate::playback::graph::properties::{Rotation, Scale, Translation, has_curve_for};
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;

/// A clip that is blended with others.
#[derive(Clone, Copy)]
pub(crate) struct BlendedClip<'a> {
    pub(crate) clip: &'a AnimationClip,
    /// The bones that it animates, if it has curves for them.
    pub(crate) bones: &'a BoneSet,
    /// Whether the scale is 1 for a bone that the clip animates without a scale curve. Otherwise it is that of the rest
    /// pose.
    pub(crate) resets_scale: bool,
}

impl BlendedClip<'_> {
    fn animates(&self, bone: usize, field: (AnimationTargetId, &EvaluatorId<'_>)) -> bool {
        let (target, field) = field;
        self.bones.contains(bone) && has_curve_for(self.clip, target, field)
    }

    fn is_any_curve_for(&self, bone: usize, target: AnimationTargetId) -> bool {
        self.bones.contains(bone) && self.clip.curves_for_target(target).is_some()
    }

    /// Copies the clip, with a rest-pose curve for each bone field that only other clips animate. `None` if there is no
    /// such field. `skeleton` has the animation target and the rest transform of each bone.
    pub(crate) fn with_rest_pose(
        &self,
        others: &[Self],
        skeleton: &[(AnimationTargetId, Transform)],
    ) -> Option<AnimationClip> {
        self.with_constants(skeleton, |bone, target, _, field| {
            let mut others = others.iter();
            others.any(|other| other.animates(bone, (target, field)))
        })
    }

    /// Copies the clip of a layer, with a constant curve for each field that it lacks of a bone that it animates. `None`
    /// if there is no such field, or if the clip animates only the fields that it has curves for.
    pub(crate) fn with_implied_fields(
        &self,
        others: &[Self],
        skeleton: &[(AnimationTargetId, Transform)],
    ) -> Option<AnimationClip> {
        if !self.resets_scale {
            return None;
        }
        self.with_constants(skeleton, |bone, target, rest, field| {
            let mut others = others.iter();
            self.is_any_curve_for(bone, target)
                && (others.any(|other| other.animates(bone, (target, field)))
                    || *field == Scale::id() && rest.scale != Vec3::ONE)
        })
    }

    /// Copies the clip, with a constant curve for each needed field without one.
    fn with_constants(
        &self,
        skeleton: &[(AnimationTargetId, Transform)],
        is_needed: impl Fn(usize, AnimationTargetId, &Transform, &EvaluatorId<'_>) -> bool,
    ) -> Option<AnimationClip> {
        let mut missing = Vec::new();
        for (bone, (target, rest)) in skeleton.iter().enumerate() {
            let target = *target;
            let lacks = |field: &EvaluatorId<'_>| {
                !has_curve_for(self.clip, target, field) && is_needed(bone, target, rest, field)
            };
            if lacks(&Translation::id()) {
                missing.push((target, constant(Translation, rest.translation)));
            }
            if lacks(&Rotation::id()) {
                missing.push((target, constant(Rotation, rest.rotation)));
            }
            if lacks(&Scale::id()) {
                let is_one = self.resets_scale && self.is_any_curve_for(bone, target);
                let scale = if is_one { Vec3::ONE } else { rest.scale };
                missing.push((target, constant(Scale, scale)));
            }
        }
        if missing.is_empty() {
            return None;
        }
        let mut clip = self.clip.clone();
        for (target, curve) in missing {
            clip.add_variable_curve_to_target(target, curve);
        }
        Some(clip)
    }
}

fn constant<P>(field: P, value: P::Property) -> VariableCurve
where
    P: AnimatableProperty<Property: Clone> + Clone,
    ConstantCurve<P::Property>: AnimationCompatibleCurve<P::Property>,
{
    let curve = ConstantCurve::new(Interval::EVERYWHERE, value);
    VariableCurve::new(AnimatableCurve::new(field, curve))
}
