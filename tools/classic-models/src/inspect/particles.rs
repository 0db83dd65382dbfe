//! Describes Alamo particle systems, and their particles at some times.

use crate::inspect::description::{Description, list, number};
use crate::inspect::particle_emitters::Described;
use crate::inspect::{particle_emitters as emitters, particle_plugins as plugins};
use bevy_classic_models::alamo::particles::evaluate::{LivingParticle, MAX_ALIVE};
use bevy_classic_models::alamo::particles::plugins::is_plugin_system;
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::fmt::Write;

/// The seed of all simulations, so that each run prints the same.
const SEED: u64 = 0;

/// Describes the bytes of a file, and simulates it from its creation to each of these times in seconds.
pub fn describe(bytes: &[u8], times: &[f64]) -> Result<Description, ParseError> {
    let Described {
        mut object,
        text: mut lines,
        warnings,
        system,
        has_tiles,
    } = match is_plugin_system(bytes) {
        true => plugins::described(bytes)?,
        false => emitters::described(bytes)?,
    };
    let warnings = warnings.iter().map(ToString::to_string);
    let mut warnings: Vec<String> = warnings.collect();
    if !times.is_empty() {
        let mut simulated = Vec::new();
        for time in times {
            // States may be large, so each is dropped when it is described.
            let state = system.state(SEED, *time);
            let emitters = list(&state.emitters, |particles| living(particles, has_tiles));
            simulated.push(json!({ "time": time, "emitters": emitters }));
            let counts = state.emitters.iter().map(|of| of.len().to_string());
            let counts = counts.collect::<Vec<_>>().join(", ");
            lines += &format!("  particles of each emitter at {time} s: {counts}\n");
            if state.is_limited {
                warnings.push(format!(
                    "at {time} s more than {MAX_ALIVE} particles: the others are missing"
                ));
            }
        }
        object["simulated"] = simulated.into();
    }
    let write = |text: &mut String| text.write_str(&lines);
    Ok(Description::new(object, warnings, write))
}

fn living(particles: &[LivingParticle], has_tiles: bool) -> Value {
    json!({
        "alive": particles.len(),
        "mean_position": mean_position(particles),
        // Particles are in the order of birth.
        "oldest": particles.first().map(|oldest| particle(oldest, has_tiles)),
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

fn particle(particle: &LivingParticle, has_tiles: bool) -> Value {
    let appearance = &particle.appearance;
    let mut object = json!({
        "age": number(particle.age),
        "position": particle.motion.position.map(number),
        "velocity": particle.motion.velocity.map(number),
        "size": number(appearance.size),
        "color": appearance.color.map(number),
        "turns": number(appearance.turns),
    });
    if has_tiles {
        object["tile"] = appearance.tile.into();
    } else {
        object["texture_part"] = list(&particle.texture_part, |value| number(*value));
        object["aspect"] = number(particle.aspect);
    }
    object
}
