//! A glTF document that is being built: typed JSON with a buffer. It must not know the games' formats.

use crate::convert::options::Container;
use crate::convert::{glb, names};
use bevy::math::Vec3;
use bevy::transform::components::Transform;
use gltf_json::buffer::View;
use gltf_json::extensions::root::Root as RootExtensions;
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::USize64;
use gltf_json::{Asset, Buffer, Index, Node, Root, Scene};
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A document that is being built.
pub struct Document {
    pub root: Root,
    /// The content of buffer 0.
    pub(super) buffer: Vec<u8>,
    /// The accessors by hashes of their content: equal data are stored once.
    pub(super) accessors: HashMap<[u8; 32], Index<gltf_json::Accessor>>,
    /// The accessors that morph targets have.
    pub(super) unshared: HashSet<usize>,
    used: BTreeSet<&'static str>,
    /// Values of the root's extensions.
    extensions: Map<String, Value>,
    /// Channels of animations whose target is a pointer, by animation. The JSON types have no such targets.
    pointers: Vec<(usize, PointerChannel)>,
}

/// A channel of an animation whose target is a JSON pointer (`KHR_animation_pointer`).
pub struct PointerChannel {
    /// The target, such as `/nodes/0/extensions/KHR_node_visibility/visible`.
    pub pointer: String,
    /// Index of the sampler in the animation.
    pub sampler: u32,
}

/// The transform of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    pub translation: [f32; 3],
    /// A unit quaternion: X, Y, Z, W.
    pub rotation: [f32; 4],
    pub scale: [f32; 3],
}

impl Placement {
    pub const IDENTITY: Self = Self {
        translation: [0.0; 3],
        rotation: [0.0, 0.0, 0.0, 1.0],
        scale: [1.0; 3],
    };
}

impl From<&Transform> for Placement {
    /// Values that are not finite are those of the identity.
    fn from(transform: &Transform) -> Self {
        let identity = Self::IDENTITY;
        let finite = |value: Vec3, other| {
            if value.is_finite() {
                value.to_array()
            } else {
                other
            }
        };
        let rotation = transform.rotation.normalize();
        Self {
            translation: finite(transform.translation, identity.translation),
            rotation: if rotation.is_finite() {
                rotation.to_array()
            } else {
                identity.rotation
            },
            scale: finite(transform.scale, identity.scale),
        }
    }
}

impl Document {
    /// A document with an empty scene of this name.
    pub fn new(name: &str) -> Self {
        let generator = concat!("classic-models ", env!("CARGO_PKG_VERSION"));
        let mut root = Root {
            asset: Asset {
                generator: Some(generator.to_owned()),
                ..Asset::default()
            },
            ..Root::default()
        };
        root.scene = Some(root.push(Scene {
            extensions: None,
            extras: None,
            name: Some(name.to_owned()),
            nodes: Vec::new(),
        }));
        Self {
            root,
            buffer: Vec::new(),
            accessors: HashMap::new(),
            unshared: HashSet::new(),
            used: BTreeSet::new(),
            extensions: Map::new(),
            pointers: Vec::new(),
        }
    }

    /// Records that an extension is used.
    pub fn uses(&mut self, extension: &'static str) {
        self.used.insert(extension);
    }

    /// Appends to a list in an extension of the root, and returns the index of the value.
    pub fn push_extension(&mut self, extension: &'static str, list: &str, value: Value) -> usize {
        self.uses(extension);
        let object = self.extensions.entry(extension).or_insert(json!({}));
        if !object[list].is_array() {
            object[list] = json!([]);
        }
        match object[list].as_array_mut() {
            Some(values) => {
                values.push(value);
                values.len() - 1
            }
            None => 0,
        }
    }

    /// Adds a node below a parent, or to the scene.
    pub fn add_node(&mut self, parent: Option<Index<Node>>, node: Node) -> Index<Node> {
        let index = self.root.push(node);
        match parent {
            Some(parent) => self.add_child(parent, index),
            None => {
                let scene = self.root.scenes.first_mut();
                scene.into_iter().for_each(|scene| scene.nodes.push(index));
            }
        }
        index
    }

    fn add_child(&mut self, parent: Index<Node>, child: Index<Node>) {
        if let Some(parent) = self.root.nodes.get_mut(parent.value()) {
            parent.children.get_or_insert_default().push(child);
        }
    }

    /// Adds a node that is not part of the scene.
    pub fn add_detached(&mut self, node: Node) -> Index<Node> {
        self.root.push(node)
    }

    /// Sets an extension of a node.
    pub fn extend_node(&mut self, node: Index<Node>, extension: &'static str, value: Value) {
        self.uses(extension);
        if let Some(node) = self.root.nodes.get_mut(node.value()) {
            let extensions = node.extensions.get_or_insert_default();
            extensions.others.insert(extension.to_owned(), value);
        }
    }

    /// Removes an extension of a node.
    pub fn remove_from_node(&mut self, node: Index<Node>, extension: &str) {
        let node = self.root.nodes.get_mut(node.value());
        if let Some(extensions) = node.and_then(|node| node.extensions.as_mut()) {
            extensions.others.remove(extension);
        }
    }

    /// Adds a channel with a pointer to an animation.
    pub fn add_pointer(&mut self, animation: usize, channel: PointerChannel) {
        self.uses("KHR_animation_pointer");
        self.pointers.push((animation, channel));
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If the document is too large for its container.
    pub fn write(mut self, container: Container) -> Result<Vec<u8>, String> {
        names::make_unique(&mut self.root);
        self.root.extensions_used = self.used.iter().map(ToString::to_string).collect();
        if !self.extensions.is_empty() {
            self.root.extensions = Some(RootExtensions {
                others: std::mem::take(&mut self.extensions),
                // Fields of extensions that Bevy's glTF loader enables.
                ..RootExtensions::default()
            });
        }
        if !self.buffer.is_empty() {
            self.root.buffers.push(Buffer {
                byte_length: USize64::from(self.buffer.len()),
                name: None,
                uri: None,
                extensions: None,
                extras: None,
            });
        }
        let mut json = self.root.to_value().map_err(|error| error.to_string())?;
        for (animation, channel) in &self.pointers {
            insert_pointer(&mut json, *animation, channel);
        }
        match container {
            Container::Glb => glb::binary(&json, &self.buffer),
            Container::Gltf => Ok(glb::text(json, &self.buffer)),
        }
    }

    /// Adds bytes to the buffer, aligned to four.
    pub(super) fn push_view(
        &mut self,
        bytes: &[u8],
        target: Option<gltf_json::buffer::Target>,
    ) -> Index<View> {
        let offset = self.buffer.len().next_multiple_of(4);
        self.buffer.resize(offset, 0);
        self.buffer.extend_from_slice(bytes);
        self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64::from(bytes.len()),
            byte_offset: Some(USize64::from(offset)),
            byte_stride: None,
            name: None,
            target: target.map(gltf_json::validation::Checked::Valid),
            extensions: None,
            extras: None,
        })
    }
}

/// Adds a channel to an animation in the JSON.
fn insert_pointer(json: &mut Value, animation: usize, channel: &PointerChannel) {
    let channel = json!({
        "sampler": channel.sampler,
        "target": {
            "path": "pointer",
            "extensions": { "KHR_animation_pointer": { "pointer": channel.pointer } },
        },
    });
    let channels = &mut json["animations"][animation]["channels"];
    match channels.as_array_mut() {
        Some(channels) => channels.push(channel),
        None => *channels = json!([channel]),
    }
}

/// A node with a name and a transform.
pub fn node(name: &str, placement: Placement) -> Node {
    let Placement {
        translation,
        rotation,
        scale,
    } = placement;
    let identity = Placement::IDENTITY;
    Node {
        name: Some(name.to_owned()),
        translation: (translation != identity.translation).then_some(translation),
        rotation: (rotation != identity.rotation).then_some(UnitQuaternion(rotation)),
        scale: (scale != identity.scale).then_some(scale),
        ..Node::default()
    }
}
