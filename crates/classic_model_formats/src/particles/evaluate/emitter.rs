//! An emitter with all its values checked, and the births of its particles.

use super::ground::{Bounces, Fall, Ground, GroundEffect, motion_with};
use super::mesh::EmitMode;
use super::motion::{BirthRecord, Motion, stored_color, weather_motion};
use super::plugins::values::PluginValues;
use super::pose::EmitterPose;
use super::random::{Draws, Purpose};
use super::schedule::Schedule;
use super::shape;
use super::timeline::{Timeline, Values};
use super::vector::{add, scaled, transform};
use crate::particles::file::{Emitter, Shape, Tracks};

/// An emitter as it is evaluated: values out of range are clamped, and those without effect are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedEmitter {
    /// When particles are born.
    pub schedule: Schedule,
    /// The tracks.
    pub tracks: Tracks,
    /// Whether particles stay in the system's space after their birth. Those of weather do not.
    pub is_linked: bool,
    /// What happens at the ground.
    pub ground: GroundEffect,
    /// Edge length of the weather's cube, if the emitter makes weather. Nothing is emitted if it is not positive.
    pub weather_cube: Option<f32>,
    /// Distance from the camera to the center of the weather's cube, along the camera's view.
    pub weather_distance: f32,
    /// Tiles in each row and column of the textures, at least 1.
    pub tiles_per_side: u32,
    /// Where particles are born.
    pub emit_mode: EmitMode,
    /// Distance from the mesh along its normal, for births on a mesh.
    pub emit_offset: f32,
    /// Whether the angle is drawn at birth and constant.
    pub is_rotation_fixed: bool,
    /// The integral of the rotation speed at each key.
    turns: Vec<f32>,
    /// The tracks, unless they are too many or need care.
    timeline: Option<Timeline>,
    pub(super) bounces: Bounces,
    velocity: Shape,
    position: Shape,
    outward_speed: f32,
    acceleration: [f32; 3],
    is_acceleration_local: bool,
    gravity: f32,
    outward_acceleration: f32,
    /// Share of the emitter's velocity.
    inherited_velocity: f32,
    is_affected_by_wind: bool,
    lifetime: f32,
    random_lifetime: f32,
    random_scale: f32,
    has_random_direction: bool,
    rotation_variance: f32,
    random_color: [f32; 4],
    pub(super) is_random_color_gray: bool,
    /// What only plug-ins do. Boxed, because emitters of the first format have none.
    pub(super) plugins: Option<Box<PluginValues>>,
}

/// The values of a [`BirthRecord`] that do not concern the motion.
pub(super) struct DrawnValues {
    pub(super) life: f32,
    pub(super) size: f32,
    pub(super) color: [i16; 4],
    pub(super) rotation: f32,
}

/// Where a particle is born.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// At a random position of the emitter's group.
    Group,
    /// At the emitter itself: on a vertex or a surface of a mesh, with +Z of the orientation along the normal.
    Point,
}

/// The appearance of a particle at an age.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Appearance {
    /// Edge length of the quad, in units.
    pub size: f32,
    /// Red, green, blue and alpha from 0 to 1, as stored: not decoded from sRGB.
    pub color: [f32; 4],
    /// Index of the texture's tile, row by row from the top left.
    pub tile: u32,
    /// Counter-clockwise angle as seen by the camera, in turns.
    pub turns: f32,
}

impl PreparedEmitter {
    /// Prepares an emitter of a file.
    pub fn new(emitter: &Emitter<'_>) -> Self {
        let properties = &emitter.properties;
        let share = |value: f32| value.clamp(0.0, 1.0);
        let turns = emitter.tracks.rotation_speed.integrals();
        let ground = GroundEffect::new(properties);
        Self {
            schedule: Schedule::new(properties),
            tracks: emitter.tracks.clone(),
            timeline: Timeline::new(&emitter.tracks, &turns),
            turns,
            bounces: Bounces::new(ground),
            is_linked: properties.link_to_system && !properties.weather,
            ground,
            weather_cube: properties.weather.then_some(properties.weather_cube_size),
            weather_distance: properties.weather_cube_distance,
            tiles_per_side: properties.tiles_per_side(),
            emit_mode: EmitMode::new(properties.emit_mode),
            emit_offset: properties.emit_offset,
            is_rotation_fixed: properties.fixed_rotation,
            velocity: emitter.velocity.shape(),
            position: emitter.position.shape(),
            outward_speed: properties.outward_speed,
            acceleration: properties.acceleration,
            is_acceleration_local: properties.object_space_acceleration,
            gravity: properties.gravity,
            outward_acceleration: properties.outward_acceleration,
            inherited_velocity: if properties.uses_emitter_speed && !properties.link_to_system {
                properties.emitter_speed
            } else {
                0.0
            },
            is_affected_by_wind: properties.affected_by_wind,
            lifetime: properties.lifetime.max(0.0),
            random_lifetime: share(properties.random_lifetime),
            random_scale: share(properties.random_scale),
            has_random_direction: properties.random_rotation_direction,
            rotation_variance: share(properties.rotation_variance),
            random_color: properties.random_color,
            is_random_color_gray: properties.random_color_is_gray,
            plugins: None,
        }
    }

    /// A particle's record. `birth` is stored in it and has no other effect.
    pub fn birth(
        &self,
        draws: Draws,
        pose: &EmitterPose,
        source: Source,
        birth: f32,
    ) -> BirthRecord {
        self.birth_in(draws, [pose; 2], source, birth)
    }

    /// As [`birth`](Self::birth). The second pose is that of the system in the space of the record, from which plug-ins
    /// measure distances.
    #[inline]
    pub(super) fn birth_in(
        &self,
        draws: Draws,
        [pose, system]: [&EmitterPose; 2],
        source: Source,
        birth: f32,
    ) -> BirthRecord {
        if let Some(plugins) = &self.plugins {
            return self.plugin_birth(plugins, draws, [pose, system], source, birth);
        }
        let needs_direction = self.outward_speed != 0.0 || self.outward_acceleration != 0.0;
        let [local, outward] = match source {
            Source::Group if needs_direction => {
                shape::sample_with_direction(&self.position, draws, Purpose::Position)
            }
            Source::Group => {
                let local = shape::sample(&self.position, draws, Purpose::Position);
                [local, [0.0; 3]]
            }
            Source::Point => [[0.0; 3]; 2],
        };
        let speed = shape::sample(&self.velocity, draws, Purpose::Velocity);
        let speed = add(speed, scaled(outward, self.outward_speed));
        let position = add(pose.position, transform(pose.orientation, local));
        let mut velocity = transform(pose.orientation, speed);
        if self.inherited_velocity != 0.0 {
            velocity = add(velocity, scaled(pose.velocity, self.inherited_velocity));
        }
        if self.is_affected_by_wind {
            velocity = add(velocity, pose.wind);
        }
        let acceleration = self.acceleration(pose, outward);
        let ground = match self.ground {
            GroundEffect::None => f32::INFINITY,
            effect => Fall::new([position, velocity, acceleration], &pose.ground).passage(effect),
        };
        let drawn = self.drawn_values(draws);
        // The record is written once: changing it later is slower.
        BirthRecord {
            position,
            birth,
            velocity,
            acceleration,
            life: drawn.life,
            size: drawn.size,
            color: drawn.color,
            rotation: drawn.rotation,
            ground,
        }
    }

    /// The acceleration of a particle. Gravity is always the world's.
    pub(super) fn acceleration(&self, pose: &EmitterPose, outward: [f32; 3]) -> [f32; 3] {
        let own = if self.acceleration == [0.0; 3] {
            [0.0; 3]
        } else if self.is_acceleration_local {
            transform(pose.orientation, self.acceleration)
        } else {
            transform(pose.world, self.acceleration)
        };
        let [_, _, up] = pose.world;
        let sum = add(own, scaled(up, -self.gravity));
        if self.outward_acceleration == 0.0 {
            return sum;
        }
        let outward = scaled(outward, self.outward_acceleration);
        add(sum, transform(pose.orientation, outward))
    }

    /// All that is drawn at birth and does not concern the motion.
    #[inline]
    pub(super) fn drawn_values(&self, draws: Draws) -> DrawnValues {
        let share = |purpose, random: f32| draws.between(purpose, 0, 1.0 - random, 1.0);
        DrawnValues {
            life: self.lifetime * share(Purpose::Life, self.random_lifetime),
            size: share(Purpose::Size, self.random_scale),
            color: self.color_addition(draws),
            rotation: self.rotation(draws),
        }
    }

    /// [`BirthRecord::color`].
    fn color_addition(&self, draws: Draws) -> [i16; 4] {
        if self.random_color == [0.0; 4] {
            return [0; 4];
        }
        let addition = |channel: u8, limit: f32| limit * draws.unit(Purpose::Color, channel);
        let [red, green, blue, alpha] = self.random_color;
        stored_color(if self.is_random_color_gray {
            [addition(0, red); 4]
        } else {
            [
                addition(0, red),
                addition(1, green),
                addition(2, blue),
                addition(3, alpha),
            ]
        })
    }

    /// [`BirthRecord::rotation`].
    fn rotation(&self, draws: Draws) -> f32 {
        let is_negative = self.has_random_direction && draws.unit(Purpose::Direction, 0) >= 0.5;
        // A branch would be slow, because it is random.
        let direction = f32::from_bits(1_f32.to_bits() | u32::from(is_negative) << 31);
        if !self.is_rotation_fixed {
            return direction;
        }
        let first = self.tracks.rotation_speed.keys.first();
        let average = first.map_or(0.0, |key| key.value);
        let variance = self.rotation_variance;
        let angle = average * (1.0 + draws.between(Purpose::Angle, 0, -variance, variance));
        direction * angle.clamp(f32::MIN, f32::MAX)
    }

    /// The age at which a particle dies, in seconds: at the end of its life, or at the ground.
    #[inline]
    pub fn end_of_life(&self, record: &BirthRecord) -> f32 {
        match self.ground {
            GroundEffect::Die => record.life.min(record.ground.max(0.0)),
            _ => record.life,
        }
    }

    /// Whether a particle of this age in seconds lives.
    #[inline]
    pub fn is_alive(&self, record: &BirthRecord, age: f64) -> bool {
        let is_below = self.ground == GroundEffect::Die && age > f64::from(record.ground);
        age >= 0.0 && age < f64::from(record.life) && !is_below
    }

    /// Position and velocity of a particle at an age in seconds. `ground` is that of its birth. The cube of weather is
    /// around the origin.
    pub fn motion(&self, record: &BirthRecord, ground: &Ground, age: f32) -> Motion {
        self.motion_around([0.0; 3], record, ground, age)
    }

    /// As [`motion`](Self::motion), with the cube of weather around a point in the space of the record: that at
    /// [`weather_distance`](Self::weather_distance) before a camera. A [stepped](Self::is_stepped) motion is around the system's
    /// position: see [`motion_in`](Self::motion_in).
    pub fn motion_around(
        &self,
        center: [f32; 3],
        record: &BirthRecord,
        ground: &Ground,
        age: f32,
    ) -> Motion {
        if self.is_stepped() {
            let system = EmitterPose {
                position: center,
                ground: *ground,
                ..EmitterPose::default()
            };
            return self.motion_in(&system, record, age);
        }
        self.closed_motion(center, record, ground, age)
    }

    /// The motion by a closed form.
    pub(super) fn closed_motion(
        &self,
        center: [f32; 3],
        record: &BirthRecord,
        ground: &Ground,
        age: f32,
    ) -> Motion {
        match self.weather_cube {
            Some(edge) => weather_motion(record, center, edge, age),
            None => motion_with(record, self.ground, ground, age, &self.bounces),
        }
    }

    /// The appearance of a particle at an age in seconds.
    pub fn appearance(&self, record: &BirthRecord, age: f32) -> Appearance {
        // 0 / 0 is NaN, which tracks take as 0.
        let time = age / record.life;
        let values = match &self.timeline {
            Some(timeline) => timeline.values(time),
            None => self.searched_values(time),
        };
        let mut color = values.color.map(|value| value / 255.0);
        if record.color != [0; 4] {
            for (value, addition) in color.iter_mut().zip(record.color_addition()) {
                *value += addition;
            }
        }
        Appearance {
            size: values.scale * record.size,
            color: color.map(|value| value.clamp(0.0, 1.0)),
            tile: self.tile(values.index),
            turns: if self.is_rotation_fixed {
                record.rotation
            } else {
                let turns = values.turns * record.life;
                turns.clamp(f32::MIN, f32::MAX) * record.rotation
            },
        }
    }

    /// The values of the tracks, each of which is searched on its own.
    fn searched_values(&self, time: f32) -> Values {
        let tracks = &self.tracks;
        let channels = [&tracks.red, &tracks.green, &tracks.blue, &tracks.alpha];
        Values {
            color: channels.map(|track| track.value(time)),
            scale: tracks.scale.value(time),
            index: tracks.index.value(time),
            turns: tracks.rotation_speed.integral_from(&self.turns, time),
        }
    }

    /// The tile of an index: rounded down, and wrapped around.
    fn tile(&self, index: f32) -> u32 {
        // At most 65,535² tiles.
        let tiles = self.tiles_per_side.saturating_mul(self.tiles_per_side);
        // The conversion rounds towards 0, which is down for most. It saturates.
        let whole = index as u32;
        if index >= 0.0 && whole < tiles {
            return whole;
        }
        (index.floor() as i64).rem_euclid(tiles.into()) as u32
    }
}
