//! Describes particle systems of Empire at War.

use crate::inspect::description::{list, number};
use bevy_classic_models::alamo::particles::evaluate::{ParticleSystem, Schedule};
use bevy_classic_models::alamo::particles::{
    Emitter, Interpolation, ParticleFile, PropertyValue, Shape, SpawnEvent, Track, parse,
};
use bevy_classic_models::read::{ParseError, Warning};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A described file.
pub struct Described {
    pub object: Value,
    pub text: String,
    pub warnings: Vec<Warning>,
    pub system: ParticleSystem,
    /// Whether particles have tiles. Otherwise they have any part of the texture.
    pub has_tiles: bool,
}

/// Describes the bytes of a file.
pub fn described(bytes: &[u8]) -> Result<Described, ParseError> {
    let file = parse(bytes)?;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_file(&file, &mut text);
    Ok(Described {
        object: object(&file),
        text,
        system: ParticleSystem::new(&file),
        warnings: file.warnings,
        has_tiles: true,
    })
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
    let event = parent_event(emitter);
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

/// The event at which particles spawn an emitter.
pub fn parent_event(emitter: &Emitter<'_>) -> Option<&'static str> {
    emitter.parent.map(|parent| match parent.event {
        SpawnEvent::Death => "death",
        SpawnEvent::Life => "life",
    })
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
        let by = spawned_by(emitter);
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

/// Which particles spawn an emitter.
pub fn spawned_by(emitter: &Emitter<'_>) -> String {
    emitter.parent.map_or_else(String::new, |parent| {
        let event = match parent.event {
            SpawnEvent::Death => "on the death",
            SpawnEvent::Life => "during the life",
        };
        format!(", spawned {event} of particles of {}", parent.emitter)
    })
}

/// A summary of when particles are born.
pub fn births(emitter: &Emitter<'_>) -> String {
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
