//! A glTF document that is being built: typed JSON with a buffer. It must not know the games' formats.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bevy::prelude::*;
use gltf::binary::{Glb, Header};
use gltf_json::buffer::View;
use gltf_json::extensions::root::Root as RootExtensions;
use gltf_json::scene::UnitQuaternion;
use gltf_json::validation::USize64;
use gltf_json::{Asset, Buffer, Extras, Index, Node, Root, Scene};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The container of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A binary file.
    Glb,
    /// A JSON file.
    Gltf,
}

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
        let parent = parent.map(|parent| self.root.nodes.get_mut(parent.value()));
        let siblings = match parent {
            Some(parent) => parent.map(|parent| parent.children.get_or_insert_default()),
            None => self.root.scenes.first_mut().map(|scene| &mut scene.nodes),
        };
        siblings.into_iter().for_each(|nodes| nodes.push(index));
        index
    }

    /// Adds nodes below a root. Each has the index of its parent, which comes before it; `None` is the root.
    pub fn add_tree(
        &mut self,
        root: Index<Node>,
        nodes: impl Iterator<Item = (Option<usize>, Node)>,
    ) -> Vec<Index<Node>> {
        let mut added: Vec<Index<Node>> = Vec::new();
        for (parent, node) in nodes {
            let parent = parent.and_then(|parent| added.get(parent).copied());
            added.push(self.add_node(Some(parent.unwrap_or(root)), node));
        }
        added
    }

    /// Makes the first node the finest level of detail, and the others its coarser levels. `shares` has the share of the
    /// triangles of each level: a level is shown if the model covers less of the screen than its share. The coarsest level is
    /// shown at any distance.
    pub fn set_levels(&mut self, nodes: &[Index<Node>], shares: impl Iterator<Item = f64>) {
        let [finest, coarser @ ..] = nodes else {
            return;
        };
        if coarser.is_empty() {
            return;
        }
        let ids: Vec<usize> = coarser.iter().map(Index::value).collect();
        self.extend_node(*finest, "MSFT_lod", json!({ "ids": ids }));
        let next = shares.skip(1).take(coarser.len());
        let coverage: Vec<f64> = next.chain([0.0]).collect();
        if let Some(node) = self.root.nodes.get_mut(finest.value()) {
            add_extra(&mut node.extras, "MSFT_screencoverage", coverage);
        }
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
        make_unique(&mut self.root);
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
            Container::Glb => binary(&json, &self.buffer),
            Container::Gltf => Ok(text(json, &self.buffer)),
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

/// A node with a name and a transform. Values that are not finite are those of the identity.
pub fn node(name: &str, transform: &Transform) -> Node {
    let identity = Transform::IDENTITY;
    let rotation = transform.rotation.normalize();
    let differs = |value: &Vec3, other: Vec3| value.is_finite() && *value != other;
    Node {
        name: Some(name.to_owned()),
        translation: Some(transform.translation)
            .filter(|it| differs(it, identity.translation))
            .map(Into::into),
        rotation: Some(rotation)
            .filter(|it| it.is_finite() && *it != identity.rotation)
            .map(|it| UnitQuaternion(it.into())),
        scale: Some(transform.scale)
            .filter(|it| differs(it, identity.scale))
            .map(Into::into),
        ..Node::default()
    }
}

/// Adds a value to the application data of an object, unless it has one with this name.
pub fn add_extra(extras: &mut gltf_json::Extras, name: &str, value: impl Into<Value>) {
    let old = extras.take();
    let old = old.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let mut values: Map<String, Value> = old.unwrap_or_default();
    values.entry(name).or_insert(value.into());
    *extras = self::extras(&Value::Object(values));
}

/// Application data of an object.
pub fn extras(value: &Value) -> gltf_json::Extras {
    RawValue::from_string(value.to_string()).ok()
}

/// A binary file of this JSON and this buffer, which is buffer 0.
///
/// # Errors
/// If the file would be larger than 4 GiB, which the format cannot store.
pub fn binary(json: &Value, buffer: &[u8]) -> Result<Vec<u8>, String> {
    let glb = Glb {
        // The length is that of the file.
        header: Header {
            magic: *b"glTF",
            version: 2,
            length: 0,
        },
        json: json.to_string().into_bytes().into(),
        bin: (!buffer.is_empty()).then(|| buffer.into()),
    };
    let bytes = glb.to_vec().map_err(|error| error.to_string())?;
    match u32::try_from(bytes.len()) {
        Ok(_) => Ok(bytes),
        Err(_) => Err("the result is larger than 4 GiB".to_owned()),
    }
}

/// A text file of this JSON, with the buffer as a data URI.
pub fn text(mut json: Value, buffer: &[u8]) -> Vec<u8> {
    if !buffer.is_empty() {
        let uri = format!(
            "data:application/octet-stream;base64,{}",
            STANDARD.encode(buffer)
        );
        json["buffers"][0]["uri"] = json!(uri);
    }
    format!("{json:#}\n").into_bytes()
}

#[cfg(test)]
mod glb_tests {
    use super::*;

    #[test]
    fn chunks_are_padded_and_lengths_include_them() {
        let bytes = binary(&json!({"a": 1}), &[7; 5]).unwrap();
        assert_eq!(bytes.len() % 4, 0);
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((word(4), word(8) as usize), (2, bytes.len()));
        assert_eq!(&bytes[12..20], [8, 0, 0, 0, b'J', b'S', b'O', b'N']);
        assert_eq!(&bytes[20..28], b"{\"a\":1} ");
        assert_eq!(
            &bytes[28..],
            [8, 0, 0, 0, b'B', b'I', b'N', 0, 7, 7, 7, 7, 7, 0, 0, 0]
        );
    }

    #[test]
    fn a_document_without_data_has_no_binary_chunk() {
        assert_eq!(binary(&json!({}), &[]).unwrap().len(), 24);
        assert_eq!(text(json!({}), &[]), b"{}\n");
    }
}

/// Makes all names of a kind unique. The name in the file is `extras.name` of what gets another one.
pub fn make_unique(root: &mut Root) {
    let mut nodes: Vec<Named<'_>> = root
        .nodes
        .iter_mut()
        .map(|node| {
            let is_light = |extensions: &gltf_json::extensions::scene::Node| {
                extensions.others.contains_key("KHR_lights_punctual")
            };
            let kind = match (&node.mesh, &node.extensions) {
                (Some(_), _) => Some("mesh"),
                (None, Some(extensions)) if is_light(extensions) => Some("light"),
                _ => None,
            };
            (&mut node.name, &mut node.extras, kind)
        })
        .collect();
    // The root, whose name is that of the file, is last, so that bones keep their names.
    if !nodes.is_empty() {
        nodes.rotate_left(1);
    }
    rename(nodes);
    let meshes = root.meshes.iter_mut();
    rename(meshes.map(|it| (&mut it.name, &mut it.extras, None)));
    let materials = root.materials.iter_mut();
    rename(materials.map(|it| (&mut it.name, &mut it.extras, None)));
    let images = root.images.iter_mut();
    rename(images.map(|it| (&mut it.name, &mut it.extras, None)));
    let animations = root.animations.iter_mut();
    rename(animations.map(|it| (&mut it.name, &mut it.extras, None)));
}

/// The name and the extras of an object, and the word that is appended to a name that another object has.
type Named<'a> = (&'a mut Option<String>, &'a mut Extras, Option<&'static str>);

fn rename<'a>(objects: impl IntoIterator<Item = Named<'a>>) {
    let objects: Vec<Named<'a>> = objects.into_iter().collect();
    let names = objects
        .iter()
        .map(|(name, _, kind)| (name.as_deref().unwrap_or_default(), *kind));
    let names = unique(&names.collect::<Vec<_>>());
    for ((name, extras, _), unique) in objects.into_iter().zip(names) {
        if let Some(old) = name.as_mut().filter(|old| **old != unique) {
            add_extra(extras, "name", old.as_str());
            *old = unique;
        }
    }
}

/// The names, each once. The first of equal ones remains. The others get their word, a number, or both: `barrel#2`.
pub fn unique(names: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut used: HashSet<String> = names.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut result = Vec::with_capacity(names.len());
    for (name, word) in names {
        if seen.insert(name) {
            result.push((*name).to_owned());
            continue;
        }
        let base = match word {
            Some(word) if !name.ends_with(word) => format!("{name} {word}"),
            _ => (*name).to_owned(),
        };
        if used.insert(base.clone()) {
            result.push(base);
            continue;
        }
        let count = counts.entry(base.clone()).or_insert(1);
        let unique = loop {
            *count += 1;
            let numbered = format!("{base}#{count}");
            if used.insert(numbered.clone()) {
                break numbered;
            }
        };
        result.push(unique);
    }
    result
}

#[cfg(test)]
mod names_tests {
    use super::unique;

    #[test]
    fn repeated_names_get_words_or_numbers_that_no_name_has() {
        let names = [
            ("barrel", None),
            ("barrel#2", None),
            ("barrel", None),
            ("barrel", Some("mesh")),
            ("barrel", Some("mesh")),
            ("barrel mesh", Some("mesh")),
            ("barrel mesh", Some("mesh")),
            ("hull", Some("mesh")),
            ("", None),
            ("", None),
        ];
        let expected = [
            "barrel",
            "barrel#2",
            "barrel#3",
            "barrel mesh#2",
            "barrel mesh#3",
            "barrel mesh",
            "barrel mesh#4",
            "hull",
            "",
            "#2",
        ];
        assert_eq!(unique(&names), expected);
    }

    #[test]
    fn many_equal_names_take_linear_time() {
        let names = vec![("bone", None); 50_000];
        assert_eq!(unique(&names).last().unwrap(), "bone#50000");
    }
}
