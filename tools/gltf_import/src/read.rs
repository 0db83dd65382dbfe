//! Reads glTF files: the container, external buffers, and everything of a scene, with all indices checked.

use crate::accessor::Arrays;
use crate::animation::{Animation, Channel, Interpolation, Property};
use crate::error::{At, Error, Result};
use crate::json::{self, Object, Root};
use crate::scene::{
    Image, Lod, Material, Mesh, Node, Primitive, Scene, Skin, Target, TextureRef, Transform,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{Mat4, Quat, Vec3};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// The extensions that are read or without effect on what is. Files that require others are refused.
const EXTENSIONS: [&str; 8] = [
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_materials_specular",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_mesh_quantization",
    VISIBILITY,
    "KHR_texture_transform",
];

const VISIBILITY: &str = "KHR_node_visibility";

/// The maximum count of vertices of all nodes.
const MAX_VERTICES: usize = 1 << 24;

/// Reads an external file by its path, which is relative to the folder of the glTF file and does not lead out of it.
pub type ReadFile<'a> = dyn Fn(&str) -> core::result::Result<Vec<u8>, String> + 'a;

impl Scene {
    /// Reads a `.glb` or `.gltf` file. `read_file` reads the external files that it names.
    ///
    /// # Errors
    /// If the file is damaged, requires an extension that is not supported, or an external file cannot be read.
    pub fn read(bytes: &[u8], read_file: &ReadFile<'_>) -> core::result::Result<Self, Error> {
        let (json, binary) = chunks(bytes)?;
        let root: Root = serde_json::from_slice(json)
            .map_err(|error| Error::new(format_args!("JSON: {error}")))?;
        if !root.asset.version.starts_with("2.") {
            let version = &root.asset.version;
            return Err(Error::new(format_args!(
                "glTF version {version:?}; expected 2.0"
            )));
        }
        let mut required = root.extensions_required.iter();
        if let Some(name) = required.find(|name| !EXTENSIONS.contains(&name.as_str())) {
            return Err(Error::new(format_args!(
                "the file requires {name}, which is not supported"
            )));
        }
        let buffers = buffers(&root, binary, read_file)?;
        let arrays = Arrays::new(&root, &buffers, bytes.len());
        Reader {
            root: &root,
            arrays,
            read_file,
            warnings: Vec::new(),
        }
        .scene()
    }
}

/// The JSON of a file, and the binary chunk of a `.glb` file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>)> {
    let Some(body) = bytes.strip_prefix(b"glTF") else {
        return match bytes.trim_ascii_start().first() {
            Some(b'{') | Some(0xEF) => {
                Ok((bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes), None))
            }
            _ => Err(Error::new(
                "not a glTF file: expected the first bytes `glTF` or JSON",
            )),
        };
    };
    let word = |at: usize| {
        let bytes = body.get(at..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    match word(0) {
        Some(2) => {}
        Some(version) => {
            return Err(Error::new(format_args!(
                "glTF container version {version}; expected 2"
            )));
        }
        None => return Err(Error::new("the file ends in its header")),
    }
    // After the version and the length of the file.
    let chunk = |at: usize, kind: &[u8; 4]| {
        let length = word(at)? as usize;
        let start = at + 8;
        let is_kind = body.get(at + 4..start) == Some(kind);
        let end = start.checked_add(length)?;
        body.get(start..end)
            .filter(|_| is_kind)
            .map(|chunk| (chunk, end))
    };
    let (json, end) =
        chunk(8, b"JSON").ok_or_else(|| Error::new("the JSON chunk is not complete"))?;
    let binary = chunk(end.next_multiple_of(4), b"BIN\0").map(|(chunk, _)| chunk);
    Ok((json, binary))
}

fn buffers(root: &Root, binary: Option<&[u8]>, read_file: &ReadFile<'_>) -> Result<Vec<Vec<u8>>> {
    let mut uris = HashSet::new();
    let buffer = |(index, buffer): (usize, &json::Buffer)| {
        let bytes = match &buffer.uri {
            Some(uri) if !uri.starts_with("data:") && !uris.insert(uri.clone()) => {
                Err(Error::new("another buffer has the same uri"))
            }
            Some(uri) => resource(uri, read_file),
            None if index == 0 => {
                let binary = binary.map(<[u8]>::to_vec);
                binary.ok_or_else(|| Error::new("the file has no complete binary chunk"))
            }
            None => Err(Error::new("no uri")),
        };
        let bytes = bytes.and_then(|bytes| match buffer.byte_length {
            expected if bytes.len() < expected => {
                let found = bytes.len();
                Err(Error::new(format_args!(
                    "{found} bytes instead of {expected}"
                )))
            }
            _ => Ok(bytes),
        });
        bytes.at(format_args!("buffers[{index}]"))
    };
    root.buffers.iter().enumerate().map(buffer).collect()
}

/// The bytes of a data URI, or of an external file.
fn resource(uri: &str, read_file: &ReadFile<'_>) -> Result<Vec<u8>> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, data) = data
            .split_once(";base64,")
            .ok_or_else(|| Error::new("a data URI that is not base64"))?;
        return STANDARD
            .decode(data)
            .map_err(|error| Error::new(format_args!("data URI: {error}")));
    }
    let path = percent_decode_str(uri)
        .decode_utf8_lossy()
        .replace('\\', "/");
    let is_outside = path.starts_with('/')
        || path.contains(':')
        || path
            .split('/')
            .any(|name| name == ".." || name.contains('\0'));
    if is_outside || path.is_empty() {
        return Err(Error::new(format_args!(
            "{uri:?} is not a path inside of the file's folder"
        )));
    }
    read_file(&path).map_err(|error| Error::new(format_args!("{path}: {error}")))
}

struct Reader<'a> {
    root: &'a Root,
    arrays: Arrays<'a>,
    read_file: &'a ReadFile<'a>,
    warnings: Vec<String>,
}

impl Reader<'_> {
    fn scene(mut self) -> Result<Scene> {
        let root = self.root;
        let meshes = root.meshes.iter().enumerate();
        let meshes =
            meshes.map(|(index, mesh)| self.mesh(mesh).at(format_args!("meshes[{index}]")));
        let meshes = meshes.collect::<Result<Vec<_>>>()?;
        let (nodes, indices) = nodes(root, &meshes)?;
        let skins = root.skins.iter().enumerate();
        let skins =
            skins.map(|(index, skin)| self.skin(skin, &indices).at(format_args!("skins[{index}]")));
        let skins = skins.collect::<Result<Vec<_>>>()?;
        let animations = root.animations.iter().enumerate();
        let animations = animations.map(|(index, animation)| {
            self.animation(index, animation, &nodes, &indices)
                .at(format_args!("animations[{index}]"))
        });
        let animations = animations.collect::<Result<Vec<_>>>()?;
        let materials = root.materials.iter().enumerate();
        let materials =
            materials.map(|(index, it)| material(root, it).at(format_args!("materials[{index}]")));
        let materials = materials.collect::<Result<Vec<_>>>()?;
        let images = root.images.iter().enumerate();
        let images =
            images.map(|(index, image)| self.image(image).at(format_args!("images[{index}]")));
        let images = images.collect::<Result<Vec<_>>>()?;
        let variants = root.extensions.get("KHR_materials_variants");
        let variants = variants.and_then(|it| it.get("variants")?.as_array());
        let name = |variant: &Value| {
            variant
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Ok(Scene {
            variants: variants.into_iter().flatten().map(name).collect(),
            nodes,
            meshes,
            skins,
            animations,
            materials,
            images,
            warnings: self.warnings,
        })
    }

    fn mesh(&mut self, mesh: &json::Mesh) -> Result<Mesh> {
        let mut primitives = Vec::new();
        for (index, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("primitives[{index}]");
            match primitive.mode.unwrap_or(4) {
                4..=6 => primitives.push(self.primitive(primitive).at(place)?),
                _ => self.warnings.push(format!(
                    "mesh {:?}: points and lines are left out",
                    mesh.name
                )),
            }
        }
        let names = mesh.extras.get("targetNames").and_then(Value::as_array);
        let name = |name: &Value| name.as_str().unwrap_or_default().to_owned();
        Ok(Mesh {
            primitives,
            target_names: names.into_iter().flatten().map(name).collect(),
        })
    }

    fn primitive(&mut self, primitive: &json::Primitive) -> Result<Primitive> {
        let attributes = &primitive.attributes;
        let positions = attributes
            .get("POSITION")
            .ok_or_else(|| Error::new("no positions"))?;
        let positions = self.arrays.read(*positions, None).at("POSITION")?;
        let count = positions.len();
        if let Some(index) = positions
            .iter()
            .flatten()
            .position(|value: &f32| !value.is_finite())
        {
            let vertex = index / 3;
            return Err(Error::new(format_args!(
                "the position of vertex {vertex} is not finite"
            )));
        }
        let mut uvs = Vec::new();
        while let Some(set) = attributes.get(&format!("TEXCOORD_{}", uvs.len())) {
            uvs.push(self.arrays.read(*set, Some(count)).at("TEXCOORD")?);
        }
        let targets = primitive.targets.iter().enumerate();
        let targets = targets.map(|(index, target)| {
            let place = format!("targets[{index}]");
            Ok(Target {
                positions: self.optional(target, "POSITION", count).at(&place)?,
                normals: self.optional(target, "NORMAL", count).at(&place)?,
            })
        });
        let targets = targets.collect::<Result<_>>()?;
        let joints = match attributes.get("JOINTS_0") {
            Some(joints) => self.arrays.read(*joints, Some(count)).at("JOINTS_0")?,
            None => Vec::new(),
        };
        if attributes.contains_key("JOINTS_1") {
            self.warnings
                .push("more than four joints per vertex: the first four are used".to_owned());
        }
        Ok(Primitive {
            normals: self.optional(attributes, "NORMAL", count)?,
            tangents: self.optional(attributes, "TANGENT", count)?,
            colors: self.colors(attributes, count)?,
            uvs,
            joints,
            weights: self.optional(attributes, "WEIGHTS_0", count)?,
            triangles: self.triangles(primitive, count)?,
            material: checked(primitive.material, self.root.materials.len(), "material")?,
            variants: variants(&primitive.extensions, self.root.materials.len())?,
            targets,
            positions,
        })
    }

    /// An attribute. Empty if it does not exist.
    fn optional<const N: usize>(
        &mut self,
        attributes: &BTreeMap<String, usize>,
        name: &str,
        count: usize,
    ) -> Result<Vec<[f32; N]>> {
        match attributes.get(name) {
            Some(index) => self.arrays.read(*index, Some(count)).at(name),
            None => Ok(Vec::new()),
        }
    }

    /// The colors of vertices, which may have no alpha.
    fn colors(
        &mut self,
        attributes: &BTreeMap<String, usize>,
        count: usize,
    ) -> Result<Vec<[f32; 4]>> {
        let name = "COLOR_0";
        let Some(index) = attributes.get(name) else {
            return Ok(Vec::new());
        };
        let is_opaque = self
            .root
            .accessors
            .get(*index)
            .is_some_and(|it| it.kind == "VEC3");
        if !is_opaque {
            return self.arrays.read(*index, Some(count)).at(name);
        }
        let colors = self.arrays.read::<f32, 3>(*index, Some(count)).at(name)?;
        Ok(colors
            .into_iter()
            .map(|[red, green, blue]| [red, green, blue, 1.0])
            .collect())
    }

    fn triangles(&mut self, primitive: &json::Primitive, count: usize) -> Result<Vec<[u32; 3]>> {
        let indices: Vec<u32> = match primitive.indices {
            Some(indices) => {
                let indices = self.arrays.read::<u32, 1>(indices, None).at("indices")?;
                indices.into_iter().flatten().collect()
            }
            None => (0..count as u32).collect(),
        };
        if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
            return Err(Error::new(format_args!(
                "vertex index {index}, but there are {count} vertices"
            )));
        }
        let triple = |at: usize| indices.get(at..)?.first_chunk::<3>().copied();
        let triangles = match primitive.mode.unwrap_or(4) {
            5 => (0..indices.len().saturating_sub(2))
                .filter_map(|at| {
                    let [a, b, c] = triple(at)?;
                    Some(if at % 2 == 0 { [a, b, c] } else { [b, a, c] })
                })
                .collect(),
            6 => (1..indices.len().saturating_sub(1))
                .filter_map(|at| {
                    let [b, c] = indices.get(at..)?.first_chunk::<2>().copied()?;
                    Some([*indices.first()?, b, c])
                })
                .collect(),
            _ => indices.as_chunks().0.to_vec(),
        };
        Ok(triangles)
    }

    fn skin(&mut self, skin: &json::Skin, indices: &[Option<usize>]) -> Result<Skin> {
        let joint = |joint: &usize| {
            let index = indices.get(*joint).copied().flatten();
            index
                .ok_or_else(|| Error::new(format_args!("joint {joint} is not a node of the scene")))
        };
        let joints = skin.joints.iter().map(joint).collect::<Result<Vec<_>>>()?;
        let inverse_bind_matrices = match skin.inverse_bind_matrices {
            Some(index) => {
                let matrices = self.arrays.read::<f32, 16>(index, Some(joints.len()));
                let matrices = matrices.at("inverseBindMatrices")?;
                matrices.iter().map(Mat4::from_cols_array).collect()
            }
            None => vec![Mat4::IDENTITY; joints.len()],
        };
        Ok(Skin {
            joints,
            inverse_bind_matrices,
        })
    }

    fn animation(
        &mut self,
        index: usize,
        animation: &json::Animation,
        nodes: &[Node],
        indices: &[Option<usize>],
    ) -> Result<Animation> {
        let name = match animation.name.as_str() {
            "" => format!("animation{}", index + 1),
            name => name.to_owned(),
        };
        let mut channels = Vec::new();
        for (at, channel) in animation.channels.iter().enumerate() {
            let place = format!("channels[{at}]");
            // Others are of extensions that are not read, or of nodes outside of the scene: they have no effect.
            let Some((node, property)) = target(&channel.target) else {
                continue;
            };
            let Some(node) = indices.get(node).copied().flatten() else {
                continue;
            };
            let sampler = animation.samplers.get(channel.sampler);
            let sampler =
                sampler.ok_or_else(|| Error::new(format_args!("no sampler {}", channel.sampler)));
            let width = match property {
                Property::Rotation => 4,
                Property::Translation | Property::Scale => 3,
                Property::Visibility => 1,
                Property::Weights => nodes.get(node).map_or(0, |node| node.weights.len()),
            };
            if width == 0 {
                continue;
            }
            let sampler = sampler.at(&place)?;
            channels.push(self.channel(sampler, node, property, width).at(&place)?);
        }
        Ok(Animation { name, channels })
    }

    fn channel(
        &mut self,
        sampler: &json::Sampler,
        node: usize,
        property: Property,
        width: usize,
    ) -> Result<Channel> {
        let times: Vec<f32> = self
            .arrays
            .read::<f32, 1>(sampler.input, None)
            .at("times")?
            .into_flattened();
        let interpolation = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::CubicSpline,
            Some(other) => return Err(Error::new(format_args!("unknown interpolation {other:?}"))),
        };
        let is_increasing =
            times.is_sorted_by(|a, b| a < b) && times.iter().all(|time| time.is_finite());
        if times.is_empty() || !is_increasing {
            return Err(Error::new("the times of the keys must increase"));
        }
        let values = match property {
            Property::Translation | Property::Scale => self
                .arrays
                .read::<f32, 3>(sampler.output, None)
                .at("values")?
                .into_flattened(),
            Property::Rotation => self
                .arrays
                .read::<f32, 4>(sampler.output, None)
                .at("values")?
                .into_flattened(),
            Property::Weights | Property::Visibility => self
                .arrays
                .read::<f32, 1>(sampler.output, None)
                .at("values")?
                .into_flattened(),
        };
        let per_key = match interpolation {
            Interpolation::CubicSpline => 3 * width,
            _ => width,
        };
        let (found, expected) = (values.len(), times.len().saturating_mul(per_key));
        if found != expected {
            return Err(Error::new(format_args!(
                "{found} values of keys instead of {expected}"
            )));
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(Error::new("a value of a key is not finite"));
        }
        Ok(Channel {
            node,
            property,
            interpolation,
            times,
            values,
            width,
        })
    }

    fn image(&mut self, image: &json::Image) -> Result<Image> {
        let bytes = match (image.buffer_view, &image.uri) {
            (Some(view), _) => self.arrays.copy(view)?,
            (None, Some(uri)) => resource(uri, self.read_file)?,
            (None, None) => return Err(Error::new("neither a buffer view nor a uri")),
        };
        Ok(Image {
            name: image.name.clone(),
            bytes,
        })
    }
}

/// The node and the property of a channel, also by a pointer of `KHR_animation_pointer`: `/nodes/0/scale`.
fn target(target: &json::Target) -> Option<(usize, Property)> {
    let (node, path) = match target.path.as_str() {
        "pointer" => {
            let pointer = target
                .extensions
                .get("KHR_animation_pointer")?
                .get("pointer")?;
            let (node, path) = pointer.as_str()?.strip_prefix("/nodes/")?.split_once('/')?;
            (node.parse().ok()?, path)
        }
        path => (target.node?, path),
    };
    let property = match path {
        "translation" => Property::Translation,
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        "weights" => Property::Weights,
        "extensions/KHR_node_visibility/visible" => Property::Visibility,
        _ => return None,
    };
    Some((node, property))
}

/// The nodes of the default scene, parents first, and their indices by those of the file. Skinned meshes of a converted Alamo model
/// that are hidden at rest are outside of the scene, because a scale of 0 would not hide them.
fn nodes(root: &Root, meshes: &[Mesh]) -> Result<(Vec<Node>, Vec<Option<usize>>)> {
    let scene = checked(root.scene, root.scenes.len(), "scene")?;
    let scene = scene.or_else(|| (!root.scenes.is_empty()).then_some(0));
    let roots: Vec<usize> = match scene.and_then(|scene| root.scenes.get(scene)) {
        Some(scene) => scene.nodes.clone(),
        // Without scenes, all nodes without a parent.
        None => {
            let children: HashSet<usize> = root
                .nodes
                .iter()
                .flat_map(|node| node.children.iter().copied())
                .collect();
            (0..root.nodes.len())
                .filter(|node| !children.contains(node))
                .collect()
        }
    };
    let mut nodes: Vec<Node> = Vec::new();
    let mut indices = vec![None; root.nodes.len()];
    // The levels that are no children have the parents of their finest levels.
    let children: HashSet<usize> = root
        .nodes
        .iter()
        .flat_map(|node| node.children.iter().copied())
        .collect();
    let mut placed: HashSet<usize> = root.nodes.iter().flat_map(levels).collect();
    placed.extend(&children);
    placed.extend(&roots);
    placed.extend(root.scenes.iter().flat_map(|scene| &scene.nodes));
    let is_outside = |index: usize, node: &json::Node| {
        !placed.contains(&index) && node.skin.is_some() && node.extras.get("parentBone").is_some()
    };
    let outside = root.nodes.iter().enumerate();
    let outside = outside.filter(|(index, node)| is_outside(*index, node));
    let outside: Vec<usize> = outside.map(|(index, _)| index).collect();
    let mut queued = HashSet::new();
    // Nodes to visit, with their parents in the result. The last is next.
    let all = roots.iter().chain(&outside).rev();
    let mut left: Vec<(usize, Option<usize>)> = all.map(|it| (*it, None)).collect();
    while let Some((index, parent)) = left.pop() {
        let place = || format!("nodes[{index}]");
        let node = root.nodes.get(index);
        let node = node.ok_or_else(|| Error::new("does not exist").at(place()))?;
        let new = nodes.len();
        match indices.get_mut(index) {
            Some(slot @ None) => *slot = Some(new),
            _ => return Err(Error::new("has two parents").at(place())),
        }
        let levels =
            levels(node).filter(|level| !children.contains(level) && queued.insert(*level));
        let levels: Vec<usize> = levels.collect();
        left.extend(levels.into_iter().rev().map(|level| (level, parent)));
        left.extend(node.children.iter().rev().map(|child| (*child, Some(new))));
        nodes.push(read_node(root, node, parent, meshes).at(place())?);
    }
    for index in outside {
        let node = indices
            .get(index)
            .copied()
            .flatten()
            .and_then(|it| nodes.get_mut(it));
        if let Some(node) = node {
            node.is_coarse = true;
            node.transform.visible = false;
        }
    }
    mark_levels(root, &indices, &mut nodes);
    check_vertices(&nodes, meshes)?;
    Ok((nodes, indices))
}

/// Checks the count of vertices of all nodes: many nodes can have the same mesh.
fn check_vertices(nodes: &[Node], meshes: &[Mesh]) -> Result<()> {
    let of_mesh = |mesh: &Mesh| {
        mesh.primitives
            .iter()
            .map(|it| it.positions.len())
            .sum::<usize>()
    };
    let counts: Vec<usize> = meshes.iter().map(of_mesh).collect();
    let counts = nodes.iter().filter_map(|node| counts.get(node.mesh?));
    let count = counts.fold(0_usize, |sum, count| sum.saturating_add(*count));
    match count > MAX_VERTICES {
        true => Err(Error::new(format_args!(
            "{count} vertices; at most {MAX_VERTICES} are supported"
        ))),
        false => Ok(()),
    }
}

/// The coarser levels of detail of a node.
fn levels(node: &json::Node) -> impl Iterator<Item = usize> {
    let levels = node
        .extensions
        .get("MSFT_lod")
        .and_then(|it| it.get("ids")?.as_array());
    let levels = levels.into_iter().flatten();
    levels.filter_map(|level| Some(level.as_u64()? as usize))
}

/// Marks the levels of detail, and what is below them.
fn mark_levels(root: &Root, indices: &[Option<usize>], nodes: &mut [Node]) {
    let found = |index: usize| indices.get(index).copied().flatten();
    for (index, node) in root.nodes.iter().enumerate() {
        let Some(finest) = found(index).filter(|_| levels(node).next().is_some()) else {
            continue;
        };
        if let Some(node) = nodes.get_mut(finest) {
            let lod = Lod {
                level: 0,
                finest: None,
            };
            node.lod.get_or_insert(lod);
        }
        for (level, index) in (1..).zip(levels(node)) {
            if let Some(node) = found(index).and_then(|index| nodes.get_mut(index)) {
                node.is_coarse = true;
                node.lod = Some(Lod {
                    level,
                    finest: Some(finest),
                });
            }
        }
    }
    for index in 0..nodes.len() {
        let parent = nodes.get(index).and_then(|node| nodes.get(node.parent?));
        let Some((is_coarse, lod)) = parent.map(|parent| (parent.is_coarse, parent.lod)) else {
            continue;
        };
        if let Some(node) = nodes.get_mut(index) {
            node.is_coarse |= is_coarse;
            node.lod = node.lod.or(lod.map(|lod| Lod {
                finest: None,
                ..lod
            }));
        }
    }
}

fn read_node(
    root: &Root,
    node: &json::Node,
    parent: Option<usize>,
    meshes: &[Mesh],
) -> Result<Node> {
    let mesh = checked(node.mesh, root.meshes.len(), "mesh")?;
    let targets = mesh.and_then(|mesh| meshes.get(mesh));
    let targets = targets
        .and_then(|mesh| mesh.primitives.first())
        .map_or(0, |it| it.targets.len());
    let stated = mesh.and_then(|mesh| root.meshes.get(mesh)?.weights.clone());
    let mut weights = node.weights.clone().or(stated).unwrap_or_default();
    weights.resize(targets, 0.0);
    let visible = node
        .extensions
        .get(VISIBILITY)
        .and_then(|it| it.get("visible"));
    let visible = visible.and_then(Value::as_bool).unwrap_or(true);
    let transform = match &node.matrix {
        Some(matrix) => {
            let (scale, rotation, translation) =
                Mat4::from_cols_array(matrix).to_scale_rotation_translation();
            Transform {
                translation,
                rotation,
                scale,
                visible,
            }
        }
        None => Transform {
            visible,
            translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
            rotation: node
                .rotation
                .map_or(Quat::IDENTITY, |it| Quat::from_array(it).normalize()),
            scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
        },
    };
    let Transform {
        translation,
        rotation,
        scale,
        ..
    } = &transform;
    if !(translation.is_finite() && rotation.is_finite() && scale.is_finite()) {
        return Err(Error::new("the transform is not finite"));
    }
    Ok(Node {
        name: node.name.clone(),
        parent,
        transform,
        mesh,
        skin: checked(node.skin, root.skins.len(), "skin")?,
        weights,
        is_coarse: false,
        lod: None,
        light: light(root, node),
        extras: node.extras.as_object().cloned().unwrap_or_default(),
    })
}

/// The light of a node.
fn light(root: &Root, node: &json::Node) -> Option<Value> {
    let name = "KHR_lights_punctual";
    let index = node.extensions.get(name)?.get("light")?.as_u64()?;
    root.extensions
        .get(name)?
        .get("lights")?
        .get(index as usize)
        .cloned()
}

/// The materials of the variants of a primitive.
fn variants(extensions: &Object, materials: usize) -> Result<BTreeMap<usize, usize>> {
    let mappings = extensions.get("KHR_materials_variants");
    let mappings = mappings.and_then(|it| it.get("mappings")?.as_array());
    let mut variants = BTreeMap::new();
    for mapping in mappings.into_iter().flatten() {
        let material = mapping
            .get("material")
            .and_then(Value::as_u64)
            .map(|it| it as usize);
        let Some(material) = checked(material, materials, "material")? else {
            continue;
        };
        let of = mapping
            .get("variants")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        variants.extend(
            of.filter_map(Value::as_u64)
                .map(|variant| (variant as usize, material)),
        );
    }
    Ok(variants)
}

fn material(root: &Root, material: &json::Material) -> Result<Material> {
    let pbr = &material.pbr_metallic_roughness;
    let texture = |info: &Option<json::TextureInfo>| {
        let info = info.as_ref().map(|info| texture(root, info));
        info.transpose().map(Option::flatten)
    };
    Ok(Material {
        name: material.name.clone(),
        extras: material.extras.as_object().cloned().unwrap_or_default(),
        is_blended: material.alpha_mode.as_deref() == Some("BLEND"),
        base_color: pbr.base_color_factor.unwrap_or([1.0; 4]),
        base_texture: texture(&pbr.base_color_texture).at("baseColorTexture")?,
        emissive: material.emissive_factor.unwrap_or_default(),
        normal_texture: texture(&material.normal_texture).at("normalTexture")?,
        emissive_texture: texture(&material.emissive_texture).at("emissiveTexture")?,
        cutoff: match material.alpha_mode.as_deref() {
            Some("MASK") => Some(material.alpha_cutoff.unwrap_or(0.5)),
            Some("BLEND") => Some(0.5),
            _ => None,
        },
    })
}

/// A texture. `None` if it has no image that is read.
fn texture(root: &Root, info: &json::TextureInfo) -> Result<Option<TextureRef>> {
    let texture = checked(Some(info.index), root.textures.len(), "texture")?;
    let source = texture.and_then(|texture| root.textures.get(texture)?.source);
    let Some(image) = checked(source, root.images.len(), "image")? else {
        return Ok(None);
    };
    let transform = info.extensions.get("KHR_texture_transform");
    let number = |value: &Value| value.as_f64().unwrap_or_default() as f32;
    let pair = |name: &str, default: f32| {
        let values = transform.and_then(|it| it.get(name)?.as_array());
        let mut values = values.into_iter().flatten().map(number);
        [
            values.next().unwrap_or(default),
            values.next().unwrap_or(default),
        ]
    };
    /// The value of `CLAMP_TO_EDGE`; other values repeat.
    const CLAMP: u32 = 33071;
    let sampler = texture.and_then(|texture| root.textures.get(texture)?.sampler);
    let sampler = checked(sampler, root.samplers.len(), "sampler")?;
    let sampler = sampler.and_then(|sampler| root.samplers.get(sampler));
    let wrap = sampler.map_or([None; 2], |sampler| [sampler.wrap_s, sampler.wrap_t]);
    let set = transform.and_then(|it| it.get("texCoord")?.as_u64());
    Ok(Some(TextureRef {
        image,
        set: set.map_or(info.tex_coord, |set| set as usize),
        offset: pair("offset", 0.0),
        rotation: transform
            .and_then(|it| it.get("rotation"))
            .map_or(0.0, number),
        scale: pair("scale", 1.0),
        wrap: wrap.map(|wrap| wrap != Some(CLAMP)),
    }))
}

/// Checks that an index is less than a count.
fn checked(index: Option<usize>, count: usize, what: &str) -> Result<Option<usize>> {
    match index {
        Some(index) if index >= count => Err(Error::new(format_args!(
            "{what} {index} does not exist: there are {count}"
        ))),
        index => Ok(index),
    }
}
