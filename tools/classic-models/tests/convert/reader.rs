//! Reads glTF files, and poses their models as the specification says.

use bevy::math::{Mat4, Quat, Vec3};
use gltf::animation::Interpolation;
use gltf::animation::util::ReadOutputs;
use gltf::{Document, Gltf, Node};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A binary glTF file.
pub struct Model {
    /// The JSON as it is in the file.
    pub json: Value,
    pub blob: Vec<u8>,
    /// `None` if the library cannot read it, because of animations of visibility.
    document: Option<Document>,
}

/// The state of a node at a time.
#[derive(Clone, Debug)]
struct State {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    weights: Vec<f32>,
}

impl Model {
    pub fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(word(8), bytes.len());
        let json = &bytes[20..20 + word(12)];
        let blob = bytes.get(20 + word(12) + 8..).unwrap_or_default();
        Self {
            json: serde_json::from_slice(json).unwrap(),
            blob: blob.to_vec(),
            document: Gltf::from_slice(&bytes).ok().map(|gltf| gltf.document),
        }
    }

    fn document(&self) -> &Document {
        self.document.as_ref().unwrap()
    }

    /// The names of the animations, and when they end.
    pub fn clips(&self) -> BTreeMap<String, f32> {
        let clips = self.document().animations().map(|clip| {
            let channels = clip.channels();
            let ends = channels.filter_map(|channel| {
                let reader = channel.reader(|_| Some(&self.blob));
                reader.read_inputs()?.last()
            });
            (clip.name().unwrap().to_owned(), ends.fold(0.0, f32::max))
        });
        clips.collect()
    }

    /// The objects of a kind with this name, such as `materials`.
    pub fn named(&self, kind: &str, name: &str) -> &Value {
        let objects = self.json[kind].as_array().unwrap();
        let found = objects.iter().find(|object| object["name"] == name);
        found.unwrap_or_else(|| panic!("no {kind} {name}"))
    }

    /// The name that a node has in the file: nodes with a name that others have get another one.
    pub fn file_name(&self, node: usize) -> String {
        let node = &self.json["nodes"][node];
        let name = node["extras"]["name"].as_str().or(node["name"].as_str());
        name.unwrap().to_owned()
    }

    /// The indices of the nodes that have this name in the file.
    pub fn nodes_of(&self, name: &str) -> Vec<usize> {
        let count = self.json["nodes"].as_array().unwrap().len();
        (0..count)
            .filter(|node| self.file_name(*node) == name)
            .collect()
    }

    /// The bytes of an image.
    pub fn image(&self, index: usize) -> &[u8] {
        let image = &self.json["images"][index];
        let view = &self.json["bufferViews"][image["bufferView"].as_u64().unwrap() as usize];
        let number = |key: &str| view[key].as_u64().unwrap_or(0) as usize;
        &self.blob[number("byteOffset")..][..number("byteLength")]
    }

    /// The floats of an accessor.
    pub fn floats(&self, accessor: usize) -> Vec<f32> {
        let accessor = &self.json["accessors"][accessor];
        assert_eq!(accessor["componentType"], 5126);
        let components = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            _ => 4,
        };
        let count = accessor["count"].as_u64().unwrap() as usize * components;
        let bytes = self.view(accessor);
        let (words, _) = bytes.as_chunks::<4>();
        words[..count]
            .iter()
            .map(|word| f32::from_le_bytes(*word))
            .collect()
    }

    /// The bytes of an accessor.
    pub fn bytes(&self, accessor: usize) -> &[u8] {
        self.view(&self.json["accessors"][accessor])
    }

    fn view(&self, accessor: &Value) -> &[u8] {
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let number = |key: &str| view[key].as_u64().unwrap_or(0) as usize;
        &self.blob[number("byteOffset")..][..number("byteLength")]
    }

    /// The positions of the vertices of each node of the scene that has a mesh, by unique name, at a time of a clip. The positions
    /// of all primitives follow each other.
    pub fn positions(&self, clip: Option<&str>, seconds: f32) -> BTreeMap<String, Vec<Vec3>> {
        let states = self.states(clip, seconds);
        let mut globals = vec![None; states.len()];
        let scene = self.document().default_scene().unwrap();
        for node in scene.nodes() {
            place(&node, Mat4::IDENTITY, &states, &mut globals);
        }
        let mut positions = BTreeMap::new();
        for node in self.document().nodes() {
            if let (Some(mesh), Some(global)) = (node.mesh(), globals[node.index()]) {
                let skin = self.skin(&node, &globals);
                let weights = &states[node.index()].weights;
                let mut vertices = Vec::new();
                for primitive in mesh.primitives() {
                    self.add_positions(&primitive, weights, skin.as_deref(), global, &mut vertices);
                }
                positions.insert(node.name().unwrap().to_owned(), vertices);
            }
        }
        positions
    }

    /// The matrices of a node's joints.
    fn skin(&self, node: &Node<'_>, globals: &[Option<Mat4>]) -> Option<Vec<Mat4>> {
        let skin = node.skin()?;
        let reader = skin.reader(|_| Some(&self.blob));
        let inverse = reader.read_inverse_bind_matrices().unwrap();
        let joints = skin.joints().zip(inverse).map(|(joint, inverse)| {
            globals[joint.index()].unwrap() * Mat4::from_cols_array_2d(&inverse)
        });
        Some(joints.collect())
    }

    fn add_positions(
        &self,
        primitive: &gltf::Primitive<'_>,
        weights: &[f32],
        skin: Option<&[Mat4]>,
        global: Mat4,
        vertices: &mut Vec<Vec3>,
    ) {
        let reader = primitive.reader(|_| Some(&self.blob));
        let positions = reader.read_positions().unwrap();
        let mut positions: Vec<Vec3> = positions.map(Vec3::from_array).collect();
        let targets = reader.read_morph_targets();
        for ((changes, _, _), weight) in targets.zip(weights) {
            for (position, change) in positions.iter_mut().zip(changes.unwrap()) {
                *position += Vec3::from_array(change) * *weight;
            }
        }
        let Some(skin) = skin else {
            vertices.extend(positions.iter().map(|it| global.transform_point3(*it)));
            return;
        };
        let joints = reader.read_joints(0).unwrap().into_u16();
        let weights = reader.read_weights(0).unwrap().into_f32();
        for ((position, joints), weights) in positions.iter().zip(joints).zip(weights) {
            let moved = joints.iter().zip(weights).map(|(joint, weight)| {
                skin[usize::from(*joint)].transform_point3(*position) * weight
            });
            vertices.push(moved.sum());
        }
    }

    fn states(&self, clip: Option<&str>, seconds: f32) -> Vec<State> {
        let mut states: Vec<State> = self.document().nodes().map(|node| state(&node)).collect();
        let mut clips = self.document().animations();
        let clip = clip.map(|name| clips.find(|clip| clip.name() == Some(name)).unwrap());
        for channel in clip.iter().flat_map(gltf::Animation::channels) {
            let reader = channel.reader(|_| Some(&self.blob));
            let times: Vec<f32> = reader.read_inputs().unwrap().collect();
            let (key, next, mut t) = blend(&times, seconds);
            if channel.sampler().interpolation() == Interpolation::Step {
                t = 0.0;
            }
            let state = &mut states[channel.target().node().index()];
            match reader.read_outputs().unwrap() {
                ReadOutputs::Translations(values) => {
                    let values: Vec<_> = values.map(Vec3::from_array).collect();
                    state.translation = values[key].lerp(values[next], t);
                }
                ReadOutputs::Scales(values) => {
                    let values: Vec<_> = values.map(Vec3::from_array).collect();
                    state.scale = values[key].lerp(values[next], t);
                }
                ReadOutputs::Rotations(values) => {
                    let values: Vec<_> = values.into_f32().map(Quat::from_array).collect();
                    state.rotation = values[key].slerp(values[next], t);
                }
                ReadOutputs::MorphTargetWeights(values) => {
                    let values: Vec<f32> = values.into_f32().collect();
                    let count = values.len() / times.len();
                    let pairs = values[key * count..][..count]
                        .iter()
                        .zip(&values[next * count..][..count]);
                    state.weights = pairs.map(|(a, b)| a + (b - a) * t).collect();
                }
            }
        }
        states
    }
}

fn state(node: &Node<'_>) -> State {
    let (translation, rotation, scale) = node.transform().decomposed();
    let weights = node.mesh().and_then(|mesh| mesh.weights());
    State {
        translation: translation.into(),
        rotation: Quat::from_array(rotation),
        scale: scale.into(),
        weights: weights.unwrap_or_default().to_vec(),
    }
}

/// The keys before and after a time, and the way between them from 0 to 1.
fn blend(times: &[f32], seconds: f32) -> (usize, usize, f32) {
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    let next = times.partition_point(|time| *time <= seconds);
    match (next.checked_sub(1), times.get(next)) {
        (Some(key), Some(end)) => {
            let begin = times[key];
            (key, next, (seconds - begin) / (end - begin))
        }
        (None, _) => (0, 0, 0.0),
        (Some(key), None) => (key, key, 0.0),
    }
}

fn place(node: &Node<'_>, parent: Mat4, states: &[State], globals: &mut [Option<Mat4>]) {
    let State {
        translation,
        rotation,
        scale,
        ..
    } = states[node.index()];
    let global = parent * Mat4::from_scale_rotation_translation(scale, rotation, translation);
    globals[node.index()] = Some(global);
    for child in node.children() {
        place(&child, global, states, globals);
    }
}

/// Asserts that two lists of positions are equal within a tolerance.
#[track_caller]
pub fn assert_equal(found: &[Vec3], expected: &[Vec3], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = found.distance(*expected);
        assert!(
            error <= tolerance,
            "{what}, vertex {index}: {found}, not {expected}"
        );
    }
}

/// Asserts that each position of one list is also in the other, within a tolerance.
#[track_caller]
pub fn assert_same_set(found: &[Vec3], expected: &[Vec3], tolerance: f32, what: &str) {
    for (all, others) in [(found, expected), (expected, found)] {
        for position in all {
            let nearest = others.iter().map(|other| other.distance(*position));
            let nearest = nearest.fold(f32::INFINITY, f32::min);
            assert!(nearest <= tolerance, "{what}: {position} is {nearest} away");
        }
    }
}
