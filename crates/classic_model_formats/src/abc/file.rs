//! The values of a parsed model, borrowed from its bytes.

use super::records::{NodeKey, Triangle, Vertex};
use crate::read::Warning;
use std::borrow::Cow;
use zerocopy::little_endian::U16;

/// Bits of [`Node::flags`].
pub mod node_flags {
    /// The node has no triangles, only children. Set for the root of all known files.
    pub const NULL: u8 = 1;
    /// The node may have triangles.
    pub const TRIANGLES: u8 = 2;
    /// The node moves single vertices: see [`Node::deform_vertices`](super::Node::deform_vertices).
    pub const DEFORMATION: u8 = 4;
    /// The node's triangles show an environment map over their texture.
    pub const ENVIRONMENT_MAP: u8 = 8;
    /// The node's triangles show only an environment map.
    pub const ENVIRONMENT_MAP_ONLY: u8 = 16;
    /// The texture of the node's triangles scrolls along U.
    pub const SCROLL_U: u8 = 32;
    /// The texture of the node's triangles scrolls along V.
    pub const SCROLL_V: u8 = 64;
}

/// A parsed model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AbcFile<'a> {
    /// Commands of the game's tools for the engine, such as `DrawIndexedDist 2048;NormalRef NODE_Normals AmbA`.
    pub command_string: Cow<'a, str>,
    /// Triangles and vertices.
    pub geometry: Geometry<'a>,
    /// The nodes of the skeleton, parents before their children. The first node is the root.
    pub nodes: Vec<Node<'a>>,
    /// The animations in file order. The first keyframe of the first animation is the rest pose.
    pub animations: Vec<Animation<'a>>,
    /// Orientation of triangles and rotations. `None` in files of the engine's first version: see
    /// [`transform`](Self::transform).
    pub transform_info: Option<TransformInfo>,
    /// Warnings about harmless flaws.
    pub warnings: Vec<Warning>,
}

impl AbcFile<'_> {
    /// The orientation of triangles and rotations. If the file does not store it, both are flipped.
    ///
    /// Source of the default: the reverse-engineered tools for the engine's first games. It is not verified with an
    /// original file.
    pub fn transform(&self) -> TransformInfo {
        self.transform_info.unwrap_or(TransformInfo {
            flip_geometry: true,
            flip_animation: true,
        })
    }

    /// The depth of the node tree: 1 for a single root.
    pub fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            // Parents come before their children.
            let parent = node.parent.and_then(|parent| depths.get(parent as usize));
            depths.push(parent.map_or(1, |parent| parent + 1));
        }
        depths.into_iter().max().unwrap_or(0)
    }
}

/// The orientation of triangles and rotations in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TransformInfo {
    /// Whether front faces are counter-clockwise in the file's left-handed space. Otherwise they are clockwise.
    pub flip_geometry: bool,
    /// Whether the stored rotations of nodes must be inverted.
    pub flip_animation: bool,
}

/// The triangles and vertices of a model, with its levels of detail (LODs).
///
/// LOD 0 is the full model. Each further LOD replaces two vertices by one new vertex: see [`lod`](Self::lod).
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry<'a> {
    /// Minimum and maximum corner over all animations, in model space. Unreliable: mirrored or 0 in some files.
    pub bounds: [[f32; 3]; 2],
    /// For each LOD including the full model, the index of the first vertex that is not replaced.
    pub lod_starts: &'a [U16],
    /// The triangles of the full model. The parser has checked that every index is less than
    /// [`base_vertices`](Self::base_vertices).
    pub triangles: &'a [Triangle],
    /// The vertices of the full model, then those that LODs add. The parser has checked every node index.
    pub vertices: &'a [Vertex],
    /// The count of vertices of the full model.
    pub base_vertices: u32,
    /// The count of LODs in addition to the full model, without LODs that the parser dropped.
    pub lods: u32,
    /// For each vertex, the LOD that replaces it, or 0 if no LOD does. Empty if there are no LODs.
    pub(super) replaced_at: Vec<u32>,
}

/// A node of the skeleton.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Node<'a> {
    /// The name, unique in all known files.
    pub name: Cow<'a, str>,
    /// Minimum and maximum corner. Unreliable: 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// The index that the file stores. Equals the node's index in all known files.
    pub transformation_index: u16,
    /// Flags: see [`node_flags`].
    pub flags: u8,
    /// Indices of the vertices that the node moves one by one. The parser has checked every index.
    pub deform_vertices: &'a [U16],
    /// Index of the parent, less than the node's own index. `None` for the root.
    pub parent: Option<u32>,
    /// The count of children.
    pub children: u32,
}

/// An animation of all nodes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Animation<'a> {
    /// The name. Several animations may have the same name.
    pub name: Cow<'a, str>,
    /// The duration in milliseconds. The time of the last keyframe in all known files.
    pub length: u32,
    /// Minimum and maximum corner. Unreliable.
    pub bounds: [[f32; 3]; 2],
    /// The keyframes. Their times never decrease.
    pub keyframes: Vec<Keyframe<'a>>,
    /// The track of each node, in the order of the nodes.
    pub tracks: Vec<NodeTrack<'a>>,
    /// Half extents of the game's collision box. `None` if the file has no such boxes.
    pub dims: Option<[f32; 3]>,
}

impl Animation<'_> {
    /// The duration in seconds.
    pub fn seconds(&self) -> f32 {
        (f64::from(self.length) / 1000.0) as f32
    }
}

/// A keyframe of an animation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Keyframe<'a> {
    /// Milliseconds from the start of the animation.
    pub time: u32,
    /// Minimum and maximum corner. Unreliable: 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// The event that the game receives when playback reaches the keyframe, such as `FOOTSTEP_KEY`. Empty for most
    /// keyframes.
    pub event: Cow<'a, str>,
}

/// The transforms of one node in an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeTrack<'a> {
    /// Translation and rotation at each keyframe. All numbers are finite.
    pub keys: &'a [NodeKey],
    /// Quantized positions of the deforming vertices: all vertices at the first keyframe, then at the next. The position
    /// in node space is `deform × deform_scale + deform_translation`.
    pub deform: &'a [[u8; 3]],
    /// Scale of [`deform`](Self::deform). Meaningless for a node without deforming vertices; not a scale of the node.
    pub deform_scale: [f32; 3],
    /// Translation of [`deform`](Self::deform). Meaningless for a node without deforming vertices.
    pub deform_translation: [f32; 3],
}
