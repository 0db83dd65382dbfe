//! Describes Alamo models.

use crate::inspect::description::{Description, list, number};
use bevy::asset::RenderAssetUsages;
use bevy_classic_models::alamo::ConvertedAlo;
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
