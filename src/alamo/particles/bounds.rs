//! Where particles can be: boxes for culling.

use crate::alamo::particles::evaluate::{BirthRecord, EmitMode, PreparedEmitter};
use crate::alamo::particles::{Emitter, Group, Shape, Track};
use bevy::math::bounding::Aabb3d;
use bevy::math::{Vec3, Vec3A};
use core::f32::consts::SQRT_2;

/// Distances beyond this count as this, so that boxes remain finite.
const MAX_DISTANCE: f32 = 1e18;

/// The greatest value of a track, at least 0.
pub(super) fn greatest(track: &Track) -> f32 {
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
    pub(super) fn new(emitter: &Emitter<'_>) -> Self {
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
    pub(super) fn at(&self, speed: f32) -> f32 {
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

/// The greatest speed of an emitter's particles, without the speed of the emitter.
pub(super) fn greatest_speed(emitter: &Emitter<'_>) -> f32 {
    let properties = &emitter.properties;
    let (min, max) = group_box(&emitter.velocity);
    let at_birth = min.abs().max(max.abs()).length() + properties.outward_speed.abs();
    at_birth + acceleration(emitter) * properties.lifetime.max(0.0)
}

/// The greatest acceleration.
fn acceleration(emitter: &Emitter<'_>) -> f32 {
    let properties = &emitter.properties;
    Vec3::from(properties.acceleration).length()
        + properties.gravity.abs()
        + properties.outward_acceleration.abs()
}

/// The bounds of an emitter at the origin that moves with up to `speed`. All accelerations count in all directions, so
/// that the box is valid for every rotation.
pub(super) fn emitter_bounds(
    emitter: &Emitter<'_>,
    prepared: &PreparedEmitter,
    speed: f32,
) -> Aabb3d {
    let properties = &emitter.properties;
    let life = properties.lifetime.max(0.0);
    let inherited = if properties.uses_emitter_speed {
        speed * properties.emitter_speed.abs()
    } else {
        0.0
    };
    let (mut min, mut max) = match prepared.weather_cube {
        Some(edge) => (
            Vec3::splat(-0.5 * edge.abs()),
            Vec3::splat(0.5 * edge.abs()),
        ),
        None => group_box(&emitter.position),
    };
    let (slowest, fastest) = group_box(&emitter.velocity);
    if prepared.weather_cube.is_none() {
        min += (slowest * life).min(Vec3::ZERO);
        max += (fastest * life).max(Vec3::ZERO);
        let offset = match prepared.emit_mode {
            EmitMode::Group => 0.0,
            _ => prepared.emit_offset.abs(),
        };
        let outward = (properties.outward_speed.abs() + inherited) * life;
        let margin = offset + outward + 0.5 * acceleration(emitter) * life * life;
        min -= margin;
        max += margin;
    }
    let reach = Reach::new(emitter).at(greatest_speed(emitter) + inherited);
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
pub(super) fn record_bounds(record: &BirthRecord, reach: &Reach, scale: f32) -> Aabb3d {
    let start = Vec3::from(record.position);
    let velocity = Vec3::from(record.velocity);
    let acceleration = Vec3::from(record.acceleration);
    let life = record.life.max(0.0);
    let end = start + life * (velocity + 0.5 * life * acceleration);
    let (mut min, mut max) = (start.min(end), start.max(end));
    // The turning point of each axis.
    let turn = -velocity / acceleration;
    let at_turn = start + 0.5 * turn * velocity;
    for axis in 0..3 {
        if turn[axis] > 0.0 && turn[axis] < life {
            min[axis] = min[axis].min(at_turn[axis]);
            max[axis] = max[axis].max(at_turn[axis]);
        }
    }
    // The square of the speed is convex, so it is greatest at one of the ends.
    let at_end = velocity + life * acceleration;
    let speed = velocity.length().max(at_end.length()) / scale;
    let reach = reach.at(speed) * record.size.abs();
    finite_box(min - reach, max + reach)
}
