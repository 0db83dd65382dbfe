//! The particles of weather: all are born at creation, and reborn where they die.
//!
//! They move on a straight line within a cube that follows the camera. What leaves it on one side enters on the other, so
//! the records do not depend on the camera.

use super::emitter::{PreparedEmitter, Source};
use super::motion::{BirthRecord, wrapped};
use super::pose::EmitterPose;
use super::random::{Draws, InstanceKey, ParticleNumber, Purpose};
use super::shape;
use crate::particles::file::Shape;

/// The lives of the particles of an instance. Times are in seconds after its creation.
#[derive(Clone, Debug)]
pub(super) struct Weather {
    key: InstanceKey,
    edge: f32,
    /// The count of particles in the file.
    count: u32,
    /// The particles: none before [`fill`](Self::fill).
    particles: Vec<Particle>,
    /// The begin of the next life of any particle.
    next: f64,
}

/// A particle. All its lives have the same duration.
#[derive(Clone, Copy, Debug)]
struct Particle {
    duration: f64,
    /// The number of its next life, from 0.
    life: u64,
}

/// A life of a particle.
pub(super) struct Life {
    index: u32,
    number: u64,
    pub(super) begin: f64,
}

impl Weather {
    /// `None` if the emitter makes no weather, or no particle of it ever lives. Allocates nothing.
    pub(super) fn new(emitter: &PreparedEmitter, key: InstanceKey) -> Option<Self> {
        let edge = emitter.weather_cube.filter(|edge| *edge > 0.0)?;
        let count = emitter.schedule.weather().filter(|count| *count > 0)?;
        (emitter.schedule.lifetime() > 0.0).then_some(Self {
            key,
            edge,
            count,
            particles: Vec::new(),
            next: 0.0,
        })
    }

    /// Creates the particles, while there is room for one more. Does nothing if there are some.
    pub(super) fn fill(&mut self, emitter: &PreparedEmitter, mut has_room: impl FnMut() -> bool) {
        if !self.particles.is_empty() {
            return;
        }
        for index in 0..self.count {
            if !has_room() {
                break;
            }
            let number = ParticleNumber { round: 0, index };
            let drawn = emitter.drawn_values(Draws::new(self.key, number));
            self.particles.push(Particle {
                duration: drawn.life.into(),
                life: 0,
            });
        }
    }

    /// The count of particles that were created.
    pub(super) fn len(&self) -> u64 {
        self.particles.len() as u64
    }

    /// The begin of the next life of any particle, in seconds after the creation.
    pub(super) fn next_birth(&self) -> f64 {
        self.next
    }

    /// The current lives that began since the last call. Lives that are over are left out. A life that would begin at
    /// `stopped` or later does not, but the first lives do.
    pub(super) fn take_current(&mut self, elapsed: f64, stopped: f64) -> Vec<Life> {
        let mut taken = Vec::new();
        self.next = f64::INFINITY;
        for (index, particle) in (0..).zip(&mut self.particles) {
            let Particle { duration, life } = *particle;
            if duration <= 0.0 {
                continue;
            }
            // The conversion saturates.
            let number = (elapsed / duration) as u64;
            if number >= life {
                let begin = number as f64 * duration;
                particle.life = number.saturating_add(1);
                if number == 0 || begin < stopped {
                    taken.push(Life {
                        index,
                        number,
                        begin,
                    });
                }
            }
            self.next = self.next.min(particle.life as f64 * duration);
        }
        taken
    }

    /// The random numbers of a life.
    pub(super) fn draws(&self, life: &Life) -> Draws {
        let Life { index, number, .. } = *life;
        let round = number;
        Draws::new(self.key, ParticleNumber { round, index })
    }

    /// The record of a life.
    pub(super) fn record(
        &self,
        emitter: &PreparedEmitter,
        life: &Life,
        pose: &EmitterPose,
        birth: f32,
    ) -> BirthRecord {
        let first = self.draws(&Life { number: 0, ..*life });
        let cube = Shape::Cube { side: self.edge };
        let position = shape::sample(&cube, first, Purpose::Position);
        let born = emitter.birth(first, pose, Source::Point, birth);
        let drawn = emitter.drawn_values(self.draws(life));
        let moved = born.velocity.map(|speed| f64::from(speed) * life.begin);
        BirthRecord {
            position: wrapped(position, moved, [0.0; 3], self.edge),
            velocity: born.velocity,
            birth,
            life: born.life,
            size: drawn.size,
            color: drawn.color,
            rotation: drawn.rotation,
            ground: f32::INFINITY,
            ..BirthRecord::default()
        }
    }
}
