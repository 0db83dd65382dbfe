//! From a few numbers that a clip tells, a stance, to where every node is, a pose.

use super::rig::{ANKLE, ARMS, CAPE, GLAIVE, HEAD, LEGS, Limb, NODES, PELVIS, TABARD, TORSO};
use crate::maths::{Place, pitch, roll, yaw};
use bevy::math::{Mat3, Vec3};
use core::ops::{Index, IndexMut};

/// What a clip tells of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// How far the hips are from where they are shaped.
    Hips,
    /// Their turn; as all turns, degrees about X, Y and Z: the front down, the left side down, to the left.
    HipTurn,
    /// The turn of the chest against the hips.
    ChestTurn,
    /// The turn of the head against the chest.
    HeadTurn,
    /// Where the left foot stands: the point below its ankle.
    LeftFoot,
    /// Its turn, about the heel where its toes are up, and about the ball where they are down.
    LeftFootTurn,
    /// The same of the right one.
    RightFoot,
    RightFootTurn,
    /// Where the glaive is: the origin of its shaft.
    Glaive,
    /// Where its blade points.
    Blade,
    /// Where its edge looks.
    Edge,
    /// Where the left fist is while it does not hold the shaft.
    LeftFist,
    /// Where on the shaft the right fist is, where the left one, and how much the left one holds it.
    Grips,
}

const PARTS: usize = 13;

/// What a clip tells of a moment, for each [`Part`].
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
    /// On guard: the butt of the glaive on the ground.
    pub fn guard() -> Self {
        let mut stance = Self([Vec3::ZERO; PARTS]);
        stance[Part::Hips] = Vec3::new(0.04, 0.0, -0.09);
        stance[Part::HipTurn] = Vec3::new(1.0, 0.0, 6.0);
        stance[Part::ChestTurn] = Vec3::new(-3.0, 0.0, -4.0);
        stance[Part::HeadTurn] = Vec3::new(5.0, 0.0, 4.0);
        stance[Part::LeftFoot] = Vec3::new(0.56, -0.32, 0.0);
        stance[Part::LeftFootTurn] = Vec3::new(0.0, 0.0, 14.0);
        stance[Part::RightFoot] = Vec3::new(-0.58, 0.3, 0.0);
        stance[Part::RightFootTurn] = Vec3::new(0.0, 0.0, -22.0);
        stance[Part::Glaive] = Vec3::new(-1.55, -0.62, 3.3);
        stance[Part::Blade] = Vec3::new(-0.04, -0.05, 1.0);
        stance[Part::Edge] = Vec3::new(-0.3, -1.0, 0.0);
        stance[Part::LeftFist] = Vec3::new(1.42, -0.32, 2.82);
        stance[Part::Grips] = Vec3::new(0.55, -1.0, 0.0);
        stance
    }

    /// The same with a part changed.
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

/// A smooth way through stances, each with its time in seconds; it stands still in the first and the last.
pub fn through(keys: &[(f32, Stance)], time: f32) -> Stance {
    let last = keys.len() - 1;
    let next = keys.iter().position(|(at, _)| *at > time).unwrap_or(last);
    let from = next.max(1) - 1;
    let key = |index: usize| &keys[index.min(last)];
    let (a, b) = (key(from), key(from + 1));
    let span = b.0 - a.0;
    let way = ((time - a.0) / span).clamp(0.0, 1.0);
    let (two, three) = (way * way, way * way * way);
    // Hermite: the speed in a stance is that from the one before it to the one after it.
    let speeds = [three - 2.0 * two + way, three - two].map(|weight| weight * span);
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

/// Where every node is.
pub type Pose = [Place; NODES.len()];

/// A turn by degrees about X, Y and Z.
pub fn turn(degrees: Vec3) -> Mat3 {
    yaw(degrees.z) * pitch(degrees.y) * roll(degrees.x)
}

/// The turn whose Z looks along `up`, and whose −Y looks as much as it can along `front`.
fn facing(up: Vec3, front: Vec3) -> Mat3 {
    let up = up.normalize_or(Vec3::Z);
    let back = -(front - up * front.dot(up)).normalize_or(Vec3::NEG_Y);
    Mat3::from_cols(back.cross(up), back, up)
}

/// Where all nodes are in a stance.
pub fn pose(stance: &Stance) -> Pose {
    let mut pose = NODES.map(|node| Place::at(node.joint.x, node.joint.y, node.joint.z));
    pose[super::rig::ROOT] = Place::at(0.0, 0.0, 0.0);
    pose[PELVIS].at += stance[Part::Hips];
    pose[PELVIS].turn = turn(stance[Part::HipTurn]);
    follow(&mut pose, TORSO, turn(stance[Part::ChestTurn]));
    follow(&mut pose, HEAD, turn(stance[Part::HeadTurn]));
    follow(&mut pose, CAPE, Mat3::IDENTITY);
    follow(&mut pose, TABARD, Mat3::IDENTITY);
    let feet = [
        (Part::LeftFoot, Part::LeftFootTurn),
        (Part::RightFoot, Part::RightFootTurn),
    ];
    for (limb, (at, turned)) in LEGS.iter().zip(feet) {
        stand(&mut pose, limb, foot(stance[at], stance[turned]));
    }
    pose[GLAIVE] = Place {
        turn: facing(stance[Part::Blade], stance[Part::Edge]),
        at: stance[Part::Glaive],
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

/// Puts a node where its parent carries it, turned against that.
fn follow(pose: &mut Pose, node: usize, turn: Mat3) {
    let parent = NODES[node].parent;
    let offset = NODES[node].joint - NODES[parent].joint;
    pose[node] = pose[parent] * Place::at(offset.x, offset.y, offset.z).turned(turn);
}

/// Where an ankle is, and how the foot below it is turned.
fn foot(at: Vec3, degrees: Vec3) -> Place {
    const BALL: Vec3 = Vec3::new(0.0, -0.7, -ANKLE);
    const HEEL: Vec3 = Vec3::new(0.0, 0.24, -ANKLE);
    let flat = yaw(degrees.z);
    let tilted = flat * pitch(degrees.y) * roll(degrees.x);
    let pivot = if degrees.x > 0.0 { BALL } else { HEEL };
    Place {
        turn: tilted,
        at: at + Vec3::Z * ANKLE + flat * pivot - tilted * pivot,
    }
}

fn stand(pose: &mut Pose, limb: &Limb, foot: Place) {
    follow(pose, limb.upper, Mat3::IDENTITY);
    pose[limb.end] = foot;
    let knee = foot.turn * Vec3::NEG_Y * 0.5 + pose[PELVIS].turn * Vec3::NEG_Y;
    bend(pose, limb, knee, Vec3::NEG_Y);
}

/// Where the middle of a fist is, from its wrist.
const FIST: Vec3 = Vec3::new(-0.02, -0.01, -0.3);

/// Bends an arm so that its fist holds the shaft, or as much as that is wanted.
fn hold(pose: &mut Pose, limb: &Limb, grip: f32, holds: f32, free: Vec3) {
    follow(pose, limb.upper, Mat3::IDENTITY);
    let side = NODES[limb.upper].joint.x.signum();
    let shaft = pose[GLAIVE];
    let fist = free.lerp(shaft.point(Vec3::Z * grip), holds);
    let along = (pose[TORSO].turn * Vec3::new(0.0, -1.0, 0.15)).lerp(shaft.turn.z_axis, holds);
    let offset = FIST * Vec3::new(side, 1.0, 1.0);
    let elbow = pose[TORSO].turn * Vec3::new(0.62 * side, 0.62, -0.45);
    let mut from = pose[limb.upper].at;
    // The hand goes on where the forearm ends, and that ends where the hand is.
    for _ in 0..4 {
        let turn = facing(from - fist, along);
        pose[limb.end] = Place {
            turn,
            at: fist - turn * offset,
        };
        bend(pose, limb, elbow, Vec3::Y);
        from = pose[limb.lower].at;
    }
}

/// Bends a limb so that it reaches its end, with the joint between going where `towards` says. At rest
/// that is `rest`.
fn bend(pose: &mut Pose, limb: &Limb, towards: Vec3, rest: Vec3) {
    let joints = [limb.upper, limb.lower, limb.end].map(|node| NODES[node].joint);
    let (upper, lower) = (joints[1] - joints[0], joints[2] - joints[1]);
    let (a, b) = (upper.length(), lower.length());
    let from = pose[limb.upper].at;
    let way = pose[limb.end].at - from;
    let length = way.length().clamp((a - b).abs() + 0.05, (a + b) * 0.999);
    let along = way.normalize_or(Vec3::NEG_Z);
    let out = (towards - along * towards.dot(along)).normalize_or(Vec3::X);
    let forth = (length * length + a * a - b * b) / (2.0 * length);
    let aside = (a * a - forth * forth).max(0.0).sqrt();
    let joint = from + along * forth + out * aside;
    let end = from + along * length;
    let turn =
        |rest_bone: Vec3, bone: Vec3| facing(bone, out) * facing(rest_bone, rest).transpose();
    pose[limb.upper].turn = turn(upper, joint - from);
    pose[limb.lower] = Place {
        turn: turn(lower, end - joint),
        at: joint,
    };
    pose[limb.end].at = end;
}
