//! Adds rest-pose curves to the clips of a cross-fade.
//!
//! Bevy blends the curves of a bone by the weights of their clips. If one clip has no curve for the bone, the others
//! decide alone, and the bone jumps when they end. So each clip of a fade gets a constant rest-pose curve for every
//! bone field that only other clips animate.

use crate::alamo::animation::curves::FixedVector;
use crate::alamo::animation::targets::bone_target;
use crate::alamo::asset::AloModel;
use crate::scene::{Rotation, Scale, Translation, has_curve_for};
use bevy::animation::animation_curves::{AnimatableCurve, EvaluatorId};
use bevy::animation::{AnimationClip, VariableCurve};
use bevy::math::Vec3;
use bevy::math::curve::{ConstantCurve, Interval};

/// A clip of a cross-fade.
#[derive(Clone, Copy)]
pub(super) struct FadingClip<'a> {
    pub(super) clip: &'a AnimationClip,
    /// Whether it is from an Alamo file. If such a clip animates a bone without a scale curve, the scale is 1.
    pub(super) is_alamo: bool,
}

/// Copies a clip, with a rest-pose curve for each bone field that only other clips of the fade animate. `None` if there
/// is no such field.
pub(super) fn with_rest_pose(
    fading: FadingClip<'_>,
    all: &[FadingClip<'_>],
    model: &AloModel,
) -> Option<AnimationClip> {
    let mut missing = Vec::new();
    for (index, bone) in model.bones.iter().enumerate() {
        let target = bone_target(index);
        let lacks = |id: &EvaluatorId<'_>| {
            !has_curve_for(fading.clip, target, id)
                && all
                    .iter()
                    .any(|other| has_curve_for(other.clip, target, id))
        };
        let mut rest = bone.transform;
        if fading.is_alamo && fading.clip.curves_for_target(target).is_some() {
            rest.scale = Vec3::ONE;
        }
        if lacks(&Translation::id()) {
            let constant = FixedVector(rest.translation.into());
            let curve = AnimatableCurve::new(Translation, constant);
            missing.push((target, VariableCurve::new(curve)));
        }
        if lacks(&Rotation::id()) {
            let constant = ConstantCurve::new(Interval::EVERYWHERE, rest.rotation);
            let curve = AnimatableCurve::new(Rotation, constant);
            missing.push((target, VariableCurve::new(curve)));
        }
        if lacks(&Scale::id()) {
            let curve = AnimatableCurve::new(Scale, FixedVector(rest.scale.into()));
            missing.push((target, VariableCurve::new(curve)));
        }
    }
    if missing.is_empty() {
        return None;
    }
    let mut clip = fading.clip.clone();
    for (target, curve) in missing {
        clip.add_variable_curve_to_target(target, curve);
    }
    Some(clip)
}
