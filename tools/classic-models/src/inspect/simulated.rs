//! The particles of a particle system at some times.

use crate::inspect::output::{list, number};
use bevy_classic_models::alamo::particles::ParticleFile;
use bevy_classic_models::alamo::particles::evaluate::{
    LivingParticle, ParticleSystem, SystemState,
};
use serde_json::{Value, json};
use std::fmt::Write;

/// The seed of all simulations, so that each run prints the same.
const SEED: u64 = 0;

/// The particles of a system at some times.
pub struct Simulated(Vec<(f64, SystemState)>);

impl Simulated {
    /// Simulates a system from its creation to each of these times in seconds.
    pub fn new(file: &ParticleFile<'_>, times: &[f64]) -> Self {
        let system = ParticleSystem::new(file);
        let states = times.iter().map(|time| (*time, system.state(SEED, *time)));
        Self(states.collect())
    }

    pub fn to_json(&self) -> Value {
        list(&self.0, |(time, state)| {
            let emitters = list(&state.emitters, |particles| emitter(particles));
            json!({ "time": time, "emitters": emitters })
        })
    }

    pub fn write_text(&self, text: &mut String) -> std::fmt::Result {
        for (time, state) in &self.0 {
            let counts = state.emitters.iter().map(|it| it.len().to_string());
            let counts: Vec<_> = counts.collect();
            let limited = if state.is_limited { ", limited" } else { "" };
            writeln!(
                text,
                "  particles of each emitter at {time} s: {}{limited}",
                counts.join(", ")
            )?;
        }
        Ok(())
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
