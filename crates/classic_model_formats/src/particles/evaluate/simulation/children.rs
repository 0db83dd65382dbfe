//! The instances of emitters that particles spawn.

use super::death::Death;
use super::instance::{Anchor, Carrier, Instance};
use super::stage::{Space, Stage};
use super::step::Step;
use super::work::work_of_steps;
use crate::particles::evaluate::random::{InstanceKey, ParticleNumber};
use crate::particles::evaluate::schedule::{Emission, MAX_ALIVE};
use crate::particles::evaluate::system::Node;
use crate::particles::file::SpawnEvent;

impl<S: Stage> Step<'_, S> {
    /// Creates the instances that a particle spawns. `end` is its last age.
    ///
    /// At each event, all but the first one count as work: emitters made of plug-ins may have any count of children.
    pub(super) fn add_children(
        &mut self,
        instance: &Instance,
        node: &Node,
        number: ParticleNumber,
        carrier: Carrier,
        [end, death]: [f64; 2],
    ) {
        for (nth, child) in (0..).zip(&node.during_life) {
            if nth > 0 && !self.has_room_for(1) {
                break;
            }
            let key = instance.key.of_nth_child(number, SpawnEvent::Life, nth);
            let end = match death < f64::INFINITY {
                true => death,
                false => self.simulation.stopped,
            };
            let emission = Emission::until(end - carrier.born);
            let anchor = Anchor::Particle(Box::new(carrier));
            self.spawn(*child, key, [carrier.born, death], emission, anchor);
        }
        if death == f64::INFINITY {
            return;
        }
        let work = work_of_steps(node.emitter.steps_of_motion());
        for (nth, child) in (0..).zip(&node.on_death) {
            if nth > 0 && !self.has_room_for(work) {
                break;
            }
            let death = Death {
                time: death,
                order: self.simulation.deaths_added,
                key: instance.key.of_nth_child(number, SpawnEvent::Death, nth),
                child: *child,
                age: end,
                carrier,
            };
            self.simulation.deaths_added += 1;
            self.simulation.deaths.push(death);
        }
    }

    /// Creates the instance of the next particle that is dead. Returns false if there is none.
    pub(super) fn spawn_on_death(&mut self) -> bool {
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
        let motion = self.motion(parent, &death.carrier, death.age, death.time);
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
}
