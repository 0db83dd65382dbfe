//! A particle system with all its values checked, and the links between its emitters.

use super::emitter::PreparedEmitter;
use super::schedule::Emission;
use crate::particles::file::{Parent, ParticleFile, SpawnEvent};
use crate::particles::plugins::PluginFile;

/// A particle system with all its values checked.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSystem {
    nodes: Vec<Node>,
}

/// An emitter and the emitters that its particles spawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) emitter: PreparedEmitter,
    /// The emitters that are created where a particle dies, and with each particle.
    pub(super) on_death: Vec<usize>,
    pub(super) during_life: Vec<usize>,
    is_root: bool,
    /// The longest time from a birth to the end of the particle and of all that it spawns, in seconds.
    pub(super) span: f64,
}

impl Node {
    /// A node without children.
    fn new(emitter: PreparedEmitter, is_root: bool) -> Self {
        Self {
            span: emitter.schedule.lifetime(),
            emitter,
            on_death: Vec::new(),
            during_life: Vec::new(),
            is_root,
        }
    }

    /// As [`span`](Self::span), for an instance whose births have ended: infinite if its clock is frozen then.
    pub(super) fn tail(&self) -> f64 {
        let schedule = &self.emitter.schedule;
        if schedule.freeze().is_some() {
            f64::INFINITY
        } else {
            self.span
        }
    }

    /// Whether births or lives of an instance never end, or a frozen clock keeps its particles alive.
    fn is_endless(&self, emission: Emission) -> bool {
        let schedule = &self.emitter.schedule;
        let has_cube = self.emitter.weather_cube.is_none_or(|edge| edge > 0.0);
        let endless_lives =
            schedule.lives_forever() && schedule.has_births_after(f64::NEG_INFINITY, emission);
        has_cube
            && (schedule.has_endless_births(emission)
                || schedule.lives_in_freeze(emission)
                || endless_lives)
    }

    /// Whether particles of an instance live and may spawn others. Weather spawns nothing.
    fn spawns(&self, emission: Emission) -> bool {
        let schedule = &self.emitter.schedule;
        schedule.weather().is_none()
            && schedule.has_births_after(schedule.skip() - schedule.lifetime(), emission)
    }

    #[inline]
    pub(super) fn has_children(&self) -> bool {
        self.children().next().is_some()
    }

    fn children(&self) -> impl Iterator<Item = usize> {
        self.on_death.iter().chain(&self.during_life).copied()
    }
}

impl ParticleSystem {
    /// Prepares a particle system.
    pub fn new(file: &ParticleFile<'_>) -> Self {
        let index = |index: Option<u32>| {
            let index = usize::try_from(index?).ok()?;
            (index < file.emitters.len()).then_some(index)
        };
        let nodes = file.emitters.iter().map(|emitter| Node {
            on_death: index(emitter.spawn_on_death).into_iter().collect(),
            during_life: index(emitter.spawn_during_life).into_iter().collect(),
            ..Node::new(PreparedEmitter::new(emitter), emitter.parent.is_none())
        });
        Self::of_nodes(nodes.collect())
    }

    /// Prepares a particle system made of plug-ins.
    ///
    /// Modifiers and killers without known effect are left out, and emitters whose creator is unknown emit nothing: see
    /// [`PluginKind::limit`](crate::particles::plugins::PluginKind::limit).
    pub fn from_plugins(file: &PluginFile<'_>) -> Self {
        let emitters = file.prepared_emitters();
        let parents: Vec<_> = emitters.iter().map(|(emitter, _)| emitter.parent).collect();
        let nodes = emitters.into_iter();
        let nodes = nodes.map(|(emitter, prepared)| Node::new(prepared, emitter.parent.is_none()));
        let mut nodes: Vec<_> = nodes.collect();
        for (child, parent) in parents.into_iter().enumerate() {
            let Some(Parent { emitter, event }) = parent else {
                continue;
            };
            if let Some(node) = nodes.get_mut(emitter as usize) {
                match event {
                    SpawnEvent::Death => node.on_death.push(child),
                    SpawnEvent::Life => node.during_life.push(child),
                }
            }
        }
        for (node, emitter) in nodes.iter_mut().zip(&file.emitters) {
            if !emitter.spawns_on_death() {
                node.on_death.clear();
            }
        }
        Self::of_nodes(nodes)
    }

    fn of_nodes(nodes: Vec<Node>) -> Self {
        let mut system = Self { nodes };
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

    #[inline]
    pub(super) fn node(&self, index: usize) -> Option<&Node> {
        self.nodes.get(index)
    }

    /// The indices of the emitters that are created with the system.
    pub(super) fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        let nodes = self.nodes.iter().enumerate();
        nodes
            .filter(|(_, node)| node.is_root)
            .map(|(index, _)| index)
    }

    /// The emitters, in file order.
    pub fn emitters(&self) -> impl Iterator<Item = &PreparedEmitter> {
        self.nodes.iter().map(|node| &node.emitter)
    }

    /// An emitter, by its index in the file.
    pub fn emitter(&self, index: usize) -> Option<&PreparedEmitter> {
        self.nodes.get(index).map(|node| &node.emitter)
    }

    /// Whether the system goes on until it is stopped: births or lives never end, or a frozen clock keeps particles alive.
    ///
    /// Particles count with their longest life, and as if there was no ground.
    pub fn is_endless(&self) -> bool {
        let mut emissions: Vec<(usize, Emission)> =
            self.roots().map(|root| (root, Emission::ROOT)).collect();
        // Without a cycle of links, each node is visited at most once.
        for _ in 0..self.nodes.len() {
            let Some((index, emission)) = emissions.pop() else {
                break;
            };
            let Some(node) = self.nodes.get(index) else {
                continue;
            };
            if node.is_endless(emission) {
                return true;
            }
            if node.spawns(emission) {
                let lifetime = node.emitter.schedule.lifetime();
                let on_death = node.on_death.iter();
                emissions.extend(on_death.map(|child| (*child, Emission::AT_DEATH)));
                let life = Emission::until(lifetime);
                emissions.extend(node.during_life.iter().map(|child| (*child, life)));
            }
        }
        false
    }
}
