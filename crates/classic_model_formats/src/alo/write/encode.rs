//! Encodes a model, with all chunks in the order of real files.

use crate::alo::file::{
    AloFile, Bone, Dazzle, Light, Mesh, Parameter, ParameterValue, Proxy, Submesh, Tree,
};
use crate::alo::records::Vertices;
use crate::chunk_write::{container, data, mini, mini_floats, mini_text, mini_u32};
use crate::write::{floats, u32s};
use zerocopy::IntoBytes;

/// Length of the padded records in bytes: counts (0x201, 0x10001) and mesh records (0x402).
const PADDED_LENGTH: usize = 128;

pub(super) fn encode(file: &AloFile<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    container(&mut out, 0x200, |out| encode_skeleton(out, &file.bones));
    for mesh in &file.meshes {
        container(&mut out, 0x400, |out| encode_mesh(out, mesh));
    }
    for light in &file.lights {
        container(&mut out, 0x1300, |out| encode_light(out, light));
    }
    container(&mut out, 0x600, |out| encode_connections(out, file));
    out
}

/// A data chunk with a text that ends with NUL.
fn text_chunk(out: &mut Vec<u8>, id: u32, text: &str) {
    data(out, id, |out| {
        out.extend_from_slice(text.as_bytes());
        out.push(0);
    });
}

/// A data chunk that is padded with zeros.
fn padded_chunk(out: &mut Vec<u8>, id: u32, body: impl FnOnce(&mut Vec<u8>)) {
    data(out, id, |out| {
        let end = out.len() + PADDED_LENGTH;
        body(out);
        out.resize(end, 0);
    });
}

fn encode_skeleton(out: &mut Vec<u8>, bones: &[Bone<'_>]) {
    padded_chunk(out, 0x201, |out| u32s(out, [bones.len() as u32]));
    for bone in bones {
        container(out, 0x202, |out| encode_bone(out, bone));
    }
}

fn encode_bone(out: &mut Vec<u8>, bone: &Bone<'_>) {
    text_chunk(out, 0x203, &bone.name);
    data(out, if bone.is_v1 { 0x205 } else { 0x206 }, |out| {
        // A root's parent is −1 in the file.
        u32s(out, [bone.parent.unwrap_or(u32::MAX), bone.visible.into()]);
        if !bone.is_v1 {
            u32s(out, [bone.billboard]);
        }
        floats(out, bone.matrix.as_flattened());
    });
}

fn encode_mesh(out: &mut Vec<u8>, mesh: &Mesh<'_>) {
    text_chunk(out, 0x401, &mesh.name);
    padded_chunk(out, 0x402, |out| {
        u32s(out, [mesh.submeshes.len() as u32]);
        floats(out, mesh.bounds.as_flattened());
        u32s(out, [0, mesh.hidden.into(), mesh.collidable.into()]);
    });
    for submesh in &mesh.submeshes {
        container(out, 0x10100, |out| {
            text_chunk(out, 0x10101, &submesh.shader);
            for parameter in &submesh.parameters {
                encode_parameter(out, parameter);
            }
        });
        container(out, 0x10000, |out| encode_submesh(out, submesh));
    }
}

fn encode_parameter(out: &mut Vec<u8>, parameter: &Parameter<'_>) {
    let id = match &parameter.value {
        ParameterValue::Int(_) => 0x10102,
        ParameterValue::Float(_) => 0x10103,
        ParameterValue::Float3(_) => 0x10104,
        ParameterValue::Texture(_) => 0x10105,
        ParameterValue::Float4(_) => 0x10106,
    };
    data(out, id, |out| {
        mini_text(out, 1, &parameter.name);
        match &parameter.value {
            ParameterValue::Int(value) => mini(out, 2, &value.to_le_bytes()),
            ParameterValue::Float(value) => mini_floats(out, 2, &[*value]),
            ParameterValue::Float3(values) => mini_floats(out, 2, values),
            ParameterValue::Texture(name) => mini_text(out, 2, name),
            ParameterValue::Float4(values) => mini_floats(out, 2, values),
        }
    });
}

fn encode_submesh(out: &mut Vec<u8>, submesh: &Submesh<'_>) {
    padded_chunk(out, 0x10001, |out| {
        let triangles = submesh.indices.len() / 3;
        u32s(out, [submesh.vertices.len() as u32, triangles as u32]);
    });
    text_chunk(out, 0x10002, &submesh.vertex_format);
    let (id, vertices) = match submesh.vertices {
        Vertices::V1(vertices) => (0x10005, vertices.as_bytes()),
        Vertices::V2(vertices) => (0x10007, vertices.as_bytes()),
    };
    data(out, id, |out| out.extend_from_slice(vertices));
    data(out, 0x10004, |out| {
        out.extend_from_slice(submesh.indices.as_bytes());
    });
    if !submesh.palette.is_empty() {
        data(out, 0x10006, |out| {
            out.extend_from_slice(submesh.palette.as_bytes());
        });
    }
    if let Some(tree) = &submesh.tree {
        container(out, 0x1200, |out| encode_tree(out, tree));
    }
}

fn encode_tree(out: &mut Vec<u8>, tree: &Tree<'_>) {
    let [min, max] = &tree.bounds;
    data(out, 0x1201, |out| {
        mini_floats(out, 0, min);
        mini_floats(out, 1, max);
        mini_u32(out, 2, tree.nodes.len() as u32);
        mini_u32(out, 3, tree.triangles.len() as u32);
    });
    data(out, 0x1202, |out| {
        out.extend_from_slice(tree.nodes.as_bytes());
    });
    data(out, 0x1203, |out| {
        out.extend_from_slice(tree.triangles.as_bytes());
    });
}

fn encode_light(out: &mut Vec<u8>, light: &Light<'_>) {
    text_chunk(out, 0x1301, &light.name);
    data(out, 0x1302, |out| {
        u32s(out, [light.kind]);
        floats(out, &light.color);
        floats(
            out,
            &[
                light.intensity,
                light.far_attenuation_end,
                light.far_attenuation_start,
                light.hotspot,
                light.falloff,
            ],
        );
    });
}

fn encode_connections(out: &mut Vec<u8>, file: &AloFile<'_>) {
    let meshes = file.meshes.iter().map(|mesh| mesh.bone);
    let bones = meshes.chain(file.lights.iter().map(|light| light.bone));
    let objects: Vec<(u32, u32)> = (0..)
        .zip(bones)
        .filter_map(|(object, bone)| Some((object, bone?)))
        .collect();
    data(out, 0x601, |out| {
        mini_u32(out, 1, objects.len() as u32);
        mini_u32(out, 4, file.proxies.len() as u32);
        if !file.dazzles.is_empty() {
            mini_u32(out, 9, file.dazzles.len() as u32);
        }
    });
    for (object, bone) in objects {
        data(out, 0x602, |out| {
            mini_u32(out, 2, object);
            mini_u32(out, 3, bone);
        });
    }
    for proxy in &file.proxies {
        data(out, 0x603, |out| encode_proxy(out, proxy));
    }
    for dazzle in &file.dazzles {
        container(out, 0x604, |out| {
            data(out, 0, |out| encode_dazzle(out, dazzle))
        });
    }
}

fn encode_proxy(out: &mut Vec<u8>, proxy: &Proxy<'_>) {
    mini_text(out, 5, &proxy.name);
    mini_u32(out, 6, proxy.bone);
    if let Some(hidden) = proxy.hidden {
        mini_u32(out, 7, hidden.into());
    }
    if let Some(stay_hidden) = proxy.alt_decrease_stay_hidden {
        mini_u32(out, 8, stay_hidden.into());
    }
}

/// Mini-chunk 6 is before 5, as in real files.
fn encode_dazzle(out: &mut Vec<u8>, dazzle: &Dazzle<'_>) {
    mini_floats(out, 0, &dazzle.color);
    mini_floats(out, 1, &dazzle.position);
    mini_floats(out, 2, &[dazzle.radius]);
    mini_u32(out, 3, dazzle.slot_x);
    mini_u32(out, 4, dazzle.slot_y);
    mini_u32(out, 6, dazzle.num_slots);
    mini_text(out, 5, &dazzle.texture);
    mini_floats(out, 7, &[dazzle.frequency]);
    mini_floats(out, 8, &[dazzle.phase]);
    mini_u32(out, 9, dazzle.night_only.into());
    mini_u32(out, 10, dazzle.bone);
    mini_text(out, 11, &dazzle.name);
    mini_u32(out, 12, dazzle.is_hidden.into());
    if let Some(bias) = dazzle.bias {
        mini_floats(out, 13, &[bias]);
    }
}
