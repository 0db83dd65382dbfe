//! Continues a simulation by a step.

use super::stage::Stage;
use super::state::Simulation;
use super::step::Step;
use crate::particles::evaluate::system::ParticleSystem;

/// The latest time of a step, in seconds: 30,000 years, so that distances remain finite in `f64`.
const MAX_SECONDS: f64 = 1e12;

impl Simulation {
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
            work: (self.instances.len() + self.deaths.len()) as u64,
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
}
