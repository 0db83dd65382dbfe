//! Describes particle systems of Universe at War.

use crate::inspect::description::{list, number};
use crate::inspect::particle_emitters::{Described, births, parent_event, spawned_by};
use bevy_classic_models::alamo::particles::evaluate::ParticleSystem;
use bevy_classic_models::alamo::particles::plugins::{
    DrawStyle, Drawing, LightField, Plugin, PluginEmitter, PluginFile, PropertyGroup,
    Value as Parameter, Vec4Key, parse,
};
use bevy_classic_models::alamo::particles::{Emitter, Key, Parent};
use bevy_classic_models::read::ParseError;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// An emitter, and the one of the first format that is most similar.
struct Pair<'a> {
    emitter: &'a PluginEmitter<'a>,
    similar: Emitter<'static>,
    max_alive: u64,
}

/// Describes the bytes of a file.
pub fn described(bytes: &[u8]) -> Result<Described, ParseError> {
    let file = parse(bytes)?;
    let system = ParticleSystem::from_plugins(&file);
    let alive = system.emitters().map(|it| it.schedule.max_alive());
    let pairs = file.emitters.iter().zip(file.to_emitters()).zip(alive);
    let pairs: Vec<Pair<'_>> = pairs
        .map(|((emitter, similar), max_alive)| Pair {
            emitter,
            similar: with_existing_parent(similar, file.emitters.len()),
            max_alive,
        })
        .collect();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_file(&file, &pairs, &mut text);
    Ok(Described {
        object: object(&file, &pairs),
        text,
        system,
        warnings: file.warnings,
        has_tiles: false,
    })
}

/// The emitter without a parent that does not exist, about which there is a warning.
fn with_existing_parent(mut emitter: Emitter<'static>, count: usize) -> Emitter<'static> {
    let exists = |parent: &Parent| (parent.emitter as usize) < count;
    emitter.parent = emitter.parent.filter(exists);
    emitter
}

fn object(file: &PluginFile<'_>, pairs: &[Pair<'_>]) -> Value {
    json!({
        "format": "alo-particles",
        "version": 2,
        "name": file.name,
        "emitters": list(pairs, emitter),
        "light_field": file.light_field.as_ref().map(light_field),
        "unknown_1": file.unknown_1,
        "unknown_2": file.unknown_2,
    })
}

fn emitter(pair: &Pair<'_>) -> Value {
    let Pair {
        emitter,
        similar,
        max_alive,
    } = pair;
    json!({
        "name": emitter.name,
        "creator": plugin(&emitter.creator),
        "translator": plugin(&emitter.translator),
        "killer": plugin(&emitter.killer),
        "renderer": plugin(&emitter.renderer),
        "modifiers": list(&emitter.modifiers, plugin),
        "parent": similar.parent.map(|parent| parent.emitter),
        "parent_event": parent_event(similar),
        "max_alive": max_alive,
    })
}

fn plugin(plugin: &Plugin<'_>) -> Value {
    let name = |id: u32| {
        let parameter = plugin.kind().and_then(|kind| kind.parameter(id));
        parameter.map_or_else(|| id.to_string(), |parameter| parameter.name.to_owned())
    };
    let parameters = plugin.parameters.iter();
    let parameters: Map<String, Value> = parameters
        .map(|(id, value)| (name(*id), parameter(value)))
        .collect();
    json!({ "plugin": plugin_name(plugin), "parameters": parameters })
}

fn plugin_name(plugin: &Plugin<'_>) -> String {
    match plugin.kind() {
        Some(kind) => kind.name.to_owned(),
        None => format!("unknown plug-in {}", plugin.id),
    }
}

fn parameter(value: &Parameter<'_>) -> Value {
    match value {
        Parameter::Bool(value) => json!(value),
        Parameter::I32(value) => json!(value),
        Parameter::F32(value) => number(*value),
        Parameter::Vec3(values) => numbers(values),
        Parameter::Vec4(values) | Parameter::Color(values) => numbers(values),
        Parameter::Text(text) => json!(text),
        Parameter::Group(value) => group(value),
        Parameter::Keys(keys) => list(keys, |Key { time, value }| numbers(&[*time, *value])),
        Parameter::ColorKeys(keys) | Parameter::Vec4Keys(keys) => {
            list(keys, |Vec4Key { time, value }| {
                json!([number(*time), numbers(value)])
            })
        }
        Parameter::Vec4List(items) => list(items, |item| numbers(item)),
    }
}

fn numbers(values: &[f32]) -> Value {
    list(values, |value| number(*value))
}

/// The fields of the group's shape.
fn group(group: &PropertyGroup) -> Value {
    match group.shape {
        0 => json!({ "shape": "point", "point": numbers(&group.point) }),
        1 => json!({
            "shape": "direction",
            "direction": numbers(&group.direction),
            "magnitude": numbers(&group.magnitude),
        }),
        2 => json!({ "shape": "sphere", "radius": numbers(&group.radius) }),
        3 => json!({ "shape": "box", "min": numbers(&group.min), "max": numbers(&group.max) }),
        4 => json!({
            "shape": "spherical_range",
            "angle": numbers(&group.sphere_angle),
            "radius": numbers(&group.sphere_radius),
        }),
        5 => json!({
            "shape": "cylinder",
            "radius": number(group.cylinder_radius),
            "height": numbers(&group.cylinder_height),
        }),
        _ => json!({
            "shape": "torus",
            "torus_radius": number(group.torus_radius),
            "tube_radius": number(group.tube_radius),
        }),
    }
}

fn light_field(light: &LightField) -> Value {
    json!({
        "position": numbers(&light.position),
        "size": numbers(&[light.width, light.length, light.height]),
        "diffuse": numbers(&light.diffuse),
        "intensity": number(light.intensity),
        "affected_by_global_intensity": light.affected_by_global_intensity,
        "intensity_noise_scale": number(light.intensity_noise_scale),
        "intensity_noise_time_scale": number(light.intensity_noise_time_scale),
        "fades_by_time": light.fades_by_time,
        "auto_destruct_time": number(light.auto_destruct_time),
        "auto_destruct_fade_time": number(light.auto_destruct_fade_time),
        "particles": light.particles,
    })
}

fn write_file(file: &PluginFile<'_>, pairs: &[Pair<'_>], text: &mut String) -> std::fmt::Result {
    writeln!(text, "  Alamo particle system {} of plug-ins", file.name)?;
    for (index, pair) in pairs.iter().enumerate() {
        let Pair {
            emitter, similar, ..
        } = pair;
        writeln!(
            text,
            "  emitter {index} {}{}",
            emitter.name,
            spawned_by(similar)
        )?;
        let space = match similar.properties.link_to_system {
            true => "move with the system",
            false => "stay in the world",
        };
        writeln!(
            text,
            "    {}: {}, {} s, {space}",
            plugin_name(&emitter.creator),
            births(similar),
            similar.properties.lifetime,
        )?;
        let drawn = match emitter.drawing() {
            Some(drawing) => drawn(&drawing),
            None => "not drawn".to_owned(),
        };
        writeln!(
            text,
            "    at most {} particles, {}: {drawn}",
            pair.max_alive,
            plugin_name(&emitter.renderer),
        )?;
        let modifiers: Vec<String> = emitter.modifiers.iter().map(plugin_name).collect();
        if !modifiers.is_empty() {
            writeln!(text, "    modifiers: {}", modifiers.join(", "))?;
        }
    }
    Ok(())
}

fn drawn(drawing: &Drawing<'_>) -> String {
    let Drawing {
        texture, shader, ..
    } = drawing;
    match (drawing.style, drawing.blend_mode) {
        (DrawStyle::HeatSaturation { .. }, _) => format!("heat, {texture}"),
        (_, Some(mode)) => format!("blend mode {mode}, {texture}"),
        (_, None) => format!("unknown shader {shader}, {texture}"),
    }
}
