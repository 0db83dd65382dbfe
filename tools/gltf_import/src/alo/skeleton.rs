//! The skeleton of an Alamo model: which nodes are its bones.

use crate::alo::FORMAT;
use crate::animation::{Channel, Property};
use crate::pose::Pose;
use crate::scene::{Node, Scene, Transform};
use classic_model_formats::alo::Bone;
use glam::{Affine3A, Mat3A, Vec3, Vec3A};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The bones of a model, and where its nodes are.
pub struct Skeleton {
    /// The bones. The first is the root. Parents come before their children.
    entries: Vec<Entry>,
    /// For each node, the bone that it is or is connected to, and the transform from it to the bone.
    places: Vec<(usize, Affine3A)>,
    /// From the space of the scene to that of the model.
    pub to_model: Affine3A,
}

struct Entry {
    /// `None` for a root that the scene does not have.
    node: Option<usize>,
    parent: Option<usize>,
    /// From the parent of its node to that of its bone: for the topmost nodes, from the scene to the model.
    before: Affine3A,
}

impl Skeleton {
    /// `scale` is in meters per unit.
    pub fn new(scene: &Scene, scale: f32) -> Self {
        let is_root =
            |node: &Node| node.extras.get("format").and_then(Value::as_str) == Some(FORMAT);
        let root = scene.nodes.iter().position(is_root);
        let rest = scene.pose(None);
        let to_model = match root.and_then(|root| rest.worlds.get(root)) {
            Some(world) if world.matrix3.determinant() != 0.0 => world.inverse(),
            // (x, y, z) becomes (x, −z, y).
            _ => {
                let axes = Mat3A::from_cols(Vec3A::X, Vec3A::Z, Vec3A::NEG_Y);
                Affine3A::from_mat3(glam::Mat3::from(axes))
                    * Affine3A::from_scale(Vec3::splat(1.0 / scale))
            }
        };
        let mut skeleton = Self {
            entries: Vec::new(),
            places: vec![(0, Affine3A::IDENTITY); scene.nodes.len()],
            to_model,
        };
        skeleton.add_bones(scene, root);
        skeleton
    }

    /// Adds the bones in the order of a converted model, and then the others.
    fn add_bones(&mut self, scene: &Scene, root: Option<usize>) {
        let animated = animated_nodes(scene);
        let joints: HashSet<usize> = scene
            .skins
            .iter()
            .flat_map(|skin| skin.joints.iter().copied())
            .collect();
        let children = scene
            .nodes
            .iter()
            .filter(|node| !is_turned_light(scene, node));
        let parents: HashSet<usize> = children.filter_map(|node| node.parent).collect();
        let is_bone = |index: usize, node: &Node| {
            let is_needed =
                joints.contains(&index) || animated.contains(&index) || parents.contains(&index);
            Some(index) != root && (is_needed || !is_part(node))
        };
        let mut bones: Vec<(usize, &Node)> = scene
            .nodes
            .iter()
            .enumerate()
            .filter(|(index, node)| is_bone(*index, node))
            .collect();
        let stated = |node: &Node| node.extras.get("bone").and_then(Value::as_u64);
        bones.sort_by_key(|(_, node)| stated(node).unwrap_or(u64::MAX));
        let mut is_added = HashSet::new();
        let is_sorted = bones.iter().all(|(index, node)| {
            is_added.insert(*index);
            let parent = node.parent.filter(|parent| Some(*parent) != root);
            parent.is_none_or(|parent| is_added.contains(&parent))
        });
        if !is_sorted {
            bones.sort_by_key(|(index, _)| *index);
        }
        // Models have one root bone. That of a converted model is a node.
        let first = bones
            .first()
            .filter(|(_, node)| stated(node) == Some(0) && is_sorted);
        if first.is_none() {
            self.entries.push(Entry {
                node: None,
                parent: None,
                before: Affine3A::IDENTITY,
            });
        }
        let mut bone_of = vec![None; scene.nodes.len()];
        let mut stated_bones = HashMap::new();
        for (index, node) in bones {
            let parent = node.parent.filter(|parent| Some(*parent) != root);
            let parent_bone = parent.and_then(|parent| *bone_of.get(parent)?);
            let entry = Entry {
                node: Some(index),
                // The bones of a converted model may have several roots.
                parent: parent_bone
                    .or((!self.entries.is_empty() && stated(node).is_none()).then_some(0)),
                before: if node.parent.is_some() {
                    Affine3A::IDENTITY
                } else {
                    self.to_model
                },
            };
            stated_bones.extend(stated(node).map(|bone| (bone, self.entries.len())));
            if let Some(slot) = bone_of.get_mut(index) {
                *slot = Some(self.entries.len());
            }
            self.entries.push(entry);
        }
        for (index, node) in scene.nodes.iter().enumerate() {
            let place = match bone_of.get(index).copied().flatten() {
                Some(bone) => (bone, Affine3A::IDENTITY),
                None => {
                    let parent = node.parent.and_then(|parent| *bone_of.get(parent)?);
                    let local = shown(node.transform).affine();
                    // A level of detail of a converted model that has lost its parent: Blender does not know levels.
                    let stated = node.extras.get("parentBone").and_then(Value::as_u64);
                    let bone = stated.filter(|_| node.parent.is_none());
                    let bone = bone.and_then(|bone| stated_bones.get(&bone).copied());
                    if let (Some(bone), Some(slot)) = (bone, self.places.get_mut(index)) {
                        *slot = (bone, local);
                        continue;
                    }
                    let local = if node.parent.is_some() {
                        local
                    } else {
                        self.to_model * local
                    };
                    (parent.unwrap_or(0), local)
                }
            };
            if let Some(slot) = self.places.get_mut(index) {
                *slot = place;
            }
        }
    }

    /// The bone that a node is or is connected to, and the transform from the node to it.
    pub fn place(&self, node: usize) -> (usize, Affine3A) {
        self.places.get(node).copied().unwrap_or_default()
    }

    /// The count of bones.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The node of a bone.
    pub fn node(&self, bone: usize) -> Option<usize> {
        self.entries.get(bone)?.node
    }

    /// The name of a bone.
    pub fn name<'a>(&self, scene: &'a Scene, bone: usize) -> &'a str {
        let node = self.node(bone).and_then(|node| scene.nodes.get(node));
        node.map_or("Root", |node| stated_name(node))
    }

    /// The transform of a bone to its parent, in a pose of the nodes.
    pub fn local(&self, bone: usize, transforms: &[Transform]) -> Affine3A {
        let Some(entry) = self.entries.get(bone) else {
            return Affine3A::IDENTITY;
        };
        let transform = entry.node.and_then(|node| transforms.get(node));
        entry.before * transform.map_or(Affine3A::IDENTITY, Transform::affine)
    }

    /// The translation, rotation and scale of a bone relative to its parent.
    pub fn local_transform(&self, bone: usize, transforms: &[Transform]) -> Transform {
        let entry = self.entries.get(bone);
        let own = entry.and_then(|entry| transforms.get(entry.node?)).copied();
        if let (Some(own), Some(true)) =
            (own, entry.map(|entry| entry.before == Affine3A::IDENTITY))
        {
            return own;
        }
        let (scale, rotation, translation) =
            self.local(bone, transforms).to_scale_rotation_translation();
        Transform {
            translation,
            rotation,
            scale,
            visible: true,
        }
    }

    /// The bones at rest.
    pub fn bones<'a>(&self, scene: &'a Scene) -> Vec<Bone<'a>> {
        let transforms: Vec<Transform> = scene.nodes.iter().map(|node| node.transform).collect();
        let bone = |(index, entry): (usize, &Entry)| {
            let node = entry.node.and_then(|node| scene.nodes.get(node));
            let extra = |name: &str| node.and_then(|node| node.extras.get(name));
            let rows = glam::Mat4::from(self.local(index, &transforms))
                .transpose()
                .to_cols_array_2d();
            Bone {
                name: self.name(scene, index).into(),
                parent: entry.parent.map(|parent| parent as u32),
                visible: extra("visible").and_then(Value::as_bool).unwrap_or(true),
                billboard: extra("billboard").and_then(Value::as_u64).unwrap_or(0) as u32,
                is_v1: extra("isV1").and_then(Value::as_bool).unwrap_or(false),
                matrix: [rows[0], rows[1], rows[2]],
            }
        };
        self.entries.iter().enumerate().map(bone).collect()
    }
}

/// Whether a node is the light of its parent, which is a light of a converted model: Blender turns lights by a node of their own.
pub fn is_turned_light(scene: &Scene, node: &Node) -> bool {
    let parent = node.parent.and_then(|parent| scene.nodes.get(parent));
    node.light.is_some() && parent.is_some_and(|parent| parent.extras.contains_key("light"))
}

/// The name of a node in a converted model, where names need not be unique.
pub fn stated_name(node: &Node) -> &str {
    node.extras
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or(&node.name)
}

/// Whether a node is something that a bone has. Other nodes are bones.
pub fn is_part(node: &Node) -> bool {
    let names = ["proxy", "dazzle", "light"];
    node.mesh.is_some()
        || node.light.is_some()
        || names.iter().any(|name| node.extras.contains_key(*name))
}

/// The nodes that animations move. Scales from or to 0 only show and hide, and some programs write keys for what does not move.
fn animated_nodes(scene: &Scene) -> HashSet<usize> {
    let mut moved = HashSet::new();
    for animation in &scene.animations {
        let scales = animation
            .channels
            .iter()
            .filter(|it| it.property == Property::Scale);
        let scales: HashMap<usize, &Channel> =
            scales.map(|channel| (channel.node, channel)).collect();
        for channel in &animation.channels {
            let Some(node) = scene.nodes.get(channel.node) else {
                continue;
            };
            // Blender writes any rotation for what it hides by a scale of 0.
            let scale = scales.get(&channel.node).filter(|_| is_part(node));
            let is_shown = |time: f32| scale.is_none_or(|scale| !scale.is_zero_at(time));
            let Transform {
                translation,
                rotation,
                scale,
                ..
            } = node.transform;
            let moves = match channel.property {
                Property::Translation => !channel.stays(&translation.to_array(), is_shown),
                Property::Rotation => {
                    let [same, opposite] =
                        [rotation, -rotation].map(|it| channel.stays(&it.to_array(), is_shown));
                    !same && !opposite
                }
                Property::Scale => {
                    let hides = is_part(node) && channel.only_hides(scale);
                    !hides && !channel.stays(&scale.to_array(), |_| true)
                }
                Property::Weights | Property::Visibility => false,
            };
            if moves {
                moved.insert(channel.node);
            }
        }
    }
    moved
}

/// A transform that does not hide.
pub fn shown(transform: Transform) -> Transform {
    let scale = match is_zero(transform.scale) {
        true => Vec3::ONE,
        false => transform.scale,
    };
    Transform {
        scale,
        visible: true,
        ..transform
    }
}

/// Whether a node is hidden.
pub fn is_hidden(transform: &Transform) -> bool {
    !transform.visible || is_zero(transform.scale)
}

fn is_zero(scale: Vec3) -> bool {
    scale.abs().max_element() < 1e-6
}

/// The world transforms in a pose in which all parts are shown, so that hidden meshes keep their shape.
pub fn shown_rest(scene: &Scene) -> Pose {
    let mut transforms: Vec<Transform> = scene.nodes.iter().map(|node| node.transform).collect();
    for (transform, node) in transforms.iter_mut().zip(&scene.nodes) {
        if is_part(node) {
            *transform = shown(*transform);
        }
    }
    scene.pose_of(
        transforms,
        scene
            .nodes
            .iter()
            .map(|node| node.weights.clone())
            .collect(),
    )
}
