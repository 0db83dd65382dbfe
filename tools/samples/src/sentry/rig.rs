//! The sentry's bones, and where they are in a stance.

use crate::maths::{Place, pitch, roll, upright, yaw};
use bevy::math::{Mat3, Vec2, Vec3};

/// The body, which everything but the feet hangs on.
pub const HULL: usize = 0;
/// Turns and nods.
pub const HEAD: usize = 1;
/// Left and right jaw.
pub const JAWS: [usize; 2] = [2, 3];
/// Left and right cannon.
pub const CANNONS: [usize; 2] = [4, 5];
/// What shoots out of them.
pub const FLASHES: [usize; 2] = [6, 7];
/// Lower and upper half.
pub const ANTENNA: [usize; 2] = [8, 9];
/// First bone of each leg: front left, front right, rear left, rear right.
pub const LEGS: [usize; 4] = [10, 14, 18, 22];
/// Bones of a leg, from its first one.
pub const HIP: usize = 0;
/// From hip to knee.
pub const THIGH: usize = 1;
/// From knee to ankle.
pub const SHIN: usize = 2;
/// Stands on the ground.
pub const FOOT: usize = 3;

/// From hip to knee.
pub const THIGH_LENGTH: f32 = 17.0;
/// From knee to ankle.
pub const SHIN_LENGTH: f32 = 30.0;
/// Where a cannon's flash begins.
pub const MUZZLE: f32 = 20.0;
/// Length of each half of the antenna.
pub const ANTENNA_LENGTH: f32 = 8.0;

/// Height of the hull's middle at rest.
const HULL_HEIGHT: f32 = 27.0;
/// Height of the ankle over the sole.
const ANKLE_HEIGHT: f32 = 4.0;
/// Of the front left leg: the others mirror it.
const HIP_AT: Vec3 = Vec3::new(10.5, 11.0, -2.0);
const FOOT_AT: Vec3 = Vec3::new(18.5, 21.5, 0.0);

/// A foot of a [`Stance`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Foot {
    /// How far it has moved from where it rests, in the model's axes.
    pub moved: Vec3,
    /// Degrees that its toe hangs down.
    pub tilt: f32,
}

/// What the sentry is doing at one moment. All zeros is at rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stance {
    /// How far the hull has moved.
    pub hull: Vec3,
    /// Degrees nose down.
    pub pitch: f32,
    /// Degrees right side down.
    pub roll: f32,
    /// Degrees to the left.
    pub yaw: f32,
    /// Degrees that the head is turned left and nods down.
    pub head: Vec2,
    /// Degrees that the jaws are open.
    pub jaws: f32,
    /// How far the cannons have run back.
    pub recoil: [f32; 2],
    /// Size of their flashes.
    pub flash: [f32; 2],
    /// Degrees that the antenna is bent, to the front and to the right.
    pub antenna: Vec2,
    /// The feet, in the order of [`LEGS`].
    pub feet: [Foot; 4],
}

impl Stance {
    /// Between this stance and another one.
    pub fn towards(&self, other: &Self, way: f32) -> Self {
        let mix = |a: f32, b: f32| crate::maths::mix(a, b, way);
        let both = |a: [f32; 2], b: [f32; 2]| [mix(a[0], b[0]), mix(a[1], b[1])];
        Self {
            hull: self.hull.lerp(other.hull, way),
            pitch: mix(self.pitch, other.pitch),
            roll: mix(self.roll, other.roll),
            yaw: mix(self.yaw, other.yaw),
            head: self.head.lerp(other.head, way),
            jaws: mix(self.jaws, other.jaws),
            recoil: both(self.recoil, other.recoil),
            flash: both(self.flash, other.flash),
            antenna: self.antenna.lerp(other.antenna, way),
            feet: core::array::from_fn(|foot| Foot {
                moved: self.feet[foot].moved.lerp(other.feet[foot].moved, way),
                tilt: mix(self.feet[foot].tilt, other.feet[foot].tilt),
            }),
        }
    }

    /// Where all bones are.
    pub fn bones(&self) -> Vec<Place> {
        let hull = Place {
            turn: yaw(self.yaw) * pitch(self.pitch) * roll(self.roll),
            at: Vec3::Z * HULL_HEIGHT + self.hull,
        };
        let head = hull
            * Place::at(18.0, 0.0, 0.5)
                .turned(yaw(self.head.x))
                .turned(pitch(self.head.y));
        let mut bones = vec![hull, head];
        for side in [1.0, -1.0] {
            let open = yaw(side * (self.jaws - 14.0));
            bones.push(head * Place::at(6.5, side * 4.8, -3.6).turned(open));
        }
        let cannon = |side: usize, y: f32| hull * Place::at(2.0 - self.recoil[side], y, 10.0);
        let cannons = [cannon(0, 10.5), cannon(1, -10.5)];
        bones.extend(cannons);
        for (cannon, size) in cannons.into_iter().zip(self.flash) {
            bones.push(cannon * Place::at(MUZZLE, 0.0, 0.0).scaled(size));
        }
        // It bends in the middle, twice as far above as below.
        let bend = |part: f32| pitch(self.antenna.x * part) * roll(self.antenna.y * part);
        let lower = hull
            * Place::at(-8.0, -3.5, 9.6)
                .turned(bend(0.4))
                .turned(upright());
        let upper = Place::at(ANTENNA_LENGTH, 0.0, 0.0);
        let upper = lower
            * upper
                .turned(pitch(90.0))
                .turned(bend(0.8))
                .turned(upright());
        bones.extend([lower, upper]);
        for (leg, foot) in self.feet.iter().enumerate() {
            bones.extend(leg_bones(&hull, leg, foot));
        }
        bones
    }
}

/// Mirrors a place of the front left leg to where another leg has it.
pub fn mirrored(at: Vec3, leg: usize) -> Vec3 {
    let x = if leg < 2 { at.x } else { -at.x };
    let y = if leg.is_multiple_of(2) { at.y } else { -at.y };
    Vec3::new(x, y, at.z)
}

/// Stands a leg on its foot: the knee is where thigh and shin meet above the line from hip to ankle.
fn leg_bones(hull: &Place, leg: usize, foot: &Foot) -> [Place; 4] {
    let hip = hull.point(mirrored(HIP_AT, leg));
    let wanted = mirrored(FOOT_AT, leg) + foot.moved + Vec3::Z * ANKLE_HEIGHT;

    let outward = (wanted - hip).with_z(0.0).normalize_or(Vec3::X);
    let side = Vec3::Z.cross(outward);
    let line = wanted - hip;
    // What is out of reach is not reached: then the foot stays on the shin.
    let reach = SHIN_LENGTH - THIGH_LENGTH + 0.01..=SHIN_LENGTH + THIGH_LENGTH - 0.01;
    let length = line.length().clamp(*reach.start(), *reach.end());
    let along = line.normalize_or(Vec3::NEG_Z);
    let above = along.cross(side);
    // The law of cosines: how far along that line the knee is, and how far above it.
    let thigh_2 = THIGH_LENGTH * THIGH_LENGTH;
    let knee_along = (thigh_2 + length * length - SHIN_LENGTH * SHIN_LENGTH) / (2.0 * length);
    let knee_above = (thigh_2 - knee_along * knee_along).max(0.0).sqrt();
    let knee = hip + along * knee_along + above * knee_above;

    let ankle = hip + along * length;
    let bone = |from: Vec3, to: Vec3| {
        let x = (to - from).normalize_or(Vec3::X);
        Place {
            turn: Mat3::from_cols(x, side, x.cross(side)),
            at: from,
        }
    };
    // A foot keeps its direction while the body moves over it.
    let toe = mirrored(Vec3::new(0.6, 0.8, 0.0), leg);
    let flat = Mat3::from_cols(toe, Vec3::Z.cross(toe), Vec3::Z);
    [
        Place {
            turn: Mat3::from_cols(outward, side, Vec3::Z),
            at: hip,
        },
        bone(hip, knee),
        bone(knee, ankle),
        Place {
            turn: flat * pitch(foot.tilt) * upright(),
            at: ankle - Vec3::Z * ANKLE_HEIGHT,
        },
    ]
}
