//! The fields of a bone's [`Transform`] that curves of clips animate.

use bevy::animation::{AnimationEntityMut, AnimationEvaluationError, AnimationTargetId};
use bevy::prelude::*;
use core::any::TypeId;
use std::sync::LazyLock;

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
