//! Converts Alamo models: bones, rigid and skinned meshes, levels of detail, lights, proxies, dazzles, and the animations
//! beside them.

pub mod clips;
mod materials;
mod parts;
mod visibility;

use crate::convert::clip;
use crate::convert::document::{Document, add_extra, extras, node};
use crate::convert::files::Files;
use crate::convert::model::{Converted, Request, model_name};
use crate::convert::particles::ParsedSystem;
use bevy::asset::RenderAssetUsages;
use bevy::transform::components::Transform;
use bevy_classic_models::alamo::particles::is_particle_system;
use bevy_classic_models::alamo::particles::plugins::is_plugin_system;
use bevy_classic_models::alamo::{AloBoneInfo, AloTags, ConvertedAlo, ala};
use bevy_classic_models::load::z_up_forward_minus_y;
use clips::Animation;
use gltf_json::{Index, Node};
use materials::Materials;
use parts::Parts;
use serde_json::{Map, Value, json};
use visibility::Visibilities;

/// The maximum depth of nested bones: programs read nodes recursively.
const MAX_DEPTH: usize = 256;

/// Converts the bytes of a file.
///
/// # Errors
/// If the file is damaged, or its bones are nested too deep.
pub fn convert(bytes: &[u8], request: &Request<'_>) -> Result<Converted, String> {
    let usage = RenderAssetUsages::MAIN_WORLD;
    let model = ConvertedAlo::load(bytes, usage).map_err(|error| error.to_string())?;
    check_depth(&model.bones)?;
    let mut warnings: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    let name = model_name(request.path);
    let mut document = Document::new(&name);
    let animations = read_animations(request, &mut warnings);
    let bones = add_bones(&mut document, &model, request, &mut warnings);
    let settings = (Materials::new(request.textures()), request.options.no_lods);
    let axes = axes(request.options.scale()).compute_affine();
    let mut parts = Parts::new(&mut document, &model, (&bones, axes), settings);
    parts.add_meshes();
    if !request.options.no_lights {
        parts::add_lights(&mut parts, request.options.scale());
    }
    parts.add_proxies();
    parts.add_dazzles();
    let (added, textures) = parts.finish();
    let visibilities = Visibilities::new(&model, &added, request.options.visibility);
    visibilities.set(&mut document);
    let mut converted = Vec::new();
    let mut clips = Map::new();
    for (name, bytes) in &animations {
        // Files with errors are left out.
        let Ok(file) = ala::parse(bytes) else {
            continue;
        };
        let animation = Animation {
            model: &model,
            bones: &bones,
            visibilities: &visibilities,
            name,
            file: &file,
        };
        let values = json!({
            "fps": file.fps,
            "version": file.version,
            "visibility": visibilities.unseen(&file),
        });
        clips.insert(name.clone(), values);
        let (clip, problems) = animation.convert(&mut document);
        converted.push(clip);
        let problems = problems.into_iter();
        warnings.extend(problems.map(|problem| format!("animation {name}: {problem}")));
    }
    clip::add_all(&mut document, converted);
    if let Some(root) = document.root.nodes.first_mut() {
        // On a node, because Blender drops the extras of animations.
        add_extra(&mut root.extras, "clips", clips);
    }
    warnings.extend(textures);
    Ok(Converted { document, warnings })
}

/// The bytes of the animations beside the model, by name. Those with errors are left out, with a warning.
fn read_animations(request: &Request<'_>, warnings: &mut Vec<String>) -> Vec<(String, Vec<u8>)> {
    let mut animations = Vec::new();
    for (name, path) in request.files.animations(request.path, request.options) {
        let bytes = request.files.read(&path);
        let checked = bytes.and_then(|bytes| match ala::parse(&bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(error.to_string()),
        });
        match checked {
            Ok(bytes) => animations.push((name, bytes)),
            Err(error) => warnings.push(format!("animation {}: {error}", path.display())),
        }
    }
    animations
}

fn check_depth(bones: &[AloBoneInfo]) -> Result<(), String> {
    let mut depths: Vec<usize> = Vec::with_capacity(bones.len());
    for bone in bones {
        let parent = bone.parent.and_then(|parent| depths.get(parent));
        depths.push(parent.map_or(1, |parent| parent + 1));
    }
    let depth = depths.into_iter().max().unwrap_or(0);
    if depth > MAX_DEPTH {
        return Err(format!(
            "the bones are nested {depth} deep, but at most {MAX_DEPTH} are supported"
        ));
    }
    Ok(())
}

/// The transform of the root, which converts the axes.
fn axes(scale: f32) -> Transform {
    z_up_forward_minus_y().transform(scale)
}

/// Adds the root and the bones.
fn add_bones(
    document: &mut Document,
    model: &ConvertedAlo<'_>,
    request: &Request<'_>,
    warnings: &mut Vec<String>,
) -> Vec<Index<Node>> {
    let axes = axes(request.options.scale());
    let mut root = node(&model_name(request.path), &axes);
    root.extras = extras(&json!({
        "format": "alo",
        "version": model.file.version,
        "particles": particle_systems(model, request, warnings),
        "metersPerUnit": request.options.scale(),
    }));
    let root = document.add_node(None, root);
    let nodes = model.bones.iter().zip(&model.file.bones).enumerate();
    let nodes = nodes.map(|(index, (bone, source))| {
        let mut added = node(&bone.name, &bone.transform);
        // Animations name bones by index.
        let mut values = json!({ "bone": index });
        if bone.billboard != 0 || !bone.visible {
            values["billboard"] = json!(bone.billboard);
            values["visible"] = json!(bone.visible);
        }
        if source.is_v1 {
            values["isV1"] = json!(true);
        }
        added.extras = extras(&values);
        (bone.parent, added)
    });
    document.add_tree(root, nodes)
}

/// The particle systems that proxies name and that are beside the model, by name.
fn particle_systems(
    model: &ConvertedAlo<'_>,
    request: &Request<'_>,
    warnings: &mut Vec<String>,
) -> Map<String, Value> {
    let files: &Files = request.files;
    let mut systems = Map::new();
    for proxy in &model.file.proxies {
        let stem = AloTags::of(&proxy.name).stem;
        let Some(path) = files.beside(request.path, &format!("{stem}.alo")) else {
            continue;
        };
        let bytes = files.read(&path).unwrap_or_default();
        let is_system = is_particle_system(&bytes) || is_plugin_system(&bytes);
        if systems.contains_key(&stem) || !is_system {
            continue;
        }
        match describe_particles(&bytes) {
            Ok((values, _)) => {
                systems.insert(stem, values);
            }
            Err(error) => warnings.push(format!("particle system {}: {error}", path.display())),
        }
    }
    systems
}

/// Converts the bytes of a file.
///
/// # Errors
/// If the file is damaged.
pub fn convert_particles(bytes: &[u8], request: &Request<'_>) -> Result<Converted, String> {
    let name = model_name(request.path);
    let mut document = Document::new(&name);
    let mut root = node(&name, &Transform::IDENTITY);
    let (values, warnings) = describe_particles(bytes)?;
    root.extras = extras(&json!({ "format": "alo particles", "particles": values }));
    document.add_node(None, root);
    Ok(Converted { document, warnings })
}

/// The values of a particle system, in the file's units, and its warnings.
///
/// # Errors
/// If the file is damaged.
fn describe_particles(bytes: &[u8]) -> Result<(Value, Vec<String>), String> {
    let file = ParsedSystem::parse(bytes)?;
    let values = file.to_json().map_err(|error| error.to_string())?;
    Ok((values, file.warnings()))
}
