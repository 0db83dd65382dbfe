//! The writer of particle systems: plain values to bytes, with the feature `write`.
//!
//! A real file that is parsed and written has the same bytes. Unknown chunks, such as chunk 0x3 of a third-party
//! editor, are not written.

pub use crate::chunk_write::WriteError;

use super::file::{COLOR_TRACKS, Emitter, Group, Key, ParticleFile, Track};
use super::properties::{Properties, PropertyValue};
use crate::chunk_write::{
    check_finite, check_length, check_text, container, data, fail, mini, mini_floats, mini_u32,
    within,
};
use crate::read::ErrorKind;
use crate::write::{floats, u32s};

/// Writes a particle system. [`parse`](super::parse) reads the same values from the bytes.
///
/// [`Emitter::parent`] is not written: it follows from the links of the other emitters.
///
/// # Errors
/// A [`WriteError`] if the format cannot store a value, such as a color that is not a whole number, or if the parser
/// would reject the file or change a value.
pub fn write(file: &ParticleFile<'_>) -> Result<Vec<u8>, WriteError> {
    check_text("0x900 / 0x0", &file.name)?;
    for (index, emitter) in file.emitters.iter().enumerate() {
        let context = || format!("0x900 / 0x800 / 0x700 emitter {index} {:?}", emitter.name);
        check_emitter(emitter).or_else(within(context))?;
    }
    let bytes = write_unchecked(file);
    check_length(&bytes)?;
    let read = super::parse(&bytes)?;
    for (index, (emitter, read)) in file.emitters.iter().zip(&read.emitters).enumerate() {
        let links = |emitter: &Emitter<'_>| [emitter.spawn_on_death, emitter.spawn_during_life];
        if links(emitter) != links(read) {
            let reason =
                "each link must name another emitter that no other link and no descendant names";
            let context = format!("0x900 / 0x800 / 0x700 emitter {index} / 0x36");
            fail(context, ErrorKind::NotStorable { reason })?;
        }
    }
    Ok(bytes)
}

/// Writes a particle system without any check, for tests of malformed files.
///
/// Values that do not fit into their field are truncated.
pub fn write_unchecked(file: &ParticleFile<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    container(&mut out, 0x900, |out| {
        text(out, 0, &file.name);
        data(out, 1, |out| u32s(out, [file.id]));
        container(out, 0x800, |out| {
            for (index, emitter) in (0..).zip(&file.emitters) {
                container(out, 0x700, |out| encode_emitter(out, index, emitter));
            }
        });
        data(out, 2, |out| out.push(file.leave_particles.into()));
    });
    out
}

fn check_emitter(emitter: &Emitter<'_>) -> Result<(), WriteError> {
    check_text("name", &emitter.name)?;
    check_text("color texture", &emitter.color_texture)?;
    check_text("secondary texture", emitter.secondary_texture())?;
    for (name, value) in emitter.properties.entries() {
        match value {
            PropertyValue::F32(value) => check_finite(name, &[value])?,
            PropertyValue::Vec3(values) => check_finite(name, &values)?,
            PropertyValue::Vec4(values) => check_finite(name, &values)?,
            PropertyValue::Bool(_) | PropertyValue::U32(_) | PropertyValue::I32(_) => {}
        }
    }
    let tracks = emitter.tracks.entries().into_iter().enumerate();
    for (position, (name, track)) in tracks {
        check_track(track, position < COLOR_TRACKS)
            .or_else(within(|| format!("track {name:?}")))?;
    }
    Ok(())
}

fn check_track(track: &Track, is_color: bool) -> Result<(), WriteError> {
    let ends = [track.keys.first(), track.keys.last()];
    let has_ends =
        track.keys.len() >= 2 && ends.map(|key| key.map(|key| key.time)) == [Some(0.0), Some(1.0)];
    if !has_ends {
        let what = "a first key at time 0 and a last key at time 1";
        return fail("keys", ErrorKind::Missing { what });
    }
    for key in &track.keys {
        check_finite("value", &[key.value])?;
        let is_whole = key.value.fract() == 0.0 && (0.0..=255.0).contains(&key.value);
        if is_color && !is_whole {
            let reason = "a color must be a whole number from 0 to 255";
            return fail("value", ErrorKind::NotStorable { reason });
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

fn encode_emitter(out: &mut Vec<u8>, index: u32, emitter: &Emitter<'_>) {
    data(out, 2, |out| encode_properties(out, index, emitter));
    text(out, 3, &emitter.color_texture);
    text(out, 0x16, &emitter.name);
    container(out, 0x29, |out| {
        for group in [&emitter.velocity, &emitter.lifetime, &emitter.position] {
            container(out, 0x1100, |out| {
                data(out, 0x1101, |out| encode_group(out, group));
            });
        }
    });
    container(out, 1, |out| {
        for (position, (_, track)) in emitter.tracks.entries().into_iter().enumerate() {
            encode_track(out, track, position < COLOR_TRACKS);
        }
    });
    data(out, 0x36, |out| {
        // −1 is none.
        mini_u32(out, 0x37, emitter.spawn_on_death.unwrap_or(u32::MAX));
        mini_u32(out, 0x39, emitter.spawn_during_life.unwrap_or(u32::MAX));
    });
    if let Some(texture) = &emitter.secondary_texture {
        text(out, 0x45, texture);
    }
    if let Some(group) = emitter.link_group {
        data(out, 0x100, |out| u32s(out, [group]));
    }
}

/// The properties in their order, and then those that are missing in it but differ from what the parser would use.
fn encode_properties(out: &mut Vec<u8>, index: u32, emitter: &Emitter<'_>) {
    let properties = &emitter.properties;
    let order = emitter.property_order.as_deref();
    let order = order.unwrap_or(Properties::USUAL_ORDER);
    let absent = Properties::of_index(index);
    let is_needed = |id: &u8| !order.contains(id) && properties.get(*id) != absent.get(*id);
    let ids = Properties::NAMES.iter().map(|(id, _)| *id);
    for id in order.iter().copied().chain(ids.filter(is_needed)) {
        match properties.get(id) {
            Some(PropertyValue::Bool(value)) => mini(out, id, &[value.into()]),
            Some(PropertyValue::U32(value)) => mini_u32(out, id, value),
            Some(PropertyValue::I32(value)) => mini(out, id, &value.to_le_bytes()),
            Some(PropertyValue::F32(value)) => mini_floats(out, id, &[value]),
            Some(PropertyValue::Vec3(values)) => mini_floats(out, id, &values),
            Some(PropertyValue::Vec4(values)) => mini_floats(out, id, &values),
            None => {}
        }
    }
}

fn encode_group(out: &mut Vec<u8>, group: &Group) {
    u32s(out, [group.shape]);
    floats(out, &group.min);
    floats(out, &group.max);
    floats(out, &[group.side, group.sphere_radius]);
    u32s(out, [group.sphere_surface]);
    floats(out, &[group.cylinder_radius]);
    u32s(out, [group.cylinder_surface]);
    floats(out, &[group.cylinder_height]);
    floats(out, &group.value);
}

fn encode_track(out: &mut Vec<u8>, track: &Track, is_color: bool) {
    let (first, inner, last) = match &track.keys[..] {
        [first, inner @ .., last] => (first.value, inner, last.value),
        [only] => (only.value, &[][..], only.value),
        [] => (0.0, &[][..], 0.0),
    };
    data(out, 0, |out| {
        for (id, value) in [(2, first), (3, last)] {
            if is_color {
                mini(out, id, &[value as u8]);
            } else {
                mini_floats(out, id, &[value]);
            }
        }
        mini_u32(out, 4, track.interpolation.stored());
    });
    data(out, 1, |out| {
        for Key { time, value } in inner {
            let value = if is_color {
                (*value as u32).to_le_bytes()
            } else {
                value.to_le_bytes()
            };
            mini(out, 5, [value, time.to_le_bytes()].as_flattened());
        }
    });
}
