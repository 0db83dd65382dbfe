//! All particles of a system that stands still, at any time.

use super::emitter::{Appearance, EmitterPose, PreparedEmitter, Source};
use super::ground::Ground;
use super::motion::{BirthRecord, Motion};
use super::random::{Draws, InstanceKey, ParticleNumber, Purpose};
use super::schedule::MAX_ALIVE;
use super::shape;
use crate::particles::file::{ParticleFile, Shape, SpawnEvent};
use std::collections::VecDeque;

/// The most particles that one evaluation visits, living or dead. Dead particles count because what they spawned may
/// still live.
const MAX_VISITED: u64 = 2 * MAX_ALIVE;

/// The latest time of an evaluation, in seconds: 30,000 years, so that distances remain finite in `f64`.
const MAX_SECONDS: f64 = 1e12;

/// A particle system with all its values checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSystem {
    nodes: Vec<Node>,
}

/// An emitter and the emitters that its particles spawn.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    emitter: PreparedEmitter,
    on_death: Option<usize>,
    during_life: Option<usize>,
    is_root: bool,
    /// The longest time from a birth to the end of the particle and of all that it spawns, in seconds.
    span: f64,
}

impl Node {
    /// As [`span`](Self::span), for an instance whose births have ended: infinite if its time stands still then.
    fn tail(&self) -> f64 {
        let schedule = &self.emitter.schedule;
        if schedule.freeze().is_some() || schedule.weather().is_some() {
            f64::INFINITY
        } else {
            self.span
        }
    }

    fn children(&self) -> impl Iterator<Item = usize> {
        [self.on_death, self.during_life].into_iter().flatten()
    }
}

/// The living particles of a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemState {
    /// For each emitter in file order its particles, of all instances, in the order of birth.
    pub emitters: Vec<Vec<LivingParticle>>,
    /// Whether particles are missing because the system has too many.
    pub is_limited: bool,
}

/// A living particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LivingParticle {
    /// Time of birth in seconds after the creation of the system; negative if it was skipped.
    pub born: f64,
    /// Age in seconds. It does not grow while time stands still.
    pub age: f32,
    /// Life in seconds.
    pub life: f32,
    /// Position and velocity in the world.
    pub motion: Motion,
    /// Size, color, tile and angle.
    pub appearance: Appearance,
}

/// An instance of an emitter.
struct Instance {
    node: usize,
    key: InstanceKey,
    /// Time of creation, in seconds after that of the system.
    created: f64,
    /// Time from which there are no births but those that were skipped at creation.
    stopped: f64,
    anchor: Anchor,
}

/// What an instance is attached to.
enum Anchor {
    /// Nothing: it keeps its position. The velocity is that at its creation.
    Fixed(Motion),
    /// A particle.
    Particle {
        node: usize,
        record: BirthRecord,
        born: f64,
        /// The age at which the particle's time stands still.
        last_age: f64,
    },
}

/// A particle while it is visited.
struct Visited {
    number: ParticleNumber,
    /// Time of birth, in seconds after the creation of the system.
    born: f64,
    age: f64,
    record: BirthRecord,
    is_alive: bool,
}

/// An evaluation in progress.
struct Evaluation<'s> {
    nodes: &'s [Node],
    now: f64,
    state: SystemState,
    queue: VecDeque<Instance>,
    alive: u64,
    visited: u64,
}

impl ParticleSystem {
    /// Prepares a particle system.
    pub fn new(file: &ParticleFile<'_>) -> Self {
        let index = |index: Option<u32>| {
            let index = usize::try_from(index?).ok()?;
            (index < file.emitters.len()).then_some(index)
        };
        let nodes = file.emitters.iter().map(|emitter| {
            let prepared = PreparedEmitter::new(emitter);
            Node {
                span: prepared.schedule.lifetime(),
                emitter: prepared,
                on_death: index(emitter.spawn_on_death),
                during_life: index(emitter.spawn_during_life),
                is_root: emitter.parent.is_none(),
            }
        });
        let mut system = Self {
            nodes: nodes.collect(),
        };
        system.add_spans_of_children();
        system
    }

    /// Adds the longest span of its children to each node's own, from the leaves up.
    fn add_spans_of_children(&mut self) {
        // Parents precede their children in this list. Without a cycle, each node is in it at most once.
        let mut order: Vec<usize> = self.roots().collect();
        let mut next = 0;
        while let Some(node) = order.get(next).and_then(|index| self.nodes.get(*index)) {
            if order.len() > self.nodes.len() {
                break;
            }
            order.extend(node.children());
            next += 1;
        }
        for index in order.into_iter().rev() {
            let Some(node) = self.nodes.get(index) else {
                continue;
            };
            let tails = node.children().filter_map(|child| self.nodes.get(child));
            let longest = tails.map(Node::tail).fold(0.0, f64::max);
            if let Some(node) = self.nodes.get_mut(index) {
                node.span = node.emitter.schedule.lifetime() + longest;
            }
        }
    }

    fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| node.is_root)
            .map(|(index, _)| index)
    }

    /// The emitters, in file order.
    pub fn emitters(&self) -> impl Iterator<Item = &PreparedEmitter> {
        self.nodes.iter().map(|node| &node.emitter)
    }

    /// Whether the system goes on until it is stopped.
    pub fn is_endless(&self) -> bool {
        let mut roots = self.roots().filter_map(|index| self.nodes.get(index));
        roots.any(|root| root.emitter.schedule.is_endless())
    }

    /// All living particles at a time in seconds after the creation of the system. There are none before its creation.
    ///
    /// The system is created at the origin of the world, stands still without rotation, and is never stopped. There is
    /// no wind, no camera and no mesh: emitters use their groups, and weather is around the origin. The ground is Z = 0.
    ///
    /// At most [`MAX_ALIVE`] particles are returned. Times after 10¹² seconds count as that. A weather particle has the same life each time it is reborn, and
    /// spawns no emitters.
    pub fn state(&self, seed: u64, seconds: f64) -> SystemState {
        let mut evaluation = Evaluation {
            nodes: &self.nodes,
            now: seconds.min(MAX_SECONDS),
            state: SystemState {
                emitters: vec![Vec::new(); self.nodes.len()],
                is_limited: false,
            },
            queue: VecDeque::new(),
            alive: 0,
            visited: 0,
        };
        if seconds >= 0.0 {
            let root = |node: usize| Instance {
                node,
                key: InstanceKey::of_root(seed, u32::try_from(node).unwrap_or(u32::MAX)),
                created: 0.0,
                stopped: f64::INFINITY,
                anchor: Anchor::Fixed(Motion::default()),
            };
            for index in self.roots() {
                evaluation.visit(&root(index));
                while let Some(instance) = evaluation.queue.pop_front() {
                    evaluation.visit(&instance);
                }
            }
        }
        let mut state = evaluation.state;
        for particles in &mut state.emitters {
            // The sort is stable and fast if the order is right already, as it is for roots.
            particles.sort_by(|a, b| a.born.total_cmp(&b.born));
        }
        state
    }
}

impl Evaluation<'_> {
    /// Whether the evaluation has reached a limit.
    fn is_full(&self) -> bool {
        self.alive >= MAX_ALIVE || self.visited >= MAX_VISITED
    }

    fn visit(&mut self, instance: &Instance) {
        let nodes = self.nodes;
        let Some(node) = nodes.get(instance.node) else {
            return;
        };
        if let Some(count) = node.emitter.schedule.weather() {
            self.visit_weather(instance, node, count);
        } else if node.emitter.schedule.per_round() > 0 {
            self.visit_rounds(instance, node);
        }
    }

    /// Visits all particles of an instance that live, or whose children may live.
    fn visit_rounds(&mut self, instance: &Instance, node: &Node) {
        let schedule = &node.emitter.schedule;
        let skip = schedule.skip();
        let clock = schedule.clock(self.now - instance.created);
        // One round earlier, because the difference is rounded. Each particle's age is checked.
        let mut round = schedule.rounds_until(clock - node.span).saturating_sub(1);
        let skipped = schedule.rounds_until(skip);
        let before_stop = schedule.rounds_before(instance.stopped - instance.created + skip);
        let end = schedule.rounds_until(clock).min(skipped.max(before_stop));
        while round < end {
            for index in 0..schedule.born_in_round(round) {
                if self.is_full() {
                    self.state.is_limited = true;
                    return;
                }
                self.visited += 1;
                let number = ParticleNumber { round, index };
                let visited = self.particle(instance, node, number, clock);
                self.take(instance, node, &visited);
            }
            round = schedule.next_round_with_births(round);
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
        let schedule = &node.emitter.schedule;
        let round_time = schedule.round_time(number.round);
        let born = instance.created + round_time - schedule.skip();
        let age = clock - round_time;
        let draws = Draws::new(instance.key, number);
        let anchor = self.anchor(instance, born.max(instance.created));
        let pose = EmitterPose {
            position: anchor.position,
            velocity: anchor.velocity,
            ..EmitterPose::default()
        };
        let record = node.emitter.birth(draws, &pose, Source::Group, born as f32);
        Visited {
            number,
            born,
            age,
            record,
            is_alive: node.emitter.is_alive(&record, age),
        }
    }

    /// Position and velocity of an instance.
    fn anchor(&self, instance: &Instance, time: f64) -> Motion {
        match &instance.anchor {
            Anchor::Fixed(motion) => *motion,
            Anchor::Particle {
                node,
                record,
                born,
                last_age,
            } => {
                let Some(parent) = self.nodes.get(*node) else {
                    return Motion::default();
                };
                let age = (time - born).clamp(0.0, last_age.max(0.0));
                let motion = parent
                    .emitter
                    .motion(record, &Ground::default(), age as f32);
                if time - born > *last_age {
                    let velocity = [0.0; 3];
                    return Motion { velocity, ..motion };
                }
                motion
            }
        }
    }

    /// Adds a particle to the state if it lives, and the instances that it has spawned to the queue.
    fn take(&mut self, instance: &Instance, node: &Node, visited: &Visited) {
        let schedule = &node.emitter.schedule;
        let Visited {
            born, age, record, ..
        } = visited;
        let end = f64::from(node.emitter.end_of_life(record));
        // Born and dead within the skipped time: it was never made.
        if *born < instance.created && born + end <= instance.created {
            return;
        }
        if visited.is_alive {
            self.push(instance.node, node, *born, *age, record);
        }
        let last_age = schedule.freeze().map_or(f64::INFINITY, |freeze| {
            freeze - schedule.round_time(visited.number.round)
        });
        let is_frozen_alive = node.emitter.is_alive(record, last_age);
        let death = if is_frozen_alive {
            f64::INFINITY
        } else {
            born + end
        };
        if let Some(child) = node.during_life {
            let anchor = Anchor::Particle {
                node: instance.node,
                record: *record,
                born: *born,
                last_age,
            };
            self.spawn(
                instance,
                visited,
                SpawnEvent::Life,
                child,
                [*born, death],
                anchor,
            );
        }
        if let Some(child) = node.on_death
            && !visited.is_alive
        {
            let motion = node.emitter.motion(record, &Ground::default(), end as f32);
            let anchor = Anchor::Fixed(motion);
            self.spawn(
                instance,
                visited,
                SpawnEvent::Death,
                child,
                [death, death],
                anchor,
            );
        }
    }

    /// Adds an instance to the queue, unless nothing of it lives any more.
    fn spawn(
        &mut self,
        parent: &Instance,
        particle: &Visited,
        event: SpawnEvent,
        child: usize,
        [created, stopped]: [f64; 2],
        anchor: Anchor,
    ) {
        let tail = self.nodes.get(child).map_or(0.0, Node::tail);
        if self.now - stopped.min(self.now) <= tail && created <= self.now {
            self.queue.push_back(Instance {
                node: child,
                key: parent.key.of_child(particle.number, event),
                created,
                stopped,
                anchor,
            });
        }
    }

    /// Visits the particles of weather. All are born at creation, and reborn where they die.
    fn visit_weather(&mut self, instance: &Instance, node: &Node, count: u32) {
        let Some(edge) = node.emitter.weather_cube.filter(|edge| *edge > 0.0) else {
            return;
        };
        let schedule = &node.emitter.schedule;
        let elapsed = schedule.clock(self.now - instance.created) - schedule.skip();
        for index in 0..count {
            if self.is_full() {
                self.state.is_limited = true;
                return;
            }
            self.visited += 1;
            let number = |round| ParticleNumber { round, index };
            let first = Draws::new(instance.key, number(0));
            let life = f64::from(node.emitter.look(first).life);
            let lives = (elapsed / life).floor();
            let begin = lives * life;
            let is_stopped = lives > 0.0 && instance.created + begin >= instance.stopped;
            if life <= 0.0 || is_stopped {
                continue;
            }
            let cube = Shape::Cube { side: edge };
            let position = shape::sample(&cube, first, Purpose::Position);
            let motion = node
                .emitter
                .birth(first, &EmitterPose::default(), Source::Point, 0.0);
            let moved = motion.velocity.map(|speed| f64::from(speed) * elapsed);
            let record = BirthRecord {
                position: wrapped(position, moved, edge),
                velocity: motion.velocity,
                // The conversion saturates.
                ..node
                    .emitter
                    .look(Draws::new(instance.key, number(lives as u64)))
            };
            let record = BirthRecord {
                life: life as f32,
                ..record
            };
            let motion = Motion {
                position: record.position,
                velocity: record.velocity,
            };
            // Rounding could put it just outside its life.
            let age = (elapsed - begin).clamp(0.0, life);
            self.push_moving(
                instance.node,
                node,
                instance.created + begin,
                age,
                &record,
                motion,
            );
        }
    }

    fn push(&mut self, index: usize, node: &Node, born: f64, age: f64, record: &BirthRecord) {
        let motion = node.emitter.motion(record, &Ground::default(), age as f32);
        self.push_moving(index, node, born, age, record, motion);
    }

    fn push_moving(
        &mut self,
        index: usize,
        node: &Node,
        born: f64,
        age: f64,
        record: &BirthRecord,
        motion: Motion,
    ) {
        let age = age as f32;
        if let Some(particles) = self.state.emitters.get_mut(index) {
            self.alive += 1;
            particles.push(LivingParticle {
                born,
                age,
                life: record.life,
                motion,
                appearance: node.emitter.appearance(record, age),
            });
        }
    }
}

/// A position moved within a cube around the origin. What leaves it on one side enters on the other.
fn wrapped(position: [f32; 3], moved: [f64; 3], edge: f32) -> [f32; 3] {
    let edge = f64::from(edge);
    let mut wrapped = position;
    for (value, moved) in wrapped.iter_mut().zip(moved) {
        let from_corner = f64::from(*value) + moved + 0.5 * edge;
        *value = (from_corner.rem_euclid(edge) - 0.5 * edge) as f32;
    }
    wrapped
}
