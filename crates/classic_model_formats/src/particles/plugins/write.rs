//! The writer of particle systems made of plug-ins: plain values to bytes, with the feature `write`.
//!
//! Unknown chunks and unknown parameters are not written.

pub use crate::chunk_write::WriteError;

use super::file::{LightField, Plugin, PluginFile};
use super::value::{PropertyGroup, Role, Value, Vec4Key};
use crate::chunk_write::{check_length, check_text, container, data, fail, within};
use crate::read::ErrorKind;
use crate::write::{floats, u32s};

/// Writes a particle system. [`parse`](super::parse()) reads the same values from the bytes.
///
/// # Errors
/// A [`WriteError`] if the format cannot store a value, such as a parameter that its plug-in does not have, or if the parser
/// would reject the file.
pub fn write(file: &PluginFile<'_>) -> Result<Vec<u8>, WriteError> {
    check_text("0x1500 / 0x0", &file.name)?;
    for (index, emitter) in file.emitters.iter().enumerate() {
        let context = || {
            format!(
                "0x1500 / 0x1520 / 0x1540 emitter {index} {:?}",
                emitter.name
            )
        };
        check_text("name", &emitter.name).or_else(within(context))?;
        let single = [
            (&emitter.creator, Role::Creator),
            (&emitter.translator, Role::Translator),
            (&emitter.killer, Role::Killer),
            (&emitter.renderer, Role::Renderer),
        ];
        let modifiers = emitter.modifiers.iter();
        let plugins = single
            .into_iter()
            .chain(modifiers.map(|it| (it, Role::Modifier)));
        for (plugin, role) in plugins {
            check_plugin(plugin, role).or_else(within(context))?;
        }
    }
    let bytes = write_unchecked(file);
    check_length(&bytes)?;
    super::parse(&bytes)?;
    Ok(bytes)
}

/// Writes a particle system without any check, for tests of malformed files.
pub fn write_unchecked(file: &PluginFile<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    container(&mut out, 0x1500, |out| {
        text(out, 0, &file.name);
        for (id, unknown) in [(1, &file.unknown_1), (2, &file.unknown_2)] {
            if let Some(bytes) = unknown {
                data(out, id, |out| out.extend_from_slice(bytes));
            }
        }
        container(out, 0x1520, |out| {
            for emitter in &file.emitters {
                container(out, 0x1540, |out| {
                    text(out, 0, &emitter.name);
                    encode_plugin(out, 1, &emitter.creator);
                    encode_plugin(out, 2, &emitter.translator);
                    encode_plugin(out, 3, &emitter.killer);
                    encode_plugin(out, 4, &emitter.renderer);
                    for modifier in &emitter.modifiers {
                        encode_plugin(out, 5, modifier);
                    }
                });
            }
        });
        if let Some(light) = &file.light_field {
            data(out, 3, |out| encode_light(out, light));
        }
    });
    out
}

fn check_plugin(plugin: &Plugin<'_>, role: Role) -> Result<(), WriteError> {
    let not_storable = |reason| {
        let context = format!("plug-in {} {:?}", plugin.id, plugin.name());
        fail(context, ErrorKind::NotStorable { reason })
    };
    let kind = plugin.kind();
    if kind.is_some_and(|kind| kind.role != role) {
        return not_storable("the plug-in has another role");
    }
    for (position, (id, value)) in plugin.parameters.iter().enumerate() {
        let parameter = kind.and_then(|kind| kind.parameter(*id));
        if parameter.is_none_or(|parameter| parameter.kind != value.kind()) {
            return not_storable("the plug-in has no parameter of this identifier and type");
        }
        let earlier = plugin.parameters.get(..position).unwrap_or_default();
        if earlier.iter().any(|(other, _)| other == id) {
            return not_storable("a parameter has two values");
        }
        if let Value::Text(text) = value {
            check_text(parameter.map_or("", |parameter| parameter.name), text)?;
        }
    }
    Ok(())
}

/// A data chunk with a text that ends with NUL.
fn text(out: &mut Vec<u8>, id: u32, text: &str) {
    data(out, id, |out| {
        out.extend_from_slice(text.as_bytes());
        out.push(0);
    });
}

fn encode_plugin(out: &mut Vec<u8>, chunk: u32, plugin: &Plugin<'_>) {
    container(out, chunk, |out| {
        data(out, 0, |out| u32s(out, [plugin.id]));
        container(out, 1, |out| {
            container(out, 0, |out| {
                for (id, value) in &plugin.parameters {
                    data(out, 0, |out| u32s(out, [*id]));
                    data(out, 1, |out| encode_value(out, value));
                }
            });
        });
    });
}

fn encode_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match value {
        Value::Bool(value) => out.push((*value).into()),
        Value::I32(value) => out.extend_from_slice(&value.to_le_bytes()),
        Value::F32(value) => floats(out, &[*value]),
        Value::Vec3(values) => floats(out, values),
        Value::Vec4(values) | Value::Color(values) => floats(out, values),
        Value::Text(text) => {
            out.extend_from_slice(text.as_bytes());
            out.push(0);
        }
        Value::Group(group) => encode_group(out, group),
        Value::Keys(keys) => {
            u32s(out, [keys.len() as u32]);
            for key in keys {
                floats(out, &[key.time, key.value]);
            }
        }
        Value::ColorKeys(keys) | Value::Vec4Keys(keys) => {
            u32s(out, [keys.len() as u32]);
            for Vec4Key { time, value } in keys {
                floats(out, &[*time]);
                floats(out, value);
            }
        }
        Value::Vec4List(items) => {
            u32s(out, [items.len() as u32]);
            floats(out, items.as_flattened());
        }
    }
}

fn encode_group(out: &mut Vec<u8>, group: &PropertyGroup) {
    u32s(out, [group.shape]);
    floats(out, &group.point);
    floats(out, &group.direction);
    floats(out, &group.magnitude);
    floats(out, &group.radius);
    floats(out, &group.min);
    floats(out, &group.max);
    floats(out, &group.sphere_angle);
    floats(out, &group.sphere_radius);
    floats(out, &[group.cylinder_radius]);
    floats(out, &group.cylinder_height);
    floats(out, &[group.torus_radius, group.tube_radius]);
}

fn encode_light(out: &mut Vec<u8>, light: &LightField) {
    floats(out, &light.position);
    floats(out, &[light.width, light.length, light.height]);
    floats(out, &light.diffuse);
    floats(out, &[light.intensity]);
    out.push(light.affected_by_global_intensity.into());
    floats(
        out,
        &[
            light.intensity_noise_scale,
            light.intensity_noise_time_scale,
        ],
    );
    out.push(light.fades_by_time.into());
    floats(
        out,
        &[light.auto_destruct_time, light.auto_destruct_fade_time],
    );
    u32s(out, [light.particles]);
}
