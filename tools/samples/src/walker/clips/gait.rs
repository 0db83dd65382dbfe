//! `MOVE`: a heavy walk on the spot, for a ground that moves back under it.
//!
//! Time is told in whole cycles: the left foot comes down at 0, the right one at a half. Turns about X
//! (`roll`) lower the front, turns about Y (`pitch`) the left side, turns about Z (`yaw`) look left.

use super::FPS;
use super::pose::{BACKWARDS, FEET, Pose, Side, ankle};
use crate::maths::{Place, cos, pitch, roll, sin, yaw};
use crate::walker::skeleton::{ANKLE, Rig};
use bevy::math::{Mat3, Vec3};

/// Units per second that the ground moves back: so fast must the model be moved forward, for its feet
/// to stay where they stand, while the clip is played at its own speed.
pub const WALKING_SPEED: f32 = 4.0;

/// Number of the last frame: two steps take 1.6 seconds.
pub const LAST: u16 = 48;

/// Part of the cycle that a foot is on the ground: 30 frames, of which 6 with the other one.
const STANCE: f32 = 0.625;
/// How far the ground moves meanwhile.
const STRIDE: f32 = WALKING_SPEED * STANCE * LAST as f32 / FPS;
/// How far behind its place at rest a foot is in the middle of that: the weight is over it then.
const BEHIND: f32 = 0.25;
/// When the weight is over the left foot.
const OVER_LEFT: f32 = STANCE / 2.0;
/// How high soles are lifted, above what their tilt needs.
const LIFT: f32 = 0.75;
/// How far the hips are below their height at rest, in the mean.
const CROUCH: f32 = 0.22;

/// All bones at a frame.
pub fn pose(rig: &Rig, frame: f32) -> Pose<'_> {
    // The last frame is the first, to the bit.
    let time = (frame / f32::from(LAST)).rem_euclid(1.0);
    let mut pose = Pose::at_rest(rig);
    trunk(&mut pose, time);
    for side in Side::BOTH {
        let late = if side == Side::Left { 0.0 } else { 0.5 };
        let mut foot = foot((time - late).rem_euclid(1.0));
        let rest = pose.rest(side.of(FEET)).at;
        foot.at += rest.with_z(0.0);
        pose.stand(side, foot, BACKWARDS);
    }
    cab(&mut pose, time);
    pose
}

/// Where a foot is, in relation to its place at rest on the ground, at a part of its own cycle.
fn foot(time: f32) -> Place {
    let half = STRIDE / 2.0;
    if time <= STANCE {
        let y = BEHIND - half + STRIDE * time / STANCE;
        return Place::at(0.0, y, ANKLE);
    }
    let way = (time - STANCE) / (1.0 - STANCE);
    // It leaves the ground, and comes down on it, as fast as that moves.
    let pull = STRIDE * (1.0 - STANCE) / STANCE;
    let from_back = 1.0 - 2.0 * way * way * (3.0 - 2.0 * way);
    let y = BEHIND + half * from_back + pull * way * (1.0 - way) * (1.0 - 2.0 * way);
    // The toes leave last, and are pulled up before the foot lands.
    let tilt = roll(30.0 * bump(way / 0.6) - 9.0 * bump(way / 0.6 - 0.6));
    Place::at(0.0, y, ankle(tilt) + LIFT * lifted(way)).turned(tilt)
}

/// Up from 0 to 1 and down again, with a gentle start and end.
fn bump(way: f32) -> f32 {
    let up = sin(way.clamp(0.0, 1.0) / 2.0);
    up * up
}

/// The same, but it ends in a stamp.
fn lifted(way: f32) -> f32 {
    const TOP: f32 = 0.5;
    if way < TOP {
        return bump(way / TOP / 2.0);
    }
    let fallen = (way - TOP) / (1.0 - TOP);
    1.0 - fallen * fallen
}

/// Hips and hull: they sink as a foot takes the weight, and shift to the side that has it.
fn trunk(pose: &mut Pose<'_>, time: f32) {
    let left = cos(time - OVER_LEFT);
    let sunk = 0.13 * cos(2.0 * (time - 0.09)) + 0.035 * cos(4.0 * (time - 0.05));
    let surge = 0.07 * sin(2.0 * (time - 0.1));
    pose.shift("Hips", Vec3::new(0.34 * left, surge, -CROUCH - sunk));
    // The side without a foot hangs, and swings ahead with its leg.
    let hips = yaw(-5.0 * cos(time)) * pitch(-2.6 * left) * roll(2.0 + cos(2.0 * (time - 0.1)));
    pose.turn("Hips", hips);
    // The hull swings against the hips, and rights itself over them; each step makes it nod.
    let hull = yaw(8.0 * cos(time - 0.03))
        * pitch(1.9 * cos(time - OVER_LEFT - 0.04))
        * roll(1.6 * cos(2.0 * (time - 0.17)) - 1.0);
    pose.turn("Body", hull);
}

/// What is above the hull, and what hangs on it.
fn cab(pose: &mut Pose<'_>, time: f32) {
    // The turret is steered to look ahead, a little late.
    let ahead = yaw(1.3 * cos(time - 0.12))
        * pitch(-0.5 * cos(time - OVER_LEFT - 0.1))
        * roll(0.7 * cos(2.0 * (time - 0.22)));
    pose.face("Turret", ahead);
    for (gun, late) in [("Gun_L", 0.24), ("Gun_R", 0.27)] {
        pose.turn(gun, roll(1.8 * cos(2.0 * (time - late)) + 0.6));
    }
    let whip = roll(7.0 * cos(2.0 * (time - 0.3)) + 2.0 * cos(4.0 * (time - 0.2)));
    pose.turn("Antenna", pitch(6.0 * cos(time - 0.5)) * whip);
    pose.aim_searchlight(search(time));
    // The engine works hardest as the weight is taken over.
    for (exhaust, late) in [("Exhaust_L", 0.1), ("Exhaust_R", 0.16)] {
        let pulse = cos(2.0 * (time - late)) + 0.5 * cos(6.0 * (time - late));
        pose.slide(exhaust, Vec3::Z * (0.05 * pulse));
    }
}

/// The searchlight looks from side to side.
fn search(time: f32) -> Mat3 {
    yaw(9.0 * sin(time)) * roll(2.0 * cos(2.0 * time))
}
