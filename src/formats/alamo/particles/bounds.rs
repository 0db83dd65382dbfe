//! Where particles can be: boxes for culling.

use crate::formats::alamo::particles::Track;
use crate::formats::alamo::particles::evaluate::{
    BirthRecord, EmitMode, Ground, GroundEffect, PreparedEmitter,
};
use crate::formats::alamo::particles::{Emitter, Group, Shape};
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use core::f32::consts::SQRT_2;

/// Distances beyond this count as this, so that boxes remain finite.
const MAX_DISTANCE: f32 = 1e18;

/// The greatest value of a track, at least 0.
pub(crate) fn greatest(track: &Track) -> f32 {
    let values = track.keys.iter().map(|key| key.value.abs());
    values.fold(0.0, f32::max)
}

/// How far from its center a particle is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    /// Half of the greatest edge length.
    half: f32,
    /// The length of the tail, in half edge lengths; 0 without a tail.
    tail: f32,
    /// Whether the tail grows with the speed.
    has_speed_tail: bool,
}

impl Reach {
    pub(crate) fn new(emitter: &Emitter<'_>) -> Self {
        let properties = &emitter.properties;
        Self {
            half: 0.5 * greatest(&emitter.tracks.scale),
            tail: if properties.has_tail {
                properties.tail_size.abs()
            } else {
                0.0
            },
            has_speed_tail: properties.emitter_speed != 0.0,
        }
    }

    /// The farthest for a size factor of 1, and this greatest speed in the file's units per second.
    pub(crate) fn at(&self, speed: f32) -> f32 {
        let tail = if self.has_speed_tail {
            self.tail * speed / 1000.0
        } else {
            self.tail
        };
        // `max` returns the other operand for NaN.
        self.half * tail.max(SQRT_2)
    }
}

/// The box of a group's values.
fn group_box(group: &Group) -> (Vec3, Vec3) {
    match group.shape() {
        Shape::Exact(value) => (value.into(), value.into()),
        Shape::Box(a, b) => {
            let (a, b) = (Vec3::from(a), Vec3::from(b));
            (a.min(b), a.max(b))
        }
        Shape::Cube { side } => {
            let half = Vec3::splat(0.5 * side.abs());
            (-half, half)
        }
        Shape::Sphere { radius, .. } => {
            let radius = Vec3::splat(radius.abs());
            (-radius, radius)
        }
        Shape::Cylinder { radius, height, .. } => {
            let radius = radius.abs();
            let (low, high) = (height.min(0.0), height.max(0.0));
            (
                Vec3::new(-radius, -radius, low),
                Vec3::new(radius, radius, high),
            )
        }
    }
}

/// The greatest speed of an emitter's particles, if the emitter moves with up to `inherited`.
pub(crate) fn greatest_speed(
    emitter: &Emitter<'_>,
    prepared: &PreparedEmitter,
    inherited: f32,
) -> f32 {
    let life = emitter.properties.lifetime.max(0.0);
    let acceleration = acceleration(emitter);
    let at_end = speed_at_birth(emitter, inherited) + acceleration * life;
    match bounciness(prepared) {
        Some(bounciness) => bounced_speed(bounciness, at_end, acceleration, life),
        None => at_end,
    }
}

/// The greatest speed at birth.
fn speed_at_birth(emitter: &Emitter<'_>, inherited: f32) -> f32 {
    let properties = &emitter.properties;
    let (min, max) = group_box(&emitter.velocity);
    let own = min.abs().max(max.abs()).length() + properties.outward_speed.abs();
    own + inherited_speed(emitter, inherited)
}

/// The greatest share of the emitter's speed that a particle gets.
fn inherited_speed(emitter: &Emitter<'_>, speed: f32) -> f32 {
    let properties = &emitter.properties;
    if properties.uses_emitter_speed {
        speed * properties.emitter_speed.abs()
    } else {
        0.0
    }
}

/// The bounciness of particles that the ground reflects.
fn bounciness(prepared: &PreparedEmitter) -> Option<f32> {
    match prepared.ground {
        GroundEffect::Bounce { bounciness } => Some(bounciness),
        GroundEffect::None | GroundEffect::Die | GroundEffect::Stop => None,
    }
}

/// The greatest vertical speed of a particle that bounces for `seconds`, if it reaches the ground with up to `speed`.
///
/// With a bounciness e above 1, the n-th flight begins at d·(eⁿ − 1) / (e − 1) with the speed S·eⁿ, where S = e · `speed`
/// and d = 2·S / a. So the speed of the last flight is at most S + a·(e − 1)·t / 2.
fn bounced_speed(bounciness: f32, speed: f32, acceleration: f32, seconds: f32) -> f32 {
    let gain = 0.5 * acceleration * (bounciness - 1.0).max(0.0) * seconds;
    bounciness.max(1.0) * speed + gain
}

/// The greatest acceleration.
fn acceleration(emitter: &Emitter<'_>) -> f32 {
    let properties = &emitter.properties;
    Vec3::from(properties.acceleration).length()
        + properties.gravity.abs()
        + properties.outward_acceleration.abs()
}

/// The bounds of an emitter at the origin that moves with up to `speed`. All accelerations count in all directions, so
/// that the box is valid for every rotation, and so do all velocities of particles that bounce.
pub(crate) fn emitter_bounds(
    emitter: &Emitter<'_>,
    prepared: &PreparedEmitter,
    speed: f32,
) -> Aabb3d {
    if prepared.weather_cube.is_some() {
        // It follows the cameras.
        return finite_box(Vec3::NEG_INFINITY, Vec3::INFINITY);
    }
    let properties = &emitter.properties;
    let life = properties.lifetime.max(0.0);
    let (mut min, mut max) = match prepared.emit_mode {
        EmitMode::Group => group_box(&emitter.position),
        // At the emitter, or on a mesh, whose bounds are added to these.
        _ => {
            let offset = Vec3::splat(prepared.emit_offset.abs());
            (-offset, offset)
        }
    };
    let greatest_speed = greatest_speed(emitter, prepared, speed);
    if bounciness(prepared).is_some() {
        let distance = greatest_speed * life;
        min -= distance;
        max += distance;
    } else {
        let (slowest, fastest) = group_box(&emitter.velocity);
        min += (slowest * life).min(Vec3::ZERO);
        max += (fastest * life).max(Vec3::ZERO);
        let outward = properties.outward_speed.abs() + inherited_speed(emitter, speed);
        let margin = outward * life + 0.5 * acceleration(emitter) * life * life;
        min -= margin;
        max += margin;
    }
    let reach = Reach::new(emitter).at(greatest_speed);
    finite_box(min - reach, max + reach)
}

fn finite_box(min: Vec3, max: Vec3) -> Aabb3d {
    let limit = Vec3A::splat(MAX_DISTANCE);
    // `max` and `min` return the other operand for NaN.
    Aabb3d {
        min: Vec3A::from(min).max(-limit).min(limit),
        max: Vec3A::from(max).min(limit).max(-limit),
    }
}

/// The bounds of a particle over its whole life, in the space of its record. `scale` is the units of the record per unit
/// of the file.
pub(crate) fn record_bounds(
    record: &BirthRecord,
    effect: GroundEffect,
    ground: &Ground,
    reach: &Reach,
    scale: f32,
) -> Aabb3d {
    let life = record.life.max(0.0);
    let velocity = Vec3::from(record.velocity);
    let acceleration = Vec3::from(record.acceleration);
    // The square of the speed is convex, so it is greatest at one of the ends.
    let at_end = velocity + life * acceleration;
    let mut speed = velocity.length().max(at_end.length());
    let flight = |seconds| flight_bounds(record.position.into(), velocity, acceleration, seconds);
    let (mut min, mut max) = match effect {
        GroundEffect::Bounce { bounciness } if record.ground < life => {
            let bounces = bounce_bounds(record, bounciness, ground);
            speed = speed.max(velocity.length() + life * acceleration.length());
            speed = bounced_speed(bounciness, speed, acceleration.length(), life);
            let (min, max) = flight(record.ground.max(0.0));
            (min.min(bounces.0), max.max(bounces.1))
        }
        _ => flight(life),
    };
    let reach = reach.at(speed / scale) * record.size.abs();
    min -= reach;
    max += reach;
    finite_box(min, max)
}

/// The bounds of a motion with constant acceleration.
fn flight_bounds(start: Vec3, velocity: Vec3, acceleration: Vec3, seconds: f32) -> (Vec3, Vec3) {
    let end = start + seconds * (velocity + 0.5 * seconds * acceleration);
    let (mut min, mut max) = (start.min(end), start.max(end));
    // The turning point of each axis.
    let turn = -velocity / acceleration;
    let at_turn = start + 0.5 * turn * velocity;
    for axis in 0..3 {
        if turn[axis] > 0.0 && turn[axis] < seconds {
            min[axis] = min[axis].min(at_turn[axis]);
            max[axis] = max[axis].max(at_turn[axis]);
        }
    }
    (min, max)
}

/// The bounds of a particle after its first contact with the ground: the horizontal part of its flight, at all heights
/// that it may reach.
fn bounce_bounds(record: &BirthRecord, bounciness: f32, ground: &Ground) -> (Vec3, Vec3) {
    let up = Vec3::from(ground.up);
    let horizontal = |vector: Vec3| vector - up * vector.dot(up);
    let [start, velocity, acceleration] =
        [record.position, record.velocity, record.acceleration].map(Vec3::from);
    let life = record.life.max(0.0);
    let since = life - record.ground.max(0.0);
    let (v, a) = (velocity.dot(up), acceleration.dot(up));
    // From the law of energy, if it falls to the ground: v² + 2·a·(distance to the ground).
    let drop = start.dot(up) - ground.height;
    let at_ground = (v * v - 2.0 * a * drop).max(0.0).sqrt();
    let fastest = bounced_speed(bounciness, at_ground, a.abs(), since);
    let height = if a < 0.0 {
        (fastest * since).min(fastest * fastest / (-2.0 * a))
    } else {
        since * (fastest + 0.5 * a * since)
    };
    let (min, max) = flight_bounds(
        horizontal(start),
        horizontal(velocity),
        horizontal(acceleration),
        life,
    );
    let (low, high) = (up * ground.height, up * (ground.height + height));
    (min + low.min(high), max + low.max(high))
}
