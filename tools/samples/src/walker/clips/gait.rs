//! `MOVE`: a heavy walk in place, for a ground that moves back below it.
//!
//! Time is in whole cycles: the left foot comes down at 0, the right one at 0.5. Rotations about X
//! (`roll`) lower the front, about Y (`pitch`) the left side, and about Z (`yaw`) turn left.

use super::pose::{BACKWARD, FEET, FPS, Pose, Side, ankle};
use crate::math::{Transform, cos, pitch, roll, sin, yaw};
use crate::walker::skeleton::{ANKLE, Rig};
use bevy::prelude::*;

/// Speed of the ground in units per second. A game moves the model forward at this speed, so that
/// its feet do not slide at normal playback speed.
pub const WALKING_SPEED: f32 = 4.0;

/// Index of the last frame: two steps take 1.6 seconds.
pub const LAST: u16 = 48;

/// The fraction of the cycle for which a foot is on the ground: 30 frames, 6 of them with both
/// feet.
const STANCE: f32 = 0.625;
/// The distance that the ground moves in that time.
const STRIDE: f32 = WALKING_SPEED * STANCE * LAST as f32 / FPS;
/// Backward offset of a foot from its rest position in the middle of that time: the weight is over
/// it then.
const BEHIND: f32 = 0.25;
/// The time at which the weight is over the left foot.
const OVER_LEFT: f32 = STANCE / 2.0;
/// The height to which soles are lifted, beyond the needs of their tilt.
const LIFT: f32 = 0.75;
/// The mean distance of the hips below their rest height.
const CROUCH: f32 = 0.22;

/// The transforms of all bones at a frame.
pub fn pose(rig: &Rig, frame: f32) -> Pose<'_> {
    // The last frame is bit-equal to the first.
    let time = (frame / f32::from(LAST)).rem_euclid(1.0);
    let mut pose = Pose::at_rest(rig);
    trunk(&mut pose, time);
    for side in Side::BOTH {
        let late = if side == Side::Left { 0.0 } else { 0.5 };
        let mut foot = foot((time - late).rem_euclid(1.0));
        let rest = pose.rest(side.of(FEET)).translation;
        foot.translation += rest.with_z(0.0);
        pose.place_foot(side, foot, BACKWARD);
    }
    cab(&mut pose, time);
    pose
}

/// The transform of a foot relative to its rest position on the ground, at a time of its own cycle.
fn foot(time: f32) -> Transform {
    let half = STRIDE / 2.0;
    if time <= STANCE {
        let y = BEHIND - half + STRIDE * time / STANCE;
        return Transform::from_xyz(0.0, y, ANKLE);
    }
    let t = (time - STANCE) / (1.0 - STANCE);
    // It leaves and meets the ground at the speed of the ground.
    let pull = STRIDE * (1.0 - STANCE) / STANCE;
    let from_back = 1.0 - 2.0 * t * t * (3.0 - 2.0 * t);
    let y = BEHIND + half * from_back + pull * t * (1.0 - t) * (1.0 - 2.0 * t);
    // The toes leave last, and are raised before the foot lands.
    let tilt = roll(30.0 * bump(t / 0.6) - 9.0 * bump(t / 0.6 - 0.6));
    Transform::from_xyz(0.0, y, ankle(tilt) + LIFT * lifted(t)).rotated(tilt)
}

/// Rises from 0 to 1 and falls again, with smooth ends.
fn bump(t: f32) -> f32 {
    let up = sin(t.clamp(0.0, 1.0) / 2.0);
    up * up
}

/// Like [`bump`], but it ends abruptly with a stamp.
fn lifted(t: f32) -> f32 {
    const TOP: f32 = 0.5;
    if t < TOP {
        return bump(t / TOP / 2.0);
    }
    let fallen = (t - TOP) / (1.0 - TOP);
    1.0 - fallen * fallen
}

/// Hips and hull: they sink when a foot takes the weight, and shift to its side.
fn trunk(pose: &mut Pose<'_>, time: f32) {
    let left = cos(time - OVER_LEFT);
    let sunk = 0.13 * cos(2.0 * (time - 0.09)) + 0.035 * cos(4.0 * (time - 0.05));
    let surge = 0.07 * sin(2.0 * (time - 0.1));
    pose.translate("Hips", Vec3::new(0.34 * left, surge, -CROUCH - sunk));
    // The side without a foot drops, and swings ahead with its leg.
    let hips = yaw(-5.0 * cos(time)) * pitch(-2.6 * left) * roll(2.0 + cos(2.0 * (time - 0.1)));
    pose.rotate("Hips", hips);
    // The hull swings against the hips and stays upright over them; each step makes it nod.
    let hull = yaw(8.0 * cos(time - 0.03))
        * pitch(1.9 * cos(time - OVER_LEFT - 0.04))
        * roll(1.6 * cos(2.0 * (time - 0.17)) - 1.0);
    pose.rotate("Body", hull);
}

/// The parts above the hull, and their children.
fn cab(pose: &mut Pose<'_>, time: f32) {
    // The turret compensates to face ahead, with a small delay.
    let ahead = yaw(1.3 * cos(time - 0.12))
        * pitch(-0.5 * cos(time - OVER_LEFT - 0.1))
        * roll(0.7 * cos(2.0 * (time - 0.22)));
    pose.set_rotation("Turret", ahead);
    for (gun, late) in [("Gun_L", 0.24), ("Gun_R", 0.27)] {
        pose.rotate(gun, roll(1.8 * cos(2.0 * (time - late)) + 0.6));
    }
    let whip = roll(7.0 * cos(2.0 * (time - 0.3)) + 2.0 * cos(4.0 * (time - 0.2)));
    pose.rotate("Antenna", pitch(6.0 * cos(time - 0.5)) * whip);
    pose.rotate_searchlight(search(time));
    // The engine works hardest at the weight transfer.
    for (exhaust, late) in [("Exhaust_L", 0.1), ("Exhaust_R", 0.16)] {
        let pulse = cos(2.0 * (time - late)) + 0.5 * cos(6.0 * (time - late));
        pose.translate_local(exhaust, Vec3::Z * (0.05 * pulse));
    }
}

/// The searchlight pans from side to side.
fn search(time: f32) -> Mat3 {
    yaw(9.0 * sin(time)) * roll(2.0 * cos(2.0 * time))
}
