//! Where particles can be: boxes for culling.

use crate::formats::alamo::particles::emitter::{AloEmitter, Reach, Style};
use crate::formats::alamo::particles::evaluate::{
    BirthRecord, EmitMode, Ground, GroundEffect, PreparedEmitter,
};
use crate::formats::alamo::particles::{Emitter, Group, Shape};
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

/// Distances beyond this count as this, so that boxes remain finite.
const MAX_DISTANCE: f32 = 1e18;

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

/// The greatest speed of an emitter's particles, if the emitter is in a box and moves with up to `inherited`.
pub(crate) fn greatest_speed(
    info: &AloEmitter,
    prepared: &PreparedEmitter,
    around: &Aabb3d,
    inherited: f32,
) -> f32 {
    if let Some([_, speed]) = limits_of_motion(info, prepared, around, inherited) {
        return speed;
    }
    let emitter = &info.emitter;
    let life = emitter.properties.lifetime.max(0.0);
    let acceleration = acceleration(emitter);
    let at_end = speed_at_birth(emitter, inherited) + acceleration * life;
    match bounciness(prepared) {
        Some(bounciness) => bounced_speed(bounciness, at_end, acceleration, life),
        None => at_end,
    }
}

/// The greatest distance from the system and the greatest speed of particles without a closed form.
fn limits_of_motion(
    info: &AloEmitter,
    prepared: &PreparedEmitter,
    around: &Aabb3d,
    inherited: f32,
) -> Option<[f32; 2]> {
    let emitter = &info.emitter;
    let (min, max) = birth_box(info, prepared);
    let distance = farthest(around.min.into(), around.max.into()) + farthest(min, max);
    let speed = speed_at_birth(emitter, inherited);
    prepared.limits_of_motion([distance, speed, acceleration(emitter)], 1.0)
}

/// The greatest distance from the origin in a box.
fn farthest(min: Vec3, max: Vec3) -> f32 {
    min.abs().max(max.abs()).length()
}

/// The box of a group of an emitter. Plug-ins may turn it.
fn turned_box(info: &AloEmitter, group: &Group) -> (Vec3, Vec3) {
    let (min, max) = group_box(group);
    if info.style == Style::Properties {
        return (min, max);
    }
    let radius = Vec3::splat(farthest(min, max));
    (-radius, radius)
}

/// The box of births around the emitter.
fn birth_box(info: &AloEmitter, prepared: &PreparedEmitter) -> (Vec3, Vec3) {
    match prepared.emit_mode {
        EmitMode::Group => turned_box(info, &info.emitter.position),
        // At the emitter, or on a mesh, whose bounds are added to these.
        _ => {
            let offset = Vec3::splat(prepared.emit_offset.abs());
            (-offset, offset)
        }
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

/// The bounds of an emitter in a box that moves with up to `speed`. All accelerations count in all directions, so that the
/// bounds are valid for every rotation, and so do all velocities of particles that bounce.
pub(crate) fn emitter_bounds(
    info: &AloEmitter,
    prepared: &PreparedEmitter,
    around: &Aabb3d,
    speed: f32,
) -> Aabb3d {
    if prepared.weather_cube.is_some() {
        // It follows the cameras.
        return finite_box(Vec3::NEG_INFINITY, Vec3::INFINITY);
    }
    let AloEmitter { emitter, reach, .. } = info;
    if let Some([distance, fastest]) = limits_of_motion(info, prepared, around, speed) {
        let farthest = Vec3::splat(distance + reach.at(fastest, 1.0, 1.0));
        return finite_box(-farthest, farthest);
    }
    let properties = &emitter.properties;
    let life = properties.lifetime.max(0.0);
    let (mut min, mut max) = birth_box(info, prepared);
    min += Vec3::from(around.min);
    max += Vec3::from(around.max);
    let greatest_speed = greatest_speed(info, prepared, around, speed);
    if bounciness(prepared).is_some() {
        let distance = greatest_speed * life;
        min -= distance;
        max += distance;
    } else {
        let (slowest, fastest) = turned_box(info, &emitter.velocity);
        min += (slowest * life).min(Vec3::ZERO);
        max += (fastest * life).max(Vec3::ZERO);
        let outward = properties.outward_speed.abs() + inherited_speed(emitter, speed);
        let margin = outward * life + 0.5 * acceleration(emitter) * life * life;
        min -= margin;
        max += margin;
    }
    let reach = reach.at(greatest_speed, 1.0, 1.0);
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
    let reach = reach.at(speed / scale, record.size, scale);
    min -= reach;
    max += reach;
    finite_box(min, max)
}

/// The bounds of particles without a closed form, in the space of their records, around the system at `center`.
pub(crate) fn stepped_bounds<'a>(
    records: impl Iterator<Item = &'a BirthRecord>,
    prepared: &PreparedEmitter,
    reach: &Reach,
    center: Vec3,
    scale: f32,
) -> Option<Aabb3d> {
    // The greatest distance, speed, acceleration and size factor.
    let greatest = records.fold(Vec4::ZERO, |greatest, record| {
        let distance = Vec3::from(record.position).distance(center);
        let [speed, acceleration] =
            [record.velocity, record.acceleration].map(|it| Vec3::from(it).length());
        greatest.max(Vec4::new(distance, speed, acceleration, record.size.abs()))
    });
    let [distance, speed, acceleration, size] = greatest.to_array();
    let [distance, fastest] = prepared.limits_of_motion([distance, speed, acceleration], scale)?;
    let farthest = Vec3::splat(distance + reach.at(fastest / scale, size, scale));
    Some(finite_box(center - farthest, center + farthest))
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
