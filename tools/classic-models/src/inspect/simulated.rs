//! The particles of a particle system at some times.

use crate::inspect::json::{list, number};
use bevy_classic_models::alamo::particles::ParticleFile;
use bevy_classic_models::alamo::particles::evaluate::{LivingParticle, MAX_ALIVE, ParticleSystem};
use serde_json::{Value, json};
use std::fmt::Write;

/// The seed of all simulations, so that each run prints the same.
const SEED: u64 = 0;

/// The particles of a system at some times, without the states, which may be large.
pub struct Simulated(Vec<AtTime>);

/// The particles at a time.
struct AtTime {
    /// In seconds.
    time: f64,
    /// The description of each emitter's particles.
    emitters: Value,
    /// The count of each emitter's particles.
    counts: Vec<usize>,
    /// Whether particles are missing.
    is_limited: bool,
}

impl Simulated {
    /// Simulates a system from its creation to each of these times in seconds.
    pub fn new(file: &ParticleFile<'_>, times: &[f64]) -> Self {
        let system = ParticleSystem::new(file);
        Self(times.iter().map(|time| at(&system, *time)).collect())
    }

    pub fn to_json(&self) -> Value {
        list(
            &self.0,
            |AtTime { time, emitters, .. }| json!({ "time": time, "emitters": emitters }),
        )
    }

    /// A warning for each time with too many particles.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let limited = self.0.iter().filter(|at_time| at_time.is_limited);
        limited.map(|AtTime { time, .. }| {
            format!("at {time} s more than {MAX_ALIVE} particles: the others are missing")
        })
    }

    pub fn write_text(&self, text: &mut String) -> std::fmt::Result {
        for AtTime { time, counts, .. } in &self.0 {
            let counts: Vec<_> = counts.iter().map(usize::to_string).collect();
            let counts = counts.join(", ");
            writeln!(text, "  particles of each emitter at {time} s: {counts}")?;
        }
        Ok(())
    }
}

fn at(system: &ParticleSystem, time: f64) -> AtTime {
    let state = system.state(SEED, time);
    AtTime {
        time,
        emitters: list(&state.emitters, |particles| emitter(particles)),
        counts: state.emitters.iter().map(Vec::len).collect(),
        is_limited: state.is_limited,
    }
}

fn emitter(particles: &[LivingParticle]) -> Value {
    json!({
        "alive": particles.len(),
        "mean_position": mean_position(particles),
        // Particles are in the order of birth.
        "oldest": particles.first().map(particle),
    })
}

/// `null` without particles.
fn mean_position(particles: &[LivingParticle]) -> Value {
    if particles.is_empty() {
        return Value::Null;
    }
    let mut sum = [0.0; 3];
    for particle in particles {
        for (sum, axis) in sum.iter_mut().zip(particle.motion.position) {
            *sum += f64::from(axis);
        }
    }
    json!(sum.map(|sum| sum / particles.len() as f64))
}

fn particle(particle: &LivingParticle) -> Value {
    let appearance = &particle.appearance;
    json!({
        "age": number(particle.age),
        "position": particle.motion.position.map(number),
        "velocity": particle.motion.velocity.map(number),
        "size": number(appearance.size),
        "color": appearance.color.map(number),
        "tile": appearance.tile,
        "turns": number(appearance.turns),
    })
}
