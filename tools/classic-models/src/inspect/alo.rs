//! Describes Alamo models and animations.

use crate::inspect::description::{Description, list, number};
use bevy::asset::RenderAssetUsages;
use bevy_classic_models::alamo::ConvertedAlo;
use bevy_classic_models::alamo::ala::{self, AlaBone, AlaFile};
use bevy_classic_models::alamo::alo::{
    AloFile, Bone, Dazzle, Light, Mesh, Proxy, Submesh, VertexRecord, Vertices,
};
use bevy_classic_models::read::ParseError;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;

/// Describes the bytes of a file.
pub fn describe(bytes: &[u8]) -> Result<Description, ParseError> {
    let contents = ConvertedAlo::load(bytes, RenderAssetUsages::MAIN_WORLD)?;
    let write = |text: &mut String| write_file(&contents.file, text);
    Ok(Description::new(
        file(&contents.file),
        &contents.warnings,
        write,
    ))
}

/// The vertices whose stored positions are not finite: indices of mesh, sub-mesh and vertex. Uses the file's records, because the loader replaces such
/// positions.
pub fn non_finite(file: &AloFile<'_>) -> HashSet<[usize; 3]> {
    fn indices<T: VertexRecord>(vertices: &[T]) -> Vec<usize> {
        let position = |vertex: &T| vertex.head().position;
        let is_non_finite = |vertex: &T| position(vertex).iter().any(|n| !n.get().is_finite());
        let vertices = vertices.iter().enumerate();
        let non_finite = vertices.filter(|(_, vertex)| is_non_finite(vertex));
        non_finite.map(|(index, _)| index).collect()
    }
    let mut non_finite = HashSet::new();
    for (mesh, of) in file.meshes.iter().enumerate() {
        for (submesh, of) in of.submeshes.iter().enumerate() {
            let vertices = match of.vertices {
                Vertices::V1(vertices) => indices(vertices),
                Vertices::V2(vertices) => indices(vertices),
            };
            non_finite.extend(vertices.into_iter().map(|vertex| [mesh, submesh, vertex]));
        }
    }
    non_finite
}

fn file(file: &AloFile<'_>) -> Value {
    json!({
        "format": "alo",
        "version": file.version,
        "bones": list(&file.bones, bone),
        "meshes": list(&file.meshes, mesh),
        "lights": list(&file.lights, light),
        "proxies": list(&file.proxies, proxy),
        "dazzles": list(&file.dazzles, dazzle),
        "posed": null,
    })
}

fn bone(bone: &Bone<'_>) -> Value {
    json!({
        "name": bone.name,
        "parent": bone.parent.map_or(-1, i64::from),
        "visible": bone.visible,
        "billboard": bone.billboard,
    })
}

fn mesh(mesh: &Mesh<'_>) -> Value {
    json!({
        "name": mesh.name,
        "bone": mesh.bone.unwrap_or(0),
        "hidden": mesh.hidden,
        "collidable": mesh.collidable,
        "submeshes": list(&mesh.submeshes, submesh),
    })
}

fn submesh(submesh: &Submesh<'_>) -> Value {
    json!({
        "shader": submesh.shader,
        "vertex_format": submesh.vertex_format,
        "vertices": submesh.vertices.len(),
        "triangles": submesh.indices.len() / 3,
        "palette": submesh.palette.len(),
        "tree_nodes": submesh.tree.as_ref().map_or(0, |tree| tree.nodes.len()),
    })
}

fn light(light: &Light<'_>) -> Value {
    json!({
        "name": light.name,
        "bone": light.bone.unwrap_or(0),
        "type": light.kind,
        "color": light.color.map(number),
        "intensity": number(light.intensity),
        "far_attenuation_end": number(light.far_attenuation_end),
        "far_attenuation_start": number(light.far_attenuation_start),
        "hotspot": number(light.hotspot),
        "falloff": number(light.falloff),
    })
}

fn proxy(proxy: &Proxy<'_>) -> Value {
    json!({
        "name": proxy.name,
        "bone": proxy.bone,
        "hidden": proxy.hidden.unwrap_or(false),
        "alt_decrease_stay_hidden": proxy.alt_decrease_stay_hidden.unwrap_or(false),
    })
}

fn dazzle(dazzle: &Dazzle<'_>) -> Value {
    json!({
        "name": dazzle.name,
        "bone": dazzle.bone,
        "color": dazzle.color.map(number),
        "position": dazzle.position.map(number),
        "radius": number(dazzle.radius),
        "slot_x": dazzle.slot_x,
        "slot_y": dazzle.slot_y,
        "num_slots": dazzle.num_slots,
        "texture": dazzle.texture,
        "frequency": number(dazzle.frequency),
        "phase": number(dazzle.phase),
        "night_only": dazzle.night_only,
        "is_hidden": dazzle.is_hidden,
        "bias": number(dazzle.bias()),
    })
}

fn write_file(file: &AloFile<'_>, text: &mut String) -> std::fmt::Result {
    let submeshes = || file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let vertices: usize = submeshes().map(|submesh| submesh.vertices.len()).sum();
    writeln!(text, "  Alamo model, version {}", file.version)?;
    writeln!(
        text,
        "  {vertices} vertices, {} triangles, {} bones",
        file.triangle_count(),
        file.bones.len()
    )?;
    let bone = |index: Option<u32>| {
        let bone = file.bones.get(index.unwrap_or(0) as usize);
        bone.map_or_else(String::new, |bone| format!(" on {}", bone.name))
    };
    let hidden = |hidden: bool| if hidden { ", hidden" } else { "" };
    for mesh in &file.meshes {
        let (name, on) = (&mesh.name, bone(mesh.bone));
        let collidable = if mesh.collidable { ", collidable" } else { "" };
        writeln!(text, "  mesh {name}{on}{}{collidable}", hidden(mesh.hidden))?;
        for submesh in &mesh.submeshes {
            let skin = match submesh.palette.len() {
                0 => String::new(),
                count => format!(", skinned to {count} bones"),
            };
            writeln!(
                text,
                "    {}: {} vertices, {} triangles{skin}",
                submesh.shader,
                submesh.vertices.len(),
                submesh.indices.len() / 3
            )?;
        }
    }
    for light in &file.lights {
        let (name, on, kind) = (&light.name, bone(light.bone), light.light_kind());
        writeln!(text, "  light {name}{on}, {kind:?}")?;
    }
    for proxy in &file.proxies {
        let (name, on) = (&proxy.name, bone(Some(proxy.bone)));
        let hidden = hidden(proxy.hidden.unwrap_or(false));
        writeln!(text, "  proxy {name}{on}{hidden}")?;
    }
    for dazzle in &file.dazzles {
        let (name, on) = (&dazzle.name, bone(Some(dazzle.bone)));
        writeln!(text, "  dazzle {name}{on}{}", hidden(dazzle.is_hidden))?;
    }
    Ok(())
}

/// Describes the bytes of an animation.
pub fn describe_animation(bytes: &[u8]) -> Result<Description, ParseError> {
    let file = ala::parse(bytes)?;
    // With more digits than the float that clips use.
    let seconds = f64::from(file.frames.saturating_sub(1)) / f64::from(file.fps);
    let object = json!({
        "format": "ala",
        "version": file.version,
        "frames": file.frames,
        "fps": number(file.fps),
        "seconds": seconds,
        "bones": list(&file.bones, animated_bone),
    });
    let write = |text: &mut String| write_animation(&file, seconds, text);
    Ok(Description::new(object, &file.warnings, write))
}

/// The kinds of tracks, which are properties with a value per frame: the key in JSON, and the name in text.
const TRACKS: [(&str, &str); 5] = [
    ("translation", "translation"),
    ("rotation", "rotation"),
    ("scale", "scale"),
    ("visibility", "visibility"),
    ("step", "steps"),
];

/// Whether a bone has each of [`TRACKS`].
fn tracks(bone: &AlaBone<'_>) -> [bool; 5] {
    [
        bone.translation.is_some(),
        bone.rotation.is_some(),
        bone.scale.is_some(),
        bone.visibility.is_some(),
        bone.steps.is_some(),
    ]
}

fn animated_bone(bone: &AlaBone<'_>) -> Value {
    let mut object = json!({ "name": bone.name, "index": bone.index });
    for ((key, _), has_track) in TRACKS.iter().zip(tracks(bone)) {
        object[key] = has_track.into();
    }
    object
}

/// A line for each bone with a track, and one line for all other bones.
fn write_animation(file: &AlaFile<'_>, seconds: f64, text: &mut String) -> std::fmt::Result {
    writeln!(text, "  Alamo animation, format {}", file.version)?;
    let (frames, fps) = (file.frames, file.fps);
    writeln!(text, "  {frames} frames, {fps} fps, {seconds:.2} s")?;
    let counts = TRACKS.iter().enumerate().map(|(track, (_, label))| {
        let bones = file.bones.iter();
        let count = bones.filter(|bone| tracks(bone)[track]).count();
        format!("{count} with {label}")
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    writeln!(text, "  {} bones: {counts}", file.bones.len())?;
    let mut constant = Vec::new();
    for bone in &file.bones {
        let found = TRACKS.iter().zip(tracks(bone));
        let found = found.filter(|(_, has_track)| *has_track);
        let labels: Vec<_> = found.map(|((_, label), _)| *label).collect();
        let (index, name) = (bone.index, &bone.name);
        match labels.is_empty() {
            true => constant.push(format!("{index} {name}")),
            false => writeln!(text, "  bone {index} {name}: {}", labels.join(", "))?,
        }
    }
    match constant.is_empty() {
        true => Ok(()),
        false => writeln!(text, "  constant: {}", constant.join(", ")),
    }
}
