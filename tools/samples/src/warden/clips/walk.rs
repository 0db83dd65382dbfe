//! `walk`: a march in place, for a ground that moves back below it.
//!
//! The left heel comes down at 0, the right one after half the cycle.

use super::clip::Clip;
use crate::math::{cos, mix, sin, smooth};
use crate::warden::pose::{Part, Stance};
use bevy::math::Vec3;

/// Speed of the ground, in units per second.
const SPEED: f32 = 3.3;

pub const CLIP: Clip = Clip {
    name: "walk",
    last: 24,
    step: 50,
    loops: true,
    speed: SPEED,
    stance,
    events: &[(1, "FOOTSTEP_KEY"), (13, "FOOTSTEP_KEY")],
    dims: [16.0, 36.0, 16.0],
};

/// The fraction of the cycle for which a foot is on the ground.
const STANCE: f32 = 0.6;

fn stance(time: f32) -> Stance {
    let seconds = CLIP.seconds();
    let time = time / seconds;
    let time = time - time.floor();
    let mut stance = Stance::guard();
    let down = cos(2.0 * (time - 0.08));
    let over_left = cos(time - 0.28);
    stance[Part::Hips] = Vec3::new(0.11 * over_left, 0.02, -0.2 - 0.07 * down);
    stance[Part::HipRotation] =
        Vec3::new(6.0 + 1.2 * down, -3.5 * over_left, -9.0 * cos(time - 0.02));
    stance[Part::ChestRotation] = Vec3::new(
        2.0 - 1.8 * cos(2.0 * (time - 0.16)),
        3.5 * cos(time - 0.31),
        16.0 * cos(time - 0.04),
    );
    stance[Part::HeadRotation] = Vec3::new(
        -2.0 + 2.0 * cos(2.0 * (time - 0.22)),
        0.0,
        -7.0 * cos(time - 0.05),
    );
    for (late, at, turned, side) in [
        (0.0, Part::LeftFoot, Part::LeftFootRotation, 1.0),
        (0.5, Part::RightFoot, Part::RightFootRotation, -1.0),
    ] {
        let own = time - late;
        let (y, z, tilt) = foot(own - own.floor(), seconds);
        stance[at] = Vec3::new(0.34 * side, y, z);
        stance[turned] = Vec3::new(tilt, 0.0, 6.0 * side);
    }
    let swing = cos(time - 0.06);
    stance[Part::LeftFist] = Vec3::new(
        1.36 - 0.16 * (0.5 - 0.5 * swing) - 0.03 * down,
        -0.2 + 0.85 * swing,
        2.9 + 0.2 * swing * swing - 0.12 * down - 0.12 * swing,
    );
    let bob = -0.05 * cos(2.0 * (time - 0.12));
    stance[Part::Glaive] = Vec3::new(-1.5, -0.55 - 0.16 * swing, 3.55 + bob);
    stance[Part::Blade] = Vec3::new(
        -0.16 + 0.03 * sin(time),
        -0.24 - 0.04 * swing + 0.03 * cos(2.0 * (time - 0.2)),
        1.0,
    );
    stance[Part::Edge] = Vec3::new(-0.3, -1.0, -0.2);
    stance[Part::Grips] = Vec3::new(0.1, -1.0, 0.0);
    stance
}

/// The offset of a foot along the path, its height, and the tilt of its toes, at a time of its own
/// cycle.
fn foot(time: f32, seconds: f32) -> (f32, f32, f32) {
    let stride = SPEED * STANCE * seconds;
    let first = -0.5 * stride - 0.04;
    // The foot rolls from heel to toes: down after the strike, up before it leaves.
    let strike = -16.0 * (1.0 - smooth(time / 0.1));
    let leave = 40.0 * smooth((time - 0.42) / (STANCE - 0.42));
    if time <= STANCE {
        return (first + stride * time / STANCE, 0.0, strike + leave);
    }
    let t = (time - STANCE) / (1.0 - STANCE);
    // It leaves and meets the ground at the speed of the ground.
    let pull = stride * (1.0 - STANCE) / STANCE;
    let there = t * t * (3.0 - 2.0 * t);
    let y = mix(first + stride, first, there) + pull * t * (1.0 - t) * (1.0 - 2.0 * t);
    let up = sin(t / 2.0);
    let tilt = mix(40.0, -16.0, smooth(t * 1.15));
    (y, 0.42 * up * up * mix(1.15, 0.7, t), tilt)
}
