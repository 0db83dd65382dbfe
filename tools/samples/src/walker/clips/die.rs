//! `DIE`: is hit, staggers, gives way at the knees, falls on its belly and goes dark.

use super::pose::{BACKWARDS, FEET, Pose, Side, ankle};
use crate::maths::{Place, mix, pitch, roll, sin, smooth, yaw};
use crate::walker::skeleton::Rig;
use bevy::math::{Mat3, Vec3};

/// Number of the last frame: 2.8 seconds. It lies as there from then on.
pub const LAST: u16 = 84;

/// When it is hit, and when belly and nose hit the ground.
const BLOWS: [f32; 3] = [1.0, 42.0, 53.0];

/// Degrees that the front and the left side are lowered, and that the nose is turned left.
type Turn = Vec3;

/// What it is doing at one moment. All zeros is at rest.
#[derive(Clone, Copy, Default)]
struct Fall {
    /// How far the hips have moved.
    hips: Vec3,
    /// How these three are turned, each in relation to the one before.
    hips_turn: Turn,
    hull_turn: Turn,
    turret_turn: Turn,
    /// Degrees that the muzzles hang down: left, right.
    guns: [f32; 2],
    /// How far the feet have slid outwards and back.
    feet: [[f32; 2]; 2],
    /// Degrees that the heels are off the ground.
    heels: [f32; 2],
    /// How far knees have gone from behind the legs to above and beside them.
    splay: [f32; 2],
}

/// How it gets to a moment from the one before.
#[derive(Clone, Copy)]
enum Way {
    /// Slowly, fast, slowly.
    Steady,
    /// Faster and faster.
    Falling,
    /// Slower and slower.
    Spent,
}

impl Way {
    fn at(self, part: f32) -> f32 {
        match self {
            Self::Steady => smooth(part),
            Self::Falling => part * part,
            Self::Spent => part * (2.0 - part),
        }
    }
}

impl Fall {
    fn towards(&self, other: &Self, way: f32) -> Self {
        let mix = |a: f32, b: f32| mix(a, b, way);
        let both = |a: [f32; 2], b: [f32; 2]| [mix(a[0], b[0]), mix(a[1], b[1])];
        Self {
            hips: self.hips.lerp(other.hips, way),
            hips_turn: self.hips_turn.lerp(other.hips_turn, way),
            hull_turn: self.hull_turn.lerp(other.hull_turn, way),
            turret_turn: self.turret_turn.lerp(other.turret_turn, way),
            guns: both(self.guns, other.guns),
            feet: [0, 1].map(|foot| both(self.feet[foot], other.feet[foot])),
            heels: both(self.heels, other.heels),
            splay: both(self.splay, other.splay),
        }
    }
}

/// What it does when.
fn moments() -> [(f32, Way, Fall); 10] {
    let hit = Fall {
        hips: Vec3::new(-0.1, 0.4, -0.1),
        hips_turn: Turn::new(-3.0, -2.0, 3.0),
        hull_turn: Turn::new(-6.0, -3.0, 5.0),
        turret_turn: Turn::new(-3.0, 0.0, 8.0),
        guns: [-7.0, -3.0],
        ..Fall::default()
    };
    let stagger = Fall {
        hips: Vec3::new(-0.35, -0.05, -0.75),
        hips_turn: Turn::new(3.0, -4.0, -2.0),
        hull_turn: Turn::new(5.0, -3.0, -4.0),
        turret_turn: Turn::new(3.0, 1.0, -6.0),
        guns: [5.0, 8.0],
        heels: [0.0, 6.0],
        ..Fall::default()
    };
    let sway = Fall {
        hips: Vec3::new(-0.15, -0.2, -0.95),
        hips_turn: Turn::new(3.0, -1.0, 1.0),
        hull_turn: Turn::new(2.0, 3.0, 2.0),
        turret_turn: Turn::new(1.0, 2.0, 3.0),
        guns: [2.0, 3.0],
        feet: [[0.0, 0.0], [0.0, 0.2]],
        heels: [0.0, 9.0],
        splay: [0.1, 0.15],
    };
    // The belly comes down first, then the nose.
    let crash = Fall {
        hips: Vec3::new(-0.5, -1.7, -4.72),
        hips_turn: Turn::new(13.0, -10.0, -5.0),
        hull_turn: Turn::new(9.0, -4.0, -3.0),
        turret_turn: Turn::new(7.0, -2.0, -8.0),
        guns: [-2.0, -5.0],
        feet: [[0.5, 1.3], [0.7, 1.8]],
        heels: [8.0, 0.0],
        splay: [0.8, 0.95],
    };
    let rebound = Fall {
        hips: Vec3::new(-0.5, -1.75, -4.55),
        hips_turn: Turn::new(13.5, -8.0, -5.0),
        hull_turn: Turn::new(10.5, -4.5, -3.0),
        turret_turn: Turn::new(8.5, -2.5, -9.0),
        guns: [2.0, 0.0],
        heels: [3.0, 0.0],
        ..crash
    };
    let slam = Fall {
        hips: Vec3::new(-0.5, -1.8, -4.72),
        hips_turn: Turn::new(18.0, -10.0, -5.0),
        hull_turn: Turn::new(15.0, -5.0, -3.0),
        turret_turn: Turn::new(13.5, -2.0, -10.0),
        guns: [-1.0, -7.0],
        feet: [[0.6, 1.45], [0.8, 2.0]],
        heels: [0.0, 0.0],
        ..crash
    };
    let shudder = Fall {
        hips_turn: Turn::new(17.0, -9.5, -5.0),
        hull_turn: Turn::new(13.5, -5.0, -3.0),
        turret_turn: Turn::new(11.0, -2.0, -10.0),
        guns: [-6.0, -11.0],
        ..slam
    };
    let rest = Fall {
        guns: [8.5, -5.0],
        ..slam
    };
    let sag = Fall {
        guns: [9.5, -4.5],
        turret_turn: Turn::new(13.5, -2.0, -11.0),
        ..slam
    };
    [
        (0.0, Way::Steady, Fall::default()),
        (4.0, Way::Spent, hit),
        (14.0, Way::Steady, stagger),
        (24.0, Way::Steady, sway),
        (42.0, Way::Falling, crash),
        (46.0, Way::Spent, rebound),
        (53.0, Way::Falling, slam),
        (57.0, Way::Spent, shudder),
        (62.0, Way::Falling, rest),
        (72.0, Way::Steady, sag),
    ]
}

/// The moment at a frame.
fn moment(frame: f32) -> Fall {
    let moments = moments();
    let next = moments.partition_point(|(at, ..)| *at <= frame);
    let (from, _, before) = moments[next.saturating_sub(1)];
    let (to, way, after) = moments[next.min(moments.len() - 1)];
    if to <= from {
        return after;
    }
    before.towards(&after, way.at((frame - from) / (to - from)))
}

/// All bones at a frame.
pub fn pose(rig: &Rig, frame: f32) -> Pose<'_> {
    let fall = moment(frame);
    let mut pose = Pose::at_rest(rig);
    pose.shift("Hips", fall.hips);
    pose.turn("Hips", turned(fall.hips_turn));
    pose.turn("Body", turned(fall.hull_turn));
    pose.turn("Turret", turned(fall.turret_turn));
    for (gun, down) in ["Gun_L", "Gun_R"].into_iter().zip(fall.guns) {
        pose.turn(gun, roll(down));
    }
    for (leg, side) in Side::BOTH.into_iter().enumerate() {
        let [out, back] = fall.feet[leg];
        let tilt = yaw(14.0 * out * side.sign()) * roll(fall.heels[leg]);
        let rest = pose.rest(side.of(FEET)).at;
        let at = Place::at(rest.x + out * side.sign(), rest.y + back, ankle(tilt));
        let above = Vec3::new(0.75 * side.sign(), 0.0, 0.65);
        let knee = BACKWARDS.lerp(above, fall.splay[leg]);
        pose.stand(side, at.turned(tilt), knee);
    }
    let [along, across] = [[1.0, 5.0], [0.4, 7.0]].map(|[size, period]| size * whip(frame, period));
    pose.turn("Antenna", roll(30.0 * along) * pitch(30.0 * across));
    // Its bracket breaks.
    let broken = Way::Falling.at(((frame - BLOWS[1]) / 8.0).clamp(0.0, 1.0));
    pose.aim_searchlight(roll(-26.0 * broken) * yaw(17.0 * broken));
    darken(&mut pose, frame);
    pose
}

fn turned(turn: Turn) -> Mat3 {
    yaw(turn.z) * pitch(turn.y) * roll(turn.x)
}

/// What the blows do to something light: to and fro until it has died away.
fn whip(frame: f32, period: f32) -> f32 {
    const LASTS: f32 = 26.0;
    let from = |blow: &f32| {
        let after = (frame - blow).max(0.0);
        let rest = (1.0 - after / LASTS).max(0.0);
        sin(after / period) * rest * rest
    };
    BLOWS.iter().map(from).sum()
}

/// Lamps flicker, and go out; so do the exhausts.
fn darken(pose: &mut Pose<'_>, frame: f32) {
    // At these frames they go off and on again.
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
}
