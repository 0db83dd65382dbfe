//! Poses the nodes and vertices of a scene in the space of the file.
//!
//! Nodes of the file have no scale, so that of a node of the scene becomes one of its vertices and of its children's translations.

use super::skeleton::Skeleton;
use crate::animation::Animation;
use crate::parts::Part;
use crate::pose::{Pose, morphed, normal_matrix};
use crate::scene::{Scene, Transform};
use glam::{Affine3A, Quat, Vec3, Vec3A};
use serde_json::Value;

/// Poses a scene.
pub struct Sampler<'a> {
    pub scene: &'a Scene,
    pub skeleton: &'a Skeleton,
    pub parts: &'a [Part<'a>],
    /// For each part, what its vertices follow.
    pub bindings: Vec<Vec<Binding>>,
    meters_per_unit: f32,
    /// Whether the file has the inverse of rotations.
    inverts: bool,
}

/// The node that a vertex follows: the format has one per vertex.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Index among the joints of the skin. `None` without a skin.
    slot: Option<usize>,
    /// Index among the nodes of the file.
    pub joint: usize,
    /// The weight of the node.
    pub weight: f32,
}

/// A scene at a time.
pub struct Sampled {
    locals: Vec<Transform>,
    pose: Pose,
    /// For each node, the rotation to the scene.
    turns: Vec<Quat>,
    /// For each node, the scale to the scene. `None` if it differs between directions.
    scales: Vec<Option<f32>>,
    /// For each node of the file, the translation and the rotation to the scene.
    rigids: Vec<Rigid>,
}

/// The vertices of a part, each in the space of its node.
pub struct PartVertices {
    pub positions: Vec<Vec3>,
    /// Unit vectors.
    pub normals: Vec<Vec3>,
    /// The determinants of their transforms: negative if a vertex is mirrored, and 0 if it is hidden by a scale of 0.
    pub determinants: Vec<f32>,
}

/// A translation and a rotation.
type Rigid = (Vec3, Quat);

impl<'a> Sampler<'a> {
    pub fn new(
        scene: &'a Scene,
        skeleton: &'a Skeleton,
        parts: &'a [Part<'a>],
        scale: Option<f32>,
    ) -> Self {
        let bindings = parts.iter().map(|part| bindings(scene, skeleton, part));
        Self {
            bindings: bindings.collect(),
            inverts: scene.extra("abc", "flipAnimation") == Some(&Value::Bool(true)),
            meters_per_unit: scene.meters_per_unit("abc", scale),
            scene,
            skeleton,
            parts,
        }
    }

    /// The scene at a time of an animation, or at rest.
    pub fn at(&self, time: Option<(&Animation, f32)>) -> Sampled {
        let nodes = &self.scene.nodes;
        let mut locals: Vec<Transform> = nodes.iter().map(|node| node.transform).collect();
        let mut weights: Vec<Vec<f32>> = nodes.iter().map(|node| node.weights.clone()).collect();
        if let Some((animation, time)) = time {
            animation.apply(time, &mut locals, &mut weights);
        }
        self.scene.hide_meshes(&mut locals);
        let mut worlds: Vec<Affine3A> = Vec::with_capacity(nodes.len());
        let mut turns: Vec<Quat> = Vec::with_capacity(nodes.len());
        let mut scales: Vec<Option<f32>> = Vec::with_capacity(nodes.len());
        for (node, local) in nodes.iter().zip(&locals) {
            let parent = node.parent;
            let world = parent.and_then(|parent| worlds.get(parent));
            worlds.push(world.map_or_else(|| local.affine(), |it| *it * local.affine()));
            let turn = parent.and_then(|parent| turns.get(parent));
            turns.push(turn.map_or(local.rotation, |it| (*it * local.rotation).normalize()));
            let scale = parent.map_or(Some(1.0), |parent| scales.get(parent).copied().flatten());
            scales.push(uniform(local.scale).zip(scale).map(|(a, b)| a * b));
        }
        let rigid = |node: usize| {
            let world = worlds.get(node)?;
            Some((Vec3::from(world.translation), *turns.get(node)?))
        };
        let joints = self.skeleton.joints.iter();
        let rigids = joints.map(|joint| joint.node.and_then(rigid));
        let rigids = rigids.map(|it| it.unwrap_or((Vec3::ZERO, self.frame())));
        Sampled {
            rigids: rigids.collect(),
            pose: Pose { worlds, weights },
            locals,
            turns,
            scales,
        }
    }

    /// The translation and the rotation of a node of the file relative to its parent.
    pub fn key(&self, sampled: &Sampled, index: usize) -> Rigid {
        let Some(joint) = self.skeleton.joints.get(index) else {
            return (Vec3::ZERO, Quat::IDENTITY);
        };
        let Some(node) = joint.node else {
            return (Vec3::ZERO, Quat::IDENTITY);
        };
        let (translation, rotation) =
            self.direct(sampled, node, joint.parent).unwrap_or_else(|| {
                let (origin, turn) = self.rigid(sampled, joint.parent);
                let (own_origin, own_turn) = self.rigid(sampled, Some(index));
                let back = turn.inverse();
                let rotation = (back * own_turn).normalize();
                (
                    back * (own_origin - origin) / self.meters_per_unit,
                    rotation,
                )
            });
        let [x, y, z, w] = rotation.to_array();
        let rotation = match self.skeleton.axes {
            Some(_) => [-x, -y, z, w],
            None => [x, -y, -z, w],
        };
        let rotation = Quat::from_array(rotation);
        let stored = if self.inverts {
            rotation.conjugate()
        } else {
            rotation
        };
        (self.mirrored(translation), stored)
    }

    /// The transform of a node whose parent is the same in the scene and in the file: without rounding, if the scales are 1.
    fn direct(&self, sampled: &Sampled, node: usize, parent: Option<usize>) -> Option<Rigid> {
        let above = self.scene.nodes.get(node)?.parent;
        let scale = match parent {
            Some(parent) => {
                let parent = self.skeleton.joints.get(parent)?.node;
                let is_same = parent.is_some() && above == parent;
                is_same.then(|| sampled.scales.get(above?).copied().flatten())??
            }
            None => {
                let is_axes = above.is_some() && above == self.skeleton.axes;
                let world = is_axes.then(|| sampled.pose.worlds.get(above?))??;
                let turn = sampled.turns.get(above?)?;
                let is_frame = world.translation == Vec3A::ZERO && *turn == self.frame();
                is_frame.then(|| sampled.scales.get(above?).copied().flatten())??
            }
        };
        let local = sampled.locals.get(node)?;
        Some((
            local.translation * (scale / self.meters_per_unit),
            local.rotation,
        ))
    }

    /// The vertices of a part.
    pub fn vertices(&self, sampled: &Sampled, part: usize) -> PartVertices {
        let mut result = PartVertices {
            positions: Vec::new(),
            normals: Vec::new(),
            determinants: Vec::new(),
        };
        let shown = self.parts.get(part).and_then(|it| it.shown(&sampled.pose));
        let (Some((index, node, primitive)), Some(bindings)) = (shown, self.bindings.get(part))
        else {
            return result;
        };
        let weights = sampled.pose.weights.get(*index).map(Vec::as_slice);
        let morphed = morphed(primitive, weights.unwrap_or_default());
        let own = sampled.pose.worlds.get(*index).copied().unwrap_or_default();
        let skin = node.skin.and_then(|skin| self.scene.skins.get(skin));
        let joints = skin.map(|skin| {
            let joints = skin.joints.iter().zip(&skin.inverse_bind_matrices);
            let matrices = joints.map(|(joint, inverse)| {
                let world = sampled.pose.worlds.get(*joint).copied().unwrap_or_default();
                world * Affine3A::from_mat4(*inverse)
            });
            matrices.collect::<Vec<Affine3A>>()
        });
        let joints = joints.unwrap_or_default();
        let vertices = morphed.positions.iter().zip(&morphed.normals).zip(bindings);
        for ((position, normal), binding) in vertices {
            let matrix = binding
                .slot
                .and_then(|slot| joints.get(slot))
                .unwrap_or(&own);
            let (origin, turn) = self.rigid(sampled, Some(binding.joint));
            let back = turn.inverse();
            let moved = matrix.transform_point3(*position);
            let turned = Vec3::from(normal_matrix(matrix) * Vec3A::from(*normal));
            let local = back * (moved - origin) / self.meters_per_unit;
            result.positions.push(self.mirrored(local));
            let normal = (back * turned).normalize_or(Vec3::Y);
            result.normals.push(self.mirrored(normal));
            result.determinants.push(matrix.matrix3.determinant());
        }
        result
    }

    /// Where a position in the space of a node of the file is in the scene, in units of the file.
    pub fn in_scene(&self, sampled: &Sampled, joint: usize, position: Vec3) -> Vec3 {
        let (origin, turn) = self.rigid(sampled, Some(joint));
        origin / self.meters_per_unit + turn * self.mirrored(position)
    }

    /// The largest coordinate of the vertices and nodes in the space of the file.
    pub fn size(&self, sampled: &Sampled, vertices: &[PartVertices]) -> f32 {
        let nodes = sampled.rigids.iter();
        let nodes = nodes.map(|(origin, _)| *origin / self.meters_per_unit);
        let node = nodes.fold(Vec3::ZERO, |max, it| max.max(it.abs()));
        let all = vertices.iter().flat_map(|part| &part.positions);
        let vertex = all.fold(Vec3::ZERO, |max, it| max.max(it.abs()));
        node.max_element() + vertex.max_element()
    }

    /// The rotation and the translation of a node of the file to the scene. `None` is the space of the file itself.
    fn rigid(&self, sampled: &Sampled, joint: Option<usize>) -> Rigid {
        let rigid = joint.and_then(|joint| sampled.rigids.get(joint));
        rigid.copied().unwrap_or((Vec3::ZERO, self.frame()))
    }

    /// The rotation of the file's space to the scene before it is mirrored.
    fn frame(&self) -> Quat {
        match self.skeleton.axes {
            // The conversion to glTF mirrors Z, and turns the model around.
            Some(_) => Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
            None => Quat::IDENTITY,
        }
    }

    /// A vector in the file's space, which is left-handed. Nodes of converted models have Z mirrored, and others X, so that nodes
    /// without rotation have none in the file.
    fn mirrored(&self, vector: Vec3) -> Vec3 {
        match self.skeleton.axes {
            Some(_) => vector * Vec3::new(1.0, 1.0, -1.0),
            None => vector * Vec3::new(-1.0, 1.0, 1.0),
        }
    }
}

/// A scale that is the same in all directions and does not mirror.
fn uniform(scale: Vec3) -> Option<f32> {
    let is_uniform = (scale - scale.x).abs().max_element() <= scale.x * 1e-5;
    is_uniform.then_some(scale.x)
}

/// What the vertices of a part follow: of a skin, the joint with the greatest weight.
fn bindings(scene: &Scene, skeleton: &Skeleton, part: &Part<'_>) -> Vec<Binding> {
    let joint_of = |node: usize| skeleton.joint_of.get(node).copied().unwrap_or(0);
    let first = part.alternatives.first();
    let own = Binding {
        slot: None,
        joint: first.map_or(0, |(index, ..)| joint_of(*index)),
        weight: 1.0,
    };
    let skin = first.and_then(|(_, node, _)| scene.skins.get(node.skin?));
    let count = part.primitive.positions.len();
    let Some(skin) = skin.filter(|_| !part.primitive.joints.is_empty()) else {
        return vec![own; count];
    };
    let binding = |vertex: usize| {
        let joints = part.primitive.joints.get(vertex)?;
        let weights = part.primitive.weights.get(vertex)?;
        let pairs = joints.iter().zip(weights);
        let known =
            pairs.filter(|(joint, weight)| **weight > 0.0 && skin.joints.len() > **joint as usize);
        let first = known.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let (slot, weight) = first.map(|(joint, weight)| (*joint as usize, *weight))?;
        Some(Binding {
            slot: Some(slot),
            joint: joint_of(*skin.joints.get(slot)?),
            weight,
        })
    };
    (0..count).map(|it| binding(it).unwrap_or(own)).collect()
}
