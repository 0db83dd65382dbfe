//! Makes models of UFO: Aftermath: a mesh for each primitive of the finest level of detail, at rest.

use crate::error::{Error, Result};
use crate::image_data::{Pixels, TextureFiles};
use crate::json::Object;
use crate::pose::Vertices;
use crate::scene::{Material, Node, Scene, TextureRef, numbers};
use classic_model_formats::lgw::{
    AlphaMode, Group, GroupKind, LgwFile, Material as LgwMaterial, Mesh, TexGen, TexGenKind,
    Texture, TextureMode, Vertices as LgwVertices,
};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// A model that was made.
#[derive(Debug)]
pub struct Converted {
    /// The model.
    pub file: LgwFile<'static>,
    /// The textures of new materials, by the names of their files: `hull.tga`.
    pub textures: BTreeMap<String, Pixels>,
    /// Warnings about values that were left out or changed.
    pub warnings: Vec<String>,
}

/// Makes a model of all meshes of a scene. Axes stay; V points up in the file.
///
/// `name` is the name of the model, unless the scene is of a converted model. `scale` is the count of meters per unit of the
/// model: `None` is the value in the `extras` of a converted model, otherwise 1.
///
/// # Errors
/// If the scene has no meshes, or an image cannot be decoded.
pub fn convert(
    scene: &Scene,
    name: &str,
    scale: Option<f32>,
) -> core::result::Result<Converted, Error> {
    let mut textures = TextureFiles::default();
    let ids = ids(&scene.materials);
    let mut materials: Vec<_> = scene.materials.iter().zip(&ids).collect();
    materials.sort_by_key(|(material, _)| index(&material.extras, "index"));
    let materials = materials.into_iter();
    let materials =
        materials.map(|(material, id)| lgw_material(scene, material, *id, &mut textures));
    let file = LgwFile {
        name: text(scene.extra("lgw", "name")).unwrap_or_else(|| name.to_owned().into()),
        version: Some(
            scene
                .extra("lgw", "exportVersion")
                .and_then(Value::as_i64)
                .unwrap_or(4),
        ),
        source: text(scene.extra("lgw", "sourceFile")),
        materials: materials.collect::<Result<_>>()?,
        meshes: meshes(scene, &ids, scale),
        warnings: Vec::new(),
    };
    if file.meshes.is_empty() {
        return Err(Error::new("the scene has no meshes"));
    }
    Ok(Converted {
        file,
        textures: textures.files,
        warnings: scene.warnings.clone(),
    })
}

/// The index of a material or mesh in a converted model. Others are last.
fn index(extras: &Object, name: &str) -> u64 {
    extras.get(name).and_then(Value::as_u64).unwrap_or(u64::MAX)
}

fn text(value: Option<&Value>) -> Option<Cow<'static, str>> {
    Some(value?.as_str()?.to_owned().into())
}

/// The numbers of materials: those of a converted model, and for others the first that are free.
fn ids(materials: &[Material]) -> Vec<i64> {
    let stated = |material: &Material| material.extras.get("id").and_then(Value::as_i64);
    let used: HashSet<i64> = materials.iter().filter_map(stated).collect();
    let mut free = (0..).filter(|id| !used.contains(id));
    let id = |material: &Material| stated(material).or_else(|| free.next()).unwrap_or_default();
    materials.iter().map(id).collect()
}

fn meshes(scene: &Scene, ids: &[i64], scale: Option<f32>) -> Vec<Mesh<'static>> {
    let units = 1.0 / scene.meters_per_unit("lgw", scale);
    let pose = scene.pose(None);
    let mut meshes = Vec::new();
    let nodes = scene.nodes.iter().enumerate().zip(scene.drawn());
    let nodes = nodes.filter_map(|(node, is_drawn)| is_drawn.then_some(node));
    let mut nodes: Vec<(usize, &Node)> = nodes.collect();
    nodes.sort_by_key(|(_, node)| index(&node.extras, "meshIndex"));
    for (node_index, node) in nodes {
        let name = node
            .extras
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or(&node.name);
        let empty = || Mesh {
            name: name.to_owned().into(),
            ..Mesh::default()
        };
        let Some(mesh) = node.mesh.and_then(|mesh| scene.meshes.get(mesh)) else {
            // Meshes without triangles, whose nodes a converted model marks.
            if node.extras.contains_key("meshIndex") {
                meshes.push(empty());
            }
            continue;
        };
        let world = pose.worlds.get(node_index).copied().unwrap_or_default();
        let is_mirrored = node.skin.is_none() && world.matrix3.determinant() < 0.0;
        for primitive in &mesh.primitives {
            let Vertices { positions, normals } =
                scene.vertices(&pose, node_index, node, primitive);
            let material = primitive
                .material
                .and_then(|material| scene.materials.get(material));
            let texture = material.and_then(|material| material.base_texture.as_ref());
            let uvs = primitive.uvs.get(texture.map_or(0, |texture| texture.set));
            let uv = |vertex: usize| {
                let uv = uvs
                    .and_then(|uvs| uvs.get(vertex))
                    .copied()
                    .unwrap_or_default();
                let [u, v] = texture.map_or(uv, |texture| texture.transformed(uv));
                [u, 1.0 - v]
            };
            let turn = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
            meshes.push(Mesh {
                material: primitive
                    .material
                    .and_then(|material| ids.get(material).copied()),
                groups: vec![Group {
                    id: 0,
                    kind: GroupKind::List,
                    indices: primitive
                        .triangles
                        .iter()
                        .flat_map(|it| turn(*it))
                        .collect(),
                }],
                vertices: LgwVertices {
                    uvs: (0..positions.len()).map(uv).collect(),
                    positions: positions
                        .into_iter()
                        .map(|it| (it * units).to_array())
                        .collect(),
                    normals: normals.into_iter().map(|it| it.to_array()).collect(),
                },
                ..empty()
            });
        }
    }
    meshes
}

/// A material: with the texture units of a converted model, otherwise with its base texture, which becomes a file.
fn lgw_material(
    scene: &Scene,
    material: &Material,
    id: i64,
    textures: &mut TextureFiles,
) -> Result<LgwMaterial<'static>> {
    let name = material
        .extras
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or(&material.name);
    let units = match material
        .extras
        .get("textureUnits")
        .and_then(Value::as_array)
    {
        Some(units) => units
            .iter()
            .zip(0..)
            .map(|(unit, number)| texture_unit(unit, number))
            .collect(),
        None => base_texture(scene, material, textures)?
            .into_iter()
            .collect(),
    };
    Ok(LgwMaterial {
        id,
        name: name.to_owned().into(),
        diffuse_color: numbers(material.extras.get("diffuseColor")),
        textures: units,
    })
}

/// A texture unit of a converted model.
fn texture_unit(unit: &Value, number: i64) -> Texture<'static> {
    let flag = |name: &str| unit.get(name).and_then(Value::as_bool);
    let wrap = |axis: usize| {
        unit.get("wrap")
            .and_then(|it| it.get(axis)?.as_bool())
            .unwrap_or(false)
    };
    let texgen = |axis: &str| {
        let generator = unit.get("coordinates").and_then(|it| it.get(axis));
        let kind = generator.and_then(|it| it.get("kind")?.as_str());
        let coefficient = generator.and_then(|it| it.get("coefficient")?.as_f64());
        let kinds = [
            TexGenKind::EyeLinear,
            TexGenKind::SphereMap,
            TexGenKind::ReflectionMap,
            TexGenKind::NormalMap,
        ];
        TexGen {
            kind: kinds.into_iter().find(|it| Some(it.keyword()) == kind),
            coefficient: coefficient.map_or(1.0, |it| it as f32),
        }
    };
    let modes = [
        TextureMode::Replace,
        TextureMode::Modulate,
        TextureMode::Decal,
        TextureMode::Blend,
        TextureMode::Add,
        TextureMode::Dot3Bump,
    ];
    let mode = unit.get("mode").and_then(Value::as_str);
    Texture {
        number: unit.get("number").and_then(Value::as_i64).unwrap_or(number),
        file: text(unit.get("file")),
        raw_image: false,
        wrap: [wrap(0), wrap(1)],
        alpha_mode: match unit.get("alphaBits").and_then(Value::as_i64) {
            Some(1) => AlphaMode::Mask,
            Some(8) => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        },
        mipmaps: flag("mipmaps").unwrap_or(true),
        mutable: flag("mutable").unwrap_or(false),
        cube_map: flag("cubeMap").unwrap_or(false),
        texgen: ["s", "t", "r"].map(texgen),
        mode: modes
            .into_iter()
            .find(|it| Some(it.keyword()) == mode)
            .unwrap_or_default(),
    }
}

/// The base texture of a material, which becomes a TGA file.
fn base_texture(
    scene: &Scene,
    material: &Material,
    textures: &mut TextureFiles,
) -> Result<Option<Texture<'static>>> {
    let Some(TextureRef { image, wrap, .. }) = &material.base_texture else {
        return Ok(None);
    };
    let file = textures.add(scene, *image, |_| ())?;
    Ok(Some(Texture {
        file: Some(file.into()),
        wrap: *wrap,
        alpha_mode: match (material.is_blended, material.cutoff) {
            (true, _) => AlphaMode::Blend,
            (false, Some(_)) => AlphaMode::Mask,
            (false, None) => AlphaMode::Opaque,
        },
        ..Texture::default()
    }))
}
