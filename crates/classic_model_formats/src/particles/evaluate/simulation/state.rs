//! The state of a simulation between two steps.

use super::death::Death;
use super::instance::{Anchor, Instance};
use crate::particles::evaluate::random::InstanceKey;
use crate::particles::evaluate::schedule::Emission;
use crate::particles::evaluate::system::ParticleSystem;
use std::collections::BinaryHeap;

/// The state of a running system. It has no particles: those are a closed form of their births.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The instances of emitters that may emit, in the order of their creation.
    pub(super) instances: Vec<Instance>,
    /// The particles that spawn an emitter when they die.
    pub(super) deaths: BinaryHeap<Death>,
    /// How many particles were added to `deaths`.
    pub(super) deaths_added: u64,
    /// The count of particles of weather in all instances, at most [`MAX_ALIVE`].
    pub(super) weather_particles: u64,
    /// The next time at which a step may have births.
    pub(super) next_event: f64,
    /// The latest known death.
    pub(super) latest_death: f64,
    /// The latest freeze of a particle that never dies.
    pub(super) latest_freeze: f64,
    pub(super) has_begun: bool,
    /// The time at which it was stopped; infinite if it was not.
    pub(super) stopped: f64,
    pub(super) is_limited: bool,
}

impl Simulation {
    /// A system that is created at time 0, with the random numbers of a seed.
    pub fn new(system: &ParticleSystem, seed: u64) -> Self {
        let root = |index: usize| {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let key = InstanceKey::of_root(seed, number);
            Instance::new(system, index, key, 0.0, Emission::ROOT, Anchor::System)
        };
        Self {
            instances: system.roots().filter_map(root).collect(),
            deaths: BinaryHeap::new(),
            deaths_added: 0,
            weather_particles: 0,
            next_event: 0.0,
            latest_death: f64::NEG_INFINITY,
            latest_freeze: f64::NEG_INFINITY,
            has_begun: false,
            stopped: f64::INFINITY,
            is_limited: false,
        }
    }

    /// The next time at which a step may have births, in seconds after the creation of the system. Infinite if there are
    /// none any more.
    pub fn next_event(&self) -> f64 {
        self.next_event
    }

    /// Whether births were dropped because there were too many.
    pub fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// Whether there are no births any more, and no particle lives at a time in seconds after the creation of the
    /// system. A particle whose clock is frozen lives until the system is stopped and all others are dead.
    pub fn is_over(&self, time: f64) -> bool {
        let has_births = self.next_event < f64::INFINITY;
        let is_frozen = self.latest_freeze > f64::NEG_INFINITY && self.stopped == f64::INFINITY;
        !has_births && !is_frozen && time >= self.latest_death.max(self.latest_freeze)
    }

    /// Ends the births of roots at a time in seconds after the creation of the system, if it is not stopped yet. Particles
    /// that were born before finish their life, with all that they spawn; those whose clocks are frozen spawn nothing more.
    /// If there was no step yet, nothing is born.
    pub fn stop(&mut self, system: &ParticleSystem, time: f64) {
        if self.stopped < f64::INFINITY || time.is_nan() {
            return;
        }
        self.stopped = time;
        if !self.has_begun {
            self.instances.clear();
        }
        for instance in &mut self.instances {
            // Without end are those of roots, and of particles whose clocks are frozen.
            if instance.emission.stopped == f64::INFINITY {
                instance.stop(system, time);
            }
        }
        self.remove_ended();
    }

    /// Forgets the instances without births, and finds the next event.
    pub(super) fn remove_ended(&mut self) {
        let weather_particles = &mut self.weather_particles;
        self.instances.retain(|instance| {
            let has_births = instance.next < f64::INFINITY;
            if let Some(weather) = instance.weather.as_ref().filter(|_| !has_births) {
                *weather_particles -= weather.len();
            }
            has_births
        });
        let births = self.instances.iter().map(|instance| instance.next);
        let death = self.deaths.peek().map_or(f64::INFINITY, |death| death.time);
        self.next_event = births.fold(death, f64::min);
    }
}
