//! The content of a glTF file: plain values, whose indices are all valid.

use crate::animation::{Animation, Property};
use crate::error::{Error, Result};
use crate::json::Object;
use glam::{Affine3A, Mat4, Quat, Vec3};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The default scene of a glTF file. Y is up, models face +Z, and the unit is the meter.
#[derive(Debug)]
pub struct Scene {
    /// The nodes of the scene. Parents come before their children.
    pub(crate) nodes: Vec<Node>,
    pub(crate) meshes: Vec<Mesh>,
    pub(crate) skins: Vec<Skin>,
    pub(crate) animations: Vec<Animation>,
    pub(crate) materials: Vec<Material>,
    /// The encoded images.
    pub(crate) images: Vec<Image>,
    /// The names of the variants of materials (`KHR_materials_variants`).
    pub(crate) variants: Vec<String>,
    /// Warnings about content that was left out.
    pub(crate) warnings: Vec<String>,
}

/// A node of the scene.
#[derive(Debug)]
pub struct Node {
    pub name: String,
    pub parent: Option<usize>,
    pub transform: Transform,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    /// The weights of the morph targets at rest.
    pub weights: Vec<f32>,
    /// Whether it is a coarser level of detail of another node (`MSFT_lod`), or below one.
    pub is_coarse: bool,
    /// Its level of detail, or that of the node above.
    pub lod: Option<Lod>,
    /// A light of `KHR_lights_punctual`.
    pub light: Option<Value>,
    pub extras: Object,
}

/// A translation, rotation and scale relative to a parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
    /// `KHR_node_visibility`: if it is false, the meshes of the node and of all nodes below are hidden.
    pub visible: bool,
}

impl Transform {
    pub fn affine(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// The level of detail of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lod {
    /// 0 is the finest.
    pub level: usize,
    /// The node that has the node itself as a coarser level. `None` for the finest level, and for nodes below a level.
    pub finest: Option<usize>,
}

#[derive(Debug)]
pub struct Mesh {
    pub primitives: Vec<Primitive>,
    /// The names of the morph targets. Empty if they have none.
    pub target_names: Vec<String>,
}

/// Triangles with the same material. Optional attributes are empty if they do not exist.
#[derive(Debug)]
pub struct Primitive {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    /// Sets of texture coordinates, V downward.
    pub uvs: Vec<Vec<[f32; 2]>>,
    pub tangents: Vec<[f32; 4]>,
    /// Linear red, green and blue, and alpha.
    pub colors: Vec<[f32; 4]>,
    pub joints: Vec<[u32; 4]>,
    pub weights: Vec<[f32; 4]>,
    /// Vertex indices. Front faces are counterclockwise.
    pub triangles: Vec<[u32; 3]>,
    pub material: Option<usize>,
    /// The materials of variants.
    pub variants: BTreeMap<usize, usize>,
    pub targets: Vec<Target>,
}

impl Primitive {
    /// The count of vertices, and of their differences in all morph targets.
    pub fn posed_vertices(&self) -> usize {
        self.positions.len().saturating_mul(1 + self.targets.len())
    }
}

/// The differences of a morph target. Empty if it has none.
#[derive(Debug)]
pub struct Target {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
}

#[derive(Debug)]
pub struct Skin {
    pub joints: Vec<usize>,
    /// One per joint.
    pub inverse_bind_matrices: Vec<Mat4>,
}

#[derive(Debug)]
pub struct Material {
    pub name: String,
    /// Linear red, green and blue, and alpha.
    pub base_color: [f32; 4],
    pub base_texture: Option<TextureRef>,
    /// Linear red, green and blue.
    pub emissive: [f32; 3],
    pub emissive_texture: Option<TextureRef>,
    pub normal_texture: Option<TextureRef>,
    /// Alpha below this is a hole. `None` if alpha is ignored.
    pub cutoff: Option<f32>,
    /// Whether alpha blends with what is behind.
    pub is_blended: bool,
    pub extras: Object,
}

/// An image, and its coordinates on a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    pub image: usize,
    /// Index of the set of texture coordinates.
    pub set: usize,
    /// `KHR_texture_transform`: translation, rotation in radians, and scale.
    pub offset: [f32; 2],
    pub rotation: f32,
    pub scale: [f32; 2],
    /// Whether it repeats along U and V.
    pub wrap: [bool; 2],
}

impl TextureRef {
    /// Coordinates after `KHR_texture_transform`.
    pub fn transformed(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let [u, v] = [u * self.scale[0], v * self.scale[1]];
        let (sin, cos) = self.rotation.sin_cos();
        [
            cos * u + sin * v + self.offset[0],
            cos * v - sin * u + self.offset[1],
        ]
    }
}

#[derive(Debug)]
pub struct Image {
    pub name: String,
    /// A PNG or JPEG file.
    pub bytes: Vec<u8>,
}

impl Scene {
    /// Warnings about content that was left out when the file was read.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether any node has a mesh.
    pub fn has_meshes(&self) -> bool {
        self.nodes.iter().any(|node| node.mesh.is_some())
    }

    /// The animations with these names, in their order. Without names, all, in the order of a converted model: by `index`, and then
    /// the others.
    ///
    /// # Errors
    /// If there is no animation with a name.
    pub(crate) fn clips(
        &self,
        names: &[String],
        index: impl Fn(&Animation) -> Option<u64>,
    ) -> Result<Vec<&Animation>> {
        let mut animations: Vec<&Animation> = self.animations.iter().collect();
        if names.is_empty() {
            animations.sort_by_cached_key(|animation| index(animation).unwrap_or(u64::MAX));
            return Ok(animations);
        }
        self.check_names(names)?;
        let mut order: HashMap<&str, usize> = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            order.entry(name).or_insert(index);
        }
        let position = |animation: &&Animation| order.get(animation.name.as_str());
        animations.retain(|animation| position(animation).is_some());
        animations.sort_by_key(|animation| position(animation).copied());
        Ok(animations)
    }

    /// Checks that there is an animation with each name.
    pub(crate) fn check_names(&self, names: &[String]) -> Result<()> {
        let all: HashSet<&str> = self.animations.iter().map(|it| it.name.as_str()).collect();
        let Some(name) = names.iter().find(|name| !all.contains(name.as_str())) else {
            return Ok(());
        };
        let known: Vec<String> = self
            .animations
            .iter()
            .map(|it| format!("{:?}", it.name))
            .collect();
        let known = match known.is_empty() {
            true => "none".to_owned(),
            false => known.join(", "),
        };
        Err(Error::new(format_args!(
            "no animation {name:?}; the file has: {known}"
        )))
    }

    /// The transforms of all nodes at rest, each as visible as the nodes above.
    pub(crate) fn rest_transforms(&self) -> Vec<Transform> {
        let mut transforms: Vec<Transform> = self.nodes.iter().map(|node| node.transform).collect();
        self.inherit_visibility(&mut transforms);
        transforms
    }

    /// For each node, whether its mesh is drawn at rest, at the finest level of detail.
    pub(crate) fn drawn(&self) -> Vec<bool> {
        let rest = self.rest_transforms();
        let nodes = self.nodes.iter().zip(&rest);
        let drawn = nodes.map(|(node, it)| it.visible && !node.is_coarse);
        drawn.collect()
    }

    /// For each node, whether its mesh is drawn at rest or, unless it is skinned, whether an animation changes its visibility.
    pub(crate) fn ever_drawn(&self) -> Vec<bool> {
        let channels = self.animations.iter().flat_map(|it| &it.channels);
        let changing = channels.filter(|it| it.property == Property::Visibility);
        let mut changing: HashSet<usize> = changing.map(|it| it.node).collect();
        let mut drawn = self.drawn();
        for ((index, node), drawn) in self.nodes.iter().enumerate().zip(&mut drawn) {
            if node.parent.is_some_and(|it| changing.contains(&it)) {
                changing.insert(index);
            }
            *drawn |= changing.contains(&index) && node.skin.is_none() && !node.is_coarse;
        }
        drawn
    }

    /// Hides the transforms below hidden ones.
    pub(crate) fn inherit_visibility(&self, transforms: &mut [Transform]) {
        for (index, node) in self.nodes.iter().enumerate() {
            let parent = node.parent.and_then(|parent| transforms.get(parent));
            let is_hidden = parent.is_some_and(|parent| !parent.visible);
            if let Some(transform) = transforms.get_mut(index).filter(|_| is_hidden) {
                transform.visible = false;
            }
        }
    }

    /// Sets the scale of hidden meshes to 0. Joints keep theirs, because their visibility does not hide skinned meshes.
    pub(crate) fn hide_meshes(&self, transforms: &mut [Transform]) {
        self.inherit_visibility(transforms);
        for (node, transform) in self.nodes.iter().zip(transforms) {
            if node.mesh.is_some() && node.skin.is_none() && !transform.visible {
                transform.scale = Vec3::ZERO;
            }
        }
    }

    /// Meters per unit of a model: `wanted`, otherwise the value of a converted model of a format, otherwise 1.
    pub(crate) fn meters_per_unit(&self, format: &str, wanted: Option<f32>) -> f32 {
        let stated = self.extra(format, "metersPerUnit").and_then(Value::as_f64);
        let stated = stated
            .map(|it| it as f32)
            .filter(|it| it.is_normal() && *it > 0.0);
        wanted.or(stated).unwrap_or(1.0)
    }

    /// A value of the `extras` of the node for a converted model of a format: `abc`, `alo`, `alo particles`, `lgw` or `mdl`.
    pub fn extra(&self, format: &str, name: &str) -> Option<&Value> {
        let is_root =
            |node: &&Node| node.extras.get("format").and_then(Value::as_str) == Some(format);
        self.nodes.iter().find(is_root)?.extras.get(name)
    }
}

/// Three finite numbers of `extras`.
pub(crate) fn numbers(value: Option<&Value>) -> Option<[f32; 3]> {
    let values = value?.as_array()?.iter();
    let values: Vec<f32> = values.filter_map(|it| Some(it.as_f64()? as f32)).collect();
    let numbers = <[f32; 3]>::try_from(values).ok()?;
    numbers
        .iter()
        .all(|number| number.is_finite())
        .then_some(numbers)
}
