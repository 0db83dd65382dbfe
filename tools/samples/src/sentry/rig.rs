//! The sentry's bones, and their transforms in a stance.

use crate::math::{Transform, pitch, roll, upright, yaw};
use bevy::prelude::*;

/// The body, the parent of everything except the feet.
pub const HULL: usize = 0;
/// Yaws and pitches.
pub const HEAD: usize = 1;
/// Left and right jaw.
pub const JAWS: [usize; 2] = [2, 3];
/// Left and right cannon.
pub const CANNONS: [usize; 2] = [4, 5];
/// Their muzzle flashes.
pub const FLASHES: [usize; 2] = [6, 7];
/// Lower and upper half.
pub const ANTENNA: [usize; 2] = [8, 9];
/// First bone of each leg: front left, front right, rear left, rear right.
pub const LEGS: [usize; 4] = [10, 14, 18, 22];
/// Offsets of a leg's bones from its first one.
pub const HIP: usize = 0;
/// From hip to knee.
pub const THIGH: usize = 1;
/// From knee to ankle.
pub const SHIN: usize = 2;
/// Rests on the ground.
pub const FOOT: usize = 3;

/// From hip to knee.
pub const THIGH_LENGTH: f32 = 17.0;
/// From knee to ankle.
pub const SHIN_LENGTH: f32 = 30.0;
/// Distance from a cannon's origin to its flash.
pub const MUZZLE: f32 = 20.0;
/// Length of each half of the antenna.
pub const ANTENNA_LENGTH: f32 = 8.0;

/// Height of the hull's center at rest.
const HULL_HEIGHT: f32 = 27.0;
/// Height of the ankle over the sole.
const ANKLE_HEIGHT: f32 = 4.0;
/// The hip of the front left leg; the others mirror it.
const HIP_AT: Vec3 = Vec3::new(10.5, 11.0, -2.0);
const FOOT_AT: Vec3 = Vec3::new(18.5, 21.5, 0.0);

/// A foot of a [`Stance`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Foot {
    /// Its offset from its rest position, in the model's axes.
    pub moved: Vec3,
    /// Degrees that its toe is lowered.
    pub tilt: f32,
}

/// The parameters of a pose. All zeros is the rest pose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stance {
    /// Offset of the hull.
    pub hull: Vec3,
    /// Degrees nose down.
    pub pitch: f32,
    /// Degrees right side down.
    pub roll: f32,
    /// Degrees to the left.
    pub yaw: f32,
    /// Degrees that the head is turned left and pitched down.
    pub head: Vec2,
    /// Degrees that the jaws are open.
    pub jaws: f32,
    /// Recoil distance of the cannons.
    pub recoil: [f32; 2],
    /// Scale of their flashes.
    pub flash: [f32; 2],
    /// Degrees that the antenna is bent, to the front and to the right.
    pub antenna: Vec2,
    /// The feet, in the order of [`LEGS`].
    pub feet: [Foot; 4],
}

impl Stance {
    /// Interpolates linearly to another stance.
    pub fn lerp(&self, other: &Self, t: f32) -> Self {
        let mix = |a: f32, b: f32| crate::math::mix(a, b, t);
        let both = |a: [f32; 2], b: [f32; 2]| [mix(a[0], b[0]), mix(a[1], b[1])];
        Self {
            hull: self.hull.lerp(other.hull, t),
            pitch: mix(self.pitch, other.pitch),
            roll: mix(self.roll, other.roll),
            yaw: mix(self.yaw, other.yaw),
            head: self.head.lerp(other.head, t),
            jaws: mix(self.jaws, other.jaws),
            recoil: both(self.recoil, other.recoil),
            flash: both(self.flash, other.flash),
            antenna: self.antenna.lerp(other.antenna, t),
            feet: core::array::from_fn(|foot| Foot {
                moved: self.feet[foot].moved.lerp(other.feet[foot].moved, t),
                tilt: mix(self.feet[foot].tilt, other.feet[foot].tilt),
            }),
        }
    }

    /// The transforms of all bones.
    pub fn bones(&self) -> Vec<Transform> {
        let hull = Transform {
            rotation: yaw(self.yaw) * pitch(self.pitch) * roll(self.roll),
            translation: Vec3::Z * HULL_HEIGHT + self.hull,
        };
        let head = hull
            * Transform::from_xyz(18.0, 0.0, 0.5)
                .rotated(yaw(self.head.x))
                .rotated(pitch(self.head.y));
        let mut bones = vec![hull, head];
        for side in [1.0, -1.0] {
            let opening = yaw(side * (self.jaws - 14.0));
            bones.push(head * Transform::from_xyz(6.5, side * 4.8, -3.6).rotated(opening));
        }
        let cannon =
            |side: usize, y: f32| hull * Transform::from_xyz(2.0 - self.recoil[side], y, 10.0);
        let cannons = [cannon(0, 10.5), cannon(1, -10.5)];
        bones.extend(cannons);
        for (cannon, size) in cannons.into_iter().zip(self.flash) {
            bones.push(cannon * Transform::from_xyz(MUZZLE, 0.0, 0.0).scaled(size));
        }
        // It bends in the middle; the upper angle is twice the lower one.
        let bend = |part: f32| pitch(self.antenna.x * part) * roll(self.antenna.y * part);
        let lower = hull
            * Transform::from_xyz(-8.0, -3.5, 9.6)
                .rotated(bend(0.4))
                .rotated(upright());
        let upper = Transform::from_xyz(ANTENNA_LENGTH, 0.0, 0.0);
        let upper = lower
            * upper
                .rotated(pitch(90.0))
                .rotated(bend(0.8))
                .rotated(upright());
        bones.extend([lower, upper]);
        for (leg, foot) in self.feet.iter().enumerate() {
            bones.extend(leg_bones(&hull, leg, foot));
        }
        bones
    }
}

/// Mirrors a point of the front left leg to another leg.
pub fn mirrored(at: Vec3, leg: usize) -> Vec3 {
    let x = if leg < 2 { at.x } else { -at.x };
    let y = if leg.is_multiple_of(2) { at.y } else { -at.y };
    Vec3::new(x, y, at.z)
}

/// Two-bone inverse kinematics of a leg: the knee is above the line from hip to ankle.
fn leg_bones(hull: &Transform, leg: usize, foot: &Foot) -> [Transform; 4] {
    let hip = hull.point(mirrored(HIP_AT, leg));
    let wanted = mirrored(FOOT_AT, leg) + foot.moved + Vec3::Z * ANKLE_HEIGHT;

    let outward = (wanted - hip).with_z(0.0).normalize_or(Vec3::X);
    let side = Vec3::Z.cross(outward);
    let line = wanted - hip;
    // If the ankle is out of reach, the foot stays on the shin.
    let reach = SHIN_LENGTH - THIGH_LENGTH + 0.01..=SHIN_LENGTH + THIGH_LENGTH - 0.01;
    let length = line.length().clamp(*reach.start(), *reach.end());
    let along = line.normalize_or(Vec3::NEG_Z);
    let above = along.cross(side);
    // The law of cosines: the position of the knee along that line, and its height above it.
    let thigh_2 = THIGH_LENGTH * THIGH_LENGTH;
    let knee_along = (thigh_2 + length * length - SHIN_LENGTH * SHIN_LENGTH) / (2.0 * length);
    let knee_above = (thigh_2 - knee_along * knee_along).max(0.0).sqrt();
    let knee = hip + along * knee_along + above * knee_above;

    let ankle = hip + along * length;
    let bone = |from: Vec3, to: Vec3| {
        let x = (to - from).normalize_or(Vec3::X);
        Transform {
            rotation: Mat3::from_cols(x, side, x.cross(side)),
            translation: from,
        }
    };
    // A foot keeps its direction while the body moves over it.
    let toe = mirrored(Vec3::new(0.6, 0.8, 0.0), leg);
    let flat = Mat3::from_cols(toe, Vec3::Z.cross(toe), Vec3::Z);
    [
        Transform {
            rotation: Mat3::from_cols(outward, side, Vec3::Z),
            translation: hip,
        },
        bone(hip, knee),
        bone(knee, ankle),
        Transform {
            rotation: flat * pitch(foot.tilt) * upright(),
            translation: ankle - Vec3::Z * ANKLE_HEIGHT,
        },
    ]
}
