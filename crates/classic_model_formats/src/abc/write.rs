//! Writes plain values as bytes: for samples, test fixtures and tools.
//!
//! An [`AbcDocument`] owns its values. Create it from scratch or from a parsed file. Chunks are written in the order of real
//! files.

use super::file::{AbcFile, Animation, Geometry, Keyframe, Node, NodeTrack, TransformInfo};
use super::records::{NodeKey, Triangle, Vertex};
use crate::read::{ErrorKind, Quoted};
use crate::write::{check_finite, check_length, fail, floats, u32s, within};
use zerocopy::IntoBytes;

pub use crate::write::WriteError;

/// The maximum length of a string in bytes.
const MAX_STRING_LENGTH: usize = 500;

/// A model for [`write`](write()).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbcDocument {
    /// Commands for the engine, at most 500 bytes. Empty in most files.
    pub command_string: String,
    /// Triangles and vertices.
    pub geometry: GeometryDocument,
    /// The nodes of the skeleton in depth-first order: the root, then each child followed by its descendants.
    pub nodes: Vec<NodeDocument>,
    /// The animations. The first keyframe of the first animation is the rest pose.
    pub animations: Vec<AnimationDocument>,
    /// Orientation of triangles and rotations. With `None`, readers flip both.
    pub transform_info: Option<TransformInfo>,
}

/// Triangles and vertices of an [`AbcDocument`].
#[derive(Clone, Debug, PartialEq)]
pub struct GeometryDocument {
    /// Minimum and maximum corner over all animations, in model space.
    pub bounds: [[f32; 3]; 2],
    /// For each LOD including the full model, the index of the first vertex that is not replaced.
    pub lod_starts: Vec<u16>,
    /// Triangles of the full model.
    pub triangles: Vec<Triangle>,
    /// Vertices of the full model, then one vertex for each LOD.
    pub vertices: Vec<Vertex>,
    /// The count of vertices of the full model.
    pub base_vertices: u32,
}

impl Default for GeometryDocument {
    /// No triangles and no LODs.
    fn default() -> Self {
        Self {
            bounds: [[0.0; 3]; 2],
            lod_starts: vec![0],
            triangles: Vec::new(),
            vertices: Vec::new(),
            base_vertices: 0,
        }
    }
}

/// A node of an [`AbcDocument`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeDocument {
    /// The name, at most 500 bytes.
    pub name: String,
    /// Minimum and maximum corner. 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// The stored index, which should be the node's index.
    pub transformation_index: u16,
    /// Flags: see [`node_flags`](super::node_flags).
    pub flags: u8,
    /// Indices of the vertices that the node moves one by one.
    pub deform_vertices: Vec<u16>,
    /// The count of children.
    pub children: u32,
}

/// An animation of an [`AbcDocument`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationDocument {
    /// The name, at most 500 bytes.
    pub name: String,
    /// The duration in milliseconds.
    pub length: u32,
    /// Minimum and maximum corner.
    pub bounds: [[f32; 3]; 2],
    /// The keyframes. Their times must not decrease.
    pub keyframes: Vec<KeyframeDocument>,
    /// One track for each node.
    pub tracks: Vec<TrackDocument>,
    /// Half extents of the collision box. Either all animations or none must have them.
    pub dims: Option<[f32; 3]>,
}

/// A keyframe of an [`AnimationDocument`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyframeDocument {
    /// Milliseconds from the start of the animation.
    pub time: u32,
    /// Minimum and maximum corner. 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// The event that the game receives, at most 500 bytes. Empty for most keyframes.
    pub event: String,
}

/// The track of one node in an [`AnimationDocument`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackDocument {
    /// One key for each keyframe.
    pub keys: Vec<NodeKey>,
    /// Quantized positions of the deforming vertices: all vertices at the first keyframe, then at the next. The position
    /// in node space is `deform × deform_scale + deform_translation`.
    pub deform: Vec<[u8; 3]>,
    /// Scale of [`deform`](Self::deform).
    pub deform_scale: [f32; 3],
    /// Translation of [`deform`](Self::deform).
    pub deform_translation: [f32; 3],
}

impl NodeKey {
    /// A key with this translation and rotation. The rotation is a quaternion (X, Y, Z, W).
    #[must_use]
    pub fn new(translation: [f32; 3], rotation: [f32; 4]) -> Self {
        Self {
            translation: translation.map(Into::into),
            rotation: rotation.map(Into::into),
        }
    }
}

impl From<&AbcFile<'_>> for AbcDocument {
    fn from(file: &AbcFile<'_>) -> Self {
        Self {
            command_string: file.command_string.clone().into_owned(),
            geometry: (&file.geometry).into(),
            nodes: file.nodes.iter().map(Into::into).collect(),
            animations: file.animations.iter().map(Into::into).collect(),
            transform_info: file.transform_info,
        }
    }
}

impl From<&Geometry<'_>> for GeometryDocument {
    fn from(geometry: &Geometry<'_>) -> Self {
        Self {
            bounds: geometry.bounds,
            lod_starts: geometry
                .lod_starts
                .iter()
                .map(|start| start.get())
                .collect(),
            triangles: geometry.triangles.to_vec(),
            vertices: geometry.vertices.to_vec(),
            base_vertices: geometry.base_vertices,
        }
    }
}

impl From<&Node<'_>> for NodeDocument {
    fn from(node: &Node<'_>) -> Self {
        Self {
            name: node.name.clone().into_owned(),
            bounds: node.bounds,
            transformation_index: node.transformation_index,
            flags: node.flags,
            deform_vertices: node
                .deform_vertices
                .iter()
                .map(|index| index.get())
                .collect(),
            children: node.children,
        }
    }
}

impl From<&Animation<'_>> for AnimationDocument {
    fn from(animation: &Animation<'_>) -> Self {
        Self {
            name: animation.name.clone().into_owned(),
            length: animation.length,
            bounds: animation.bounds,
            keyframes: animation.keyframes.iter().map(Into::into).collect(),
            tracks: animation.tracks.iter().map(Into::into).collect(),
            dims: animation.dims,
        }
    }
}

impl From<&Keyframe<'_>> for KeyframeDocument {
    fn from(keyframe: &Keyframe<'_>) -> Self {
        Self {
            time: keyframe.time,
            bounds: keyframe.bounds,
            event: keyframe.event.clone().into_owned(),
        }
    }
}

impl From<&NodeTrack<'_>> for TrackDocument {
    fn from(track: &NodeTrack<'_>) -> Self {
        Self {
            keys: track.keys.to_vec(),
            deform: track.deform.to_vec(),
            deform_scale: track.deform_scale,
            deform_translation: track.deform_translation,
        }
    }
}

/// Writes a model. [`parse`](super::parse) reads the bytes as the same model.
///
/// # Errors
/// A [`WriteError`] for values that the format cannot store, such as a track with missing keys, and for values that the
/// parser would reject or change.
pub fn write(model: &AbcDocument) -> Result<Vec<u8>, WriteError> {
    check(model)?;
    let bytes = write_unchecked(model);
    check_length(&bytes)?;
    super::parse(&bytes)?;
    Ok(bytes)
}

/// Writes a model without checks, for tests of malformed files. Values that do not fit into their fields are truncated.
pub fn write_unchecked(model: &AbcDocument) -> Vec<u8> {
    let mut out = Vec::new();
    let has_dims = model
        .animations
        .iter()
        .any(|animation| animation.dims.is_some());
    let is_last = |chunk: &str| match chunk {
        "Animation" => !has_dims && model.transform_info.is_none(),
        "AnimDims" => model.transform_info.is_none(),
        chunk => chunk == "TransformInfo",
    };
    let mut chunk = |name: &str, body: &dyn Fn(&mut Vec<u8>)| {
        text(&mut out, name);
        let link = out.len();
        u32s(&mut out, [u32::MAX]);
        body(&mut out);
        let next = out.len() as u32;
        if !is_last(name)
            && let Some(link) = out.get_mut(link..link + 4)
        {
            link.copy_from_slice(&next.to_le_bytes());
        }
    };
    chunk("Header", &|out| {
        text(out, "MonolithExport Model File v6");
        text(out, &model.command_string);
    });
    chunk("Geometry", &|out| geometry(out, &model.geometry));
    chunk("Nodes", &|out| {
        model.nodes.iter().for_each(|item| node(out, item));
    });
    chunk("Animation", &|out| {
        u32s(out, [model.animations.len() as u32]);
        model
            .animations
            .iter()
            .for_each(|item| animation(out, item));
    });
    if has_dims {
        chunk("AnimDims", &|out| {
            for animation in &model.animations {
                floats(out, &animation.dims.unwrap_or_default());
            }
        });
    }
    if let Some(info) = model.transform_info {
        chunk("TransformInfo", &|out| {
            u32s(out, [info.flip_geometry.into(), info.flip_animation.into()]);
        });
    }
    out
}

/// Writes a string with its 16-bit length before it.
fn text(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..usize::from(u16::MAX)).unwrap_or(bytes);
    out.extend_from_slice(&(bytes.len() as u16).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn u16s(out: &mut Vec<u8>, values: &[u16]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn geometry(out: &mut Vec<u8>, geometry: &GeometryDocument) {
    floats(out, geometry.bounds.as_flattened());
    u32s(out, [geometry.lod_starts.len().wrapping_sub(1) as u32]);
    u16s(out, &geometry.lod_starts);
    u32s(out, [geometry.triangles.len() as u32]);
    out.extend_from_slice(geometry.triangles.as_bytes());
    u32s(
        out,
        [geometry.vertices.len() as u32, geometry.base_vertices],
    );
    out.extend_from_slice(geometry.vertices.as_bytes());
}

fn node(out: &mut Vec<u8>, node: &NodeDocument) {
    floats(out, node.bounds.as_flattened());
    text(out, &node.name);
    u16s(out, &[node.transformation_index]);
    out.push(node.flags);
    u32s(out, [node.deform_vertices.len() as u32]);
    u16s(out, &node.deform_vertices);
    u32s(out, [node.children]);
}

fn animation(out: &mut Vec<u8>, animation: &AnimationDocument) {
    text(out, &animation.name);
    u32s(out, [animation.length]);
    floats(out, animation.bounds.as_flattened());
    u32s(out, [animation.keyframes.len() as u32]);
    for keyframe in &animation.keyframes {
        u32s(out, [keyframe.time]);
        floats(out, keyframe.bounds.as_flattened());
        text(out, &keyframe.event);
    }
    for track in &animation.tracks {
        out.extend_from_slice(track.keys.as_bytes());
        out.extend_from_slice(track.deform.as_flattened());
        floats(out, &track.deform_scale);
        floats(out, &track.deform_translation);
    }
}

/// Checks for values that the parser would read differently. `write` calls the parser for all other checks.
fn check(model: &AbcDocument) -> Result<(), WriteError> {
    let AbcDocument {
        command_string,
        geometry,
        nodes,
        animations,
        ..
    } = model;
    check_text("command string", command_string)?;
    check_finite("Geometry / bounds", geometry.bounds.as_flattened())?;
    if geometry.lod_starts.is_empty() {
        let what = "`lod_starts` of the full model";
        return fail("Geometry", ErrorKind::Missing { what });
    }
    for (index, node) in nodes.iter().enumerate() {
        let path = || format!("Nodes / node {index} {}", Quoted(&node.name));
        check_node(node).or_else(within(path))?;
    }
    check_children(nodes)?;
    let has_dims = animations.iter().any(|animation| animation.dims.is_some());
    for (index, animation) in animations.iter().enumerate() {
        let path = || format!("Animation / animation {index} {}", Quoted(&animation.name));
        check_animation(animation, nodes, has_dims).or_else(within(path))?;
    }
    Ok(())
}

fn check_text(what: &str, text: &str) -> Result<(), WriteError> {
    if text.len() <= MAX_STRING_LENGTH {
        return Ok(());
    }
    let limit = "a string is at most 500 bytes long";
    fail(what, ErrorKind::LimitExceeded { limit })
}

fn check_count(
    what: &str,
    elements: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), WriteError> {
    if found == expected {
        return Ok(());
    }
    let kind = ErrorKind::CountMismatch {
        elements,
        found: found as u64,
        expected: expected as u64,
    };
    fail(what, kind)
}

fn check_node(node: &NodeDocument) -> Result<(), WriteError> {
    check_text("name", &node.name)?;
    check_finite("bounds", node.bounds.as_flattened())
}

/// Checks that the child counts describe one tree of all nodes.
fn check_children(nodes: &[NodeDocument]) -> Result<(), WriteError> {
    let mut tree_size = 1_u64;
    for (index, node) in nodes.iter().enumerate() {
        if index as u64 >= tree_size {
            break;
        }
        tree_size = tree_size.saturating_add(node.children.into());
    }
    let tree_size = usize::try_from(tree_size).unwrap_or(usize::MAX);
    check_count("Nodes", "nodes", nodes.len(), tree_size)
}

fn check_animation(
    animation: &AnimationDocument,
    nodes: &[NodeDocument],
    has_dims: bool,
) -> Result<(), WriteError> {
    check_text("name", &animation.name)?;
    check_finite("bounds", animation.bounds.as_flattened())?;
    let mut min_time = 0;
    for (index, keyframe) in animation.keyframes.iter().enumerate() {
        let path = || format!("/ keyframe {index}");
        check_keyframe(keyframe, min_time).or_else(within(path))?;
        min_time = keyframe.time;
    }
    check_count("tracks", "nodes", animation.tracks.len(), nodes.len())?;
    for (index, (track, node)) in animation.tracks.iter().zip(nodes).enumerate() {
        let path = || format!("/ node {index} {}", Quoted(&node.name));
        check_track(track, animation.keyframes.len(), node).or_else(within(path))?;
    }
    match animation.dims {
        Some(dims) => check_finite("dims", &dims),
        None if has_dims => {
            let what = "the dims of an animation, while others have them";
            fail("AnimDims", ErrorKind::Missing { what })
        }
        None => Ok(()),
    }
}

fn check_keyframe(keyframe: &KeyframeDocument, min_time: u32) -> Result<(), WriteError> {
    check_text("event", &keyframe.event)?;
    check_finite("bounds", keyframe.bounds.as_flattened())?;
    if keyframe.time < min_time {
        let kind = ErrorKind::BadCount {
            value: keyframe.time.into(),
            min: min_time.into(),
            max: u32::MAX.into(),
        };
        return fail("time", kind);
    }
    Ok(())
}

fn check_track(
    track: &TrackDocument,
    keyframes: usize,
    node: &NodeDocument,
) -> Result<(), WriteError> {
    check_count("keys", "keyframes", track.keys.len(), keyframes)?;
    let deform = keyframes.saturating_mul(node.deform_vertices.len());
    check_count("deform", "vertices", track.deform.len(), deform)?;
    check_finite("scale", &track.deform_scale)?;
    check_finite("translation", &track.deform_translation)
}
