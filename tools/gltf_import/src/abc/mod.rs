//! Makes LithTech models: nodes, vertices that follow one node each, and animations of translations and rotations.
//!
//! - `skeleton` selects the nodes of the file, and `sample` poses them in the space of the file.
//! - `clips` has the keyframes of animations, and `tracks` samples them.
//! - `mesh` merges vertices, and `lods` replaces them step by step.
//!
//! The conversion to glTF writes into `extras` what glTF cannot express. It is used as long as it fits the scene.

mod clips;
mod lods;
mod mesh;
mod sample;
mod skeleton;
mod tracks;

use crate::error::{Error, Result};
use crate::image_data::Pixels;
use crate::parts::{Part, parts};
use crate::scene::{Primitive, Scene};
use crate::skin::Skins;
use classic_model_formats::abc::write::{
    AbcDocument, AnimationDocument, NodeDocument, write_unchecked,
};
use classic_model_formats::abc::{TransformInfo, node_flags, parse};
use clips::Clip;
use glam::Vec3;
use mesh::Mesh;
use sample::Sampler;
use serde_json::Value;
use skeleton::Skeleton;
use std::collections::{BTreeMap, HashSet};

pub use mesh::checksum;

/// The maximum counts of keys of nodes, and of vertices and their differences in all keyframes.
const MAX_KEYS: usize = 1 << 22;
const MAX_VERTICES: usize = 1 << 28;

/// How a model is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The name of the skin, without extension.
    pub name: &'a str,
    /// Meters per unit of the model. `None` is the value in the `extras` of a converted model, otherwise 1.
    pub scale: Option<f32>,
    /// The names of the animations that become clips, in this order. Empty for all.
    pub clips: &'a [String],
    /// Makes levels of detail that begin at the first distance, and end before the second one with an eighth of the triangles.
    /// In units of the model. `None` keeps those of a converted model.
    pub lods: Option<[f32; 2]>,
}

/// A model that was made.
#[derive(Debug)]
pub struct Converted {
    /// The model.
    pub document: AbcDocument,
    /// The skin by the name of its file, `NAME.dtx`, unless all materials are those of a converted model.
    pub textures: BTreeMap<String, Pixels>,
    /// Warnings about values that were left out or changed.
    pub warnings: Vec<String>,
}

/// Makes a model of all meshes of a scene. glTF's (x, y, z) becomes (−x, y, z), because the file's space is left-handed.
///
/// # Errors
/// If the scene has no triangles, an image cannot be decoded, an animation of the options does not exist, or the model is too
/// large for the format.
pub fn convert(scene: &Scene, options: &Options<'_>) -> core::result::Result<Converted, Error> {
    let mut warnings = scene.warnings.clone();
    let parts = parts(scene);
    if parts.iter().all(|part| part.primitive.triangles.is_empty()) {
        return Err(Error::new("the scene has no triangles"));
    }
    let skeleton = Skeleton::new(scene, &parts)?;
    let sampler = Sampler::new(scene, &skeleton, &parts, options.scale);
    let clips = clips::clips(scene, options.clips)?;
    check_size(scene, &skeleton, &parts, &clips)?;
    let skin = Skin::new(scene, &parts, options.name)?;
    let rest = clips
        .first()
        .map_or_else(|| sampler.at(None), |clip| clip.rest(&sampler));
    let moving = tracks::moving(&sampler, &clips, &rest)?;
    let flips = flag(scene, "flipGeometry");
    let mut mesh = Mesh::new(
        &sampler,
        &rest,
        &moving,
        |part| skin.uvs(scene, part),
        flips,
    )?;
    let mut command_string = text(scene.extra("abc", "commandString"));
    match options.lods {
        Some(distances) => {
            warnings.extend(lods::build(&mut mesh, &sampler, &clips));
            command_string = lods::with_distances(command_string, distances, &mesh);
        }
        None => warnings.extend(lods::restore(scene, &mut mesh)),
    }
    warnings.extend(mesh.warning());
    let tracks = clips
        .iter()
        .map(|clip| tracks::tracks(&sampler, clip, &mesh));
    let animations = clips.iter().zip(tracks);
    let mut document = AbcDocument {
        command_string,
        nodes: nodes(&skeleton, &mesh),
        animations: animations
            .map(|(clip, tracks)| clip.document(tracks))
            .collect(),
        geometry: mesh.geometry,
        transform_info: (scene.extra("abc", "hasTransformInfo") != Some(&Value::Bool(false))).then(
            || TransformInfo {
                flip_geometry: flips,
                flip_animation: flag(scene, "flipAnimation"),
            },
        ),
    };
    set_bounds(&mut document, clips::has_dims(scene))?;
    Ok(Converted {
        document,
        textures: skin.file,
        warnings,
    })
}

fn flag(scene: &Scene, name: &str) -> bool {
    scene.extra("abc", name) == Some(&Value::Bool(true))
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Nonnegative integers.
fn integers(value: Option<&Value>) -> Option<Vec<u32>> {
    let values = value?.as_array()?.iter();
    values.map(|it| u32::try_from(it.as_u64()?).ok()).collect()
}

fn check_size(
    scene: &Scene,
    skeleton: &Skeleton,
    parts: &[Part<'_>],
    clips: &[Clip<'_>],
) -> Result<()> {
    let keyframes: usize = clips.iter().map(|clip| clip.keys.len()).sum();
    let vertices: usize = parts
        .iter()
        .map(|part| part.primitive.posed_vertices())
        .sum();
    let nodes = skeleton.joints.len().max(scene.nodes.len());
    if keyframes.saturating_mul(nodes) > MAX_KEYS
        || keyframes.saturating_mul(vertices) > MAX_VERTICES
    {
        return Err(Error::new(format_args!(
            "too long: {keyframes} keyframes of {nodes} nodes and {vertices} vertices"
        )));
    }
    Ok(())
}

fn nodes(skeleton: &Skeleton, mesh: &Mesh) -> Vec<NodeDocument> {
    let vertices = mesh.geometry.vertices.iter();
    let used: HashSet<usize> = vertices.map(|vertex| usize::from(vertex.node)).collect();
    let node = |(index, joint): (usize, &skeleton::Joint)| {
        let deform_vertices = mesh.deforming.get(index).cloned().unwrap_or_default();
        let default = match index {
            0 => node_flags::NULL,
            _ => node_flags::TRIANGLES,
        };
        let mut flags = joint.flags.unwrap_or(default) & !node_flags::DEFORMATION;
        if used.contains(&index) {
            flags |= node_flags::TRIANGLES;
        }
        if !deform_vertices.is_empty() {
            flags |= node_flags::DEFORMATION;
        }
        NodeDocument {
            name: joint.name.clone(),
            transformation_index: index as u16,
            flags,
            deform_vertices,
            children: joint.children,
            ..NodeDocument::default()
        }
    };
    skeleton.joints.iter().enumerate().map(node).collect()
}

/// Sets the bounds of the model and of animations, and the half extents of animations that have none. They are those of the
/// values in the file, so that they are the same after each conversion.
fn set_bounds(document: &mut AbcDocument, has_dims: bool) -> Result<()> {
    let bytes = write_unchecked(document);
    let file = parse(&bytes).map_err(Error::new)?;
    let mut all = None;
    for (index, animation) in document.animations.iter_mut().enumerate() {
        let mut bounds = None;
        for keyframe in &animation.keyframes {
            let seconds = (f64::from(keyframe.time) / 1000.0) as f32;
            for position in file.vertex_positions_in_model(Some(index), seconds) {
                expand(&mut bounds, Vec3::from_array(position));
            }
        }
        let [min, max] = bounds.unwrap_or_default();
        if !(min.is_finite() && max.is_finite()) {
            let name = &animation.name;
            return Err(Error::new(format_args!(
                "animation {name:?}: a vertex is not finite"
            )));
        }
        expand(&mut all, min);
        expand(&mut all, max);
        finish(animation, [min, max], has_dims);
    }
    let bounds = all.unwrap_or_default();
    document.geometry.bounds = bounds.map(|corner| corner.to_array());
    Ok(())
}

fn finish(animation: &mut AnimationDocument, [min, max]: [Vec3; 2], has_dims: bool) {
    animation.bounds = [min.to_array(), max.to_array()];
    if has_dims && animation.dims.is_none() {
        animation.dims = Some(((max - min) / 2.0).to_array());
    }
}

fn expand(bounds: &mut Option<[Vec3; 2]>, point: Vec3) {
    let [min, max] = bounds.unwrap_or([point; 2]);
    *bounds = Some([min.min(point), max.max(point)]);
}

/// The skin of a model: the textures of all new materials in one image.
struct Skin {
    /// `None` if all materials are those of a converted model, whose skin exists.
    layout: Option<Skins>,
    file: BTreeMap<String, Pixels>,
}

impl Skin {
    fn new(scene: &Scene, parts: &[Part<'_>], name: &str) -> Result<Self> {
        let mut skin = Self {
            layout: None,
            file: BTreeMap::new(),
        };
        let materials = parts.iter().filter_map(|part| part.primitive.material);
        let mut materials = materials.filter_map(|material| scene.materials.get(material));
        let is_new = materials
            .any(|material| material.extras.get("format").and_then(Value::as_str) != Some("abc"));
        if is_new {
            let mut layout = Skins::new(scene, parts.iter().map(|part| part.primitive))?;
            let pictures = core::mem::take(&mut layout.pictures).into_iter();
            let files = pictures.take(1).map(|it| (format!("{name}.dtx"), it.base));
            skin.file.extend(files);
            skin.layout = Some(layout);
        }
        Ok(skin)
    }

    /// The coordinates of the vertices of a primitive.
    fn uvs(&self, scene: &Scene, primitive: &Primitive) -> Vec<[f32; 2]> {
        match &self.layout {
            Some(layout) => layout.uvs(scene, primitive),
            None => primitive.uvs.first().cloned().unwrap_or_default(),
        }
    }
}
