//! The instances of emitters: one for each root, and one for each particle that spawns an emitter.

use crate::particles::evaluate::ground::Ground;
use crate::particles::evaluate::motion::{BirthRecord, Motion};
use crate::particles::evaluate::random::InstanceKey;
use crate::particles::evaluate::schedule::Emission;
use crate::particles::evaluate::system::{Node, ParticleSystem};
use crate::particles::evaluate::weather::Weather;

/// Rounding of times: events this close are looked at, and then compared exactly.
pub(super) const ROUNDING: f64 = 1e-9;

/// An instance of an emitter.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) node: usize,
    pub(super) key: InstanceKey,
    /// Time of creation, in seconds after that of the system.
    pub(super) created: f64,
    pub(super) emission: Emission,
    /// The next round, and the one after the last.
    pub(super) round: u64,
    pub(super) end: u64,
    /// The time of the next round or earlier; infinite if births are over.
    pub(super) next: f64,
    pub(super) anchor: Anchor,
    /// Boxed, because few instances make weather.
    pub(super) weather: Option<Box<Weather>>,
}

/// What an instance is attached to.
#[derive(Clone, Debug)]
pub(super) enum Anchor {
    /// The system.
    System,
    /// Nothing: it keeps its position, in its own space. The velocity is that at its creation.
    Fixed(Motion),
    /// A particle.
    Particle(Box<Carrier>),
}

/// A particle that an instance of an emitter moves with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carrier {
    pub(super) node: usize,
    pub(super) record: BirthRecord,
    pub(super) ground: Ground,
    pub(super) born: f64,
    /// The particle's age when its clock is frozen.
    pub(super) frozen_age: f64,
}

impl Instance {
    /// `None` if it has no births.
    pub(super) fn new(
        system: &ParticleSystem,
        index: usize,
        key: InstanceKey,
        created: f64,
        emission: Emission,
        anchor: Anchor,
    ) -> Option<Self> {
        let node = system.node(index)?;
        let schedule = &node.emitter.schedule;
        let mut instance = Self {
            node: index,
            key,
            created,
            emission,
            round: 0,
            end: schedule.rounds_of(emission),
            next: f64::INFINITY,
            anchor,
            weather: Weather::new(&node.emitter, key).map(Box::new),
        };
        if schedule.weather().is_some() {
            instance.weather.as_ref()?;
            instance.next = created;
        } else if schedule.per_round() > 0 && schedule.lifetime() > 0.0 {
            instance.next = instance.time_of_next_round(node);
        }
        (instance.next < f64::INFINITY).then_some(instance)
    }

    /// The time of the next round or earlier; infinite if there is none.
    #[inline]
    pub(super) fn time_of_next_round(&self, node: &Node) -> f64 {
        let schedule = &node.emitter.schedule;
        let clock = schedule.round_time(self.round);
        let is_frozen = schedule.freeze().is_some_and(|freeze| clock > freeze);
        if self.round >= self.end || is_frozen {
            return f64::INFINITY;
        }
        let time = self.created + clock - schedule.skip();
        time - ROUNDING.max(time.abs() * f64::EPSILON * 4.0)
    }

    /// Ends its births at a time in seconds after the creation of the system.
    pub(super) fn stop(&mut self, system: &ParticleSystem, time: f64) {
        let Some(node) = system.node(self.node) else {
            return;
        };
        self.emission = Emission::until((time - self.created).max(0.0));
        self.end = self.end.min(node.emitter.schedule.rounds_of(self.emission));
        if self.weather.is_some() {
            // Nothing is reborn after the stop.
            if self.next > time {
                self.next = f64::INFINITY;
            }
        } else {
            self.next = self.time_of_next_round(node);
        }
    }
}
