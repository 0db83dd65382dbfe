//! A step in progress: visits the particles that are due.

use super::instance::{Anchor, Carrier, Instance};
use super::stage::{Birth, Stage};
use super::state::Simulation;
use crate::particles::evaluate::ground::Ground;
use crate::particles::evaluate::motion::BirthRecord;
use crate::particles::evaluate::random::{Draws, ParticleNumber};
use crate::particles::evaluate::system::{Node, ParticleSystem};

/// A particle while it is visited.
pub(super) struct Visited {
    pub(super) number: ParticleNumber,
    /// Time of birth, in seconds after the creation of the system.
    pub(super) born: f64,
    pub(super) age: f64,
    pub(super) draws: Draws,
    pub(super) record: BirthRecord,
    pub(super) ground: Ground,
}

/// A step in progress.
pub(super) struct Step<'a, S> {
    pub(super) system: &'a ParticleSystem,
    pub(super) simulation: &'a mut Simulation,
    pub(super) now: f64,
    pub(super) stage: &'a mut S,
    /// See [`has_room_for`](Self::has_room_for).
    pub(super) work: u64,
    /// The instances that particles have spawned.
    pub(super) spawned: Vec<Instance>,
}

impl<S: Stage> Step<'_, S> {
    pub(super) fn emit(&mut self, instance: &mut Instance) {
        let system = self.system;
        let Some(node) = system.node(instance.node) else {
            return;
        };
        if self.now < instance.next {
            return;
        }
        if instance.weather.is_some() {
            self.emit_weather(instance, node);
        } else {
            self.emit_rounds(instance, node);
        }
    }

    /// Visits the particles of all rounds that are due, if they live or their children may live.
    fn emit_rounds(&mut self, instance: &mut Instance, node: &Node) {
        let schedule = &node.emitter.schedule;
        let clock = schedule.clock(self.now - instance.created);
        let end = schedule.rounds_until(clock).min(instance.end);
        let mut round = instance.round;
        let alive = clock - node.span;
        if schedule.round_time(round) <= alive {
            // One round earlier, because the difference is rounded. Each particle's age is checked.
            round = round.max(schedule.rounds_until(alive).saturating_sub(1));
        }
        let points = self.points_per_round(instance, node);
        let work = self.work_of_particle(instance, node);
        'rounds: while round < end {
            for index in 0..schedule.born_in_round(round).saturating_mul(points) {
                if !self.has_room_for(work) {
                    // The others are dropped.
                    round = end;
                    break 'rounds;
                }
                let number = ParticleNumber { round, index };
                let visited = self.particle(instance, node, number, clock);
                self.add_particle(instance, node, &visited);
            }
            round = schedule.next_round_with_births(round);
        }
        instance.round = round.max(instance.round);
        instance.next = instance.time_of_next_round(node);
    }

    fn points_per_round(&self, instance: &Instance, node: &Node) -> u32 {
        match (&instance.anchor, self.stage.mesh()) {
            (Anchor::System, Some(mesh)) => mesh.points_per_round(node.emitter.emit_mode),
            _ => 1,
        }
    }

    /// Passes a particle to the stage if it lives, and creates the instances that it spawns.
    fn add_particle(&mut self, instance: &Instance, node: &Node, visited: &Visited) {
        let emitter = &node.emitter;
        let Visited {
            born,
            age,
            draws,
            record,
            ground,
            ..
        } = visited;
        // It never lives, so it spawns nothing.
        if record.life <= 0.0 {
            return;
        }
        let end = f64::from(emitter.end_of_life(record));
        // Born and dead within the skipped time: it was never made.
        if *born < instance.created && born + end <= instance.created {
            return;
        }
        let schedule = &emitter.schedule;
        let frozen_age = schedule.freeze().map_or(f64::INFINITY, |freeze| {
            freeze - schedule.round_time(visited.number.round)
        });
        let is_frozen_alive = emitter.is_alive(record, frozen_age);
        let death = if is_frozen_alive {
            f64::INFINITY
        } else {
            born + end
        };
        let is_alive = emitter.is_alive(record, *age);
        if is_alive {
            let birth = Birth {
                index: instance.node,
                emitter,
                born: *born,
                age: *age,
                draws: *draws,
                record: *record,
                ground: *ground,
                death,
                frozen_age,
            };
            self.pass(&birth);
        }
        if node.has_children() {
            let carrier = Carrier {
                node: instance.node,
                record: *record,
                ground: *ground,
                born: *born,
                frozen_age,
            };
            self.add_children(instance, node, visited.number, carrier, [end, death]);
        }
    }

    pub(super) fn pass(&mut self, birth: &Birth<'_>) {
        let simulation = &mut *self.simulation;
        if birth.death < f64::INFINITY {
            simulation.latest_death = simulation.latest_death.max(birth.death);
        } else {
            let freeze = birth.born + birth.frozen_age;
            simulation.latest_freeze = simulation.latest_freeze.max(freeze);
        }
        self.stage.born(birth);
    }
}
