//! What the way back needs in `extras` of nodes, which Blender keeps. Lists have numbers only, because Blender makes text of others.

use crate::convert::document::{extras, unique};
use crate::convert::mesh::MeshData;
use bevy_classic_models::lithtech::abc::{AbcFile, Animation, Keyframe, node_flags};
use classic_models_gltf_import::abc::checksum;
use gltf_json::Extras;
use serde_json::{Map, Value, json};

/// The values of the root.
pub fn root(file: &AbcFile<'_>, scale: f32) -> Value {
    let transform = file.transform();
    let mut values = json!({
        "format": "abc",
        "commandString": file.command_string,
        "metersPerUnit": scale,
        "flipGeometry": transform.flip_geometry,
        "flipAnimation": transform.flip_animation,
        "hasTransformInfo": file.transform_info.is_some(),
        "animations": animations(file).collect::<Map<String, Value>>(),
    });
    let geometry = &file.geometry;
    if geometry.lods > 0 {
        let replaced = geometry.lod_vertices().flat_map(|(_, _, pair)| pair);
        values["baseVertices"] = json!(geometry.base_vertices);
        values["lods"] = json!(replaced.collect::<Vec<usize>>());
    }
    let unused = unused_vertices(file);
    if !unused.is_empty() {
        values["unusedVertices"] = json!(unused);
    }
    values
}

/// The vertices of the full model that no triangle uses, but levels of detail may: index, node, position and normal of each.
fn unused_vertices(file: &AbcFile<'_>) -> Vec<f32> {
    let geometry = &file.geometry;
    let used = geometry.lod(0).vertices();
    let vertices = (0..geometry.base_vertices).zip(geometry.vertices);
    let unused = vertices.filter(|(index, _)| used.binary_search(index).is_err());
    let numbers = unused.flat_map(|(index, vertex)| {
        let normal = vertex.normal.map(f32::from);
        let of = [index as f32, f32::from(vertex.node)];
        of.into_iter().chain(vertex.clean_position()).chain(normal)
    });
    numbers.collect()
}

/// The animations of the document: their names in it, with their indices in the file.
fn names<'a>(
    file: &'a AbcFile<'a>,
) -> impl Iterator<Item = (String, usize, &'a Animation<'a>)> + use<'a> {
    let animations = file.animations.iter().enumerate();
    let animations: Vec<_> = animations
        .filter(|(_, it)| !it.keyframes.is_empty())
        .collect();
    let names = animations.iter().map(|(_, it)| (&*it.name, None));
    let names = unique(&names.collect::<Vec<_>>());
    let named = names.into_iter().zip(animations);
    named.map(|(name, (index, animation))| (name, index, animation))
}

fn animations<'a>(file: &'a AbcFile<'a>) -> impl Iterator<Item = (String, Value)> + use<'a> {
    names(file).map(|(name, index, animation)| {
        let times = animation.keyframes.iter().map(|it| it.time);
        let mut values = json!({
            "index": index,
            "name": animation.name,
            "length": animation.length,
            "times": times.collect::<Vec<u32>>(),
        });
        let events = animation.keyframes.iter().enumerate();
        let events = events.filter(|(_, it)| !it.event.is_empty());
        let event = |(index, it): (usize, &Keyframe<'_>)| (index.to_string(), json!(it.event));
        let events: Map<String, Value> = events.map(event).collect();
        if !events.is_empty() {
            values["events"] = events.into();
        }
        if let Some(dims) = animation.dims {
            values["dims"] = json!(dims);
        }
        (name, values)
    })
}

/// The values of a node.
pub fn node(file: &AbcFile<'_>, index: usize) -> Value {
    let Some(node) = file.nodes.get(index) else {
        return json!({});
    };
    let mut values = json!({ "index": index, "flags": node.flags });
    if node.flags & node_flags::DEFORMATION != 0 || !node.deform_vertices.is_empty() {
        let grids = names(file).filter_map(|(name, _, animation)| {
            let track = animation.tracks.get(index)?;
            let grid = json!({
                "scale": track.deform_scale,
                "translation": track.deform_translation,
            });
            Some((name, grid))
        });
        values["deform"] = grids.collect::<Map<String, Value>>().into();
    }
    values
}

/// For each vertex and triangle of a mesh of the full model, its index in the file, with a checksum of the mesh. `node` is the node of the
/// mesh, and `own` whether a node has its own mesh.
pub fn vertices(
    file: &AbcFile<'_>,
    node: Option<usize>,
    own: impl Fn(usize) -> bool,
    data: &MeshData,
) -> Extras {
    let swaps = !file.transform().flip_geometry;
    let node_of = |vertex: u32| {
        let vertex = file.geometry.vertices.get(vertex as usize);
        vertex.map(|vertex| usize::from(vertex.node))
    };
    let mut triangles = file.geometry.lod(0).triangles;
    triangles.retain(|it| node_of(it.vertices[0]).filter(|it| own(*it)) == node);
    let indices: Vec<u32> = triangles.iter().map(|it| it.triangle).collect();
    let corners = triangles.into_iter().map(|it| it.vertices);
    let corners = corners.flat_map(|[a, b, c]| if swaps { [a, c, b] } else { [a, b, c] });
    let corners: Vec<u32> = corners.collect();
    if corners.len() != data.indices.len() {
        return None;
    }
    let mut vertices = vec![0; data.positions.len()];
    for (index, vertex) in data.indices.iter().zip(corners) {
        *vertices.get_mut(*index as usize)? = vertex;
    }
    extras(&json!({
        "vertices": vertices,
        "triangles": indices,
        "checksum": checksum(&data.positions, data.indices.iter().copied()),
    }))
}
