//! The tracks of nodes: translations, rotations, and the positions of deforming vertices.
//!
//! The vertices of a node deform if morph targets or an animated scale move them in the space of the node.

use super::clips::Clip;
use super::mesh::Mesh;
use super::sample::{PartVertices, Sampled, Sampler};
use crate::error::{Error, Result};
use crate::scene::numbers;
use classic_model_formats::abc::write::TrackDocument;
use classic_model_formats::abc::{NodeKey, node_flags};
use glam::Vec3;
use serde_json::Value;

/// How far a vertex may move in the space of its node without being a deforming one, relative to the size of the model.
const STILL: f32 = 1e-4;

/// The vertices of all parts.
pub fn vertices(sampler: &Sampler<'_>, sampled: &Sampled) -> Vec<PartVertices> {
    let parts = 0..sampler.parts.len();
    parts.map(|part| sampler.vertices(sampled, part)).collect()
}

/// For each node of the file, whether its vertices deform.
///
/// # Errors
/// If a position is not finite.
pub fn moving(sampler: &Sampler<'_>, clips: &[Clip<'_>], rest: &Sampled) -> Result<Vec<bool>> {
    let joints = sampler.skeleton.joints.iter();
    let deforms = |flags: u8| flags & node_flags::DEFORMATION != 0;
    let mut moving: Vec<bool> = joints.map(|it| it.flags.is_some_and(deforms)).collect();
    let at_rest = vertices(sampler, rest);
    let size = sampler.size(rest, &at_rest);
    if !size.is_finite() {
        return Err(Error::new("a vertex is not finite"));
    }
    let nodes = sampler.skeleton.joints.len();
    for clip in clips {
        for key in &clip.keys {
            let sampled = clip.at(sampler, key);
            let is_finite = (0..nodes).all(|node| {
                let (translation, rotation) = sampler.key(&sampled, node);
                translation.is_finite() && rotation.is_finite()
            });
            let now = vertices(sampler, &sampled);
            let all = now.iter().flat_map(|part| &part.positions);
            if !is_finite || !all.clone().all(|position| position.is_finite()) {
                let name = &clip.key;
                return Err(Error::new(format_args!(
                    "animation {name:?}: a value is not finite"
                )));
            }
            let rest = at_rest.iter().flat_map(|part| &part.positions);
            let bindings = sampler.bindings.iter().flatten();
            for ((position, rest), binding) in all.zip(rest).zip(bindings) {
                if (*position - *rest).abs().max_element() > size * STILL
                    && let Some(moving) = moving.get_mut(binding.joint)
                {
                    *moving = true;
                }
            }
        }
    }
    Ok(moving)
}

/// The tracks of all nodes in an animation.
pub fn tracks(sampler: &Sampler<'_>, clip: &Clip<'_>, mesh: &Mesh) -> Vec<TrackDocument> {
    let nodes = sampler.skeleton.joints.len();
    let mut tracks = vec![TrackDocument::default(); nodes];
    // For each node, the positions of its deforming vertices at all keyframes.
    let mut deforming: Vec<Vec<Vec3>> = vec![Vec::new(); nodes];
    for key in &clip.keys {
        let sampled = clip.at(sampler, key);
        for (index, track) in tracks.iter_mut().enumerate() {
            let (translation, rotation) = sampler.key(&sampled, index);
            let key = NodeKey::new(translation.to_array(), rotation.to_array());
            track.keys.push(key);
        }
        if mesh.deforming.iter().all(Vec::is_empty) {
            continue;
        }
        let now = vertices(sampler, &sampled);
        for (positions, vertices) in deforming.iter_mut().zip(&mesh.deforming) {
            positions.extend(vertices.iter().map(|vertex| mesh.position(*vertex, &now)));
        }
    }
    for (index, (track, positions)) in tracks.iter_mut().zip(&deforming).enumerate() {
        if !positions.is_empty() {
            deform(track, positions, stated_grid(sampler, clip, index));
        }
    }
    tracks
}

/// The scale and the translation of quantized positions.
type Grid = [[f32; 3]; 2];

/// The quantization of a node in an animation of the converted model.
fn stated_grid(sampler: &Sampler<'_>, clip: &Clip<'_>, index: usize) -> Option<Grid> {
    let node = sampler.skeleton.joints.get(index)?.node?;
    let deform = sampler.scene.nodes.get(node)?.extras.get("deform")?;
    let grid: &Value = deform.get(&clip.key)?;
    Some([
        numbers(grid.get("scale"))?,
        numbers(grid.get("translation"))?,
    ])
}

fn deform(track: &mut TrackDocument, positions: &[Vec3], stated: Option<Grid>) {
    let first = positions.first().copied().unwrap_or_default();
    let ends = positions.iter().fold([first; 2], |[min, max], position| {
        [min.min(*position), max.max(*position)]
    });
    let around = || [((ends[1] - ends[0]) / 255.0).to_array(), ends[0].to_array()];
    let grid = stated.filter(|grid| ends.iter().all(|end| fits(*grid, *end)));
    let [scale, translation] = grid.unwrap_or_else(around);
    let byte = |value: f32, scale: f32, translation: f32| match scale {
        0.0 => 0,
        // The conversion saturates.
        _ => ((value - translation) / scale).round() as u8,
    };
    let quantized = positions.iter().map(|position| {
        let position = position.to_array();
        core::array::from_fn(|axis| byte(position[axis], scale[axis], translation[axis]))
    });
    track.deform = quantized.collect();
    track.deform_scale = scale;
    track.deform_translation = translation;
}

/// Whether a position is one of the quantization's, to half a step.
fn fits([scale, translation]: Grid, position: Vec3) -> bool {
    let position = position.to_array();
    (0..3).all(|axis| {
        let offset = position[axis] - translation[axis];
        match scale[axis] {
            0.0 => offset.abs() <= 1e-3,
            scale => (-0.5..=255.5).contains(&(offset / scale)),
        }
    })
}
