//! `idle`: breathes, and turns its head.

use super::clip::Clip;
use crate::math::{cos, sin};
use crate::warden::pose::{Part, Stance};
use bevy::math::Vec3;

pub const CLIP: Clip = Clip {
    name: "idle",
    last: 30,
    step: 100,
    loops: true,
    speed: 0.7,
    stance,
    events: &[],
    dims: [16.0, 36.0, 16.0],
};

fn stance(time: f32) -> Stance {
    let time = time / CLIP.seconds();
    let breath = sin(2.0 * time);
    let sway = sin(time);
    let mut stance = Stance::guard();
    stance[Part::Hips] += Vec3::new(0.03 * sway, 0.0, 0.018 * cos(2.0 * time) - 0.018);
    stance[Part::HipRotation] += Vec3::new(0.0, 0.8 * sway, 0.0);
    stance[Part::ChestRotation] += Vec3::new(-1.6 * breath, -0.8 * sway, 2.0 * sway);
    stance[Part::HeadRotation] += Vec3::new(
        1.0 * breath,
        0.0,
        9.0 * sin(time - 0.03) + 4.0 * sin(3.0 * time),
    );
    stance[Part::LeftFist] += Vec3::new(0.01, 0.0, 0.04) * breath;
    stance
}
