//! What an `.alo` file holds, as plain values that borrow from its bytes.

use super::records::{TreeNode, Vertices};
use crate::read::Warning;
use std::borrow::Cow;
use zerocopy::little_endian::{U16, U32};

/// A parsed model. Z is up, the front looks along −Y, triangles are seen counter-clockwise.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AloFile<'a> {
    /// 2 if there are dazzles, which came with Universe at War; else 1.
    pub version: u8,
    /// The skeleton. Parents stand before their children; there is at least one bone.
    pub bones: Vec<Bone<'a>>,
    /// The meshes, in file order.
    pub meshes: Vec<Mesh<'a>>,
    /// The lights, in file order.
    pub lights: Vec<Light<'a>>,
    /// The proxies: names of effects and models, and the bones that they hang on.
    pub proxies: Vec<Proxy<'a>>,
    /// The dazzles: small blinking lights.
    pub dazzles: Vec<Dazzle<'a>>,
    /// Flaws of the file that do no harm.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// A bone of the skeleton.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bone<'a> {
    /// Its name, which other bones may have too.
    pub name: Cow<'a, str>,
    /// Index of its parent, which is less than its own; `None` for a root.
    pub parent: Option<u32>,
    /// Whether what hangs on it is drawn, and on its children.
    pub visible: bool,
    /// How it turns: 0 not at all, 1 parallel to the camera's plane, 2 to the camera, 3 the same about Z alone, 4 to the
    /// light about Z, 5 to the wind about Z, 6 and 7 as 1, at the place of the sun's glow and of the sun.
    pub billboard: u32,
    /// Whether the file has the older record, without `billboard`.
    pub is_v1: bool,
    /// Three rows of four: from the bone's space to its parent's, for column vectors.
    pub matrix: [[f32; 4]; 3],
}

/// A mesh.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Mesh<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// The least and the greatest corner of the box around its vertices.
    pub bounds: [[f32; 3]; 2],
    /// Whether it is not drawn until something shows it.
    pub hidden: bool,
    /// Whether its sub-meshes have collision trees.
    pub collidable: bool,
    /// Index of the bone that it is connected to; `None` if the file forgot, which means the first.
    pub bone: Option<u32>,
    /// Its parts, each of one material.
    pub submeshes: Vec<Submesh<'a>>,
}

/// A part of a mesh that has one material.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Submesh<'a> {
    /// Name of the shader's file, such as `MeshBumpColorize.fx`.
    pub shader: Cow<'a, str>,
    /// The shader's parameters, in file order.
    pub parameters: Vec<Parameter<'a>>,
    /// Name of the vertex format that the shader asks for, such as `alD3dVertNU2U3U3`.
    pub vertex_format: Cow<'a, str>,
    /// Its vertices, all with everything, whatever the format's name says.
    pub vertices: Vertices<'a>,
    /// Three indices per triangle, each less than the number of vertices.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "super::serialize::serialize_u16s")
    )]
    pub indices: &'a [U16],
    /// Bones that the vertices' bone indices mean, 1 to 24; empty if it is not skinned.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "super::serialize::serialize_u32s")
    )]
    pub palette: &'a [U32],
    /// Its collision tree.
    pub tree: Option<Tree<'a>>,
}

/// A parameter of a shader.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Parameter<'a> {
    /// Its name, such as `BaseTexture`.
    pub name: Cow<'a, str>,
    /// Its value.
    pub value: ParameterValue<'a>,
}

/// A value of a shader's parameter.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum ParameterValue<'a> {
    /// Chunk 0x10102.
    Int(i32),
    /// Chunk 0x10103.
    Float(f32),
    /// Chunk 0x10104.
    Float3([f32; 3]),
    /// Chunk 0x10105: the name of a file.
    Texture(Cow<'a, str>),
    /// Chunk 0x10106.
    Float4([f32; 4]),
}

/// A collision tree: boxes around the triangles of a sub-mesh.
///
/// Its links lead forward, and each node is reached once; leaves name triangles that exist.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tree<'a> {
    /// The least and the greatest corner of the box that the first node's box is a part of.
    pub bounds: [[f32; 3]; 2],
    /// The nodes. Each one's box is a part of its parent's.
    pub nodes: &'a [TreeNode],
    /// The triangles that leaves name by ranges.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "super::serialize::serialize_u16s")
    )]
    pub triangles: &'a [U16],
}

/// A light, which shines along −Z of its bone.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Light<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Index of the bone that it is connected to; `None` if the file forgot, which means the first.
    pub bone: Option<u32>,
    /// 0 to all sides, 1 directional, 2 a cone. See [`LightKind`].
    pub kind: u32,
    /// Red, green and blue, 0 to 1.
    pub color: [f32; 3],
    /// Factor of the colour.
    pub intensity: f32,
    /// Where it has faded to nothing.
    pub far_attenuation_end: f32,
    /// Where it begins to fade.
    pub far_attenuation_start: f32,
    /// The whole angle of the cone's bright inside, in radians.
    pub hotspot: f32,
    /// The whole angle of the cone, in radians.
    pub falloff: f32,
}

/// How a light shines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightKind {
    /// To all sides.
    Omni,
    /// In one direction, from everywhere.
    Directional,
    /// In a cone.
    Spot,
}

impl Light<'_> {
    /// How it shines; to all sides if the file says something unknown.
    pub fn light_kind(&self) -> LightKind {
        match self.kind {
            1 => LightKind::Directional,
            2 => LightKind::Spot,
            _ => LightKind::Omni,
        }
    }
}

/// A place for something that is not in the file: an effect, or another model.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Proxy<'a> {
    /// Its name: that of a file without extension, and tags such as `_ALT1`.
    pub name: Cow<'a, str>,
    /// Index of the bone that it is connected to.
    pub bone: u32,
    /// Whether it is off until something shows it; `None` if the file does not say, which means no.
    pub hidden: Option<bool>,
    /// Whether it stays off when the damage stage goes down to its own; `None` means no.
    pub alt_decrease_stay_hidden: Option<bool>,
}

/// A small light that is drawn as a square which faces the camera, and may blink.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Dazzle<'a> {
    /// Red, green and blue.
    pub color: [f32; 3],
    /// Its centre, in the space of its bone.
    pub position: [f32; 3],
    /// Half the side of the square.
    pub radius: f32,
    /// Column of its picture in the texture.
    pub slot_x: u32,
    /// Row of its picture in the texture.
    pub slot_y: u32,
    /// Number of columns, and of rows, in the texture.
    pub num_slots: u32,
    /// The texture's file name.
    pub texture: Cow<'a, str>,
    /// Blinks per second; 0 if it is always on.
    pub frequency: f32,
    /// Where in a blink it begins, 0 to 1.
    pub phase: f32,
    /// Whether it is on at night alone.
    pub night_only: bool,
    /// Index of the bone that it is connected to.
    pub bone: u32,
    /// Its name. One that begins with `FC_` takes the hue of the team's colour.
    pub name: Cow<'a, str>,
    /// Whether it is off until something shows it.
    pub is_hidden: bool,
    /// The part of each period in which it is lit; `None` if the file does not say, which means 1.
    pub bias: Option<f32>,
}

impl Dazzle<'_> {
    /// The part of each period in which it is lit.
    pub fn bias(&self) -> f32 {
        self.bias.unwrap_or(1.0)
    }
}

impl AloFile<'_> {
    /// Number of triangles of all meshes, drawn or not.
    pub fn triangle_count(&self) -> usize {
        let submeshes = self.meshes.iter().flat_map(|mesh| &mesh.submeshes);
        submeshes.map(|submesh| submesh.indices.len() / 3).sum()
    }
}

impl Tree<'_> {
    /// The box of each node, as the file has it.
    ///
    /// Rounding, and some writers, let triangles stick out of them a little.
    pub fn boxes(&self) -> Vec<[[f32; 3]; 2]> {
        // Parents stand before their children, so each box is there before it is divided.
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
    /// Whether its vertices may follow up to four bones by weights; else they follow one.
    pub fn is_weighted(&self) -> bool {
        is_weighted(&self.vertex_format)
    }
}

/// Whether vertices of this format may follow up to four bones by weights.
pub(super) fn is_weighted(vertex_format: &str) -> bool {
    vertex_format.to_ascii_lowercase().contains("b4i4")
}
