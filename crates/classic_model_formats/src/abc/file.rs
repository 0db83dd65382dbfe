//! What a parsed file consists of, borrowed from its bytes.

use super::records::{NodeKey, Triangle, Vertex};
use crate::read::Warning;
use std::borrow::Cow;
use zerocopy::little_endian::U16;

/// What a node is for, as bits of [`Node::flags`].
pub mod node_flags {
    /// It only carries others. The root of all known files.
    pub const NULL: u8 = 1;
    /// Vertices follow it, though there may be none.
    pub const TRIANGLES: u8 = 2;
    /// It moves its vertices one by one.
    pub const DEFORMATION: u8 = 4;
    /// Its triangles reflect what is around them.
    pub const ENVIRONMENT_MAP: u8 = 8;
    /// Its triangles show nothing but what is around them.
    pub const ENVIRONMENT_MAP_ONLY: u8 = 16;
    /// Its picture moves along U.
    pub const SCROLL_U: u8 = 32;
    /// Its picture moves along V.
    pub const SCROLL_V: u8 = 64;
}

/// A parsed model.
#[derive(Clone, Debug)]
pub struct AbcFile<'a> {
    /// What the game's tools say to the engine, such as
    /// `DrawIndexedDist 2048;NormalRef NODE_Normals AmbA`.
    pub command_string: Cow<'a, str>,
    /// Triangles and vertices.
    pub geometry: Geometry<'a>,
    /// The skeleton: parents before their children, and the first is the root.
    pub nodes: Vec<Node<'a>>,
    /// Animations in file order. The first keyframe of the first is how the model was built.
    pub animations: Vec<Animation<'a>>,
    /// Which way round the file is; none in the files of the engine's first version.
    pub transform_info: Option<TransformInfo>,
    /// Flaws that do no harm.
    pub warnings: Vec<Warning>,
}

impl AbcFile<'_> {
    /// Which way round the file is. Where it does not say, both flips hold.
    ///
    /// Source: the reverse-engineered tools for the engine's first games; no original file of those
    /// was at hand.
    pub fn transform(&self) -> TransformInfo {
        self.transform_info.unwrap_or(TransformInfo {
            flip_geometry: true,
            flip_animation: true,
        })
    }

    /// How deep nodes are nested, the root being the first level.
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

/// Which way round a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformInfo {
    /// Whether triangles are counter-clockwise when seen from outside, in the file's left-handed
    /// space. Otherwise they are clockwise.
    pub flip_geometry: bool,
    /// Whether the rotations of nodes are the inverse of what is stored.
    pub flip_animation: bool,
}

/// Triangles and vertices, of the full model and of what replaces them in the distance.
#[derive(Clone, Debug)]
pub struct Geometry<'a> {
    /// Least and greatest corner over all animations. A hint, mirrored or 0 in some files.
    pub bounds: [[f32; 3]; 2],
    /// For the full model and each level of detail, the first vertex that was not yet replaced.
    pub lod_starts: &'a [U16],
    /// Triangles; every index is less than [`base_vertices`](Self::base_vertices).
    pub triangles: &'a [Triangle],
    /// Vertices, first those of the full model, then those that levels of detail add. Every node
    /// index has been checked.
    pub vertices: &'a [Vertex],
    /// How many of the vertices are the full model's.
    pub base_vertices: u32,
    /// How many levels of detail there are beside the full model, without those that the parser
    /// dropped.
    pub lods: u32,
    /// For each vertex, the level at which it is replaced; 0 if never. Empty if there are no levels.
    pub(super) replaced_at: Vec<u32>,
}

/// A joint of the skeleton, in which vertices are placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// Its name, unique in all known files.
    pub name: Cow<'a, str>,
    /// Least and greatest corner. A hint, 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// The index that the file gives it, which is its place in the list in all known files.
    pub transformation_index: u16,
    /// What it is for: see [`node_flags`].
    pub flags: u8,
    /// The vertices that it moves one by one; every index has been checked.
    pub deform_vertices: &'a [U16],
    /// Index of the parent, less than its own; none for the root.
    pub parent: Option<u32>,
    /// How many children it has.
    pub children: u32,
}

/// How the nodes move.
#[derive(Clone, Debug)]
pub struct Animation<'a> {
    /// Its name, which others may have as well.
    pub name: Cow<'a, str>,
    /// How long it takes, in milliseconds. The time of the last keyframe in all known files.
    pub length: u32,
    /// Least and greatest corner. A hint.
    pub bounds: [[f32; 3]; 2],
    /// When something is known. None of them is before the one ahead of it.
    pub keyframes: Vec<Keyframe<'a>>,
    /// How each node moves, in the order of the nodes.
    pub tracks: Vec<NodeTrack<'a>>,
    /// Half the size of the box that the game collides with, along each axis; none if the file has
    /// none for any animation.
    pub dims: Option<[f32; 3]>,
}

impl Animation<'_> {
    /// How long it takes, in seconds.
    pub fn seconds(&self) -> f32 {
        (f64::from(self.length) / 1000.0) as f32
    }
}

/// A moment of an animation.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframe<'a> {
    /// Milliseconds from the start of the animation.
    pub time: u32,
    /// Least and greatest corner. A hint, 0 in most files.
    pub bounds: [[f32; 3]; 2],
    /// What the game is told when the animation comes by, such as `FOOTSTEP_KEY`; mostly empty.
    pub event: Cow<'a, str>,
}

/// How one node moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeTrack<'a> {
    /// Where it is and how it is turned at each keyframe: finite numbers.
    pub keys: &'a [NodeKey],
    /// Places of its deforming vertices, in steps: all of the first keyframe, then all of the next.
    pub deform: &'a [[u8; 3]],
    /// Units per step. Means nothing for a node that does not deform, and least of all its size.
    pub deform_scale: [f32; 3],
    /// Place of step 0. Means nothing for a node that does not deform.
    pub deform_translation: [f32; 3],
}
