//! Computes the transforms of all nodes (a pose) from a few parameters (a stance).

use super::rig::{ANKLE, ARMS, CAPE, GLAIVE, HEAD, LEGS, Limb, NODES, PELVIS, TABARD, TORSO};
use crate::math::{Transform, pitch, roll, yaw};
use bevy::prelude::*;
use core::ops::{Index, IndexMut};

/// A parameter of a stance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Offset of the hips from the modeling pose.
    Hips,
    /// Rotation of the hips. All rotations are degrees about X, Y and Z: front down, left side
    /// down, to the left.
    HipRotation,
    /// Rotation of the chest relative to the hips.
    ChestRotation,
    /// Rotation of the head relative to the chest.
    HeadRotation,
    /// Position of the left foot: the ground point below its ankle.
    LeftFoot,
    /// Rotation of the left foot: about the heel if its toes are up, about the ball if they are
    /// down.
    LeftFootRotation,
    /// Position of the right foot; its rotation follows.
    RightFoot,
    RightFootRotation,
    /// Position of the glaive: the origin of its shaft.
    Glaive,
    /// Direction of its blade.
    Blade,
    /// Direction of its edge.
    Edge,
    /// Position of the left fist while it does not hold the shaft.
    LeftFist,
    /// Positions of the right and the left fist along the shaft, and the weight of the left grip.
    Grips,
}

const PARTS: usize = 13;

/// The parameters of a pose, for each [`Part`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance([Vec3; PARTS]);

impl Index<Part> for Stance {
    type Output = Vec3;

    fn index(&self, part: Part) -> &Vec3 {
        &self.0[part as usize]
    }
}

impl IndexMut<Part> for Stance {
    fn index_mut(&mut self, part: Part) -> &mut Vec3 {
        &mut self.0[part as usize]
    }
}

impl Stance {
    /// On guard, with the butt of the glaive on the ground.
    pub fn guard() -> Self {
        let mut stance = Self([Vec3::ZERO; PARTS]);
        stance[Part::Hips] = Vec3::new(0.04, 0.0, -0.09);
        stance[Part::HipRotation] = Vec3::new(1.0, 0.0, 6.0);
        stance[Part::ChestRotation] = Vec3::new(-3.0, 0.0, -4.0);
        stance[Part::HeadRotation] = Vec3::new(5.0, 0.0, 4.0);
        stance[Part::LeftFoot] = Vec3::new(0.56, -0.32, 0.0);
        stance[Part::LeftFootRotation] = Vec3::new(0.0, 0.0, 14.0);
        stance[Part::RightFoot] = Vec3::new(-0.58, 0.3, 0.0);
        stance[Part::RightFootRotation] = Vec3::new(0.0, 0.0, -22.0);
        stance[Part::Glaive] = Vec3::new(-1.55, -0.62, 3.3);
        stance[Part::Blade] = Vec3::new(-0.04, -0.05, 1.0);
        stance[Part::Edge] = Vec3::new(-0.3, -1.0, 0.0);
        stance[Part::LeftFist] = Vec3::new(1.42, -0.32, 2.82);
        stance[Part::Grips] = Vec3::new(0.55, -1.0, 0.0);
        stance
    }

    /// Returns the stance with a part changed.
    pub fn with(mut self, part: Part, x: f32, y: f32, z: f32) -> Self {
        self[part] = Vec3::new(x, y, z);
        self
    }

    fn blended(stances: [(&Self, f32); 4]) -> Self {
        let part = |index: usize| {
            stances
                .iter()
                .map(|(stance, weight)| stance.0[index] * *weight)
                .sum()
        };
        Self(core::array::from_fn(part))
    }
}

/// A smooth curve through stances, each with its time in seconds; its speed is zero in the first
/// and the last.
pub fn through(keys: &[(f32, Stance)], time: f32) -> Stance {
    let last = keys.len() - 1;
    let next = keys.iter().position(|(at, _)| *at > time).unwrap_or(last);
    let from = next.max(1) - 1;
    let key = |index: usize| &keys[index.min(last)];
    let (a, b) = (key(from), key(from + 1));
    let span = b.0 - a.0;
    let t = ((time - a.0) / span).clamp(0.0, 1.0);
    let (two, three) = (t * t, t * t * t);
    // Hermite interpolation: the velocity in a stance is that from the previous stance to the next
    // one.
    let speeds = [three - 2.0 * two + t, three - two].map(|weight| weight * span);
    let slope = |index: usize| {
        if index == 0 || index >= last {
            0.0
        } else {
            1.0 / (key(index + 1).0 - key(index - 1).0)
        }
    };
    let (at_a, at_b) = (speeds[0] * slope(from), speeds[1] * slope(from + 1));
    Stance::blended([
        (&key(from.max(1) - 1).1, -at_a),
        (&a.1, 2.0 * three - 3.0 * two + 1.0 - at_b),
        (&b.1, -2.0 * three + 3.0 * two + at_a),
        (&key(from + 2).1, at_b),
    ])
}

/// The transforms of all nodes, in model space.
pub type Pose = [Transform; NODES.len()];

/// A rotation by degrees about X, Y and Z.
pub fn rotation(degrees: Vec3) -> Mat3 {
    yaw(degrees.z) * pitch(degrees.y) * roll(degrees.x)
}

/// The rotation whose Z points along `up`, and whose −Y is as close as possible to `front`.
fn facing(up: Vec3, front: Vec3) -> Mat3 {
    let up = up.normalize_or(Vec3::Z);
    let back = -(front - up * front.dot(up)).normalize_or(Vec3::NEG_Y);
    Mat3::from_cols(back.cross(up), back, up)
}

/// The transforms of all nodes in a stance.
pub fn pose(stance: &Stance) -> Pose {
    let mut pose = NODES.map(|node| Transform::from_xyz(node.joint.x, node.joint.y, node.joint.z));
    pose[super::rig::ROOT] = Transform::from_xyz(0.0, 0.0, 0.0);
    pose[PELVIS].translation += stance[Part::Hips];
    pose[PELVIS].rotation = rotation(stance[Part::HipRotation]);
    follow(&mut pose, TORSO, rotation(stance[Part::ChestRotation]));
    follow(&mut pose, HEAD, rotation(stance[Part::HeadRotation]));
    follow(&mut pose, CAPE, Mat3::IDENTITY);
    follow(&mut pose, TABARD, Mat3::IDENTITY);
    let feet = [
        (Part::LeftFoot, Part::LeftFootRotation),
        (Part::RightFoot, Part::RightFootRotation),
    ];
    for (limb, (at, foot_rotation)) in LEGS.iter().zip(feet) {
        place_foot(&mut pose, limb, foot(stance[at], stance[foot_rotation]));
    }
    pose[GLAIVE] = Transform {
        rotation: facing(stance[Part::Blade], stance[Part::Edge]),
        translation: stance[Part::Glaive],
    };
    let Vec3 {
        x: right,
        y: left,
        z: holds,
    } = stance[Part::Grips];
    hold(&mut pose, &ARMS[1], right, 1.0, Vec3::ZERO);
    hold(&mut pose, &ARMS[0], left, holds, stance[Part::LeftFist]);
    pose
}

/// Attaches a node to its parent with a relative rotation.
fn follow(pose: &mut Pose, node: usize, rotation: Mat3) {
    let parent = NODES[node].parent;
    let offset = NODES[node].joint - NODES[parent].joint;
    pose[node] = pose[parent] * Transform::from_xyz(offset.x, offset.y, offset.z).rotated(rotation);
}

/// The transform of an ankle for a foot position and rotation.
fn foot(at: Vec3, degrees: Vec3) -> Transform {
    const BALL: Vec3 = Vec3::new(0.0, -0.7, -ANKLE);
    const HEEL: Vec3 = Vec3::new(0.0, 0.24, -ANKLE);
    let flat = yaw(degrees.z);
    let tilted = flat * pitch(degrees.y) * roll(degrees.x);
    let pivot = if degrees.x > 0.0 { BALL } else { HEEL };
    Transform {
        rotation: tilted,
        translation: at + Vec3::Z * ANKLE + flat * pivot - tilted * pivot,
    }
}

fn place_foot(pose: &mut Pose, limb: &Limb, foot: Transform) {
    follow(pose, limb.upper, Mat3::IDENTITY);
    pose[limb.end] = foot;
    let knee = foot.rotation * Vec3::NEG_Y * 0.5 + pose[PELVIS].rotation * Vec3::NEG_Y;
    bend(pose, limb, knee, Vec3::NEG_Y);
}

/// Offset of the center of a fist from its wrist.
const FIST: Vec3 = Vec3::new(-0.02, -0.01, -0.3);

/// Inverse kinematics of an arm: its fist holds the shaft, weighted by `holds`.
fn hold(pose: &mut Pose, limb: &Limb, grip: f32, holds: f32, free: Vec3) {
    follow(pose, limb.upper, Mat3::IDENTITY);
    let side = NODES[limb.upper].joint.x.signum();
    let shaft = pose[GLAIVE];
    let fist = free.lerp(shaft.point(Vec3::Z * grip), holds);
    let along =
        (pose[TORSO].rotation * Vec3::new(0.0, -1.0, 0.15)).lerp(shaft.rotation.z_axis, holds);
    let offset = FIST * Vec3::new(side, 1.0, 1.0);
    let elbow = pose[TORSO].rotation * Vec3::new(0.62 * side, 0.62, -0.45);
    let mut from = pose[limb.upper].translation;
    // The transform of the hand depends on the forearm, and that of the forearm on the hand, so
    // this iterates.
    for _ in 0..4 {
        let rotation = facing(from - fist, along);
        pose[limb.end] = Transform {
            rotation,
            translation: fist - rotation * offset,
        };
        bend(pose, limb, elbow, Vec3::Y);
        from = pose[limb.lower].translation;
    }
}

/// Inverse kinematics of a limb with a fixed end. The middle joint moves toward `towards`; in the
/// modeling pose this direction is `rest`.
fn bend(pose: &mut Pose, limb: &Limb, towards: Vec3, rest: Vec3) {
    let joints = [limb.upper, limb.lower, limb.end].map(|node| NODES[node].joint);
    let (upper, lower) = (joints[1] - joints[0], joints[2] - joints[1]);
    let (a, b) = (upper.length(), lower.length());
    let from = pose[limb.upper].translation;
    let line = pose[limb.end].translation - from;
    let length = line.length().clamp((a - b).abs() + 0.05, (a + b) * 0.999);
    let along = line.normalize_or(Vec3::NEG_Z);
    let out = (towards - along * towards.dot(along)).normalize_or(Vec3::X);
    let forth = (length * length + a * a - b * b) / (2.0 * length);
    let aside = (a * a - forth * forth).max(0.0).sqrt();
    let joint = from + along * forth + out * aside;
    let end = from + along * length;
    let rotation =
        |rest_bone: Vec3, bone: Vec3| facing(bone, out) * facing(rest_bone, rest).transpose();
    pose[limb.upper].rotation = rotation(upper, joint - from);
    pose[limb.lower] = Transform {
        rotation: rotation(lower, end - joint),
        translation: joint,
    };
    pose[limb.end].translation = end;
}
