//! `DIE`: is hit, staggers, sinks to its knees, falls on its belly and goes dark.

use super::pose::{BACKWARD, FEET, Pose, Side, ankle};
use crate::math::{Transform, mix, pitch, roll, sin, smooth, yaw};
use crate::walker::skeleton::Rig;
use bevy::prelude::*;

/// Index of the last frame: 2.8 seconds. The model then stays in this pose.
pub const LAST: u16 = 84;

/// The frames at which it is hit, and at which belly and nose hit the ground.
const BLOWS: [f32; 3] = [1.0, 42.0, 53.0];

/// Degrees by which the front and the left side are lowered, and the nose is turned left.
type RotationDegrees = Vec3;

/// The parameters of a pose. All zeros is the rest pose.
#[derive(Clone, Copy, Default)]
struct Fall {
    /// Offset of the hips.
    hips: Vec3,
    /// Rotations of hips, hull and turret, each relative to the previous one.
    hips_rotation: RotationDegrees,
    hull_rotation: RotationDegrees,
    turret_rotation: RotationDegrees,
    /// Degrees that the muzzles are lowered: left, right.
    guns: [f32; 2],
    /// Offset of the feet outward and back.
    feet: [[f32; 2]; 2],
    /// Degrees that the heels are off the ground.
    heels: [f32; 2],
    /// Blend of the knee direction from behind the legs to above and beside them.
    splay: [f32; 2],
}

/// The interpolation from the previous keyframe.
#[derive(Clone, Copy)]
enum Easing {
    /// Ease in and out.
    InOut,
    /// Ease in.
    In,
    /// Ease out.
    Out,
}

impl Easing {
    fn apply(self, part: f32) -> f32 {
        match self {
            Self::InOut => smooth(part),
            Self::In => part * part,
            Self::Out => part * (2.0 - part),
        }
    }
}

impl Fall {
    fn lerp(&self, other: &Self, t: f32) -> Self {
        let mix = |a: f32, b: f32| mix(a, b, t);
        let both = |a: [f32; 2], b: [f32; 2]| [mix(a[0], b[0]), mix(a[1], b[1])];
        Self {
            hips: self.hips.lerp(other.hips, t),
            hips_rotation: self.hips_rotation.lerp(other.hips_rotation, t),
            hull_rotation: self.hull_rotation.lerp(other.hull_rotation, t),
            turret_rotation: self.turret_rotation.lerp(other.turret_rotation, t),
            guns: both(self.guns, other.guns),
            feet: [0, 1].map(|foot| both(self.feet[foot], other.feet[foot])),
            heels: both(self.heels, other.heels),
            splay: both(self.splay, other.splay),
        }
    }
}

/// The keyframes.
fn keyframes() -> [(f32, Easing, Fall); 10] {
    let hit = Fall {
        hips: Vec3::new(-0.1, 0.4, -0.1),
        hips_rotation: RotationDegrees::new(-3.0, -2.0, 3.0),
        hull_rotation: RotationDegrees::new(-6.0, -3.0, 5.0),
        turret_rotation: RotationDegrees::new(-3.0, 0.0, 8.0),
        guns: [-7.0, -3.0],
        ..Fall::default()
    };
    let stagger = Fall {
        hips: Vec3::new(-0.35, -0.05, -0.75),
        hips_rotation: RotationDegrees::new(3.0, -4.0, -2.0),
        hull_rotation: RotationDegrees::new(5.0, -3.0, -4.0),
        turret_rotation: RotationDegrees::new(3.0, 1.0, -6.0),
        guns: [5.0, 8.0],
        heels: [0.0, 6.0],
        ..Fall::default()
    };
    let sway = Fall {
        hips: Vec3::new(-0.15, -0.2, -0.95),
        hips_rotation: RotationDegrees::new(3.0, -1.0, 1.0),
        hull_rotation: RotationDegrees::new(2.0, 3.0, 2.0),
        turret_rotation: RotationDegrees::new(1.0, 2.0, 3.0),
        guns: [2.0, 3.0],
        feet: [[0.0, 0.0], [0.0, 0.2]],
        heels: [0.0, 9.0],
        splay: [0.1, 0.15],
    };
    // The belly comes down first, then the nose.
    let crash = Fall {
        hips: Vec3::new(-0.5, -1.7, -4.72),
        hips_rotation: RotationDegrees::new(13.0, -10.0, -5.0),
        hull_rotation: RotationDegrees::new(9.0, -4.0, -3.0),
        turret_rotation: RotationDegrees::new(7.0, -2.0, -8.0),
        guns: [-2.0, -5.0],
        feet: [[0.5, 1.3], [0.7, 1.8]],
        heels: [8.0, 0.0],
        splay: [0.8, 0.95],
    };
    let rebound = Fall {
        hips: Vec3::new(-0.5, -1.75, -4.55),
        hips_rotation: RotationDegrees::new(13.5, -8.0, -5.0),
        hull_rotation: RotationDegrees::new(10.5, -4.5, -3.0),
        turret_rotation: RotationDegrees::new(8.5, -2.5, -9.0),
        guns: [2.0, 0.0],
        heels: [3.0, 0.0],
        ..crash
    };
    let slam = Fall {
        hips: Vec3::new(-0.5, -1.8, -4.72),
        hips_rotation: RotationDegrees::new(18.0, -10.0, -5.0),
        hull_rotation: RotationDegrees::new(15.0, -5.0, -3.0),
        turret_rotation: RotationDegrees::new(13.5, -2.0, -10.0),
        guns: [-1.0, -7.0],
        feet: [[0.6, 1.45], [0.8, 2.0]],
        heels: [0.0, 0.0],
        ..crash
    };
    let shudder = Fall {
        hips_rotation: RotationDegrees::new(17.0, -9.5, -5.0),
        hull_rotation: RotationDegrees::new(13.5, -5.0, -3.0),
        turret_rotation: RotationDegrees::new(11.0, -2.0, -10.0),
        guns: [-6.0, -11.0],
        ..slam
    };
    let rest = Fall {
        guns: [8.5, -5.0],
        ..slam
    };
    let sag = Fall {
        guns: [9.5, -4.5],
        turret_rotation: RotationDegrees::new(13.5, -2.0, -11.0),
        ..slam
    };
    [
        (0.0, Easing::InOut, Fall::default()),
        (4.0, Easing::Out, hit),
        (14.0, Easing::InOut, stagger),
        (24.0, Easing::InOut, sway),
        (42.0, Easing::In, crash),
        (46.0, Easing::Out, rebound),
        (53.0, Easing::In, slam),
        (57.0, Easing::Out, shudder),
        (62.0, Easing::In, rest),
        (72.0, Easing::InOut, sag),
    ]
}

/// The interpolated parameters at a frame.
fn fall_at(frame: f32) -> Fall {
    let keyframes = keyframes();
    let next = keyframes.partition_point(|(at, ..)| *at <= frame);
    let (from, _, before) = keyframes[next.saturating_sub(1)];
    let (to, easing, after) = keyframes[next.min(keyframes.len() - 1)];
    if to <= from {
        return after;
    }
    before.lerp(&after, easing.apply((frame - from) / (to - from)))
}

/// The transforms of all bones at a frame.
pub fn pose(rig: &Rig, frame: f32) -> Pose<'_> {
    let fall = fall_at(frame);
    let mut pose = Pose::at_rest(rig);
    pose.translate("Hips", fall.hips);
    pose.rotate("Hips", rotation_of(fall.hips_rotation));
    pose.rotate("Body", rotation_of(fall.hull_rotation));
    pose.rotate("Turret", rotation_of(fall.turret_rotation));
    for (gun, down) in ["Gun_L", "Gun_R"].into_iter().zip(fall.guns) {
        pose.rotate(gun, roll(down));
    }
    for (leg, side) in Side::BOTH.into_iter().enumerate() {
        let [out, back] = fall.feet[leg];
        let tilt = yaw(14.0 * out * side.sign()) * roll(fall.heels[leg]);
        let rest = pose.rest(side.of(FEET)).translation;
        let at = Transform::from_xyz(rest.x + out * side.sign(), rest.y + back, ankle(tilt));
        let above = Vec3::new(0.75 * side.sign(), 0.0, 0.65);
        let knee = BACKWARD.lerp(above, fall.splay[leg]);
        pose.place_foot(side, at.rotated(tilt), knee);
    }
    let [along, across] = [[1.0, 5.0], [0.4, 7.0]].map(|[size, period]| size * whip(frame, period));
    pose.rotate("Antenna", roll(30.0 * along) * pitch(30.0 * across));
    // Its bracket breaks.
    let broken = Easing::In.apply(((frame - BLOWS[1]) / 8.0).clamp(0.0, 1.0));
    pose.rotate_searchlight(roll(-26.0 * broken) * yaw(17.0 * broken));
    darken(&mut pose, frame);
    pose
}

fn rotation_of(rotation: RotationDegrees) -> Mat3 {
    yaw(rotation.z) * pitch(rotation.y) * roll(rotation.x)
}

/// The damped oscillation of a light part after each blow.
fn whip(frame: f32, period: f32) -> f32 {
    const LASTS: f32 = 26.0;
    let from = |blow: &f32| {
        let after = (frame - blow).max(0.0);
        let rest = (1.0 - after / LASTS).max(0.0);
        sin(after / period) * rest * rest
    };
    BLOWS.iter().map(from).sum()
}

/// Lamps and exhausts flicker and go out, and the hull explodes when it hits the ground.
fn darken(pose: &mut Pose<'_>, frame: f32) {
    // The frames at which they switch off and on.
    const SWITCHES: [(&str, &[f32]); 9] = [
        ("Headlamps", &[3.0, 5.0, 17.0, 19.0, 42.0]),
        ("Searchlight", &[16.0, 18.0, 21.0, 22.0, 43.0, 46.0, 47.0]),
        ("Cockpit_Lamp", &[42.0, 44.0, 49.0, 52.0, 60.0, 62.0, 66.0]),
        ("Nav_L", &[44.0]),
        ("Nav_R", &[42.0, 47.0, 50.0]),
        ("Glow_L", &[27.0, 30.0, 33.0]),
        ("Glow_R", &[20.0, 22.0, 24.0]),
        ("Exhaust_L", &[40.0]),
        ("Exhaust_R", &[32.0]),
    ];
    for (bone, switches) in SWITCHES {
        let passed = switches.iter().filter(|switch| **switch <= frame).count();
        pose.show(bone, passed.is_multiple_of(2));
    }
    pose.show("Blast", frame >= BLOWS[1]);
}
