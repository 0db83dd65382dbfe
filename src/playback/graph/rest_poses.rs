//! Rest poses: constant curves in clips that are blended, and bones that no clip animates any more.
//!
//! Bevy blends the curves of a bone by the weights of their clips. If one clip has no curve for the bone, the others
//! decide alone, and the bone jumps when they end. So each blended clip gets a constant curve for every bone field that
//! only other clips animate.

use crate::playback::graph::bone_set::BoneSet;
use crate::playback::skeletal::rig::Rig;
use bevy::animation::{AnimationEntityMut, AnimationEvaluationError, AnimationTargetId};
use bevy::prelude::*;
use core::any::TypeId;
use std::sync::LazyLock;

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

/// A clip that plays, and the bones that it may animate.
type PlayingClip = (Handle<AnimationClip>, BoneSet);

/// The bones of all models of a format. `B` is a component that every bone of the format has.
pub(crate) type Bones<'w, 's, B> = Query<'w, 's, &'static mut Transform, With<B>>;

/// Writes the rest transform to bones that the clips of `before` animated and those of `now` do not. Each clip has the
/// bones that it may animate.
///
/// If `before` is `None`, this applies to all bones. If `resetting` animates a bone without a scale curve, the bone's
/// scale is 1.
pub(crate) fn restore_rest_pose<F: Rig>(
    clips: &Assets<AnimationClip>,
    (model, skeleton): (&F::Model, &[Entity]),
    (now, resetting): (&[PlayingClip], Option<Handle<AnimationClip>>),
    before: Option<&[PlayingClip]>,
    bones: &mut Bones<'_, '_, F::Bone>,
) {
    let before = before.map(|handles| loaded(handles, clips));
    let now = loaded(now, clips);
    let resetting = resetting.and_then(|clip| clips.get(&clip));
    for (index, (bone, info)) in skeleton.iter().zip(F::bones(model)).enumerate() {
        let target = F::target(index);
        let animates = |clip: &AnimationClip| clip.curves_for_target(target).is_some();
        let was_animated = before.as_ref().is_none_or(|clips| {
            let mut clips = clips.iter();
            clips.any(|(clip, bones)| bones.contains(index) && animates(clip))
        });
        let resets_scale = resetting.is_some_and(animates);
        if !was_animated && !resets_scale {
            continue;
        }
        let (Ok(mut transform), rest) = (bones.get_mut(*bone), info.rest) else {
            continue;
        };
        let has = |id: &EvaluatorId<'_>| {
            let mut now = now.iter();
            now.any(|(clip, bones)| bones.contains(index) && has_curve_for(clip, target, id))
        };
        let mut restored = *transform;
        if was_animated && !has(&Translation::id()) {
            restored.translation = rest.translation;
        }
        if was_animated && !has(&Rotation::id()) {
            restored.rotation = rest.rotation;
        }
        if !has(&Scale::id()) {
            restored.scale = if resets_scale { Vec3::ONE } else { rest.scale };
        }
        transform.set_if_neq(restored);
    }
}

/// The clips that are loaded, with their bones.
fn loaded<'a>(
    playing: &'a [PlayingClip],
    clips: &'a Assets<AnimationClip>,
) -> Vec<(&'a AnimationClip, &'a BoneSet)> {
    let clip = |(clip, bones): &'a PlayingClip| Some((clips.get(clip)?, bones));
    playing.iter().filter_map(clip).collect()
}

/// Whether a clip has a curve for a field of a joint.
pub(crate) fn has_curve_for(
    clip: &AnimationClip,
    target: AnimationTargetId,
    field: &EvaluatorId<'_>,
) -> bool {
    let curves = clip.curves_for_target(target);
    curves.is_some_and(|curves| curves.iter().any(|curve| curve.0.evaluator_id() == *field))
}

type Field<T> = AnimatedField<Transform, T, fn(&mut Transform) -> &mut T>;

/// Defines a zero-sized type for a field of a joint's [`Transform`].
///
/// It has the evaluator ID of the property that `animated_field!` makes, so that our curves blend with others.
macro_rules! property {
    ($name:ident, $type:ty, $field:ident) => {
        #[doc = concat!("The ", stringify!($field), " of a joint.")]
        #[derive(Clone)]
        pub(crate) struct $name;

        impl $name {
            /// The ID by which Bevy blends curves of this field.
            pub(crate) fn id() -> EvaluatorId<'static> {
                static FIELD: LazyLock<Field<$type>> = LazyLock::new(|| {
                    AnimatedField::new_unchecked(stringify!($field), |transform| {
                        &mut transform.$field
                    })
                });
                FIELD.evaluator_id()
            }
        }

        impl AnimatableProperty for $name {
            type Property = $type;

            fn get_mut<'a>(
                &self,
                entity: &'a mut AnimationEntityMut<'_, '_>,
            ) -> Result<&'a mut $type, AnimationEvaluationError> {
                let missing = AnimationEvaluationError::ComponentNotPresent;
                let transform = entity.get_mut::<Transform>();
                let transform = transform.ok_or_else(|| missing(TypeId::of::<Transform>()))?;
                Ok(&mut transform.into_inner().$field)
            }

            fn evaluator_id(&self) -> EvaluatorId<'_> {
                Self::id()
            }
        }
    };
}

property!(Translation, Vec3, translation);
property!(Rotation, Quat, rotation);
property!(Scale, Vec3, scale);
