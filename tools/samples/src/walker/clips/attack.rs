//! `ATTACK`: braces, aims to the left, fires the guns alternately, and rises again.

use super::pose::{BACKWARD, FEET, Pose, Side};
use crate::math::{pitch, roll, sin, smooth, yaw};
use crate::walker::skeleton::Rig;
use bevy::math::Vec3;

/// Index of the last frame, which equals the first: 1.8 seconds.
pub const LAST: u16 = 54;

/// The first frame of each shot, and the gun that fires it.
const SHOTS: [(f32, Side); 4] = [
    (12.0, Side::Left),
    (20.0, Side::Right),
    (28.0, Side::Left),
    (36.0, Side::Right),
];
/// Frames for which a flash is visible.
const FLASH: f32 = 3.0;
/// Recoil distance of a gun.
const RECOIL: f32 = 0.62;
/// First and last frame with aimed guns.
const AIMED: [f32; 2] = [10.0, 43.0];
/// Degrees to the left of the target.
const TARGET: f32 = 15.0;

/// The direction of the searchlight from a frame on: degrees to the left, and down. It changes
/// instantly.
const SEARCH: [(f32, [f32; 2]); 5] = [
    (0.0, [0.0, 0.0]),
    (6.0, [32.0, -6.0]),
    (16.0, [-30.0, -6.0]),
    (25.0, [-12.0, 14.0]),
    (34.0, [22.0, 12.0]),
];
/// The frame at which it starts to swing back.
const SEARCHED: f32 = 42.0;

/// The transforms of all bones at a frame.
pub fn pose(rig: &Rig, frame: f32) -> Pose<'_> {
    let [from, to] = AIMED;
    let aim = smooth(frame / from) * smooth((f32::from(LAST) - frame) / (f32::from(LAST) - to));
    let mut pose = Pose::at_rest(rig);
    trunk(&mut pose, frame, aim);
    for side in Side::BOTH {
        let foot = pose.rest(side.of(FEET));
        pose.place_foot(side, foot, BACKWARD);
    }
    turret(&mut pose, frame, aim);
    guns(&mut pose, frame, aim);
    searchlight(&mut pose, frame);
    pose
}

/// The sum of all shots' effects, and the difference between those of the left and of the right
/// gun. `follow` is the effect of a shot as a function of the frames since it.
fn shots(frame: f32, follow: fn(f32) -> f32) -> [f32; 2] {
    let each = SHOTS.map(|(first, side)| (follow(frame - first), side.sign()));
    let sum = each.iter().map(|(by, _)| by).sum();
    let difference = each.iter().map(|(by, sign)| by * sign).sum();
    [sum, difference]
}

/// The recoil of a barrel: instantly back, then slowly out again.
fn recoil(after: f32) -> f32 {
    const BACK: f32 = 1.0;
    const OUT: f32 = 11.0;
    smooth(after / BACK) * smooth(1.0 - (after - BACK) / OUT)
}

/// The reaction of heavy parts: later and softer.
fn jolt(after: f32) -> f32 {
    smooth(after / 2.5) * smooth(1.0 - (after - 2.5) / 9.0)
}

/// The reaction of light parts: a damped oscillation.
fn whip(after: f32) -> f32 {
    const LASTS: f32 = 17.0;
    let rest = (1.0 - after / LASTS).clamp(0.0, 1.0);
    if after > 0.0 {
        sin(after / 6.0) * rest * rest
    } else {
        0.0
    }
}

/// Hips and hull: lowered to brace, and pushed back at the side that fires.
fn trunk(pose: &mut Pose<'_>, frame: f32, aim: f32) {
    let [back, left] = shots(frame, jolt);
    let hips = Vec3::new(
        0.06 * left,
        0.16 * back - 0.1 * aim,
        -0.36 * aim - 0.07 * back,
    );
    pose.translate("Hips", hips);
    pose.rotate(
        "Hips",
        yaw(2.0 * aim + 1.2 * left) * roll(1.5 * aim - 1.5 * back),
    );
    let hull = yaw(3.0 * aim + 2.0 * left) * pitch(0.8 * left) * roll(aim - 1.8 * back);
    pose.rotate("Body", hull);
}

/// The cab and its children.
fn turret(pose: &mut Pose<'_>, frame: f32, aim: f32) {
    let [back, left] = shots(frame, jolt);
    // Hips and hull have turned part of the angle.
    pose.rotate(
        "Turret",
        yaw((TARGET - 5.0) * aim - left) * roll(-1.2 * back),
    );
    let [sum, difference] = shots(frame, whip);
    pose.rotate("Antenna", roll(-13.0 * sum) * pitch(6.0 * difference));
    for exhaust in ["Exhaust_L", "Exhaust_R"] {
        pose.translate_local(exhaust, Vec3::Z * (0.05 * aim - 0.06 * back));
    }
}

/// Recoil of the guns, and visibility of their flashes.
fn guns(pose: &mut Pose<'_>, frame: f32, aim: f32) {
    const GUNS: [&str; 2] = ["Gun_L", "Gun_R"];
    const FLASHES: [&str; 2] = ["Flash_L", "Flash_R"];
    for side in Side::BOTH {
        let (gun, flash) = (side.of(GUNS), side.of(FLASHES));
        pose.rotate(gun, roll(3.0 * aim));
        pose.show(flash, false);
        for (number, (first, _)) in SHOTS.iter().enumerate().filter(|(_, shot)| shot.1 == side) {
            let after = frame - first;
            pose.translate_local(gun, Vec3::Y * (RECOIL * recoil(after)));
            pose.rotate(gun, roll(-1.6 * jolt(after)));
            if (0.0..FLASH).contains(&after) {
                pose.show(flash, true);
                // Flames differ and jump from frame to frame while they shrink back into the
                // muzzle.
                pose.rotate(flash, pitch(47.0 * number as f32 + 25.0 * after));
                pose.translate_local(flash, Vec3::Y * (0.15 * after));
                pose.hold(flash);
            }
        }
    }
}

/// The searchlight snaps from one direction to the next, and finally swings back.
fn searchlight(pose: &mut Pose<'_>, frame: f32) {
    let next = SEARCH.partition_point(|(from, _)| *from <= frame);
    let (_, [left, down]) = SEARCH[next.saturating_sub(1)];
    let rest = 1.0 - smooth((frame - SEARCHED) / (f32::from(LAST) - SEARCHED));
    pose.rotate_searchlight(yaw(left * rest) * roll(down * rest));
    if frame < SEARCHED {
        pose.hold("Searchlight");
        pose.hold("Searchlight.Target");
    }
}
