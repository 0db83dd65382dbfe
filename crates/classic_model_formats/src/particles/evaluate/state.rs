//! All particles of a system that does not move, at any time.

use super::emitter::{Appearance, Source};
use super::motion::Motion;
use super::pose::EmitterPose;
use super::schedule::MAX_ALIVE;
use super::simulation::{Birth, Simulation, Space, Stage};
use super::system::ParticleSystem;

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
    /// Age in seconds. It does not grow while the clock is frozen.
    pub age: f32,
    /// Life in seconds.
    pub life: f32,
    /// Position and velocity in the world.
    pub motion: Motion,
    /// Size, color, tile and angle.
    pub appearance: Appearance,
    /// The part of the texture: left, top, width and height, as shares of the texture.
    pub texture_part: [f32; 4],
    /// Width of the quad divided by its height.
    pub aspect: f32,
}

impl ParticleSystem {
    /// All living particles at a time in seconds after the creation of the system. There are none before its creation.
    ///
    /// The system is created at the origin of the world, has no velocity and no rotation, and is never stopped. There
    /// is no wind, no camera and no mesh. Weather is around the origin. The ground is Z = 0.
    ///
    /// Emitters that emit from a mesh use their groups, so that their particles are spread without a model. In a running
    /// system they do not: see [`state_without_mesh`](Self::state_without_mesh).
    ///
    /// At most [`MAX_ALIVE`] particles are returned. Times after 10¹² seconds count as that. A weather particle has the
    /// same life each time it is reborn, and spawns no emitters.
    pub fn state(&self, seed: u64, seconds: f64) -> SystemState {
        self.state_from(seed, seconds, Source::Group)
    }

    /// As [`state`](Self::state), but particles of emitters that emit from a mesh are born at the emitter, as those of a
    /// running system without a mesh: the default of [`Stage`].
    pub fn state_without_mesh(&self, seed: u64, seconds: f64) -> SystemState {
        self.state_from(seed, seconds, Source::Point)
    }

    fn state_from(&self, seed: u64, seconds: f64, source: Source) -> SystemState {
        let mut stage = StillStage {
            source,
            state: SystemState {
                emitters: vec![Vec::new(); self.emitters().count()],
                is_limited: false,
            },
            alive: 0,
        };
        let mut simulation = Simulation::new(self, seed);
        simulation.advance(self, seconds, &mut stage);
        let mut state = stage.state;
        state.is_limited = simulation.is_limited();
        for particles in &mut state.emitters {
            // The sort is stable and fast if the order is right already, as it is for roots.
            particles.sort_by(|a, b| a.born.total_cmp(&b.born));
        }
        state
    }
}

/// A world without wind in which the system does not move. Collects the living particles.
struct StillStage {
    state: SystemState,
    alive: u64,
    source: Source,
}

impl Stage for StillStage {
    fn pose(&self, _: Space, _: f64) -> EmitterPose {
        EmitterPose::default()
    }

    fn source_without_mesh(&self) -> Source {
        self.source
    }

    fn transfer(&self, motion: Motion, _: Space, _: Space, _: f64) -> Motion {
        motion
    }

    fn is_full(&self) -> bool {
        self.alive >= MAX_ALIVE
    }

    fn born(&mut self, birth: &Birth<'_>) {
        let age = birth.age as f32;
        if let Some(particles) = self.state.emitters.get_mut(birth.index) {
            self.alive += 1;
            particles.push(LivingParticle {
                born: birth.born,
                age,
                life: birth.record.life,
                motion: birth.emitter.motion(&birth.record, &birth.ground, age),
                appearance: birth.emitter.appearance_of(&birth.record, birth.draws, age),
                texture_part: birth.emitter.texture_part(&birth.record, birth.draws, age),
                aspect: birth.emitter.aspect(birth.draws),
            });
        }
    }
}
