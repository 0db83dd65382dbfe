//! The parts of Alamo models: nodes below their bones for rigid meshes, proxies, lights and dazzles, and nodes of the scene
//! for skinned meshes, which follow only their joints.

use crate::convert::alo::materials::{Materials, additive_colors, adds_only_colors};
use crate::convert::document::{Document, add_extra, extras, node};
use crate::convert::material::linear;
use crate::convert::mesh::{MeshData, named};
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::{Light, LightKind, Mesh, Submesh};
use bevy_classic_models::alamo::{AloTags, ConvertedAlo, ConvertedSubmesh};
use gltf_json::mesh::Primitive;
use gltf_json::scene::UnitQuaternion;
use gltf_json::{Index, Node, Skin};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::f32::consts::{FRAC_PI_2, PI};

/// A node of a part.
pub struct Part {
    pub node: Index<Node>,
    pub name: String,
    /// Index of its bone.
    pub bone: usize,
    /// Whether the file shows it undamaged, at the finest level of detail or instead of it, if its bone is visible.
    pub is_shown: bool,
    /// Whether it is skinned, so that its own transform has no effect.
    pub is_skinned: bool,
    /// The scale of the node if it is shown.
    pub scale: [f32; 3],
}

/// Adds the parts of a model.
pub struct Parts<'a> {
    pub document: &'a mut Document,
    pub model: &'a ConvertedAlo<'a>,
    bones: &'a [Index<Node>],
    /// From the model's space to that of the scene.
    axes: Affine3A,
    materials: Materials<'a>,
    /// The finest level of detail, which has the highest number.
    finest: Option<u32>,
    /// Whether coarser levels of detail are left out.
    no_lods: bool,
    /// The skin of all skinned meshes, whose joints are all bones.
    skin: Option<Index<Skin>>,
    parts: Vec<Part>,
}

/// The nodes of one mesh in all its levels of detail, by level.
type Levels = BTreeMap<u32, Index<Node>>;

/// What the nodes of one mesh in all its levels of detail have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LevelKey {
    /// The name without tags, in lower case.
    stem: String,
    /// The damage stage.
    alt: Option<u32>,
    is_skinned: bool,
    /// The index among the nodes of the same level with the same name.
    occurrence: usize,
}

impl<'a> Parts<'a> {
    pub fn new(
        document: &'a mut Document,
        model: &'a ConvertedAlo<'a>,
        (bones, axes): (&'a [Index<Node>], Affine3A),
        (materials, no_lods): (Materials<'a>, bool),
    ) -> Self {
        let names = model.file.meshes.iter().map(|mesh| &mesh.name);
        let proxies = model.file.proxies.iter().map(|proxy| &proxy.name);
        let finest = names
            .chain(proxies)
            .filter_map(|name| AloTags::of(name).lod);
        Self {
            finest: finest.max(),
            no_lods,
            document,
            model,
            bones,
            axes,
            materials,
            skin: None,
            parts: Vec::new(),
        }
    }

    /// The parts, and the problems of textures.
    pub fn finish(self) -> (Vec<Part>, BTreeSet<String>) {
        (self.parts, self.materials.into_warnings())
    }

    /// Adds the meshes that are drawn.
    pub fn add_meshes(&mut self) {
        let model = self.model;
        let mut levels: BTreeMap<LevelKey, Levels> = BTreeMap::new();
        for (index, (mesh, converted)) in model.file.meshes.iter().zip(&model.meshes).enumerate() {
            let tags = AloTags::of(&mesh.name);
            for is_skinned in [false, true] {
                let mut key = LevelKey {
                    stem: tags.stem.to_lowercase(),
                    alt: tags.alt,
                    is_skinned,
                    occurrence: 0,
                };
                while let Some(lod) = tags.lod
                    && levels.get(&key).is_some_and(|it| it.contains_key(&lod))
                {
                    key.occurrence += 1;
                }
                let Some(node) = self.add_mesh((index, mesh), converted, &tags, &key) else {
                    continue;
                };
                if let Some(lod) = tags.lod {
                    levels.entry(key).or_default().insert(lod, node);
                }
            }
        }
        // Without the finest level, the others are hidden parts.
        let has_finest = |nodes: &&Levels| self.finest.is_some_and(|it| nodes.contains_key(&it));
        for nodes in levels.values().filter(has_finest) {
            // Higher numbers are finer.
            let nodes: Vec<Index<Node>> = nodes.values().rev().copied().collect();
            let shares = (0..nodes.len()).map(|level| 0.5_f64.powi(level as i32));
            self.document.set_levels(&nodes, shares);
        }
    }

    /// Adds the sub-meshes of a mesh that are skinned or that are not. `None` if there are none.
    fn add_mesh(
        &mut self,
        (index, mesh): (usize, &Mesh<'_>),
        converted: &[ConvertedSubmesh],
        tags: &AloTags,
        key: &LevelKey,
    ) -> Option<Index<Node>> {
        let is_skinned = key.is_skinned;
        let is_finest = tags.lod.is_none() || tags.lod == self.finest;
        if self.no_lods && !is_finest && self.has_finest(key) {
            return None;
        }
        let finest_bone = self.finest_bone(key).filter(|_| !is_finest);
        let is_drawn = converted.iter().any(|it| it.shading.is_drawn());
        // Collision meshes and shadow volumes are hidden parts, for the way back.
        let is_included = |it: &ConvertedSubmesh| it.shading.is_drawn() || !is_drawn;
        let mut primitives = Vec::new();
        for (submesh, converted) in mesh.submeshes.iter().zip(converted) {
            let is_wanted = submesh.palette.is_empty() != is_skinned;
            if is_wanted && is_included(converted) {
                primitives.extend(self.primitive(submesh, converted));
            }
        }
        if primitives.is_empty() {
            return None;
        }
        let mut added = node(&mesh.name, &Transform::IDENTITY);
        added.mesh = Some(self.document.root.push(named(&mesh.name, primitives)));
        added.extras = extras(&json!({
            "mesh": index,
            "collidable": mesh.collidable,
            "hidden": mesh.hidden,
            "lod": tags.lod,
            "alt": tags.alt,
        }));
        let bone = mesh.bone.unwrap_or(0) as usize;
        if is_skinned {
            added.skin = Some(self.skin());
        }
        // Nodes of skinned meshes, and those that are only a level of another one, have no parent.
        if is_skinned || finest_bone.is_some() {
            add_extra(&mut added.extras, "parentBone", finest_bone.unwrap_or(bone));
        }
        let parent = if is_skinned { None } else { self.bone(bone) };
        if let Some(finest) = finest_bone.filter(|_| !is_skinned) {
            self.move_to(&mut added, bone, finest);
        }
        let scale = added.scale.unwrap_or([1.0; 3]);
        let added = match finest_bone {
            Some(_) => self.document.root.push(added),
            None => self.document.add_node(parent, added),
        };
        // A coarser level is only used instead of the finest one.
        let is_level_shown = is_finest || finest_bone.is_some();
        self.parts.push(Part {
            node: added,
            name: mesh.name.to_string(),
            bone,
            is_shown: !mesh.hidden && is_drawn && is_level_shown && is_undamaged(tags),
            is_skinned,
            scale,
        });
        Some(added)
    }

    /// The bones of the nodes of the finest level with this key, except the occurrence.
    fn finest_bones(&self, key: &LevelKey, skinned: &[bool]) -> impl Iterator<Item = usize> {
        let meshes = self.model.file.meshes.iter().zip(&self.model.meshes);
        meshes
            .filter(move |(mesh, converted)| {
                let tags = AloTags::of(&mesh.name);
                let is_same = tags.stem.to_lowercase() == key.stem && tags.alt == key.alt;
                if !is_same || tags.lod != self.finest {
                    return false;
                }
                let mut submeshes = mesh.submeshes.iter().zip(*converted);
                submeshes.any(|(submesh, converted)| {
                    let is_wanted = skinned.contains(&!submesh.palette.is_empty());
                    let mesh = converted.mesh.as_ref();
                    is_wanted
                        && converted.shading.is_drawn()
                        && mesh.and_then(MeshData::of).is_some()
                })
            })
            .map(|(mesh, _)| mesh.bone.unwrap_or(0) as usize)
    }

    /// The bone of the node that is the finest level of the one with this key.
    fn finest_bone(&self, key: &LevelKey) -> Option<usize> {
        self.finest_bones(key, &[key.is_skinned])
            .nth(key.occurrence)
    }

    /// Whether the mesh has the finest level, skinned or not.
    fn has_finest(&self, key: &LevelKey) -> bool {
        self.finest_bones(key, &[false, true]).next().is_some()
    }

    /// Places a coarser level, which takes the place of the finest one, although its bone is another one.
    fn move_to(&self, node: &mut Node, bone: usize, finest: usize) {
        let pose = |bone: usize| self.model.bones.get(bone).map(|bone| bone.bind_pose);
        let (Some(own), Some(finest)) = (pose(bone), pose(finest)) else {
            return;
        };
        let relative: Affine3A = finest.inverse() * own;
        if relative.is_finite() && !relative.abs_diff_eq(Affine3A::IDENTITY, 1e-5) {
            let place = Transform::from_matrix(Mat4::from(relative));
            node.translation = Some(place.translation.into());
            node.rotation = Some(UnitQuaternion(place.rotation.normalize().into()));
            node.scale = Some(place.scale.into());
        }
    }

    fn primitive(
        &mut self,
        submesh: &Submesh<'_>,
        converted: &ConvertedSubmesh,
    ) -> Option<Primitive> {
        let mut data = converted.mesh.as_ref().and_then(MeshData::of)?;
        for (joints, weights) in data.joints.iter_mut().zip(&data.weights) {
            for (joint, weight) in joints.iter_mut().zip(weights) {
                // The joints of the skin are all bones.
                let bone = submesh.palette.get(usize::from(*joint));
                let bone = bone.map_or(0, |bone| bone.get() as u16);
                *joint = if *weight > 0.0 { bone } else { 0 };
            }
        }
        if !submesh.palette.is_empty() {
            // So that programs without skinning show the mesh in the right place.
            data.transform(&self.axes);
        }
        if adds_only_colors(&converted.shading) {
            data.colors = additive_colors(&data.colors);
        }
        let material = self
            .materials
            .get(self.document, submesh, &converted.shading);
        Some(data.primitive(self.document, Some(material)))
    }

    /// The node of a bone.
    fn bone(&self, bone: usize) -> Option<Index<Node>> {
        self.bones.get(bone).or(self.bones.first()).copied()
    }

    fn skin(&mut self) -> Index<Skin> {
        if let Some(skin) = self.skin {
            return skin;
        }
        let to_model = self.axes.inverse();
        let bones = self.model.bones.iter();
        let inverse = bones.map(|bone| Some(bone.bind_pose.inverse()).filter(|it| it.is_finite()));
        let poses = inverse.map(|inverse| Mat4::from(inverse.unwrap_or_default() * to_model));
        let joints = self.bones.to_vec();
        let skin = self.document.add_skin(None, joints, poses, None);
        self.skin = Some(skin);
        skin
    }

    /// Adds nodes for the files that proxies name.
    pub fn add_proxies(&mut self) {
        for (index, proxy) in self.model.file.proxies.iter().enumerate() {
            let tags = AloTags::of(&proxy.name);
            let values = json!({ "index": index, "proxy": {
                "name": tags.stem,
                "hidden": proxy.hidden.unwrap_or(false),
                "altDecreaseStayHidden": proxy.alt_decrease_stay_hidden.unwrap_or(false),
                "lod": tags.lod,
                "alt": tags.alt,
            }});
            let is_shown = !proxy.hidden.unwrap_or(false) && is_selected(&tags, self.finest);
            self.add_part(proxy.bone as usize, &proxy.name, &values, is_shown);
        }
    }

    /// Adds nodes for dazzles, in the file's units.
    pub fn add_dazzles(&mut self) {
        for (index, dazzle) in self.model.file.dazzles.iter().enumerate() {
            let values = serde_json::to_value(dazzle).unwrap_or_default();
            let tags = AloTags::of(&dazzle.name);
            let is_shown =
                !dazzle.is_hidden && !dazzle.night_only && is_selected(&tags, self.finest);
            let bone = dazzle.bone as usize;
            let values = json!({ "index": index, "dazzle": values });
            let added = self.add_part(bone, &dazzle.name, &values, is_shown);
            if let Some(node) = self.document.root.nodes.get_mut(added.value()) {
                let is_finite = dazzle.position.iter().all(|value| value.is_finite());
                node.translation = is_finite.then_some(dazzle.position);
            }
        }
    }

    /// Adds a node for a part without a mesh.
    pub fn add_part(
        &mut self,
        bone: usize,
        name: &str,
        values: &Value,
        is_shown: bool,
    ) -> Index<Node> {
        let mut added = node(name, &Transform::IDENTITY);
        added.extras = extras(values);
        let added = self.document.add_node(self.bone(bone), added);
        self.parts.push(Part {
            node: added,
            name: name.to_owned(),
            bone,
            is_shown,
            is_skinned: false,
            scale: [1.0; 3],
        });
        added
    }
}

/// Whether a part with these tags is of the finest level of detail and undamaged.
fn is_selected(tags: &AloTags, finest: Option<u32>) -> bool {
    (tags.lod.is_none() || tags.lod == finest) && is_undamaged(tags)
}

/// Whether a part with these tags is shown if the model is undamaged.
fn is_undamaged(tags: &AloTags) -> bool {
    tags.alt.is_none_or(|alt| alt == 0)
}

pub const EXTENSION: &str = "KHR_lights_punctual";

/// The illuminance, in lux, of a light with the intensity 1. It shows a white surface white in programs without exposure, such as
/// three.js.
const FULL_LIGHT: f32 = PI;

/// The largest half angle of a cone. The nearest `f32` to π/2 is larger than π/2, which glTF does not allow.
const MAX_CONE: f32 = FRAC_PI_2.next_down();

/// Adds all lights. `scale` is in meters per unit of the file.
pub fn add_lights(parts: &mut Parts<'_>, scale: f32) {
    let lights = &parts.model.file.lights;
    for (index, light) in lights.iter().enumerate() {
        let is_shown = is_selected(&AloTags::of(&light.name), parts.finest);
        let values = serde_json::to_value(light).unwrap_or_default();
        let bone = light.bone.unwrap_or(0) as usize;
        let node = parts.add_part(
            bone,
            &light.name,
            &json!({ "index": index, "light": values }),
            is_shown,
        );
        let stored = parts
            .document
            .push_extension(EXTENSION, "lights", describe(light, scale));
        parts
            .document
            .extend_node(node, EXTENSION, json!({ "light": stored }));
    }
}

fn describe(light: &Light<'_>, scale: f32) -> Value {
    // From 0 to the largest value that JSON and other programs can use. It is 0 for NaN.
    let positive = |value: f32| if value > 0.0 { value.min(1e9) } else { 0.0 };
    let illuminance = FULL_LIGHT * positive(light.intensity);
    let start = light
        .far_attenuation_start
        .max(0.5 * light.far_attenuation_end);
    let distance = positive(start * scale);
    // Equal to the file's at the start of the attenuation.
    let candela = positive(illuminance * distance * distance);
    let range = positive(light.far_attenuation_end * scale);
    let kind = light.light_kind();
    let mut value = json!({
        "name": light.name,
        "color": linear(light.color),
        "type": match kind {
            LightKind::Omni => "point",
            LightKind::Directional => "directional",
            LightKind::Spot => "spot",
        },
        "intensity": match kind {
            LightKind::Directional => positive(illuminance),
            LightKind::Omni | LightKind::Spot => candela,
        },
    });
    if kind != LightKind::Directional && range > 0.0 {
        value["range"] = json!(range);
    }
    if kind == LightKind::Spot {
        // The file has full angles. The inner cone must be smaller than the outer one.
        let outer = (0.5 * positive(light.falloff)).clamp(0.001, MAX_CONE);
        let inner = (0.5 * positive(light.hotspot)).min(outer * 0.999);
        value["spot"] = json!({ "innerConeAngle": inner, "outerConeAngle": outer });
    }
    value
}

#[cfg(test)]
mod lights_tests {
    use super::*;

    #[test]
    fn values_of_any_light_are_valid() {
        for (kind, number) in [
            (0, f32::NAN),
            (1, -1.0),
            (2, f32::INFINITY),
            (2, 0.5),
            (2, PI),
            (9, 1e30),
        ] {
            let light = Light {
                name: "lamp".into(),
                bone: None,
                kind,
                color: [number, 0.5, 2.0],
                intensity: number,
                far_attenuation_end: number,
                far_attenuation_start: number,
                hotspot: number,
                falloff: number,
            };
            let value = describe(&light, 2.0);
            assert!(value["intensity"].as_f64().unwrap() >= 0.0, "{value}");
            for channel in value["color"].as_array().unwrap() {
                assert!((0.0..=1.0).contains(&channel.as_f64().unwrap()), "{value}");
            }
            if kind == 2 {
                let spot = &value["spot"];
                let [inner, outer] =
                    ["innerConeAngle", "outerConeAngle"].map(|key| spot[key].as_f64().unwrap());
                assert!(inner < outer && outer <= std::f64::consts::FRAC_PI_2);
            }
        }
    }
}
