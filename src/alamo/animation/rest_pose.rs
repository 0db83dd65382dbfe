//! Completes clips that fade with bones at rest.
//!
//! Bevy blends what clips say of a bone by their weights: where one says nothing, the others decide alone, and the bone
//! would jump when they end. So clips that fade say of what others move that it rests, as it does when they are left
//! alone.

use crate::alamo::animation::curves::FixedVector;
use crate::alamo::animation::targets::bone_target;
use crate::alamo::asset::AloModel;
use crate::scene::{Rotation, Scale, Translation, says};
use bevy::animation::animation_curves::{AnimatableCurve, EvaluatorId};
use bevy::animation::{AnimationClip, VariableCurve};
use bevy::math::Vec3;
use bevy::math::curve::{ConstantCurve, Interval};

/// A clip that plays on a model.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) clip: &'a AnimationClip,
    /// Whether it is of an Alamo file: one that speaks of a bone and not of its scale says that it is 1.
    pub(super) is_ours: bool,
}

/// A clip with what it leaves unsaid of what any of all clips moves; `None` if that is nothing.
pub(super) fn completed(
    part: Part<'_>,
    all: &[Part<'_>],
    model: &AloModel,
) -> Option<AnimationClip> {
    let mut missing = Vec::new();
    for (index, bone) in model.bones.iter().enumerate() {
        let target = bone_target(index);
        let lacks = |id: &EvaluatorId<'_>| {
            !says(part.clip, target, id) && all.iter().any(|other| says(other.clip, target, id))
        };
        let mut rest = bone.transform;
        if part.is_ours && part.clip.curves_for_target(target).is_some() {
            rest.scale = Vec3::ONE;
        }
        if lacks(&Translation::id()) {
            let held = FixedVector(rest.translation.into());
            let curve = AnimatableCurve::new(Translation, held);
            missing.push((target, VariableCurve::new(curve)));
        }
        if lacks(&Rotation::id()) {
            let held = ConstantCurve::new(Interval::EVERYWHERE, rest.rotation);
            let curve = AnimatableCurve::new(Rotation, held);
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
    let mut clip = part.clip.clone();
    for (target, curve) in missing {
        clip.add_variable_curve_to_target(target, curve);
    }
    Some(clip)
}
