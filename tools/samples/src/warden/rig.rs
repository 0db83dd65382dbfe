//! The warden's nodes, and their positions in the modeling pose.

use bevy::math::Vec3;

/// A node of the file.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its name in the file.
    pub name: &'static str,
    /// Index of its parent; the root is its own parent.
    pub parent: usize,
    /// Its origin in the modeling pose, in which no node is rotated.
    pub joint: Vec3,
}

pub const ROOT: usize = 0;
pub const PELVIS: usize = 1;
pub const TORSO: usize = 2;
pub const HEAD: usize = 3;
pub const GLAIVE: usize = 7;
pub const CAPE: usize = 11;
pub const TABARD: usize = 12;

/// A limb: its upper, lower and end node.
#[derive(Clone, Copy, Debug)]
pub struct Limb {
    pub upper: usize,
    pub lower: usize,
    pub end: usize,
}

/// Left, right.
pub const ARMS: [Limb; 2] = [limb(8), limb(4)];
/// Left, right.
pub const LEGS: [Limb; 2] = [limb(16), limb(13)];

const fn limb(upper: usize) -> Limb {
    Limb {
        upper,
        lower: upper + 1,
        end: upper + 2,
    }
}

const SHOULDER: Vec3 = Vec3::new(1.0, 0.06, 5.38);
const ELBOW: Vec3 = Vec3::new(1.14, 0.1, 4.12);
const WRIST: Vec3 = Vec3::new(1.16, -0.02, 2.98);
const HIP: Vec3 = Vec3::new(0.44, 0.02, 3.62);
const KNEE: Vec3 = Vec3::new(0.5, -0.03, 2.0);
/// Height of an ankle over the ground.
pub const ANKLE: f32 = 0.44;
const HEEL: Vec3 = Vec3::new(0.52, 0.1, ANKLE);

/// Origin of the glaive in the modeling pose, away from the body.
const RACK: Vec3 = Vec3::new(-8.0, 0.0, 4.0);
const WAIST: Vec3 = Vec3::new(0.0, 0.03, 4.1);
const HIPS: Vec3 = Vec3::new(0.0, 0.02, 3.75);

/// The nodes, depth first, as the format requires.
pub const NODES: [Node; 19] = [
    node("Root", ROOT, Vec3::ZERO),
    node("Pelvis", ROOT, HIPS),
    node("Torso", PELVIS, WAIST),
    node("Head", TORSO, Vec3::new(0.0, 0.02, 5.82)),
    node("R_UpperArm", TORSO, right(SHOULDER)),
    node("R_Forearm", 4, right(ELBOW)),
    node("R_Hand", 5, right(WRIST)),
    node("Glaive", 6, RACK),
    node("L_UpperArm", TORSO, SHOULDER),
    node("L_Forearm", 8, ELBOW),
    node("L_Hand", 9, WRIST),
    node("Cape", TORSO, WAIST),
    node("Tabard", PELVIS, HIPS),
    node("R_Thigh", PELVIS, right(HIP)),
    node("R_Shin", 13, right(KNEE)),
    node("R_Foot", 14, right(HEEL)),
    node("L_Thigh", PELVIS, HIP),
    node("L_Shin", 16, KNEE),
    node("L_Foot", 17, HEEL),
];

const fn node(name: &'static str, parent: usize, joint: Vec3) -> Node {
    Node {
        name,
        parent,
        joint,
    }
}

const fn right(left: Vec3) -> Vec3 {
    Vec3::new(-left.x, left.y, left.z)
}
