//! The motion of particles that no closed form is known for: a simulation with a fixed step.
//!
//! The motion depends on the birth record, the age and the pose of the system alone, not on a frame rate.

use crate::particles::evaluate::motion::{BirthRecord, Motion};
use crate::particles::evaluate::pose::EmitterPose;
use crate::particles::evaluate::vector::{add, cross, direction, dot, scaled, transform};
use crate::particles::file::Track;

/// The step in seconds, unless a life has more than [`MAX_STEPS`] of them.
const STEP: f32 = 1.0 / 60.0;

/// The most steps of a life. Those of longer lives are longer.
const MAX_STEPS: f32 = 512.0;

/// A modifier of the motion. Vectors are in the world, or in the emitter's space if they are local.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Force {
    /// A constant acceleration.
    Constant {
        acceleration: [f32; 3],
        is_local: bool,
    },
    /// An acceleration away from the emitter.
    Outward(f32),
    /// An acceleration away from the emitter, if the distance is in a range.
    Attractor {
        /// Independent of the distance, in proportion to it, and to its inverse.
        factors: [f32; 3],
        range: [f32; 2],
    },
    /// An acceleration along a direction.
    Keyed {
        direction: [f32; 3],
        magnitude: Track,
        is_local: bool,
    },
    /// An acceleration along the product of the axis and the vector from the emitter.
    Vortex {
        axis: [f32; 3],
        speed: f32,
        is_local: bool,
    },
    /// A share of the wind's velocity per second. The only force that does not replace the acceleration of earlier ones.
    Wind(f32),
    /// A range of speeds.
    SpeedLimit([f32; 2]),
    /// A speed by time.
    Speed(Track),
}

/// The forces on a particle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Path {
    pub(super) forces: Vec<Force>,
    /// Share of the vertical speed that remains after a contact with the ground.
    pub(super) bounce: Option<f32>,
}

impl Path {
    /// Whether there is no closed form.
    pub(super) fn is_stepped(&self) -> bool {
        !self.forces.is_empty() || self.bounce.is_some()
    }

    /// Position and velocity at an age in seconds. `system` is the pose of the system in the space of the record.
    pub(super) fn motion(&self, record: &BirthRecord, system: &EmitterPose, age: f32) -> Motion {
        let mut motion = born(record);
        let step = step_of(record);
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
        let step = step_of(record);
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
        let mut acceleration = record.acceleration;
        let from_center = add(motion.position, scaled(system.position, -1.0));
        let rotated = |vector, is_local| {
            let columns = match is_local {
                true => system.orientation,
                false => system.world,
            };
            transform(columns, vector)
        };
        for force in &self.forces {
            match force {
                Force::Constant {
                    acceleration: constant,
                    is_local,
                } => acceleration = rotated(*constant, *is_local),
                Force::Outward(outward) => {
                    acceleration = scaled(direction(from_center), *outward);
                }
                Force::Attractor {
                    factors: [constant, linear, inverse],
                    range: [min, max],
                } => {
                    let distance = dot(from_center, from_center).sqrt() as f32;
                    let is_near = distance > *min && distance < *max;
                    let size =
                        constant + linear * distance + inverse / distance.max(f32::MIN_POSITIVE);
                    let size = if is_near { size } else { 0.0 };
                    acceleration = scaled(direction(from_center), size);
                }
                Force::Keyed {
                    direction,
                    magnitude,
                    is_local,
                } => {
                    let vector = scaled(*direction, magnitude.value(time));
                    acceleration = rotated(vector, *is_local);
                }
                Force::Vortex {
                    axis,
                    speed,
                    is_local,
                } => {
                    let axis = rotated(*axis, *is_local);
                    acceleration = scaled(cross(axis, from_center), *speed);
                }
                Force::Wind(response) => {
                    acceleration = add(acceleration, scaled(system.wind, *response));
                }
                Force::SpeedLimit([min, max]) => {
                    let speed = dot(velocity, velocity).sqrt() as f32;
                    if !(*min..=*max).contains(&speed) {
                        velocity = scaled(direction(velocity), speed.clamp(*min, *max));
                    }
                }
                Force::Speed(speed) => {
                    velocity = scaled(direction(velocity), speed.value(time));
                }
            }
        }
        (velocity, acceleration)
    }
}

fn born(record: &BirthRecord) -> Motion {
    Motion {
        position: record.position,
        velocity: record.velocity,
    }
}

fn step_of(record: &BirthRecord) -> f32 {
    STEP.max(record.life / MAX_STEPS)
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
