//! A running system: yields the births of any span of time, whatever the steps.
//!
//! Births depend on the schedule and on the poses at their times. So many short steps and one long step have the same
//! births, except for particles whose life is over at the end of a step.

use super::emitter::{PreparedEmitter, Source};
use super::ground::Ground;
use super::mesh::{EmissionMesh, EmitMode};
use super::motion::{BirthRecord, Motion};
use super::pose::EmitterPose;
use super::random::{Draws, InstanceKey, ParticleNumber};
use super::schedule::{Emission, MAX_ALIVE};
use super::system::{Node, ParticleSystem};
use super::weather::Weather;
use crate::particles::file::SpawnEvent;
use core::cmp::Ordering;
use std::collections::BinaryHeap;

/// The most particles that one step visits, living or dead. Dead particles count because what they spawned may still
/// live.
const MAX_VISITED: u64 = 2 * MAX_ALIVE;

/// Rounding of times: events this close are looked at, and then compared exactly.
const ROUNDING: f64 = 1e-9;

/// The space of a birth record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The system's, for emitters that are linked to it.
    System,
    /// The world's.
    World,
}

impl Space {
    /// The space of an emitter's records.
    pub fn of(emitter: &PreparedEmitter) -> Self {
        if emitter.is_linked {
            Self::System
        } else {
            Self::World
        }
    }
}

/// The surroundings of a running system, and the receiver of its births. Times are seconds after the creation of the system.
pub trait Stage {
    /// The pose of the system in a space at a time. Times before the first step are those of skipped births.
    fn pose(&self, space: Space, time: f64) -> EmitterPose;

    /// The mesh on whose vertices or surface particles are born.
    fn mesh(&self) -> Option<&EmissionMesh> {
        None
    }

    /// Where the particles of an emitter that emits from a mesh are born if there is no mesh: at the emitter, unless the
    /// stage says otherwise.
    fn source_without_mesh(&self) -> Source {
        Source::Point
    }

    /// The pose of the mesh in a space at a time.
    fn mesh_pose(&self, space: Space, time: f64) -> EmitterPose {
        self.pose(space, time)
    }

    /// The motion of a particle in the other space.
    fn transfer(&self, motion: Motion, from: Space, to: Space, time: f64) -> Motion;

    /// Whether births are dropped, because there are too many particles.
    fn is_full(&self) -> bool;

    /// Takes a particle that lives at the end of the step.
    fn born(&mut self, birth: &Birth<'_>);
}

/// A particle that is born in a step, and lives at its end.
#[derive(Clone, Copy, Debug)]
pub struct Birth<'s> {
    /// Index of the emitter in the file.
    pub index: usize,
    /// The emitter.
    pub emitter: &'s PreparedEmitter,
    /// Time of birth in seconds after the creation of the system; negative if it was skipped.
    pub born: f64,
    /// Age in seconds at the end of the step.
    pub age: f64,
    /// The record, in the space of the emitter. Its time of birth is rounded from `born`.
    pub record: BirthRecord,
    /// The ground of [`PreparedEmitter::motion`].
    pub ground: Ground,
    /// Time of death in seconds after the creation of the system; infinite if its clock freezes before.
    pub death: f64,
    /// The age at which its clock freezes; infinite if it does not.
    pub frozen_age: f64,
}

/// The state of a running system. It has no particles: those are a closed form of their births.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The instances of emitters that may emit, in the order of their creation.
    instances: Vec<Instance>,
    /// The particles that spawn an emitter when they die.
    deaths: BinaryHeap<Death>,
    /// How many particles were added to `deaths`.
    deaths_added: u64,
    /// The count of particles of weather in all instances, at most [`MAX_ALIVE`].
    weather_particles: u64,
    /// The next time at which a step may have births.
    next_event: f64,
    /// The latest known death.
    latest_death: f64,
    /// The latest freeze of a particle that never dies.
    latest_freeze: f64,
    has_begun: bool,
    /// The time at which it was stopped; infinite if it was not.
    stopped: f64,
    is_limited: bool,
}

/// An instance of an emitter.
#[derive(Clone, Debug)]
struct Instance {
    node: usize,
    key: InstanceKey,
    /// Time of creation, in seconds after that of the system.
    created: f64,
    emission: Emission,
    /// The next round, and the one after the last.
    round: u64,
    end: u64,
    /// The time of the next round or earlier; infinite if births are over.
    next: f64,
    anchor: Anchor,
    weather: Option<Weather>,
}

/// What an instance is attached to.
#[derive(Clone, Debug)]
enum Anchor {
    /// The system.
    System,
    /// Nothing: it keeps its position, in its own space. The velocity is that at its creation.
    Fixed(Motion),
    /// A particle.
    Particle(Box<Carrier>),
}

/// A particle that an instance of an emitter moves with.
#[derive(Clone, Copy, Debug)]
struct Carrier {
    node: usize,
    record: BirthRecord,
    ground: Ground,
    born: f64,
    /// The particle's age when its clock is frozen.
    frozen_age: f64,
}

/// A particle that spawns an emitter when it dies.
#[derive(Clone, Debug)]
struct Death {
    time: f64,
    /// Its position among those that were added, so that the order of equal times is that of births.
    order: u64,
    key: InstanceKey,
    child: usize,
    /// Its last age in seconds, and the rest of the particle.
    age: f64,
    carrier: Carrier,
}

impl PartialEq for Death {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Death {}

impl PartialOrd for Death {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Death {
    /// The greatest is the earliest, because that is what a heap returns.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_time = other.time.total_cmp(&self.time);
        by_time.then(other.order.cmp(&self.order))
    }
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

    /// Continues to a time in seconds after the creation of the system, and passes all particles to the stage that were
    /// born since the last step. An earlier time than that of the last step has no effect.
    ///
    /// `system` is always the one that the simulation was made for.
    pub fn advance(&mut self, system: &ParticleSystem, to: f64, stage: &mut impl Stage) {
        if to < self.next_event || to.is_nan() {
            return;
        }
        self.has_begun = true;
        let mut step = Step {
            system,
            now: to.min(MAX_SECONDS),
            stage,
            visited: 0,
            spawned: Vec::new(),
            simulation: self,
        };
        let mut instances = core::mem::take(&mut step.simulation.instances);
        let mut index = 0;
        loop {
            while let Some(instance) = instances.get_mut(index) {
                step.emit(instance);
                instances.append(&mut step.spawned);
                index += 1;
            }
            if !step.spawn_on_death() {
                break;
            }
            instances.append(&mut step.spawned);
        }
        self.instances = instances;
        self.remove_ended();
    }

    /// Forgets the instances without births, and finds the next event.
    fn remove_ended(&mut self) {
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

/// The latest time of a step, in seconds: 30,000 years, so that distances remain finite in `f64`.
const MAX_SECONDS: f64 = 1e12;

impl Instance {
    /// `None` if it has no births.
    fn new(
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
            weather: Weather::new(&node.emitter, key),
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
    fn time_of_next_round(&self, node: &Node) -> f64 {
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
    fn stop(&mut self, system: &ParticleSystem, time: f64) {
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

/// A particle while it is visited.
struct Visited {
    number: ParticleNumber,
    /// Time of birth, in seconds after the creation of the system.
    born: f64,
    age: f64,
    record: BirthRecord,
    ground: Ground,
}

/// A step in progress.
struct Step<'a, S> {
    system: &'a ParticleSystem,
    simulation: &'a mut Simulation,
    now: f64,
    stage: &'a mut S,
    visited: u64,
    /// The instances that particles have spawned.
    spawned: Vec<Instance>,
}

impl<S: Stage> Step<'_, S> {
    /// Counts a particle. Returns false if it is one too many.
    fn visit(&mut self) -> bool {
        self.visited += 1;
        let is_limited = self.visited > MAX_VISITED || self.stage.is_full();
        self.simulation.is_limited |= is_limited;
        !is_limited
    }

    fn emit(&mut self, instance: &mut Instance) {
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
        'rounds: while round < end {
            for index in 0..schedule.born_in_round(round).saturating_mul(points) {
                if !self.visit() {
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

    /// A particle of an instance whose clock is `clock`.
    fn particle(
        &self,
        instance: &Instance,
        node: &Node,
        number: ParticleNumber,
        clock: f64,
    ) -> Visited {
        let emitter = &node.emitter;
        let round_time = emitter.schedule.round_time(number.round);
        let born = instance.created + round_time - emitter.schedule.skip();
        let draws = Draws::new(instance.key, number);
        let (pose, source) = self.pose(instance, node, draws, number.index, born);
        Visited {
            number,
            born,
            age: clock - round_time,
            record: emitter.birth(draws, &pose, source, born as f32),
            ground: pose.ground,
        }
    }

    /// The pose of an emitter at a birth, and where the particle is born.
    fn pose(
        &self,
        instance: &Instance,
        node: &Node,
        draws: Draws,
        index: u32,
        born: f64,
    ) -> (EmitterPose, Source) {
        let emitter = &node.emitter;
        let space = Space::of(emitter);
        let time = born.max(instance.created);
        let source = match emitter.emit_mode {
            EmitMode::Group => Source::Group,
            _ => self.stage.source_without_mesh(),
        };
        let motion = match &instance.anchor {
            Anchor::System => {
                let mesh = self.stage.mesh();
                let point = mesh.and_then(|mesh| mesh.point(emitter.emit_mode, draws, index));
                return match point {
                    Some(point) => {
                        let mesh = self.stage.mesh_pose(space, time);
                        (point.pose(&mesh, emitter.emit_offset), Source::Point)
                    }
                    None => (self.stage.pose(space, time), source),
                };
            }
            Anchor::Fixed(motion) => *motion,
            Anchor::Particle(carrier) => self.carried(carrier, space, time),
        };
        let pose = EmitterPose {
            position: motion.position,
            velocity: motion.velocity,
            ..self.stage.pose(space, time)
        };
        (pose, source)
    }

    /// The motion of a particle at a time, in a space.
    fn carried(&self, carrier: &Carrier, space: Space, time: f64) -> Motion {
        let Some(node) = self.system.node(carrier.node) else {
            return Motion::default();
        };
        let since = time - carrier.born;
        let age = since.clamp(0.0, carrier.frozen_age.max(0.0));
        let motion = node
            .emitter
            .motion(&carrier.record, &carrier.ground, age as f32);
        let own = Space::of(&node.emitter);
        let mut motion = match own == space {
            true => motion,
            false => self.stage.transfer(motion, own, space, time),
        };
        if since > carrier.frozen_age {
            motion.velocity = [0.0; 3];
        }
        motion
    }

    /// Passes a particle to the stage if it lives, and creates the instances that it spawns.
    fn add_particle(&mut self, instance: &Instance, node: &Node, visited: &Visited) {
        let emitter = &node.emitter;
        let Visited {
            born,
            age,
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

    fn pass(&mut self, birth: &Birth<'_>) {
        let simulation = &mut *self.simulation;
        if birth.death < f64::INFINITY {
            simulation.latest_death = simulation.latest_death.max(birth.death);
        } else {
            let freeze = birth.born + birth.frozen_age;
            simulation.latest_freeze = simulation.latest_freeze.max(freeze);
        }
        self.stage.born(birth);
    }

    /// Creates the instances that a particle spawns. `end` is its last age.
    fn add_children(
        &mut self,
        instance: &Instance,
        node: &Node,
        number: ParticleNumber,
        carrier: Carrier,
        [end, death]: [f64; 2],
    ) {
        if let Some(child) = node.during_life {
            let key = instance.key.of_child(number, SpawnEvent::Life);
            let end = match death < f64::INFINITY {
                true => death,
                false => self.simulation.stopped,
            };
            let emission = Emission::until(end - carrier.born);
            let anchor = Anchor::Particle(Box::new(carrier));
            self.spawn(child, key, [carrier.born, death], emission, anchor);
        }
        if let Some(child) = node.on_death
            && death < f64::INFINITY
        {
            let death = Death {
                time: death,
                order: self.simulation.deaths_added,
                key: instance.key.of_child(number, SpawnEvent::Death),
                child,
                age: end,
                carrier,
            };
            self.simulation.deaths_added += 1;
            self.simulation.deaths.push(death);
        }
    }

    /// Creates the instance of the next particle that is dead. Returns false if there is none.
    fn spawn_on_death(&mut self) -> bool {
        let now = self.now;
        let is_due = |death: &Death| death.time <= now;
        if !self.simulation.deaths.peek().is_some_and(is_due) {
            return false;
        }
        let Some(death) = self.simulation.deaths.pop() else {
            return false;
        };
        let system = self.system;
        let (parent, child) = (system.node(death.carrier.node), system.node(death.child));
        let (Some(parent), Some(child)) = (parent, child) else {
            return true;
        };
        let Carrier { record, ground, .. } = &death.carrier;
        let motion = parent.emitter.motion(record, ground, death.age as f32);
        let [from, to] = [parent, child].map(|node| Space::of(&node.emitter));
        let motion = match from == to {
            true => motion,
            false => self.stage.transfer(motion, from, to, death.time),
        };
        self.spawn(
            death.child,
            death.key,
            [death.time; 2],
            Emission::AT_DEATH,
            Anchor::Fixed(motion),
        );
        true
    }

    /// Creates an instance, unless nothing of it lives any more.
    fn spawn(
        &mut self,
        child: usize,
        key: InstanceKey,
        [created, stopped]: [f64; 2],
        emission: Emission,
        anchor: Anchor,
    ) {
        let node = self.system.node(child);
        let makes_weather = node.is_some_and(|node| node.emitter.weather_cube.is_some());
        if makes_weather && self.simulation.weather_particles >= MAX_ALIVE {
            self.simulation.is_limited = true;
            return;
        }
        let tail = node.map_or(0.0, Node::tail);
        if self.now - stopped.min(self.now) <= tail {
            let instance = Instance::new(self.system, child, key, created, emission, anchor);
            self.spawned.extend(instance);
        }
    }

    /// Counts a particle of weather. Returns false if it is one too many.
    fn has_room_for_weather(&mut self) -> bool {
        let simulation = &mut *self.simulation;
        let has_room = simulation.weather_particles < MAX_ALIVE;
        simulation.weather_particles += u64::from(has_room);
        simulation.is_limited |= !has_room;
        has_room
    }

    /// Visits the particles of weather that are born or reborn.
    fn emit_weather(&mut self, instance: &mut Instance, node: &Node) {
        let Some(mut weather) = instance.weather.take() else {
            return;
        };
        weather.fill(&node.emitter, || self.has_room_for_weather());
        let schedule = &node.emitter.schedule;
        let elapsed = schedule.clock(self.now - instance.created) - schedule.skip();
        let freeze = schedule.freeze();
        let frozen = freeze.map_or(f64::INFINITY, |freeze| freeze - schedule.skip());
        let stopped = instance.emission.stopped;
        let pose = EmitterPose {
            velocity: [0.0; 3],
            ..self.stage.pose(Space::of(&node.emitter), self.now)
        };
        for life in weather.take_current(elapsed, stopped) {
            if !self.visit() {
                break;
            }
            let born = instance.created + life.begin;
            let record = weather.record(&node.emitter, &life, &pose, born as f32);
            let duration = f64::from(record.life);
            let frozen_age = frozen - life.begin;
            let birth = Birth {
                index: instance.node,
                emitter: &node.emitter,
                born,
                // Rounding could put it just outside its life.
                age: (elapsed - life.begin).clamp(0.0, duration),
                record,
                ground: pose.ground,
                death: match frozen_age < duration {
                    true => f64::INFINITY,
                    false => born + duration,
                },
                frozen_age,
            };
            self.pass(&birth);
        }
        let next = weather.next_birth();
        instance.next = match next < stopped && next <= frozen {
            true => instance.created + next - ROUNDING,
            false => f64::INFINITY,
        };
        instance.weather = Some(weather);
    }
}
