//! Movements along the ground: rigid transforms of the plane across Y.

use bevy::math::Affine3A;
use bevy::prelude::*;
use core::f32::consts::{PI, TAU};

/// A turn about the Y axis, then a movement across it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct GroundMotion {
    /// Its Y is 0.
    pub(crate) translation: Vec3,
    /// In radians, from −π to π.
    pub(crate) turn: f32,
}

impl GroundMotion {
    /// The movement of something with the first transform to the second one.
    pub(crate) fn between(from: &Affine3A, to: &Affine3A, turns: bool) -> Self {
        let turn = if turns {
            let (_, rotation, _) = (*to * from.inverse()).to_scale_rotation_translation();
            // The twist of the rotation about Y.
            wrapped(2.0 * rotation.y.atan2(rotation.w))
        } else {
            0.0
        };
        let turned = Quat::from_rotation_y(turn) * Vec3::from(from.translation);
        let translation = Vec3::from(to.translation) - turned;
        let motion = Self {
            translation: translation.with_y(0.0),
            turn,
        };
        motion.if_finite()
    }

    /// Straight ahead, to −Z.
    pub(crate) fn forward(distance: f32) -> Self {
        let motion = Self {
            translation: Vec3::NEG_Z * distance,
            turn: 0.0,
        };
        motion.if_finite()
    }

    /// None at all if a value is not finite.
    fn if_finite(self) -> Self {
        if self.translation.is_finite() && self.turn.is_finite() {
            self
        } else {
            Self::default()
        }
    }

    /// This movement and then `next`, which is relative to the end of this one.
    pub(crate) fn then(self, next: Self) -> Self {
        let motion = Self {
            translation: self.translation + self.rotation() * next.translation,
            turn: wrapped(self.turn + next.turn),
        };
        motion.if_finite()
    }

    /// The movement back.
    pub(crate) fn inverse(self) -> Self {
        Self {
            translation: -(self.rotation().inverse() * self.translation),
            turn: -self.turn,
        }
    }

    /// The movement `times` in succession.
    pub(crate) fn repeated(self, times: u32) -> Self {
        let (mut all, mut power, mut times) = (Self::default(), self, times);
        while times > 0 {
            if times % 2 == 1 {
                all = all.then(power);
            }
            power = power.then(power);
            times /= 2;
        }
        all
    }

    /// Blends in another movement, which has a share from 0 to 1 of the result.
    pub(crate) fn mixed(self, other: Self, share: f32) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, share),
            turn: self.turn + (other.turn - self.turn) * share,
        }
    }

    pub(crate) fn rotation(self) -> Quat {
        Quat::from_rotation_y(self.turn)
    }

    pub(crate) fn affine(self) -> Affine3A {
        Affine3A::from_rotation_translation(self.rotation(), self.translation)
    }
}

/// An angle from −π to π.
fn wrapped(angle: f32) -> f32 {
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_same(found: GroundMotion, expected: GroundMotion) {
        let distance = found.translation.distance(expected.translation);
        let turn = wrapped(found.turn - expected.turn).abs();
        assert!(
            distance < 1e-4 && turn < 1e-4,
            "{found:?}, expected {expected:?}"
        );
    }

    fn motion(x: f32, z: f32, turn: f32) -> GroundMotion {
        GroundMotion {
            translation: Vec3::new(x, 0.0, z),
            turn,
        }
    }

    #[test]
    fn successive_movements_are_the_product_of_their_transforms() {
        let (a, b) = (motion(1.0, 2.0, 0.7), motion(-3.0, 0.5, -2.9));
        let product = a.affine() * b.affine();
        assert!(a.then(b).affine().abs_diff_eq(product, 1e-5));
        assert_same(a.then(a.inverse()), GroundMotion::default());
        let mut all = GroundMotion::default();
        for times in 0..20 {
            assert_same(a.repeated(times), all);
            all = all.then(a);
        }
    }

    #[test]
    fn movements_between_transforms_leave_out_height_and_tilt() {
        let from = Affine3A::from_rotation_translation(
            Quat::from_rotation_x(0.4),
            Vec3::new(3.0, 1.0, -2.0),
        );
        for (x, z, turn) in [(0.0, 0.0, 0.0), (2.0, -1.0, 0.0), (-1.0, 4.0, 2.5)] {
            let expected = motion(x, z, turn);
            let to = Affine3A::from_translation(Vec3::Y * 5.0) * expected.affine() * from;
            assert_same(GroundMotion::between(&from, &to, true), expected);
        }
        let turned = motion(0.0, 0.0, 1.0).affine() * from;
        let without = GroundMotion::between(&from, &turned, false);
        assert_eq!(without.turn, 0.0);
        let moved = Vec3::from(turned.translation - from.translation);
        assert_same(without, motion(moved.x, moved.z, 0.0));
    }

    #[test]
    fn values_that_are_not_finite_move_nothing() {
        let nan = Affine3A::from_translation(Vec3::NAN);
        for (from, to) in [(&Affine3A::IDENTITY, &nan), (&nan, &Affine3A::ZERO)] {
            let found = GroundMotion::between(from, to, true);
            assert_eq!(found, GroundMotion::default());
        }
        assert_eq!(
            GroundMotion::forward(f32::INFINITY),
            GroundMotion::default()
        );
        let far = GroundMotion::forward(f32::MAX).repeated(u32::MAX);
        assert!(far.translation.is_finite());
    }
}
