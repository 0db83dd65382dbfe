//! The sentry's animations, at ten poses per second.

use super::rig::{Foot, Stance, mirrored};
use crate::document::FrameShapes;
use crate::math::{mix, sin, smooth};
use crate::mesh::{Mesh, separate_node_meshes};
use bevy::prelude::*;

/// All frames of the file.
pub fn frames(mesh: &Mesh) -> Vec<FrameShapes> {
    let run = |name: &str, count: u8, stance: &dyn Fn(f32) -> Stance| {
        let shapes = (0..count).map(|frame| {
            mesh.shape(
                name,
                separate_node_meshes(&stance(f32::from(frame)).bones()),
            )
        });
        FrameShapes::run(name, shapes)
    };
    let keyed = |keys: Vec<(f32, Stance)>| move |frame| between(&keys, frame);
    let mut frames = run("stand", 10, &|frame| idle(frame / 10.0));
    frames.extend(run("walk", 12, &|frame| walk(frame / 12.0)));
    frames.extend(run("attack", 12, &keyed(attack())));
    frames.extend(run("pain", 6, &keyed(pain())));
    frames.extend(run("die", 14, &keyed(die())));
    let alert = alert().into_iter();
    frames.push(FrameShapes::group(
        "alert",
        alert.map(|(seconds, stance)| {
            (
                seconds,
                mesh.shape("alert", separate_node_meshes(&stance.bones())),
            )
        }),
    ));
    frames
}

/// Interpolates the keyed stances at a frame.
fn between(keys: &[(f32, Stance)], frame: f32) -> Stance {
    let next = keys.partition_point(|(at, _)| *at <= frame);
    let (from, a) = keys[next.saturating_sub(1)];
    let (to, b) = keys[next.min(keys.len() - 1)];
    if to <= from {
        return a;
    }
    a.lerp(&b, smooth((frame - from) / (to - from)))
}

/// Idle: the engine shakes it, the head turns from side to side. `time` goes from 0 to 1 and
/// repeats.
fn idle(time: f32) -> Stance {
    Stance {
        hull: Vec3::new(0.3 * sin(time + 0.25), 0.25 * sin(time), 0.55 * sin(time)),
        pitch: 0.9 * sin(time + 0.1),
        roll: 0.7 * sin(time + 0.3),
        head: Vec2::new(9.0 * sin(time - 0.1), 2.0 + 2.5 * sin(2.0 * time)),
        jaws: 4.0 + 4.0 * sin(time + 0.4),
        antenna: Vec2::new(5.0 * sin(time - 0.15), 4.0 * sin(time + 0.2)),
        ..Stance::default()
    }
}

/// The distance that a foot moves back while it is on the ground: 2.25 units per frame.
const STRIDE: f32 = 18.0;
/// The fraction of a step for which a foot is in the air.
const SWING: f32 = 1.0 / 3.0;

/// Walks in place: one foot after the other, each a quarter of the cycle later.
fn walk(time: f32) -> Stance {
    // Rear left, front left, rear right, front right.
    let lifts = [0.25, 0.75, 0.0, 0.5];
    let mut stance = Stance::default();
    for (leg, lift) in lifts.into_iter().enumerate() {
        let phase = (time - lift).rem_euclid(1.0);
        let foot = &mut stance.feet[leg];
        if phase < SWING - 1e-4 {
            let t = phase / SWING;
            let up = sin(t / 2.0);
            foot.moved.x = mix(-STRIDE, STRIDE, smooth(t)) / 2.0;
            foot.moved.z = 7.0 * up;
            foot.tilt = 14.0 * sin(t);
            // The body leans toward the supporting feet, and sinks a little on the side with a
            // lifted foot.
            let side = mirrored(Vec3::new(1.0, 1.0, 0.0), leg);
            stance.hull -= side * Vec3::new(1.0, 1.7, 0.0) * up;
            stance.roll -= side.y * 2.4 * up;
            stance.pitch += side.x * 1.2 * up;
        } else {
            foot.moved.x = STRIDE / 2.0 - STRIDE * (phase - SWING) / (1.0 - SWING);
        }
    }
    stance.hull.z = -1.0 + 0.9 * sin(4.0 * time + 0.1);
    stance.yaw = 1.6 * sin(time + 0.1);
    // The head stays level and faces ahead; the antenna follows with a small delay.
    stance.head = Vec2::new(-stance.yaw, 3.0 - stance.pitch + 1.0 * sin(2.0 * time));
    stance.jaws = 2.0 + 2.0 * sin(2.0 * time);
    stance.antenna = Vec2::new(7.0 * sin(2.0 * time - 0.15), 8.0 * sin(time - 0.2));
    stance
}

/// Crouches, fires the left and then the right cannon, and rises.
fn attack() -> Vec<(f32, Stance)> {
    let crouch = Stance {
        hull: Vec3::new(1.5, 0.0, -4.0),
        pitch: 2.0,
        head: Vec2::new(0.0, -4.0),
        jaws: 26.0,
        antenna: Vec2::new(-10.0, 0.0),
        ..Stance::default()
    };
    let fire_left = Stance {
        hull: Vec3::new(-2.5, -0.6, -4.4),
        pitch: -6.0,
        roll: 2.5,
        yaw: 4.0,
        head: Vec2::new(-3.0, 2.0),
        recoil: [6.0, 0.0],
        flash: [1.0, 0.0],
        antenna: Vec2::new(22.0, 5.0),
        ..crouch
    };
    let after_left = Stance {
        hull: Vec3::new(-1.8, -0.3, -4.0),
        pitch: -3.0,
        yaw: 2.0,
        recoil: [4.0, 0.0],
        flash: [0.0; 2],
        antenna: Vec2::new(-16.0, -4.0),
        ..fire_left
    };
    let fire_right = Stance {
        hull: Vec3::new(-3.2, 0.6, -4.4),
        pitch: -7.0,
        roll: -2.5,
        yaw: -4.0,
        head: Vec2::new(3.0, 2.0),
        recoil: [2.0, 6.0],
        flash: [0.0, 1.0],
        antenna: Vec2::new(24.0, -5.0),
        ..crouch
    };
    let after_right = Stance {
        hull: Vec3::new(-2.2, 0.3, -3.6),
        pitch: -3.0,
        yaw: -2.0,
        recoil: [0.8, 4.0],
        flash: [0.0; 2],
        antenna: Vec2::new(-18.0, 4.0),
        ..fire_right
    };
    let rise = Stance {
        hull: Vec3::new(0.4, 0.0, 0.9),
        pitch: 1.5,
        head: Vec2::new(0.0, 4.0),
        jaws: 6.0,
        recoil: [0.0, 0.6],
        antenna: Vec2::new(8.0, 0.0),
        ..Stance::default()
    };
    vec![
        (0.0, idle(0.0)),
        (3.0, crouch),
        (4.0, fire_left),
        (5.0, after_left),
        (6.0, fire_right),
        (7.0, after_right),
        (10.0, rise),
        (12.0, idle(0.0)),
    ]
}

/// Staggers back and to the side.
fn pain() -> Vec<(f32, Stance)> {
    let jolt = Stance {
        hull: Vec3::new(-3.5, -2.0, -2.5),
        pitch: -9.0,
        roll: 9.0,
        yaw: -6.0,
        head: Vec2::new(-22.0, -12.0),
        jaws: 34.0,
        antenna: Vec2::new(26.0, -18.0),
        ..Stance::default()
    };
    let rebound = Stance {
        hull: Vec3::new(1.0, 0.6, -1.6),
        pitch: 4.0,
        roll: -3.0,
        yaw: 2.0,
        head: Vec2::new(10.0, 9.0),
        jaws: 12.0,
        antenna: Vec2::new(-18.0, 12.0),
        ..Stance::default()
    };
    vec![
        (0.0, jolt.lerp(&idle(0.0), 0.35)),
        (1.0, jolt),
        (3.0, rebound),
        (6.0, idle(0.0)),
    ]
}

/// Is hit, loses its footing in front, falls on its right side and lies still.
fn die() -> Vec<(f32, Stance)> {
    let foot = |x, y, z, tilt| Foot {
        moved: Vec3::new(x, y, z),
        tilt,
    };
    let hit = Stance {
        hull: Vec3::new(-3.0, 1.5, 1.5),
        pitch: -11.0,
        roll: -7.0,
        head: Vec2::new(16.0, -16.0),
        jaws: 36.0,
        antenna: Vec2::new(24.0, 16.0),
        feet: [
            foot(0.0, 0.0, 0.0, 0.0),
            foot(2.0, 0.0, 9.0, 25.0),
            Foot::default(),
            Foot::default(),
        ],
        ..Stance::default()
    };
    let stumble = Stance {
        hull: Vec3::new(2.0, -2.0, -7.0),
        pitch: 12.0,
        roll: 10.0,
        yaw: -5.0,
        head: Vec2::new(-10.0, 14.0),
        jaws: 20.0,
        antenna: Vec2::new(-22.0, -8.0),
        feet: [
            foot(2.0, 2.0, 0.0, 0.0),
            foot(-4.0, -1.0, 0.0, 0.0),
            Foot::default(),
            foot(0.0, 2.0, 2.0, 10.0),
        ],
        ..Stance::default()
    };
    let crash = Stance {
        hull: Vec3::new(4.0, -5.0, -17.5),
        pitch: 3.0,
        roll: 17.0,
        yaw: -9.0,
        head: Vec2::new(-16.0, -6.0),
        jaws: 40.0,
        antenna: Vec2::new(34.0, 20.0),
        feet: [
            foot(5.0, 7.0, 2.0, -8.0),
            foot(2.0, -7.0, 0.0, 0.0),
            foot(-4.0, 6.0, 0.0, 0.0),
            foot(-3.0, -8.0, 0.0, 0.0),
        ],
        ..Stance::default()
    };
    let bounce = Stance {
        hull: Vec3::new(4.5, -5.5, -15.6),
        pitch: 3.0,
        roll: 13.0,
        yaw: -10.0,
        head: Vec2::new(-20.0, 10.0),
        jaws: 28.0,
        antenna: Vec2::new(-24.0, -14.0),
        feet: [
            foot(6.0, 8.0, 5.0, 14.0),
            foot(3.0, -8.0, 0.0, 0.0),
            foot(-5.0, 7.0, 0.0, 0.0),
            foot(-4.0, -9.0, 0.0, 0.0),
        ],
        ..Stance::default()
    };
    let rest = Stance {
        hull: Vec3::new(5.0, -6.0, -18.0),
        pitch: 2.0,
        roll: 18.0,
        yaw: -11.0,
        head: Vec2::new(-24.0, -4.0),
        jaws: 33.0,
        antenna: Vec2::new(14.0, 24.0),
        feet: [
            foot(7.0, 9.0, 0.0, 0.0),
            foot(3.0, -8.0, 0.0, 0.0),
            foot(-4.0, -1.0, 0.0, 0.0),
            foot(-4.0, -9.0, 0.0, 0.0),
        ],
        ..Stance::default()
    };
    vec![
        (0.0, hit.lerp(&idle(0.0), 0.5)),
        (1.0, hit),
        (4.0, stumble),
        (7.0, crash),
        (8.0, bounce),
        (10.0, rest),
        (11.0, rest.lerp(&bounce, 0.12)),
        (13.0, rest),
    ]
}

/// Quickly turns its head to both sides, then stares. The seconds are the duration of the
/// transition to the next pose.
fn alert() -> [(f32, Stance); 8] {
    let low = Stance {
        hull: Vec3::new(1.0, 0.0, -2.5),
        pitch: 3.0,
        jaws: 8.0,
        ..Stance::default()
    };
    let glance = |rotation: f32, lean: f32, nod: f32, whip: f32| Stance {
        hull: Vec3::new(1.0, lean, -2.5 + nod * 0.15),
        yaw: rotation * 0.16,
        roll: -lean * 1.5,
        head: Vec2::new(rotation, nod),
        jaws: 8.0 + whip.abs(),
        antenna: Vec2::new(whip * 0.4, whip),
        ..low
    };
    [
        (0.15, glance(0.0, 0.0, -4.0, 3.0)),
        (0.1, glance(26.0, 0.8, 2.0, -14.0)),
        (0.55, glance(38.0, 1.2, 0.0, 8.0)),
        (0.2, glance(34.0, 1.0, 4.0, -2.0)),
        (0.15, glance(8.0, 0.2, -2.0, 4.0)),
        (0.1, glance(-24.0, -0.8, 2.0, 14.0)),
        (0.6, glance(-38.0, -1.2, 0.0, -8.0)),
        (0.25, glance(-33.0, -1.0, 4.0, 2.0)),
    ]
}
