//! The parts of Alamo models: nodes below their bones for rigid meshes, proxies, lights and dazzles, and nodes of the scene
//! for skinned meshes, which follow only their joints.

use crate::convert::accessors::Usage;
use crate::convert::alo::materials::{Materials, additive_colors, adds_only_colors};
use crate::convert::document::{Document, Placement, extras, node};
use crate::convert::lods;
use crate::convert::mesh::{MeshData, named};
use bevy::math::{Affine3A, Mat4};
use bevy::transform::components::Transform;
use bevy_classic_models::alamo::alo::{Mesh, Submesh};
use bevy_classic_models::alamo::{ConvertedAlo, ConvertedSubmesh, Tags};
use gltf_json::mesh::Primitive;
use gltf_json::{Index, Node, Skin};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A node of a part.
pub struct Part {
    pub node: Index<Node>,
    pub name: String,
    /// Index of its bone.
    pub bone: usize,
    /// Whether the file shows it undamaged, at the finest level of detail, if its bone is visible.
    pub is_shown: bool,
    /// Whether it is skinned, so that its own transform has no effect.
    pub is_skinned: bool,
}

/// Adds the parts of a model.
pub struct Parts<'a> {
    pub document: &'a mut Document,
    pub model: &'a ConvertedAlo<'a>,
    bones: &'a [Index<Node>],
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

impl<'a> Parts<'a> {
    pub fn new(
        document: &'a mut Document,
        model: &'a ConvertedAlo<'a>,
        bones: &'a [Index<Node>],
        (materials, no_lods): (Materials<'a>, bool),
    ) -> Self {
        let names = model.file.meshes.iter().map(|mesh| &mesh.name);
        let proxies = model.file.proxies.iter().map(|proxy| &proxy.name);
        let finest = names.chain(proxies).filter_map(|name| Tags::of(name).lod);
        Self {
            finest: finest.max(),
            no_lods,
            document,
            model,
            bones,
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
        // By name without tags, damage stage, and whether the node is skinned.
        let mut levels: BTreeMap<(String, Option<u32>, bool), Levels> = BTreeMap::new();
        for (mesh, converted) in model.file.meshes.iter().zip(&model.meshes) {
            let tags = Tags::of(&mesh.name);
            for is_skinned in [false, true] {
                let Some(node) = self.add_mesh(mesh, converted, &tags, is_skinned) else {
                    continue;
                };
                if let Some(lod) = tags.lod {
                    let key = (tags.stem.to_lowercase(), tags.alt, is_skinned);
                    levels.entry(key).or_default().insert(lod, node);
                }
            }
        }
        for nodes in levels.values() {
            // Higher numbers are finer.
            let nodes: Vec<Index<Node>> = nodes.values().rev().copied().collect();
            let shares: Vec<f64> = (0..nodes.len())
                .map(|level| 0.5_f64.powi(level as i32))
                .collect();
            lods::set(self.document, &nodes, &lods::coverage(&shares, nodes.len()));
        }
    }

    /// Adds the sub-meshes of a mesh that are skinned or that are not. `None` if there are none.
    fn add_mesh(
        &mut self,
        mesh: &Mesh<'_>,
        converted: &[ConvertedSubmesh],
        tags: &Tags,
        is_skinned: bool,
    ) -> Option<Index<Node>> {
        let is_coarser = tags.lod.is_some() && tags.lod != self.finest && self.has_finest(tags);
        if is_coarser && self.no_lods {
            return None;
        }
        let mut primitives = Vec::new();
        for (submesh, converted) in mesh.submeshes.iter().zip(converted) {
            let is_wanted = submesh.palette.is_empty() != is_skinned;
            if is_wanted && converted.shading.is_drawn() {
                primitives.extend(self.primitive(submesh, converted));
            }
        }
        if primitives.is_empty() {
            return None;
        }
        let mut added = node(&mesh.name, Placement::IDENTITY);
        added.mesh = Some(self.document.root.push(named(&mesh.name, primitives)));
        added.extras = extras(&json!({
            "hidden": mesh.hidden,
            "lod": tags.lod,
            "alt": tags.alt,
        }));
        let bone = mesh.bone.unwrap_or(0) as usize;
        if is_skinned {
            added.skin = Some(self.skin());
        }
        let parent = if is_skinned { None } else { self.bone(bone) };
        let added = match is_coarser {
            true => {
                self.move_to_finest(&mut added, tags, bone, is_skinned);
                self.document.add_detached(added)
            }
            false => self.document.add_node(parent, added),
        };
        if !is_coarser {
            self.parts.push(Part {
                node: added,
                name: mesh.name.to_string(),
                bone,
                is_shown: !mesh.hidden && is_selected(tags, self.finest),
                is_skinned,
            });
        }
        Some(added)
    }

    /// The bone of the mesh that is the finest level of the one with these tags.
    fn finest_bone(&self, tags: &Tags) -> Option<usize> {
        let meshes = self.model.file.meshes.iter().zip(&self.model.meshes);
        let mut drawn = meshes.filter(|(_, converted)| {
            let mut drawn = converted.iter().filter(|it| it.shading.is_drawn());
            drawn.any(|it| it.mesh.is_some())
        });
        let finest = drawn.find(|(mesh, _)| {
            let other = Tags::of(&mesh.name);
            let is_same = other.stem.eq_ignore_ascii_case(&tags.stem) && other.alt == tags.alt;
            is_same && other.lod == self.finest
        });
        finest.map(|(mesh, _)| mesh.bone.unwrap_or(0) as usize)
    }

    fn has_finest(&self, tags: &Tags) -> bool {
        self.finest_bone(tags).is_some()
    }

    /// Places a coarser level, which takes the place of the finest one, although its bone is another one.
    fn move_to_finest(&self, node: &mut Node, tags: &Tags, bone: usize, is_skinned: bool) {
        let pose = |bone: usize| self.model.bones.get(bone).map(|bone| bone.bind_pose);
        let finest = self.finest_bone(tags).and_then(pose);
        let (Some(own), Some(finest), false) = (pose(bone), finest, is_skinned) else {
            return;
        };
        let relative: Affine3A = finest.inverse() * own;
        if relative.is_finite() && !relative.abs_diff_eq(Affine3A::IDENTITY, 1e-5) {
            let place = Placement::from(&Transform::from_matrix(Mat4::from(relative)));
            node.translation = Some(place.translation);
            node.rotation = Some(gltf_json::scene::UnitQuaternion(place.rotation));
            node.scale = Some(place.scale);
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
        if adds_only_colors(&converted.shading) {
            data.colors = additive_colors(&data.colors);
        }
        let material = self
            .materials
            .get(self.document, submesh, &converted.shading);
        Some(data.primitive(self.document, Some(material), &[]))
    }

    /// The node of a bone.
    fn bone(&self, bone: usize) -> Option<Index<Node>> {
        self.bones.get(bone).or(self.bones.first()).copied()
    }

    fn skin(&mut self) -> Index<Skin> {
        if let Some(skin) = self.skin {
            return skin;
        }
        let inverse = |pose: Affine3A| {
            let inverse = pose.inverse();
            let inverse = if inverse.is_finite() {
                inverse
            } else {
                Affine3A::IDENTITY
            };
            Mat4::from(inverse).to_cols_array()
        };
        let poses = self.model.bones.iter().map(|bone| inverse(bone.bind_pose));
        let poses: Vec<[f32; 16]> = poses.collect();
        let matrices = self.document.floats(&poses, Usage::Values);
        let skin = self.document.root.push(Skin {
            extensions: None,
            extras: None,
            inverse_bind_matrices: Some(matrices),
            joints: self.bones.to_vec(),
            name: None,
            skeleton: None,
        });
        self.skin = Some(skin);
        skin
    }

    /// Adds nodes for the files that proxies name.
    pub fn add_proxies(&mut self) {
        for proxy in &self.model.file.proxies {
            let tags = Tags::of(&proxy.name);
            let values = json!({ "proxy": {
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
        for dazzle in &self.model.file.dazzles {
            let values = serde_json::to_value(dazzle).unwrap_or_default();
            let tags = Tags::of(&dazzle.name);
            let is_shown =
                !dazzle.is_hidden && !dazzle.night_only && is_selected(&tags, self.finest);
            let bone = dazzle.bone as usize;
            let values = json!({ "dazzle": values });
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
        let mut added = node(name, Placement::IDENTITY);
        added.extras = extras(values);
        let added = self.document.add_node(self.bone(bone), added);
        self.parts.push(Part {
            node: added,
            name: name.to_owned(),
            bone,
            is_shown,
            is_skinned: false,
        });
        added
    }

    /// Whether a part with this name is of the finest level of detail and undamaged.
    pub fn is_selected(&self, name: &str) -> bool {
        is_selected(&Tags::of(name), self.finest)
    }
}

/// Whether a part with these tags is of the finest level of detail and undamaged.
fn is_selected(tags: &Tags, finest: Option<u32>) -> bool {
    (tags.lod.is_none() || tags.lod == finest) && tags.alt.is_none_or(|alt| alt == 0)
}
