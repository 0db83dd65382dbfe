//! LithTech models: parsing, writing, LODs and poses. The tests use `abc::sample_model`, and [`Offsets`] for offsets in its
//! file.

mod corpus;
mod malformed;
mod mutations;
mod reading;
mod sampling;

use classic_model_formats::abc::write::{
    AbcDocument, AnimationDocument, NodeDocument, TrackDocument, write_unchecked,
};
use classic_model_formats::abc::{AbcFile, NodeKey, TransformInfo, parse};
use classic_models_fixtures::abc_full::sample_model;
use std::collections::HashMap;
use zerocopy::little_endian::F32;

/// The smallest valid model: one node.
fn minimal() -> AbcDocument {
    AbcDocument {
        nodes: vec![NodeDocument::default()],
        ..AbcDocument::default()
    }
}

fn edited(edit: impl FnOnce(&mut AbcDocument)) -> Vec<u8> {
    let mut model = sample_model();
    edit(&mut model);
    write_unchecked(&model)
}

fn patched(offset: u64, by: &[u8]) -> Vec<u8> {
    let mut bytes = write_unchecked(&sample_model());
    let offset = offset as usize;
    bytes[offset..offset + by.len()].copy_from_slice(by);
    bytes
}

fn warnings(file: &AbcFile<'_>) -> Vec<String> {
    file.warnings.iter().map(ToString::to_string).collect()
}

/// The offsets of named parts of a model's file, computed independently from the description of the format.
struct Offsets(HashMap<String, u64>);

impl Offsets {
    fn of(model: &AbcDocument) -> Self {
        let mut offsets = Offsets(HashMap::new());
        let end = offsets.walk(model);
        assert_eq!(end, write_unchecked(model).len() as u64);
        offsets
    }

    fn at(&self, name: &str) -> u64 {
        self.0[name]
    }

    fn put(&mut self, name: impl Into<String>, at: u64) {
        self.0.insert(name.into(), at);
    }

    /// Adds the offsets of a chunk, of its link to the next chunk, and of its body.
    fn chunk(&mut self, name: &str, at: &mut u64) {
        self.put(name, *at);
        self.put(format!("{name} link"), *at + 2 + name.len() as u64);
        *at += 6 + name.len() as u64;
        self.put(format!("{name} body"), *at);
    }

    fn walk(&mut self, model: &AbcDocument) -> u64 {
        let mut at = 0;
        self.chunk("Header", &mut at);
        at += 2 + 28;
        self.put("command string", at);
        at += 2 + model.command_string.len() as u64;
        self.chunk("Geometry", &mut at);
        self.put("lods", at + 24);
        at += 24 + 4 + 2 * model.geometry.lod_starts.len() as u64;
        self.put("triangle count", at);
        self.put("triangles", at + 4);
        at += 4 + 33 * model.geometry.triangles.len() as u64;
        self.put("vertex count", at);
        self.put("base vertices", at + 4);
        self.put("vertices", at + 8);
        at += 8 + 20 * model.geometry.vertices.len() as u64;
        self.chunk("Nodes", &mut at);
        for (index, node) in model.nodes.iter().enumerate() {
            self.put(format!("node {index}"), at);
            at += 24 + 2 + node.name.len() as u64;
            self.put(format!("node {index} index"), at);
            self.put(format!("node {index} deforming"), at + 3);
            at += 2 + 1 + 4 + 2 * node.deform_vertices.len() as u64;
            self.put(format!("node {index} children"), at);
            at += 4;
        }
        self.chunk("Animation", &mut at);
        at += 4;
        for (index, animation) in model.animations.iter().enumerate() {
            self.put(format!("animation {index}"), at);
            at += 2 + animation.name.len() as u64 + 4 + 24;
            self.put(format!("animation {index} keyframes"), at);
            at += 4;
            for (number, keyframe) in animation.keyframes.iter().enumerate() {
                self.put(format!("animation {index} keyframe {number}"), at);
                at += 28 + 2 + keyframe.event.len() as u64;
            }
            for (node, track) in animation.tracks.iter().enumerate() {
                self.put(format!("animation {index} keys {node}"), at);
                at += 28 * track.keys.len() as u64;
                self.put(format!("animation {index} deform {node}"), at);
                at += 3 * track.deform.len() as u64;
                self.put(format!("animation {index} scale {node}"), at);
                at += 24;
            }
        }
        if model.animations.iter().any(|it| it.dims.is_some()) {
            self.chunk("AnimDims", &mut at);
            at += 12 * model.animations.len() as u64;
        }
        if model.transform_info.is_some() {
            self.chunk("TransformInfo", &mut at);
            at += 8;
        }
        at
    }
}
