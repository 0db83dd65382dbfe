//! Converts Quake models: each pose is a morph target, and each clip an animation of their weights.

use crate::convert::clip::{self, Clip, Keys};
use crate::convert::document::{self, Document, extras, node};
use crate::convert::material::{self, info, matte};
use crate::convert::mesh::{MeshData, Target, values};
use crate::convert::model::{Converted, Request, model_name};
use crate::convert::morph::{MAX_TARGETS, Morph, MorphNodes};
use crate::convert::options::Loops;
use crate::convert::textures::{Sampling, Textures};
use bevy::prelude::*;
use bevy_classic_models::quake::mdl::is_loop;
use bevy_classic_models::quake::{
    ConvertedMdl, MdlClip, MdlLoaderSettings, MdlPoses, Palette, SkinImage,
};
use bevy_classic_models::texture::Pixels;
use gltf_json::material::{AlphaMode, EmissiveFactor};
use gltf_json::{Index, Material};
use serde_json::{Map, Value, json};

/// Sharp texels, as the software renderer drew them. Skins repeat, as in GLQuake.
const SAMPLING: Sampling = Sampling {
    wrap: [true; 2],
    nearest: true,
    mipmaps: true,
};

const VARIANTS: &str = "KHR_materials_variants";

/// Converts the bytes of a file.
///
/// # Errors
/// If the file is damaged, or the palette cannot be read.
pub fn convert(bytes: &[u8], request: &Request<'_>) -> Result<Converted, String> {
    let settings = MdlLoaderSettings {
        hole_index: request.options.hole_index,
        ..MdlLoaderSettings::default()
    };
    let palette = palette(request)?;
    let model = ConvertedMdl::load(bytes, &settings, &palette).map_err(|it| it.to_string())?;
    check_weights(&model)?;
    let name = model_name(request.path);
    let mut document = Document::new(&name);
    let mut textures = request.textures();
    let materials = materials(&mut document, &mut textures, &model);
    let root = node(&name, &axes(request.options.scale()));
    let root = document.add_node(None, root);
    let mut warnings: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    if let Some(data) = MeshData::of(&model.mesh) {
        let loops = request.options.loops;
        let mesh = add_mesh(
            &mut document,
            (&name, root),
            &model,
            &data,
            &materials,
            loops,
        );
        warnings.extend(mesh.warning(&name));
        let clips = model.clips.iter().enumerate().map(|(index, clip)| {
            let mut animation = Clip::new(&clip.name, clip.sequence.seconds());
            mesh.animate(&mut document, &mut animation, index);
            animation
        });
        let clips = clips.collect();
        clip::add_all(&mut document, clips);
    }
    let mut header = header(&model, request.options.scale());
    // The parser checked the first bytes.
    header["precision"] = json!(if bytes.starts_with(b"MD16") { 16 } else { 8 });
    let values = extras(&header);
    if let Some(root) = document.root.nodes.get_mut(root.value()) {
        root.extras = values;
    }
    warnings.extend(textures.warnings);
    Ok(Converted { document, warnings })
}

/// Checks that the weights of all clips are not too many: each key has one for each pose of its mesh.
fn check_weights(model: &ConvertedMdl) -> Result<(), String> {
    let keys = model.clips.iter();
    let keys = keys.map(|clip| u64::from(clip.sequence.pose_count) + 1);
    let targets = (model.poses.pose_count() as usize).min(MAX_TARGETS);
    clip::check_weights([(keys.sum(), targets as u64)])
}

/// The transform from the file's axes, X forward and Z up, to glTF's, Z forward and Y up: (x, y, z) becomes (y, z, x).
fn axes(scale: f32) -> Transform {
    let axes = Mat3::from_cols(Vec3::Z, Vec3::X, Vec3::Y);
    Transform::from_rotation(Quat::from_mat3(&axes)).with_scale(Vec3::splat(scale))
}

/// The palette of the options, otherwise Quake's.
///
/// # Errors
/// If it cannot be read.
pub fn palette(request: &Request<'_>) -> Result<Palette, String> {
    let Some(path) = &request.options.palette else {
        return Ok(Palette::default());
    };
    let text = |error: String| format!("palette {}: {error}", path.display());
    let bytes = request.files.read(path).map_err(text)?;
    Palette::parse(&bytes).map_err(|error| text(error.to_string()))
}

/// The materials of all images of all skins, with their names.
fn materials(
    document: &mut Document,
    textures: &mut Textures<'_>,
    model: &ConvertedMdl,
) -> Vec<(String, Index<Material>)> {
    document.uses(material::SPECULAR);
    let mut materials = Vec::new();
    for (skin, images) in model.skins.iter().enumerate() {
        for (index, image) in images.images.iter().enumerate() {
            // `load` finds no other images.
            let SkinImage::OfFile(image) = image else {
                continue;
            };
            let name = match images.images.len() {
                1 => format!("skin {skin}"),
                _ => format!("skin {skin} image {index}"),
            };
            let mut material = matte(&name);
            let mut texture = |name: &str, image: &Image| {
                let texture = textures.pixels(document, name, &pixels(image)?, SAMPLING);
                texture.map(info)
            };
            material.pbr_metallic_roughness.base_color_texture = texture(&name, &image.image);
            let fullbright = image.fullbright.as_ref();
            let fullbright = fullbright.and_then(|it| texture(&format!("{name} fullbright"), it));
            if fullbright.is_some() {
                material.emissive_texture = fullbright;
                material.emissive_factor = EmissiveFactor([1.0; 3]);
            }
            if model.has_holes {
                material::set_alpha(&mut material, AlphaMode::Mask, Some(0.5));
            }
            materials.push((name, document.root.push(material)));
        }
    }
    if materials.is_empty() {
        let name = "plain".to_owned();
        let material = document.root.push(matte(&name));
        materials.push((name, material));
    }
    materials
}

/// The largest mip level of a skin's image. `None` if it has no texels.
fn pixels(image: &Image) -> Option<Pixels> {
    let (width, height) = (image.width(), image.height());
    let texels = image.data.as_ref()?.get(..4 * (width * height) as usize)?;
    Some(Pixels {
        width,
        height,
        rgba: texels.to_vec(),
    })
}

fn add_mesh(
    document: &mut Document,
    (name, root): (&str, Index<gltf_json::Node>),
    model: &ConvertedMdl,
    data: &MeshData,
    materials: &[(String, Index<Material>)],
    loops: Loops,
) -> MorphNodes {
    // The index in the file of each vertex of the mesh.
    let vertices: Vec<[f32; 2]> = values(&model.mesh, Mesh::ATTRIBUTE_UV_1);
    let vertices: Vec<u32> = vertices.iter().map(|[index, _]| *index as u32).collect();
    let targets: Vec<Target> = (0..model.poses.pose_count())
        .map(|pose| target(&model.poses, pose, &vertices, data))
        .collect();
    let first = materials.first().map(|(_, material)| *material);
    let mut primitive = data.primitive(document, first);
    if materials.len() > 1 {
        let mut mappings = Vec::new();
        for (name, material) in materials {
            let variant = document.push_extension(VARIANTS, "variants", json!({ "name": name }));
            mappings.push(json!({ "material": material.value(), "variants": [variant] }));
        }
        let extensions = primitive.extensions.get_or_insert_default();
        let mappings = json!({ "mappings": mappings });
        extensions.others.insert(VARIANTS.to_owned(), mappings);
    }
    let names = model.pose_names.iter().map(|name| (&**name, None));
    let morph = Morph {
        name,
        node_name: &format!("{name} mesh"),
        primitive,
        targets: &targets,
        target_names: &document::unique(&names.collect::<Vec<_>>()),
        rest: None,
        clips: model.clips.iter().map(|clip| keys(clip, loops)).collect(),
    };
    morph.add(document, |document, node| {
        document.add_node(Some(root), node)
    })
}

fn target(poses: &MdlPoses, pose: u32, vertices: &[u32], data: &MeshData) -> Target {
    let vertices = vertices
        .iter()
        .zip(data.positions.iter().zip(&data.normals));
    let moved = vertices.map(|(vertex, (position, normal))| {
        let (moved, turned) = poses.vertex(pose, *vertex);
        let [position, normal] = [position, normal].map(|it| Vec3::from_array(*it));
        ((moved - position).to_array(), (turned - normal).to_array())
    });
    let (positions, normals) = moved.unzip();
    Target { positions, normals }
}

/// The keys of a clip. The last key of a loop is the first pose again. Other clips end with their last pose.
fn keys(clip: &MdlClip, loops: Loops) -> Keys<usize> {
    let sequence = &clip.sequence;
    let is_loop = match loops {
        Loops::Names => sequence.is_group || is_loop(&clip.name),
        Loops::All => true,
        Loops::None => false,
    };
    let mut times = Vec::new();
    let mut values = Vec::new();
    for pose in 0..sequence.pose_count {
        times.push(sequence.timing.begin(pose));
        values.push((sequence.first_pose + pose) as usize);
    }
    let end = sequence.seconds();
    if times.last().is_some_and(|last| *last < end) {
        let last = if is_loop { 0 } else { values.len() - 1 };
        times.push(end);
        values.extend(values.get(last).copied());
    }
    Keys {
        times,
        values,
        steps: false,
    }
}

/// The header's values, which games use, and what the way back needs.
fn header(model: &ConvertedMdl, scale: f32) -> Value {
    let header = &model.header;
    let groups = model.skins.iter().enumerate();
    let groups = groups.filter_map(|(index, skin)| {
        let timing = skin.timing.as_ref()?;
        let times: Vec<f32> = (0..skin.images.len() as u32)
            .map(|image| timing.end(image))
            .collect();
        Some(json!({ "skin": index, "times": times }))
    });
    let names: Vec<(&str, Option<&str>)> =
        model.clips.iter().map(|clip| (&*clip.name, None)).collect();
    let clips = document::unique(&names).into_iter().zip(&model.clips);
    let clips = clips.map(|(name, clip)| {
        let sequence = &clip.sequence;
        let mut values = json!({ "first": sequence.first_pose });
        if sequence.is_group {
            let poses = 0..sequence.pose_count;
            let times: Vec<f32> = poses.map(|pose| sequence.timing.end(pose)).collect();
            values["times"] = json!(times);
        }
        (name, values)
    });
    json!({
        "format": "mdl",
        "flags": header.flags,
        "synctype": header.sync_type,
        "eyePosition": header.eye_position,
        "skinGroups": groups.collect::<Vec<_>>(),
        "metersPerUnit": scale,
        "grid": { "scale": header.scale, "origin": header.origin },
        "clips": clips.collect::<Map<String, Value>>(),
    })
}
