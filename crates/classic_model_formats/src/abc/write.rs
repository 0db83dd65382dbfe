//! Plain values back to bytes: for samples, fixtures and tools that make models.
//!
//! An [`AbcDocument`] owns what it holds, and is made by hand or of a parsed file. Chunks are written
//! in the order of real files.

use super::file::{AbcFile, Animation, Geometry, Keyframe, Node, NodeTrack, TransformInfo};
use super::records::{NodeKey, Triangle, Vertex};
use crate::read::{ErrorKind, Quoted};
use crate::write::{check_length, fail, finite, floats, u32s, within};
use zerocopy::IntoBytes;

pub use crate::write::WriteError;

/// The bytes of the longest string that the format allows.
const MOST_TEXT: usize = 500;

/// A model to be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AbcDocument {
    /// What the game's tools say to the engine; mostly empty.
    pub command_string: String,
    /// Triangles and vertices.
    pub geometry: GeometryDocument,
    /// The skeleton: the root, then each child with all below it before the next.
    pub nodes: Vec<NodeDocument>,
    /// Animations, of which the first keyframe of the first is how the model was built.
    pub animations: Vec<AnimationDocument>,
    /// Which way round the model is; without it, both flips hold.
    pub transform_info: Option<TransformInfo>,
}

/// Triangles and vertices of an [`AbcDocument`].
#[derive(Clone, Debug, PartialEq)]
pub struct GeometryDocument {
    /// Least and greatest corner over all animations.
    pub bounds: [[f32; 3]; 2],
    /// For the full model and each level of detail, the first vertex that was not yet replaced.
    pub lod_starts: Vec<u16>,
    /// Triangles of the full model.
    pub triangles: Vec<Triangle>,
    /// Vertices of the full model, then one for each level of detail.
    pub vertices: Vec<Vertex>,
    /// How many of the vertices are the full model's.
    pub base_vertices: u32,
}

impl Default for GeometryDocument {
    /// Nothing, and no levels of it.
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
    /// Its name.
    pub name: String,
    /// Least and greatest corner; 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// The index that the file gives it, which should be its place in the list.
    pub transformation_index: u16,
    /// What it is for: see [`node_flags`](super::node_flags).
    pub flags: u8,
    /// The vertices that it moves one by one.
    pub deform_vertices: Vec<u16>,
    /// How many children it has.
    pub children: u32,
}

/// An animation of an [`AbcDocument`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimationDocument {
    /// Its name.
    pub name: String,
    /// How long it takes, in milliseconds.
    pub length: u32,
    /// Least and greatest corner.
    pub bounds: [[f32; 3]; 2],
    /// When something is known.
    pub keyframes: Vec<KeyframeDocument>,
    /// One for each node.
    pub tracks: Vec<TrackDocument>,
    /// Half the size of the collision box; all animations have one or none has.
    pub dims: Option<[f32; 3]>,
}

/// A keyframe of an [`AnimationDocument`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyframeDocument {
    /// Milliseconds from the start of the animation.
    pub time: u32,
    /// Least and greatest corner; 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// What the game is told; mostly empty.
    pub event: String,
}

/// How one node of an [`AnimationDocument`] moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackDocument {
    /// One for each keyframe.
    pub keys: Vec<NodeKey>,
    /// For each keyframe, one for each vertex that the node deforms.
    pub deform: Vec<[u8; 3]>,
    /// Units per step of the deforming vertices.
    pub deform_scale: [f32; 3],
    /// Place of step 0.
    pub deform_translation: [f32; 3],
}

impl NodeKey {
    /// A key of plain numbers: a translation, and X, Y, Z and W of a quaternion.
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

/// The bytes of a model, which [`parse`](super::parse) reads as the same model.
///
/// # Errors
/// A [`WriteError`] for what the format cannot say, such as a track without all its keyframes, and
/// for what the parser would refuse or change.
pub fn write(model: &AbcDocument) -> Result<Vec<u8>, WriteError> {
    check(model)?;
    let bytes = write_unchecked(model);
    check_length(&bytes)?;
    super::parse(&bytes)?;
    Ok(bytes)
}

/// The bytes of a model, sensible or not: for tests of bad files.
///
/// What does not fit into its field is cut off.
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

/// A text with its length before it.
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

/// What the parser would read otherwise than it was meant. What it would refuse, it refuses itself.
fn check(model: &AbcDocument) -> Result<(), WriteError> {
    let AbcDocument {
        command_string,
        geometry,
        nodes,
        animations,
        ..
    } = model;
    check_text("command string", command_string)?;
    finite("Geometry / bounds", geometry.bounds.as_flattened())?;
    if geometry.lod_starts.is_empty() {
        let what = "the first vertex of the full model";
        return fail("Geometry", ErrorKind::Missing { what });
    }
    for (number, node) in nodes.iter().enumerate() {
        let place = || format!("Nodes / node {number} {}", Quoted(&node.name));
        check_node(node).or_else(within(place))?;
    }
    check_children(nodes)?;
    let has_dims = animations.iter().any(|animation| animation.dims.is_some());
    for (number, animation) in animations.iter().enumerate() {
        let place = || format!("Animation / animation {number} {}", Quoted(&animation.name));
        check_animation(animation, nodes, has_dims).or_else(within(place))?;
    }
    Ok(())
}

fn check_text(what: &str, text: &str) -> Result<(), WriteError> {
    if text.len() <= MOST_TEXT {
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
    finite("bounds", node.bounds.as_flattened())
}

/// Whether the nodes make one tree, neither with too few of them nor with too many.
fn check_children(nodes: &[NodeDocument]) -> Result<(), WriteError> {
    let mut announced = 1_u64;
    for (number, node) in nodes.iter().enumerate() {
        let Ok(below) = usize::try_from(announced) else {
            break;
        };
        if number >= below {
            break;
        }
        announced = announced.saturating_add(node.children.into());
    }
    let announced = usize::try_from(announced).unwrap_or(usize::MAX);
    check_count("Nodes", "nodes", nodes.len(), announced)
}

fn check_animation(
    animation: &AnimationDocument,
    nodes: &[NodeDocument],
    has_dims: bool,
) -> Result<(), WriteError> {
    check_text("name", &animation.name)?;
    finite("bounds", animation.bounds.as_flattened())?;
    let mut earliest = 0;
    for (number, keyframe) in animation.keyframes.iter().enumerate() {
        let place = || format!("/ keyframe {number}");
        check_keyframe(keyframe, &mut earliest).or_else(within(place))?;
    }
    check_count("tracks", "nodes", animation.tracks.len(), nodes.len())?;
    for (number, (track, node)) in animation.tracks.iter().zip(nodes).enumerate() {
        let place = || format!("/ node {number} {}", Quoted(&node.name));
        check_track(track, animation.keyframes.len(), node).or_else(within(place))?;
    }
    match animation.dims {
        Some(dims) => finite("dims", &dims),
        None if has_dims => {
            let what = "the dims that other animations have";
            fail("AnimDims", ErrorKind::Missing { what })
        }
        None => Ok(()),
    }
}

fn check_keyframe(keyframe: &KeyframeDocument, earliest: &mut u32) -> Result<(), WriteError> {
    check_text("event", &keyframe.event)?;
    finite("bounds", keyframe.bounds.as_flattened())?;
    if keyframe.time < *earliest {
        let kind = ErrorKind::BadCount {
            value: keyframe.time.into(),
            min: (*earliest).into(),
            max: u32::MAX.into(),
        };
        return fail("time", kind);
    }
    *earliest = keyframe.time;
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
    finite("scale", &track.deform_scale)?;
    finite("translation", &track.deform_translation)
}
