//! The contents of an `.alo` file: plain values that borrow from the file's bytes.

use super::records::{TreeNode, Vertices};
use crate::read::Warning;
use std::borrow::Cow;
use zerocopy::little_endian::{U16, U32};

/// A parsed model.
///
/// Right-handed; Z is up and the model faces −Y. The unit of length is the game's. Front faces are counter-clockwise.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AloFile<'a> {
    /// 2 if the model has dazzles, which Universe at War introduced; otherwise 1.
    pub version: u8,
    /// The skeleton, at least one bone. Parents precede their children.
    pub bones: Vec<Bone<'a>>,
    /// The meshes, in file order.
    pub meshes: Vec<Mesh<'a>>,
    /// The lights, in file order.
    pub lights: Vec<Light<'a>>,
    /// The proxies, in file order: names of effects and models, and the bones they are attached to.
    pub proxies: Vec<Proxy<'a>>,
    /// The dazzles, in file order: small blinking lights.
    pub dazzles: Vec<Dazzle<'a>>,
    /// Harmless flaws of the file.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// A bone of the skeleton.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bone<'a> {
    /// The bone's name. Names are not unique.
    pub name: Cow<'a, str>,
    /// Index of the parent, less than the bone's own index; `None` for a root.
    pub parent: Option<u32>,
    /// Whether the meshes, lights, proxies and dazzles connected to the bone are drawn. Animations that have a record of
    /// the bone decide instead. It has no effect on what is connected to its descendants.
    pub visible: bool,
    /// The billboard mode, which rotates the bone:
    ///
    /// | value | rotation |
    /// |---|---|
    /// | 0 | none |
    /// | 1 | parallel to the camera's image plane |
    /// | 2 | faces the camera |
    /// | 3 | faces the camera, about Z only |
    /// | 4 | turns to the light, about Z only |
    /// | 5 | turns to the wind, about Z only |
    /// | 6 | as 1, at the position of the sun's glow |
    /// | 7 | as 1, at the position of the sun |
    pub billboard: u32,
    /// Whether the file stores the older record (chunk 0x205), without `billboard`.
    pub is_v1: bool,
    /// Affine matrix from the bone's space to its parent's: 3 rows of 4, for column vectors. The translation is the
    /// last column. All values are finite.
    pub matrix: [[f32; 4]; 3],
}

/// A mesh.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Mesh<'a> {
    /// The mesh's name, including tags such as `_LOD1`.
    pub name: Cow<'a, str>,
    /// Minimum and maximum corner of the bounding box of the vertices.
    pub bounds: [[f32; 3]; 2],
    /// Whether the mesh is hidden until the game shows it.
    pub hidden: bool,
    /// Whether the sub-meshes have collision trees, according to the file.
    pub collidable: bool,
    /// Index of the bone that the mesh is attached to; `None` if the file has no connection for it, which means bone 0.
    pub bone: Option<u32>,
    /// The sub-meshes, each with one material.
    pub submeshes: Vec<Submesh<'a>>,
}

/// The part of a mesh that uses one material.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Submesh<'a> {
    /// File name of the shader, such as `MeshBumpColorize.fx`.
    pub shader: Cow<'a, str>,
    /// The shader's parameters, in file order.
    pub parameters: Vec<Parameter<'a>>,
    /// Name of the vertex format that the shader expects, such as `alD3dVertNU2U3U3`.
    pub vertex_format: Cow<'a, str>,
    /// The vertices. Every record has all attributes, also those that `vertex_format` does not name.
    pub vertices: Vertices<'a>,
    /// Vertex indices, three per triangle, each less than the vertex count.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "super::serialize::serialize_u16s")
    )]
    pub indices: &'a [U16],
    /// The bones that the vertices' bone indices refer to, 1 to 24; empty if the sub-mesh is not skinned.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "super::serialize::serialize_u32s")
    )]
    pub palette: &'a [U32],
    /// The collision tree, if the file has a valid one.
    pub tree: Option<Tree<'a>>,
}

/// A shader parameter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Parameter<'a> {
    /// The parameter's name, such as `BaseTexture`.
    pub name: Cow<'a, str>,
    /// The value.
    pub value: ParameterValue<'a>,
}

/// The value of a shader parameter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum ParameterValue<'a> {
    /// An integer (chunk 0x10102).
    Int(i32),
    /// One number (chunk 0x10103).
    Float(f32),
    /// Three numbers (chunk 0x10104).
    Float3([f32; 3]),
    /// The file name of a texture (chunk 0x10105).
    Texture(Cow<'a, str>),
    /// Four numbers (chunk 0x10106).
    Float4([f32; 4]),
}

/// A collision tree: a hierarchy of boxes around the triangles of a sub-mesh.
///
/// The parser guarantees that a child's index is greater than its parent's, that each node has at most one parent,
/// and that leaves refer to existing triangles.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tree<'a> {
    /// Minimum and maximum corner of the box that the root node's box is relative to.
    pub bounds: [[f32; 3]; 2],
    /// The nodes; the root is the first. Each box is relative to its parent's box.
    pub nodes: &'a [TreeNode],
    /// The triangle map: triangle indices, of which each leaf uses a range. No triangle occurs twice.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "super::serialize::serialize_u16s")
    )]
    pub triangles: &'a [U16],
}

/// A light. It shines along −Z of its bone.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Light<'a> {
    /// The light's name.
    pub name: Cow<'a, str>,
    /// Index of the bone that the light is attached to; `None` if the file has no connection for it, which means bone 0.
    pub bone: Option<u32>,
    /// 0 omnidirectional, 1 directional, 2 spot. See [`light_kind`](Self::light_kind).
    pub kind: u32,
    /// Red, green and blue, from 0 to 1.
    pub color: [f32; 3],
    /// Factor for `color`.
    pub intensity: f32,
    /// Distance at which the light has faded to zero.
    pub far_attenuation_end: f32,
    /// Distance at which the light begins to fade.
    pub far_attenuation_start: f32,
    /// Full angle of the inner, fully lit cone, in radians. Only spot lights use it.
    pub hotspot: f32,
    /// Full angle of the outer cone, in radians. Only spot lights use it.
    pub falloff: f32,
}

/// The kind of a light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightKind {
    /// Shines in all directions from a point.
    Omni,
    /// Shines in one direction everywhere, like the sun.
    Directional,
    /// Shines in a cone from a point.
    Spot,
}

impl Light<'_> {
    /// The light's kind; [`LightKind::Omni`] for unknown values of [`kind`](Self::kind).
    pub fn light_kind(&self) -> LightKind {
        match self.kind {
            1 => LightKind::Directional,
            2 => LightKind::Spot,
            _ => LightKind::Omni,
        }
    }
}

/// A placeholder for an effect or a model in another file.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Proxy<'a> {
    /// The name of the other file without its extension, followed by tags such as `_ALT1`.
    pub name: Cow<'a, str>,
    /// Index of the bone that the proxy is attached to.
    pub bone: u32,
    /// Whether the proxy is hidden until the game shows it; `None` if absent in the file, which means `false`.
    pub hidden: Option<bool>,
    /// Whether the proxy stays hidden when the damage stage decreases to its own; `None` if absent in the file, which
    /// means `false`.
    pub alt_decrease_stay_hidden: Option<bool>,
}

/// A small light, drawn as a square that faces the camera and may blink.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Dazzle<'a> {
    /// Red, green and blue.
    pub color: [f32; 3],
    /// The center, in the space of the bone.
    pub position: [f32; 3],
    /// Half the side length of the square.
    pub radius: f32,
    /// Column of the dazzle's cell in the texture.
    pub slot_x: u32,
    /// Row of the dazzle's cell in the texture, from the top.
    pub slot_y: u32,
    /// Count of columns of cells in the texture, and of rows.
    pub num_slots: u32,
    /// File name of the texture.
    pub texture: Cow<'a, str>,
    /// Blinks per second; 0 for a light that is always on.
    pub frequency: f32,
    /// Phase of the blinking at time 0, as a part of the period from 0 to 1.
    pub phase: f32,
    /// Whether the dazzle is lit only at night.
    pub night_only: bool,
    /// Index of the bone that the dazzle is attached to.
    pub bone: u32,
    /// The dazzle's name. A name that begins with `FC_` means that the hue is replaced by the team color's.
    pub name: Cow<'a, str>,
    /// Whether the dazzle is hidden until the game shows it.
    pub is_hidden: bool,
    /// The lit part of each period, from 0 to 1; `None` if absent in the file, which means 1.
    pub bias: Option<f32>,
}

impl Dazzle<'_> {
    /// The lit part of each period; 1 if absent in the file.
    pub fn bias(&self) -> f32 {
        self.bias.unwrap_or(1.0)
    }
}

impl AloFile<'_> {
    /// Triangle count of all meshes, including hidden ones.
    pub fn triangle_count(&self) -> usize {
        let submeshes = self.meshes.iter().flat_map(|mesh| &mesh.submeshes);
        submeshes.map(|submesh| submesh.indices.len() / 3).sum()
    }
}

impl Tree<'_> {
    /// The box of each node: minimum and maximum corner, in the space of the mesh.
    ///
    /// Boxes are not always conservative: because of rounding, and in files of some writers, triangles can reach
    /// slightly beyond them (by up to 0.0026 of the extent in real files).
    pub fn boxes(&self) -> Vec<[[f32; 3]; 2]> {
        // Parents precede their children, so each box is complete before its children use it.
        let mut boxes = vec![self.bounds; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            let Some(bounds) = boxes.get_mut(index) else {
                continue;
            };
            *bounds = node.bounds(*bounds);
            let bounds = *bounds;
            if node.triangle_count.get() == 0 {
                let first = usize::from(node.link.get());
                for child in boxes.iter_mut().skip(first).take(2) {
                    *child = bounds;
                }
            }
        }
        boxes
    }
}

impl Submesh<'_> {
    /// Whether vertices are skinned to up to four weighted bones; otherwise each is skinned to one bone.
    pub fn is_weighted(&self) -> bool {
        is_weighted(&self.vertex_format)
    }
}

/// Whether vertices of this format are skinned to up to four weighted bones.
pub(super) fn is_weighted(vertex_format: &str) -> bool {
    vertex_format.to_ascii_lowercase().contains("b4i4")
}
