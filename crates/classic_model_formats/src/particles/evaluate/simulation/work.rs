//! The limit on the work of a step, in time and memory.

use super::instance::{Anchor, Instance};
use super::stage::Stage;
use super::step::Step;
use crate::particles::evaluate::schedule::MAX_ALIVE;
use crate::particles::evaluate::system::Node;

/// The most work of one step. A particle that is visited is work, living or dead: what dead particles spawned may still live.
/// An instance or a death that is kept since an earlier step is work, too, so their count is limited in a running system.
pub(super) const MAX_WORK: u64 = 2 * MAX_ALIVE;

/// The steps of a motion that are as much work as a particle: they take about as long.
const STEPS_PER_WORK: u64 = 8;

/// The work of a particle whose motions have this count of steps.
pub(super) fn work_of_steps(steps: u64) -> u64 {
    1 + steps / STEPS_PER_WORK
}

impl<S: Stage> Step<'_, S> {
    /// Counts work before it is done. Returns false if it is too much, or if the stage is full.
    pub(super) fn has_room_for(&mut self, work: u64) -> bool {
        self.work += work;
        let is_limited = self.work > MAX_WORK || self.stage.is_full();
        self.simulation.is_limited |= is_limited;
        !is_limited
    }

    /// The most work of each particle of an instance: its birth, its motion, the motion of its carrier at its birth, and its
    /// position at its death.
    pub(super) fn work_of_particle(&self, instance: &Instance, node: &Node) -> u64 {
        let carrier = match &instance.anchor {
            Anchor::Particle(carrier) => self.system.node(carrier.node),
            Anchor::System | Anchor::Fixed(_) => None,
        };
        let carried = carrier.map_or(0, |carrier| carrier.emitter.steps_of_motion());
        let motions = if node.on_death.is_empty() { 1 } else { 2 };
        let own = node.emitter.steps_of_birth() + motions * node.emitter.steps_of_motion();
        work_of_steps(carried + own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::evaluate::emitter::Source;
    use crate::particles::evaluate::motion::Motion;
    use crate::particles::evaluate::plugins::forces::STEPS;
    use crate::particles::evaluate::pose::EmitterPose;
    use crate::particles::evaluate::simulation::{Birth, Simulation, Space};
    use crate::particles::evaluate::system::ParticleSystem;
    use crate::particles::{parse, plugins};
    use classic_models_fixtures::random::Random;
    use classic_models_fixtures::{particles_adversarial, plugins_adversarial};
    use core::cell::Cell;

    /// Counts births, and evaluates the living particles as a renderer does.
    struct Counter {
        births: Cell<u64>,
        alive: u64,
        /// It is full after this count of births.
        max_births: u64,
    }

    impl Counter {
        fn new(max_births: u64) -> Self {
            Self {
                births: Cell::new(0),
                alive: 0,
                max_births,
            }
        }
    }

    impl Stage for Counter {
        fn pose(&self, _: Space, _: f64) -> EmitterPose {
            self.births.set(self.births.get() + 1);
            EmitterPose::default()
        }

        fn source_without_mesh(&self) -> Source {
            Source::Group
        }

        fn transfer(&self, motion: Motion, _: Space, _: Space, _: f64) -> Motion {
            motion
        }

        fn is_full(&self) -> bool {
            self.births.get() >= self.max_births || self.alive >= MAX_ALIVE
        }

        fn born(&mut self, birth: &Birth<'_>) {
            self.alive += 1;
            let age = birth.age as f32;
            assert!(age >= 0.0 && age <= birth.record.life);
            let pose = EmitterPose::default();
            let record = &birth.record;
            birth.emitter.motion_in(&pose, record, age);
            let appearance = birth.emitter.appearance_of(record, birth.draws, age);
            assert!(appearance.color.iter().all(|it| (0.0..=1.0).contains(it)));
            birth.emitter.texture_part(record, birth.draws, age);
            birth.emitter.aspect(birth.draws);
        }
    }

    /// The instances and deaths that a simulation keeps.
    fn kept(simulation: &Simulation) -> u64 {
        (simulation.instances.len() + simulation.deaths.len()) as u64
    }

    /// Evaluates a system at a time, and checks the limits of the work. Returns the counts of particles that live, and of
    /// steps.
    fn evaluate(name: &str, system: &ParticleSystem, seconds: f64, max_births: u64) -> [u64; 2] {
        STEPS.set(0);
        let mut stage = Counter::new(max_births);
        let mut simulation = Simulation::new(system, 7);
        let roots = simulation.instances.len() as u64;
        simulation.advance(system, seconds, &mut stage);
        // A birth, its carrier and a death ask for the pose.
        assert!(stage.births.get() <= 4 * MAX_WORK, "{name} at {seconds} s");
        let steps = STEPS.get();
        assert!(
            steps <= STEPS_PER_WORK * MAX_WORK,
            "{name} at {seconds} s: {steps} steps"
        );
        let kept = kept(&simulation);
        assert!(
            kept <= roots + 2 * MAX_WORK,
            "{name} at {seconds} s: {kept} instances"
        );
        [stage.alive, steps]
    }

    #[test]
    fn adversarial_systems_take_bounded_work() {
        let mut evaluated = 0;
        let mut check = |name: &str, system: &ParticleSystem| {
            for seconds in [0.5, 1e30] {
                evaluate(name, system, seconds, u64::MAX);
                evaluated += 1;
            }
        };
        for (name, bytes) in particles_adversarial::adversarial_files() {
            if let Ok(file) = parse(&bytes) {
                check(&name, &ParticleSystem::new(&file));
            }
        }
        for (name, bytes) in plugins_adversarial::files(1) {
            if let Ok(file) = plugins::parse(&bytes) {
                check(&name, &ParticleSystem::from_plugins(&file));
            }
        }
        assert!(evaluated > 60, "{evaluated}");
    }

    #[test]
    fn random_systems_of_plugins_take_bounded_work() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut sums = [0; 2];
        for round in 0..2000 {
            let bytes = plugins_adversarial::random(&mut random);
            let file = plugins::parse(&bytes).unwrap();
            let system = ParticleSystem::from_plugins(&file);
            for seconds in [0.7, 40.0, 1e30] {
                let counts = evaluate(&round.to_string(), &system, seconds, 50);
                for (sum, count) in sums.iter_mut().zip(counts) {
                    *sum += count;
                }
            }
        }
        assert!(sums[0] > 20_000 && sums[1] > 1_000_000, "{sums:?}");
    }

    #[test]
    fn running_systems_keep_a_bounded_count_of_instances() {
        let files = plugins_adversarial::files(1).into_iter();
        let mut files = files.filter(|(name, _)| name == "children that wait");
        let (_, bytes) = files.next().unwrap();
        let system = ParticleSystem::from_plugins(&plugins::parse(&bytes).unwrap());
        let mut simulation = Simulation::new(&system, 7);
        for step in 1..=10 {
            let mut stage = Counter::new(u64::MAX);
            simulation.advance(&system, f64::from(step) * 10.0, &mut stage);
        }
        let kept = kept(&simulation);
        assert!((MAX_WORK..=2 * MAX_WORK).contains(&kept), "{kept}");
        assert!(simulation.is_limited());
    }
}
