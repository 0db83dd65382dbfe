//! The motion of particles that no closed form is known for: a simulation with a fixed step.
//!
//! The motion depends on the birth record, the age and the pose of the system alone, not on a frame rate. It takes at most
//! [`MAX_STEPS`] steps, for any life and age.

use crate::particles::evaluate::motion::{BirthRecord, Motion};
use crate::particles::evaluate::pose::EmitterPose;
use crate::particles::evaluate::vector::{add, cross, direction, dot, scaled, transform};
use crate::particles::file::Track;

/// The step in seconds, unless a life has more than [`MAX_STEPS`] of them.
const STEP: f32 = 1.0 / 60.0;

/// The most steps of a life. Those of longer lives are longer.
const MAX_STEPS: f32 = 512.0;

#[cfg(test)]
std::thread_local! {
    /// The count of steps that a test has made.
    pub(in crate::particles::evaluate) static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// An acceleration that depends on the particle. Vectors are in the world, or in the emitter's space if they are local.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    /// Away from the emitter.
    Outward(f32),
    /// Away from the emitter, if the distance is in a range.
    Attractor {
        /// Independent of the distance, in proportion to it, and to its inverse.
        factors: [f32; 3],
        range: [f32; 2],
    },
    /// Along a direction.
    Keyed {
        direction: [f32; 3],
        magnitude: Track,
        is_local: bool,
    },
    /// Along the product of the axis and the vector from the emitter.
    Vortex {
        axis: [f32; 3],
        speed: f32,
        is_local: bool,
    },
}

/// What a motion has beside a constant acceleration. A step takes bounded time: there is one of each, however many modifiers
/// the emitter has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Path {
    /// Added to the acceleration of the record.
    pub(super) field: Option<Field>,
    /// A speed by time.
    pub(super) speed: Option<Track>,
    /// A range of speeds, after [`speed`](Self::speed).
    pub(super) speed_limit: Option<[f32; 2]>,
    /// Share of the vertical speed that remains after a contact with the ground.
    pub(super) bounce: Option<f32>,
}

impl Path {
    /// Whether there is no closed form.
    pub(super) fn is_stepped(&self) -> bool {
        let Self {
            field,
            speed,
            speed_limit,
            bounce,
        } = self;
        field.is_some() || speed.is_some() || speed_limit.is_some() || bounce.is_some()
    }

    /// Limits the speed to a range, after an earlier limit.
    pub(super) fn limit_speed(&mut self, [min, max]: [f32; 2]) {
        let limit = self.speed_limit.unwrap_or([min, max]);
        self.speed_limit = Some(limit.map(|it| it.clamp(min, max)));
    }

    /// Position and velocity at an age in seconds. `system` is the pose of the system in the space of the record.
    pub(super) fn motion(&self, record: &BirthRecord, system: &EmitterPose, age: f32) -> Motion {
        let mut motion = born(record);
        let step = step_of(record.life);
        let mut at = 0.0;
        while at < age && at < record.life {
            let duration = step.min(age - at);
            let next = self.step(record, system, motion, at, duration);
            at += step;
            match next {
                Some(next) => motion = next,
                None => break,
            }
        }
        let (velocity, _) = self.change(record, system, motion, age);
        Motion { velocity, ..motion }
    }

    /// The first age at which a function of the position is not positive: infinite if it always is, negative if it is not at
    /// birth.
    pub(super) fn first_exit(
        &self,
        record: &BirthRecord,
        system: &EmitterPose,
        inside: impl Fn([f32; 3]) -> f64,
    ) -> f32 {
        let mut motion = born(record);
        let mut value = inside(motion.position);
        if value < 0.0 {
            return -1.0;
        }
        let step = step_of(record.life);
        let mut at = 0.0;
        while at < record.life {
            let Some(next) = self.step(record, system, motion, at, step) else {
                break;
            };
            let later = inside(next.position);
            if later < 0.0 {
                return at + step * (value / (value - later)) as f32;
            }
            (motion, value) = (next, later);
            at += step;
        }
        f32::INFINITY
    }

    /// The motion a duration later: by the midpoint method, which is exact for a constant acceleration. `None` if numbers
    /// overflow.
    fn step(
        &self,
        record: &BirthRecord,
        system: &EmitterPose,
        motion: Motion,
        at: f32,
        duration: f32,
    ) -> Option<Motion> {
        #[cfg(test)]
        STEPS.set(STEPS.get() + 1);
        let half = 0.5 * duration;
        let (velocity, first) = self.change(record, system, motion, at);
        let middle = Motion {
            position: add(motion.position, scaled(velocity, half)),
            velocity: add(velocity, scaled(first, half)),
        };
        let (mean, acceleration) = self.change(record, system, middle, at + half);
        // The velocity in the middle already has half of the first acceleration.
        let rest = add(scaled(acceleration, duration), scaled(first, -half));
        let next = Motion {
            position: add(motion.position, scaled(mean, duration)),
            velocity: add(mean, rest),
        };
        let next = match self.bounce {
            Some(bounce) => bounced([motion, next], bounce, system, duration),
            None => next,
        };
        let mut numbers = next.position.iter().chain(&next.velocity);
        numbers.all(|it| it.is_finite()).then_some(next)
    }

    /// The velocity after all modifiers, and the acceleration.
    fn change(
        &self,
        record: &BirthRecord,
        system: &EmitterPose,
        motion: Motion,
        age: f32,
    ) -> ([f32; 3], [f32; 3]) {
        let time = age / record.life;
        let mut velocity = motion.velocity;
        if let Some(speed) = &self.speed {
            velocity = scaled(direction(velocity), speed.value(time));
        }
        if let Some([min, max]) = self.speed_limit {
            let speed = dot(velocity, velocity).sqrt() as f32;
            if !(min..=max).contains(&speed) {
                velocity = scaled(direction(velocity), speed.clamp(min, max));
            }
        }
        let field = self.field.as_ref();
        let field = field.map(|field| field.acceleration(system, motion.position, time));
        let acceleration = add(record.acceleration, field.unwrap_or_default());
        (velocity, acceleration)
    }
}

impl Field {
    /// The acceleration at a position, and at a fraction of the life.
    fn acceleration(&self, system: &EmitterPose, position: [f32; 3], time: f32) -> [f32; 3] {
        let from_center = add(position, scaled(system.position, -1.0));
        let rotated = |vector, is_local| {
            let columns = match is_local {
                true => system.orientation,
                false => system.world,
            };
            transform(columns, vector)
        };
        match self {
            Self::Outward(outward) => scaled(direction(from_center), *outward),
            Self::Attractor {
                factors: [constant, linear, inverse],
                range: [min, max],
            } => {
                let distance = dot(from_center, from_center).sqrt() as f32;
                let is_near = distance > *min && distance < *max;
                let size = constant + linear * distance + inverse / distance.max(f32::MIN_POSITIVE);
                let size = if is_near { size } else { 0.0 };
                scaled(direction(from_center), size)
            }
            Self::Keyed {
                direction,
                magnitude,
                is_local,
            } => rotated(scaled(*direction, magnitude.value(time)), *is_local),
            Self::Vortex {
                axis,
                speed,
                is_local,
            } => scaled(cross(rotated(*axis, *is_local), from_center), *speed),
        }
    }
}

/// The most steps of a motion to the end of a life in seconds.
pub(super) fn steps_of(life: f32) -> u64 {
    // Rounded up. The conversion saturates.
    1 + (life / step_of(life)) as u64
}

fn born(record: &BirthRecord) -> Motion {
    Motion {
        position: record.position,
        velocity: record.velocity,
    }
}

fn step_of(life: f32) -> f32 {
    STEP.max(life / MAX_STEPS)
}

/// The motion after a step that may have passed the ground. The vertical acceleration is that of the step.
fn bounced(
    [before, next]: [Motion; 2],
    bounce: f32,
    system: &EmitterPose,
    duration: f32,
) -> Motion {
    let ground = &system.ground;
    let height = |motion: Motion| dot(motion.position, ground.up) - f64::from(ground.height);
    let [above, below] = [before, next].map(height);
    let [first, last] = [before, next].map(|motion| dot(motion.velocity, ground.up));
    if above < 0.0 || below >= 0.0 || last >= 0.0 {
        return next;
    }
    let share = above / (above - below);
    let after = f64::from(duration) * (1.0 - share);
    let acceleration = (last - first) / f64::from(duration);
    let speed = -f64::from(bounce) * (first + share * (last - first));
    let risen = (after * (speed + 0.5 * acceleration * after)).max(0.0);
    let speed = speed + acceleration * after;
    Motion {
        position: add(next.position, scaled(ground.up, (risen - below) as f32)),
        velocity: add(next.velocity, scaled(ground.up, (speed - last) as f32)),
    }
}
