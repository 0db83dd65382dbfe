//! Describes Alamo particle systems, and their particles at some times.

use crate::inspect::description::{Description, list, number};
use bevy_classic_models::alamo::particles::evaluate::{
    LivingParticle, MAX_ALIVE, ParticleSystem, Schedule,
};
use bevy_classic_models::alamo::particles::{
    Emitter, Interpolation, ParticleFile, PropertyValue, Shape, SpawnEvent, Track, parse,
};
use bevy_classic_models::read::ParseError;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The seed of all simulations, so that each run prints the same.
const SEED: u64 = 0;

/// Describes the bytes of a file, and simulates it from its creation to each of these times in seconds.
pub fn describe(bytes: &[u8], times: &[f64]) -> Result<Description, ParseError> {
    let file = parse(bytes)?;
    let warnings = file.warnings.iter().map(ToString::to_string);
    let mut warnings: Vec<String> = warnings.collect();
    let mut object = object(&file);
    let mut lines = String::new();
    if !times.is_empty() {
        let system = ParticleSystem::new(&file);
        let mut simulated = Vec::new();
        for time in times {
            // States may be large, so each is dropped when it is described.
            let state = system.state(SEED, *time);
            let emitters = list(&state.emitters, |particles| living(particles));
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
    let write = |text: &mut String| {
        write_file(&file, text)?;
        text.write_str(&lines)
    };
    Ok(Description::new(object, warnings, write))
}

fn object(file: &ParticleFile<'_>) -> Value {
    json!({
        "format": "alo-particles",
        "version": 1,
        "name": file.name,
        "id": file.id,
        "leave_particles": file.leave_particles,
        "emitters": list(&file.emitters, emitter),
    })
}

fn emitter(emitter: &Emitter<'_>) -> Value {
    let mut object: Map<String, Value> = emitter
        .properties
        .entries()
        .map(|(name, value)| (name.to_owned(), property(value)))
        .collect();
    let tracks = emitter.tracks.entries();
    let tracks = tracks.map(|(name, track)| (name.to_owned(), self::track(track)));
    let event = emitter.parent.map(|parent| match parent.event {
        SpawnEvent::Death => "death",
        SpawnEvent::Life => "life",
    });
    let others = [
        ("name", json!(emitter.name)),
        ("color_texture", json!(emitter.color_texture)),
        ("secondary_texture", json!(emitter.secondary_texture())),
        ("velocity", shape(emitter.velocity.shape())),
        ("position", shape(emitter.position.shape())),
        ("tracks", tracks.into_iter().collect::<Map<_, _>>().into()),
        ("spawn_on_death", json!(emitter.spawn_on_death)),
        ("spawn_during_life", json!(emitter.spawn_during_life)),
        ("parent", json!(emitter.parent.map(|parent| parent.emitter))),
        ("parent_event", json!(event)),
        ("max_alive", json!(max_alive(emitter))),
    ];
    object.extend(others.map(|(name, value)| (name.to_owned(), value)));
    object.into()
}

fn max_alive(emitter: &Emitter<'_>) -> u64 {
    Schedule::new(&emitter.properties).max_alive()
}

fn property(value: PropertyValue) -> Value {
    match value {
        PropertyValue::Bool(value) => value.into(),
        PropertyValue::U32(value) => value.into(),
        PropertyValue::I32(value) => value.into(),
        PropertyValue::F32(value) => number(value),
        PropertyValue::Vec3(values) => list(&values, |value| number(*value)),
        PropertyValue::Vec4(values) => list(&values, |value| number(*value)),
    }
}

fn shape(shape: Shape) -> Value {
    match shape {
        Shape::Exact(value) => json!({ "shape": "exact", "value": value.map(number) }),
        Shape::Box(min, max) => {
            json!({ "shape": "box", "min": min.map(number), "max": max.map(number) })
        }
        Shape::Cube { side } => json!({ "shape": "cube", "side": number(side) }),
        Shape::Sphere { radius, surface } => {
            json!({ "shape": "sphere", "radius": number(radius), "surface": surface })
        }
        Shape::Cylinder {
            radius,
            height,
            surface,
        } => json!({
            "shape": "cylinder",
            "radius": number(radius),
            "height": number(height),
            "surface": surface,
        }),
    }
}

fn track(track: &Track) -> Value {
    let interpolation = match track.interpolation {
        Interpolation::Linear => "linear",
        Interpolation::Smooth => "smooth",
        Interpolation::Step => "step",
    };
    let keys = list(&track.keys, |key| {
        json!([number(key.time), number(key.value)])
    });
    json!({ "interpolation": interpolation, "keys": keys })
}

fn write_file(file: &ParticleFile<'_>, text: &mut String) -> std::fmt::Result {
    writeln!(text, "  Alamo particle system {}", file.name)?;
    let leave = if file.leave_particles {
        "finish their life"
    } else {
        "vanish"
    };
    writeln!(text, "  particles {leave} when the system is stopped")?;
    for (index, emitter) in file.emitters.iter().enumerate() {
        let by = emitter.parent.map_or_else(String::new, |parent| {
            let event = match parent.event {
                SpawnEvent::Death => "on the death",
                SpawnEvent::Life => "during the life",
            };
            format!(", spawned {event} of particles of {}", parent.emitter)
        });
        let properties = &emitter.properties;
        writeln!(text, "  emitter {index} {}{by}", emitter.name)?;
        let life = match Schedule::new(properties).lives_forever() {
            true => "for ever".to_owned(),
            false => format!("{} s", properties.lifetime),
        };
        writeln!(text, "    {}, {life}", births(emitter))?;
        writeln!(
            text,
            "    at most {} particles, blend mode {}, {}",
            max_alive(emitter),
            properties.effective_blend_mode(),
            emitter.color_texture
        )?;
    }
    Ok(())
}

/// A summary of when particles are born.
fn births(emitter: &Emitter<'_>) -> String {
    let properties = &emitter.properties;
    let per_burst = properties.particles_per_burst;
    match (properties.weather, properties.in_bursts, properties.bursts) {
        (true, ..) => format!("weather of {} particles", properties.particles_per_second),
        (_, false, _) => format!("{} particles per second", properties.particles_per_second),
        (_, true, 1) => format!("a burst of {per_burst} particles"),
        (_, true, ..=0) => format!("endless bursts of {per_burst} particles"),
        (_, true, bursts) => format!("{bursts} bursts of {per_burst} particles"),
    }
}

fn living(particles: &[LivingParticle]) -> Value {
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
