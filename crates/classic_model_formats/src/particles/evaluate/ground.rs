//! What happens to particles at the ground: a plane.

use super::motion::{BirthRecord, Motion};
use super::vector::{add, dot, scaled};
use crate::particles::properties::Properties;

/// What happens when a particle passes below the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GroundEffect {
    /// Nothing.
    None,
    /// It dies. A particle that is born below the ground is never visible.
    Die,
    /// Its vertical speed is reversed and multiplied by the bounciness. A particle that is born below the ground first
    /// has to rise above it.
    Bounce {
        /// Share of the vertical speed that remains, not negative.
        bounciness: f32,
    },
    /// It stops for good. A particle that is born below the ground does not move.
    Stop,
}

impl GroundEffect {
    /// Of the properties of an emitter.
    pub(super) fn new(properties: &Properties) -> Self {
        match properties.ground {
            1 => Self::Die,
            2 => Self::Bounce {
                bounciness: properties.bounciness.max(0.0),
            },
            3 => Self::Stop,
            _ => Self::None,
        }
    }
}

/// The ground: all points whose product with `up` is `height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// The normal of the plane, of length 1, in the space of the record.
    pub up: [f32; 3],
    /// Distance from the origin of the record's space along `up`.
    pub height: f32,
}

impl Default for Ground {
    /// The plane Z = 0.
    fn default() -> Self {
        Self {
            up: [0.0, 0.0, 1.0],
            height: 0.0,
        }
    }
}

/// Height over the ground at birth, vertical speed and vertical acceleration.
#[derive(Clone, Copy)]
pub(super) struct Fall {
    height: f64,
    speed: f64,
    acceleration: f64,
}

impl Fall {
    /// Of position, velocity and acceleration at birth.
    pub(super) fn new([position, velocity, acceleration]: [[f32; 3]; 3], ground: &Ground) -> Self {
        Self {
            height: dot(position, ground.up) - f64::from(ground.height),
            speed: dot(velocity, ground.up),
            acceleration: dot(acceleration, ground.up),
        }
    }

    fn of_record(record: &BirthRecord, ground: &Ground) -> Self {
        Self::new(
            [record.position, record.velocity, record.acceleration],
            ground,
        )
    }

    /// [`BirthRecord::ground`].
    pub(super) fn passage(&self, effect: GroundEffect) -> f32 {
        match effect {
            GroundEffect::None => f32::INFINITY,
            GroundEffect::Die | GroundEffect::Stop if self.height < 0.0 => -1.0,
            _ => self.descent().map_or(f32::INFINITY, |age| age as f32),
        }
    }

    /// The speed at which the height is 0: the root of `v² − 2·a·h`. NaN if it never is.
    fn speed_at_ground(&self) -> f64 {
        (self.speed * self.speed - 2.0 * self.acceleration * self.height).sqrt()
    }

    /// The age at which the height becomes negative: a root of `h + v·t + ½·a·t²` whose derivative is not positive.
    fn descent(&self) -> Option<f64> {
        let Self {
            height,
            speed,
            acceleration,
        } = *self;
        let at_ground = self.speed_at_ground();
        let age = if height >= 0.0 && speed < 0.0 {
            // The other form of the root loses digits for small heights.
            2.0 * height / (at_ground - speed)
        } else if acceleration < 0.0 && (height >= 0.0 || speed > 0.0) {
            (speed + at_ground) / -acceleration
        } else {
            return None;
        };
        age.is_finite().then_some(age)
    }
}

/// The age at which a particle passes below the ground: see [`BirthRecord::ground`].
pub fn passage(record: &BirthRecord, effect: GroundEffect, ground: &Ground) -> f32 {
    Fall::of_record(record, ground).passage(effect)
}

/// Position and velocity of a particle at an age in seconds.
pub fn motion(record: &BirthRecord, effect: GroundEffect, ground: &Ground, age: f32) -> Motion {
    motion_with(
        record,
        effect,
        ground,
        age,
        &Bounces::without_powers(effect),
    )
}

/// As [`motion`], with prepared values of the effect.
pub(super) fn motion_with(
    record: &BirthRecord,
    effect: GroundEffect,
    ground: &Ground,
    age: f32,
    bounces: &Bounces,
) -> Motion {
    if age <= record.ground {
        return record.flight(age);
    }
    match effect {
        GroundEffect::None | GroundEffect::Die => record.flight(age),
        GroundEffect::Stop => Motion {
            velocity: [0.0; 3],
            ..record.flight(record.ground.max(0.0))
        },
        GroundEffect::Bounce { .. } => {
            let fall = Fall::of_record(record, ground);
            let since = f64::from(age) - f64::from(record.ground);
            let speed = bounces.bounciness * fall.speed_at_ground();
            let (height, speed) = bounces.at(speed, fall.acceleration, since);
            let flight = record.flight(age);
            let height = f64::from(ground.height) + height;
            Motion {
                position: with_component(flight.position, ground.up, height),
                velocity: with_component(flight.velocity, ground.up, speed),
            }
        }
    }
}

/// The vector with another component along a direction of length 1.
fn with_component(vector: [f32; 3], direction: [f32; 3], value: f64) -> [f32; 3] {
    let change = value - dot(vector, direction);
    add(vector, scaled(direction, change as f32))
}

/// Series of flights from the ground, each with the speed of the one before times the bounciness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounces {
    bounciness: f64,
    /// The natural logarithm of the bounciness.
    logarithm: f64,
    /// The first powers of the bounciness. Computing one takes longer than all the rest. NaN if they are not prepared.
    powers: [f64; 16],
}

impl Bounces {
    /// With prepared powers, for many particles.
    pub(super) fn new(effect: GroundEffect) -> Self {
        let bounces = Self::without_powers(effect);
        let power = |exponent| bounces.bounciness.powf(exponent as f64);
        Self {
            powers: core::array::from_fn(power),
            ..bounces
        }
    }

    fn without_powers(effect: GroundEffect) -> Self {
        let bounciness = match effect {
            GroundEffect::Bounce { bounciness } => f64::from(bounciness),
            _ => 0.0,
        };
        Self {
            bounciness,
            logarithm: bounciness.ln(),
            powers: [f64::NAN; 16],
        }
    }

    fn power(&self, exponent: u64) -> f64 {
        let prepared = usize::try_from(exponent).ok();
        let prepared = prepared.and_then(|exponent| self.powers.get(exponent));
        match prepared.filter(|power| !power.is_nan()) {
            Some(power) => *power,
            None => self.bounciness.powf(exponent as f64),
        }
    }

    /// Height and vertical speed at a time after the first contact. `speed` is the upward speed of the first flight.
    fn at(&self, speed: f64, acceleration: f64, time: f64) -> (f64, f64) {
        let bounciness = self.bounciness;
        let flight = |speed: f64, time: f64| {
            let height = time * (speed + 0.5 * acceleration * time);
            (height.max(0.0), speed + acceleration * time)
        };
        if acceleration >= 0.0 {
            // It never comes down again.
            return flight(speed, time);
        }
        // The first flight's duration. The others are a geometric series: the n-th begins at d·(1 − eⁿ) / (1 − e).
        let duration = 2.0 * speed / -acceleration;
        // Speed and acceleration overflow for huge values of the file.
        if !(duration.is_finite() && duration > 0.0) {
            return (0.0, 0.0);
        }
        let ratio = time / duration;
        if bounciness == 1.0 {
            return flight(speed, time - ratio.floor() * duration);
        }
        // 1 − (1 − e)·ratio, of which eⁿ is the greatest power that is not less.
        let rest = 1.0 - (1.0 - bounciness) * ratio;
        if rest <= 0.0 {
            // Infinitely many flights are over.
            return (0.0, 0.0);
        }
        // Rounded down, and 0 if it is negative or NaN.
        let flights = (rest.ln() / self.logarithm) as u64;
        let power = self.power(flights);
        let begin = duration * (1.0 - power) / (1.0 - bounciness);
        let speed = speed * power;
        // Rounding of the logarithm may miss the flight by one, near the ground.
        let duration = duration * power;
        flight(speed, (time - begin).clamp(0.0, duration))
    }
}
