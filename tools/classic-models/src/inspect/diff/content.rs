//! The content of files that descriptions do not have, as hashes by element, and names in place of indices.

use crate::inspect::description::number;
use crate::paths::archive_file;
use bevy_classic_models::alamo::{ala, alo};
use bevy_classic_models::lgw::lgw;
use bevy_classic_models::lithtech::{abc, dtx};
use bevy_classic_models::quake::mdl;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use zerocopy::{Immutable, IntoBytes};

/// The beginning of a hash, which is not shown.
pub const HASH: &str = "sha256:";

/// The hash of some bytes.
pub fn hash(bytes: &[u8]) -> Value {
    json!(format!("{HASH}{:x}", Sha256::digest(bytes)))
}

/// The hash of records of a file.
fn hash_of<T: IntoBytes + Immutable>(records: &[T]) -> Value {
    hash(records.as_bytes())
}

/// Adds the content of a file to its description.
///
/// # Errors
/// If the file cannot be read.
pub fn add(path: &Path, description: &mut Value) -> Result<(), String> {
    let format = description["format"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let of_format: fn(&[u8]) -> Option<Value> = match format.as_str() {
        "abc" => of_abc,
        "ala" => of_ala,
        "alo" => of_alo,
        "dtx" => of_dtx,
        "lgw" => of_lgw,
        "mdl" => of_mdl,
        // Particle systems and archives are described completely.
        _ => return Ok(()),
    };
    let bytes = archive_file::read(path).map_err(|error| error.to_string())?;
    if let Some(content) = of_format(&bytes) {
        merge(description, content);
    }
    Ok(())
}

/// Adds the values of an object to another one, and the elements of a list to those with the same index.
fn merge(to: &mut Value, from: Value) {
    match (to, from) {
        (Value::Object(to), Value::Object(from)) => {
            for (key, value) in from {
                merge(to.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(to), Value::Array(from)) if to.iter().all(Value::is_object) => {
            for (index, value) in from.into_iter().enumerate() {
                match to.get_mut(index) {
                    Some(to) => merge(to, value),
                    None => to.push(value),
                }
            }
        }
        (to, from) => *to = from,
    }
}

fn of_alo(bytes: &[u8]) -> Option<Value> {
    let file = alo::parse(bytes).ok()?;
    let name = |bone: Option<u32>| {
        let bone = bone.and_then(|bone| file.bones.get(bone as usize));
        bone.map(|bone| bone.name.to_string())
    };
    let at = |bone: u32| json!({ "bone": name(Some(bone)) });
    let bones = file.bones.iter().map(|bone| {
        json!({
            "parent": name(bone.parent),
            "matrix": bone.matrix.as_flattened().iter().copied().map(number).collect::<Value>(),
        })
    });
    let meshes = file.meshes.iter().map(|mesh| {
        json!({
            "bone": name(Some(mesh.bone.unwrap_or(0))),
            "submeshes": mesh.submeshes.iter().map(|it| submesh(it, &name)).collect::<Value>(),
        })
    });
    let lights = file.lights.iter().map(|light| at(light.bone.unwrap_or(0)));
    Some(json!({
        "bones": bones.collect::<Value>(),
        "meshes": meshes.collect::<Value>(),
        "lights": lights.collect::<Value>(),
        "proxies": file.proxies.iter().map(|proxy| at(proxy.bone)).collect::<Value>(),
        "dazzles": file.dazzles.iter().map(|dazzle| at(dazzle.bone)).collect::<Value>(),
    }))
}

fn submesh(submesh: &alo::Submesh<'_>, name: &dyn Fn(Option<u32>) -> Option<String>) -> Value {
    let floats = |values: &dyn Fn(&alo::Vertex) -> Vec<f32>| {
        let values: Vec<f32> = submesh.vertices.iter().flat_map(|it| values(&it)).collect();
        hash_of(&values)
    };
    let influences: Vec<u8> = submesh
        .vertices
        .iter()
        .flat_map(|vertex| {
            let indices = vertex.bone_indices.as_bytes().to_vec();
            [indices, vertex.bone_weights.as_bytes().to_vec()].concat()
        })
        .collect();
    let parameters: Map<String, Value> = submesh
        .parameters
        .iter()
        .map(|parameter| {
            let value = match &parameter.value {
                alo::ParameterValue::Int(value) => json!(value),
                alo::ParameterValue::Float(value) => number(*value),
                alo::ParameterValue::Float3(value) => json!(value.map(number)),
                alo::ParameterValue::Float4(value) => json!(value.map(number)),
                alo::ParameterValue::Texture(value) => json!(value),
            };
            (parameter.name.to_string(), value)
        })
        .collect();
    let bones = submesh.palette.iter().map(|bone| name(Some(bone.get())));
    let tree = submesh.tree.as_ref();
    json!({
        "positions": floats(&|it| it.position.to_vec()),
        "normals": floats(&|it| it.normal.to_vec()),
        "texture coordinates": floats(&|it| it.tex_coords.as_flattened().to_vec()),
        "tangents": floats(&|it| [it.tangent, it.binormal].concat()),
        "colors": floats(&|it| it.color.to_vec()),
        "influences of bones": hash(&influences),
        "bones": bones.collect::<Vec<_>>(),
        "vertex indices": hash_of(submesh.indices),
        "collision tree": tree.map(|tree| hash_of(tree.nodes)),
        "parameters": parameters,
    })
}

fn of_ala(bytes: &[u8]) -> Option<Value> {
    let file = ala::parse(bytes).ok()?;
    let bones = file.bones.iter().map(|bone| {
        let poses: Vec<ala::AlaPose> = match is_animated(bone) {
            true => (0..file.frames)
                .map(|frame| file.sample(bone, frame as f32))
                .collect(),
            false => vec![file.sample(bone, 0.0)],
        };
        let hash_each = |values: &dyn Fn(&ala::AlaPose) -> Vec<f32>| {
            let values: Vec<f32> = poses.iter().flat_map(values).collect();
            hash_of(&values)
        };
        json!({
            "translations": hash_each(&|pose| pose.translation.to_vec()),
            "rotations": hash_each(&|pose| pose.rotation.unwrap_or_default().to_vec()),
            "scales": hash_each(&|pose| pose.scale.to_vec()),
            "visible frames": bone.visibility.map(hash),
            "held frames": bone.steps.map(hash),
        })
    });
    Some(json!({ "bones": bones.collect::<Value>() }))
}

/// Whether a bone has a track of values, so that the count of frames is bound by the size of the file.
fn is_animated(bone: &ala::AlaBone<'_>) -> bool {
    bone.translation.is_some() || bone.rotation.is_some() || bone.scale.is_some()
}

fn of_abc(bytes: &[u8]) -> Option<Value> {
    let file = abc::parse(bytes).ok()?;
    let name = |node: Option<u32>| {
        let node = node.and_then(|node| file.nodes.get(node as usize));
        node.map(|node| node.name.to_string())
    };
    let vertices = file.geometry.vertices;
    let nodes = file.nodes.iter().enumerate().map(|(index, node)| {
        let own = vertices
            .iter()
            .filter(|vertex| usize::from(vertex.node) == index);
        let own: Vec<abc::Vertex> = own.copied().collect();
        json!({
            "parent": name(node.parent),
            "geometry": hash_of(&own),
            "deforming vertices": hash_of(node.deform_vertices),
        })
    });
    let animations = file.animations.iter().map(|animation| {
        let times: Vec<u32> = animation.keyframes.iter().map(|it| it.time).collect();
        let tracks = animation
            .tracks
            .iter()
            .zip(&file.nodes)
            .map(|(track, node)| {
                json!({
                    "name": node.name,
                    "keys": hash_of(track.keys),
                    "deformation": hash(
                        &[
                            track.deform.as_flattened(),
                            track.deform_scale.as_bytes(),
                            track.deform_translation.as_bytes(),
                        ]
                        .concat(),
                    ),
                })
            });
        json!({ "times": hash_of(&times), "tracks": tracks.collect::<Value>() })
    });
    Some(json!({
        "nodes": nodes.collect::<Value>(),
        "animations": animations.collect::<Value>(),
        "triangle corners": hash_of(file.geometry.triangles),
    }))
}

fn of_mdl(bytes: &[u8]) -> Option<Value> {
    let file = mdl::parse(bytes).ok()?;
    let poses = file.poses.iter().map(|pose| {
        json!({
            "name": pose.name(),
            "positions": hash(&[pose.vertices.as_bytes(), pose.low_vertices.as_bytes()].concat()),
        })
    });
    let skins = file
        .skins
        .iter()
        .map(|skin| json!({ "texels": hash(skin.pixels) }));
    let header = &file.header;
    Some(json!({
        "named poses": poses.collect::<Value>(),
        "skins": skins.collect::<Value>(),
        "texture coordinates": hash_of(file.st_vertices),
        "triangle corners": hash_of(file.triangles),
        "scale": header.scale.map(number),
        "origin": header.origin.map(number),
        "eye position": header.eye_position.map(number),
    }))
}

fn of_lgw(bytes: &[u8]) -> Option<Value> {
    let file = lgw::parse(bytes, lgw::Tolerance::default()).ok()?;
    let meshes = file.meshes.iter().map(|mesh| {
        let indices: Vec<u32> = mesh.triangles().flatten().collect();
        json!({
            "positions": hash_of(&mesh.vertices.positions),
            "normals": hash_of(&mesh.vertices.normals),
            "texture coordinates": hash_of(&mesh.vertices.uvs),
            "triangle corners": hash_of(&indices),
        })
    });
    Some(json!({ "meshes": meshes.collect::<Value>() }))
}

fn of_dtx(bytes: &[u8]) -> Option<Value> {
    let file = dtx::parse(bytes).ok()?;
    let levels: Vec<u8> = file
        .levels
        .iter()
        .flat_map(|level| level.bytes)
        .copied()
        .collect();
    let palette = file.palette.map(|palette| hash(palette.as_flattened()));
    Some(json!({
        "texels": hash(&levels),
        "alpha": hash(&file.alpha_levels.concat()),
        "palette": palette,
        "command": file.command_string,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_added_to_objects_and_to_elements_of_lists() {
        let mut to = json!({ "list": [{ "a": 1, "parent": 5 }], "kept": 2 });
        merge(
            &mut to,
            json!({ "list": [{ "parent": "Root" }, { "b": 2 }], "new": [1] }),
        );
        let expected = json!({
            "list": [{ "a": 1, "parent": "Root" }, { "b": 2 }], "kept": 2, "new": [1],
        });
        assert_eq!(to, expected);
    }
}
