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

/// The state of a particle's motion after whole steps, from which it is continued.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteppedMotion {
    /// Age in seconds.
    at: f32,
    motion: Motion,
}

impl SteppedMotion {
    /// The state at a birth.
    pub fn new(record: &BirthRecord) -> Self {
        Self {
            at: 0.0,
            motion: Motion {
                position: record.position,
                velocity: record.velocity,
            },
        }
    }
}

/// The system, around which particles move.
struct Center<'a> {
    system: &'a EmitterPose,
    /// Units of records per unit of the file.
    scale: f32,
}

impl<'a> Center<'a> {
    fn new(system: &'a EmitterPose) -> Self {
        Self {
            system,
            scale: system.scale().max(f32::MIN_POSITIVE),
        }
    }
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

    /// Whether the motion is the same in both poses of the system.
    pub(super) fn is_same_in(&self, [a, b]: [&EmitterPose; 2]) -> bool {
        match self.field.is_some() || self.bounce.is_some() {
            true => a == b,
            false => a.scale() == b.scale(),
        }
    }

    /// Limits the speed to a range, after an earlier limit.
    pub(super) fn limit_speed(&mut self, [min, max]: [f32; 2]) {
        let limit = self.speed_limit.unwrap_or([min, max]);
        self.speed_limit = Some(limit.map(|it| it.clamp(min, max)));
    }

    /// Position and velocity at an age in seconds. `system` is the pose of the system in the space of the record.
    pub(super) fn motion(&self, record: &BirthRecord, system: &EmitterPose, age: f32) -> Motion {
        self.continued(&mut SteppedMotion::new(record), record, system, age)
    }

    /// The same, continued from the last age.
    pub(super) fn continued(
        &self,
        state: &mut SteppedMotion,
        record: &BirthRecord,
        system: &EmitterPose,
        age: f32,
    ) -> Motion {
        let center = Center::new(system);
        let step = step_of(record.life);
        if state.at > age {
            *state = SteppedMotion::new(record);
        }
        let mut motion = state.motion;
        while state.at < age && state.at < record.life {
            let duration = step.min(age - state.at);
            let Some(next) = self.step(record, &center, motion, state.at, duration) else {
                break;
            };
            motion = next;
            if duration < step {
                break;
            }
            state.at += step;
            state.motion = motion;
        }
        let (velocity, _) = self.change(record, &center, motion, age);
        Motion { velocity, ..motion }
    }

    /// See [`limits_of_motion`](crate::particles::evaluate::PreparedEmitter::limits_of_motion).
    ///
    /// With an acceleration of at most A + k·r at the distance r, the distance is at most that of the solution of
    /// r'' = A + k·r: (r₀ + A/k)·cosh(√k·t) + v₀/√k·sinh(√k·t) − A/k.
    pub(super) fn limits(&self, birth: [f32; 3], scale: f32, life: f64) -> [f32; 2] {
        let [distance, speed, acceleration] = birth.map(f64::from);
        let field = self.field.as_ref();
        let [constant, linear] = field.map_or([0.0; 2], |field| field.limits(scale.into()));
        let constant = acceleration + constant;
        let limits = if self.bounce.is_some_and(|bounce| bounce > 1.0) {
            [f64::INFINITY; 2]
        } else if linear > 0.0 {
            let root = linear.sqrt();
            let (sinh, cosh) = ((root * life).sinh(), (root * life).cosh());
            let from = distance + constant / linear;
            [
                from * cosh + speed / root * sinh - constant / linear,
                from * root * sinh + speed * cosh,
            ]
        } else {
            [
                distance + life * (speed + 0.5 * life * constant),
                speed + life * constant,
            ]
        };
        let speeds = self.speed.iter().flat_map(|track| &track.keys);
        let fastest = speeds.map(|key| key.value.abs()).reduce(f32::max);
        let limit = self.speed_limit.map(|[min, max]| min.abs().max(max.abs()));
        let limits = match limit.or(fastest) {
            Some(limit) => {
                let limit = f64::from(scale * limit);
                [distance + life * limit, limit]
            }
            None => limits,
        };
        limits.map(|limit| limit as f32)
    }

    /// The first age at which a function of the position is not positive: infinite if it always is, negative if it is not at
    /// birth.
    pub(super) fn first_exit(
        &self,
        record: &BirthRecord,
        system: &EmitterPose,
        inside: impl Fn([f32; 3]) -> f64,
    ) -> f32 {
        let center = Center::new(system);
        let SteppedMotion { mut motion, .. } = SteppedMotion::new(record);
        let mut value = inside(motion.position);
        if value < 0.0 {
            return -1.0;
        }
        let step = step_of(record.life);
        let mut at = 0.0;
        while at < record.life {
            let Some(next) = self.step(record, &center, motion, at, step) else {
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
        center: &Center<'_>,
        motion: Motion,
        at: f32,
        duration: f32,
    ) -> Option<Motion> {
        #[cfg(test)]
        STEPS.set(STEPS.get() + 1);
        let half = 0.5 * duration;
        let (velocity, first) = self.change(record, center, motion, at);
        let middle = Motion {
            position: add(motion.position, scaled(velocity, half)),
            velocity: add(velocity, scaled(first, half)),
        };
        let (mean, acceleration) = self.change(record, center, middle, at + half);
        // The velocity in the middle already has half of the first acceleration.
        let rest = add(scaled(acceleration, duration), scaled(first, -half));
        let next = Motion {
            position: add(motion.position, scaled(mean, duration)),
            velocity: add(mean, rest),
        };
        let next = match self.bounce {
            Some(bounce) => bounced([motion, next], bounce, center.system, duration),
            None => next,
        };
        let mut numbers = next.position.iter().chain(&next.velocity);
        numbers.all(|it| it.is_finite()).then_some(next)
    }

    /// The velocity after all modifiers, and the acceleration.
    fn change(
        &self,
        record: &BirthRecord,
        center: &Center<'_>,
        motion: Motion,
        age: f32,
    ) -> ([f32; 3], [f32; 3]) {
        let time = age / record.life;
        let scale = center.scale;
        let mut velocity = motion.velocity;
        if let Some(speed) = &self.speed {
            velocity = scaled(direction(velocity), scale * speed.value(time));
        }
        if let Some(limit) = self.speed_limit {
            let [min, max] = limit.map(|limit| scale * limit);
            let speed = dot(velocity, velocity).sqrt() as f32;
            if !(min..=max).contains(&speed) {
                velocity = scaled(direction(velocity), speed.clamp(min, max));
            }
        }
        let field = self.field.as_ref();
        let field = field.map(|field| field.acceleration(center, motion.position, time));
        let acceleration = add(record.acceleration, field.unwrap_or_default());
        (velocity, acceleration)
    }
}

impl Field {
    /// The acceleration at a position, and at a fraction of the life.
    fn acceleration(&self, center: &Center<'_>, position: [f32; 3], time: f32) -> [f32; 3] {
        let Center { system, scale } = center;
        let from_center = add(position, scaled(system.position, -1.0));
        let rotated = |vector, is_local| {
            let columns = match is_local {
                true => system.orientation,
                false => system.world,
            };
            transform(columns, vector)
        };
        match self {
            Self::Outward(outward) => scaled(direction(from_center), scale * outward),
            Self::Attractor {
                factors: [constant, linear, inverse],
                range: [min, max],
            } => {
                let distance = dot(from_center, from_center).sqrt() as f32 / scale;
                let is_near = distance > *min && distance < *max;
                let size = constant + linear * distance + inverse / distance.max(f32::MIN_POSITIVE);
                let size = if is_near { size } else { 0.0 };
                scaled(direction(from_center), scale * size)
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
            } => scaled(cross(rotated(*axis, *is_local), from_center), speed / scale),
        }
    }
}

impl Field {
    /// A and k of the greatest acceleration A + k·r at a distance r.
    fn limits(&self, scale: f64) -> [f64; 2] {
        let size = |vector| dot(vector, vector).sqrt();
        match self {
            Self::Outward(outward) => [scale * f64::from(outward.abs()), 0.0],
            Self::Attractor {
                factors,
                range: [min, _],
            } => {
                let [constant, linear, inverse] = factors.map(|it| f64::from(it.abs()));
                let nearest = match inverse > 0.0 {
                    true => inverse / f64::from(min.max(0.0)),
                    false => 0.0,
                };
                [scale * (constant + nearest), linear]
            }
            Self::Keyed {
                direction,
                magnitude,
                ..
            } => {
                let keys = magnitude.keys.iter().map(|key| key.value.abs());
                let greatest = f64::from(keys.fold(0.0, f32::max));
                [scale * greatest * size(*direction), 0.0]
            }
            Self::Vortex { axis, speed, .. } => [0.0, size(*axis) * f64::from(speed.abs())],
        }
    }
}

/// The most steps of a motion to the end of a life in seconds.
pub(super) fn steps_of(life: f32) -> u64 {
    // Rounded up. The conversion saturates.
    1 + (life / step_of(life)) as u64
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
