//! The arrays of an `.alo` file as they lie in its bytes.

use zerocopy::little_endian::{F32, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// What both vertex records begin with.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexHead {
    /// Position, in the space of the bone that the mesh is connected to; of the model if skinned.
    pub position: [F32; 3],
    /// Normal.
    pub normal: [F32; 3],
    /// Up to four texture coordinates; only the first is used by any file known.
    pub tex_coords: [[F32; 2]; 4],
    /// Tangent: the direction in which U grows.
    pub tangent: [F32; 3],
    /// Binormal: the direction in which V shrinks.
    pub binormal: [F32; 3],
    /// Colour, red to alpha.
    pub color: [F32; 4],
}

/// What both vertex records end with.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexTail {
    /// Up to four entries of the sub-mesh's palette.
    pub bone_indices: [U32; 4],
    /// The weights of those.
    pub bone_weights: [F32; 4],
}

/// A vertex of chunk 0x10005.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexV1 {
    /// Position to colour.
    pub head: VertexHead,
    /// Bones and weights.
    pub tail: VertexTail,
}

/// A vertex of chunk 0x10007.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexV2 {
    /// Position to colour.
    pub head: VertexHead,
    /// Not used, and not zero in real files.
    pub unused: [F32; 4],
    /// Bones and weights.
    pub tail: VertexTail,
}

/// Either record of a vertex.
pub trait VertexRecord {
    /// Position to colour.
    fn head(&self) -> &VertexHead;
    /// Bones and weights.
    fn tail(&self) -> &VertexTail;

    /// Whether all its numbers are finite.
    fn is_finite(&self) -> bool {
        // Bits and no branch, since there may be millions.
        const EXPONENT: u32 = 0x7f80_0000;
        let head: &[U32; 24] = zerocopy::transmute_ref!(self.head());
        let weights: &[U32; 4] = zerocopy::transmute_ref!(&self.tail().bone_weights);
        let words = head.iter().chain(weights);
        !words.fold(false, |found, word| {
            found | (word.get() & EXPONENT == EXPONENT)
        })
    }
}

impl VertexRecord for VertexV1 {
    fn head(&self) -> &VertexHead {
        &self.head
    }

    fn tail(&self) -> &VertexTail {
        &self.tail
    }
}

impl VertexRecord for VertexV2 {
    fn head(&self) -> &VertexHead {
        &self.head
    }

    fn tail(&self) -> &VertexTail {
        &self.tail
    }
}

/// A node of a collision tree, chunk 0x1202.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct TreeNode {
    /// Least corner of the node's box, in 255ths of its parent's.
    pub min: [u8; 3],
    /// Greatest corner.
    pub max: [u8; 3],
    /// Number of triangles of a leaf; 0 for a node with two children.
    pub triangle_count: U16,
    /// First entry of a leaf in the map of triangles; else the first child, which the second follows.
    pub link: U16,
}

impl TreeNode {
    /// Its box, which is a part of its parent's.
    pub fn bounds(&self, [least, greatest]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let corner = |steps: [u8; 3]| {
            core::array::from_fn(|axis| place(least[axis], greatest[axis], steps[axis]))
        };
        [corner(self.min), corner(self.max)]
    }
}

/// The place of a step of 255. Exact at both ends, unlike `least + (greatest - least) * t`.
pub(super) fn place(least: f32, greatest: f32, step: u8) -> f32 {
    let t = f32::from(step) / 255.0;
    least * (1.0 - t) + greatest * t
}

/// A vertex as plain numbers. Those of a file are finite: what is not becomes zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Vertex {
    /// Position, in the space of the bone that the mesh is connected to; of the model if skinned.
    pub position: [f32; 3],
    /// Normal.
    pub normal: [f32; 3],
    /// Four texture coordinates, from the upper left.
    pub tex_coords: [[f32; 2]; 4],
    /// Tangent: the direction in which U grows.
    pub tangent: [f32; 3],
    /// Binormal: the direction in which V shrinks.
    pub binormal: [f32; 3],
    /// Colour, red to alpha.
    pub color: [f32; 4],
    /// Entries of the sub-mesh's palette.
    pub bone_indices: [u32; 4],
    /// The weights of those.
    pub bone_weights: [f32; 4],
}

/// Plain numbers of little-endian ones, zero where they are not finite.
fn finite<const N: usize>(values: [F32; N]) -> [f32; N] {
    floats(values).map(|value| if value.is_finite() { value } else { 0.0 })
}

/// Plain numbers of little-endian ones.
pub fn floats<const N: usize>(values: [F32; N]) -> [f32; N] {
    values.map(F32::get)
}

impl<T: VertexRecord> From<&T> for Vertex {
    fn from(record: &T) -> Self {
        let (head, tail) = (record.head(), record.tail());
        Self {
            position: finite(head.position),
            normal: finite(head.normal),
            tex_coords: head.tex_coords.map(finite),
            tangent: finite(head.tangent),
            binormal: finite(head.binormal),
            color: finite(head.color),
            bone_indices: tail.bone_indices.map(U32::get),
            bone_weights: finite(tail.bone_weights),
        }
    }
}

/// The vertices of a sub-mesh, where they lie in the file.
#[derive(Clone, Copy, Debug)]
pub enum Vertices<'a> {
    /// Chunk 0x10005, of 128 bytes each.
    V1(&'a [VertexV1]),
    /// Chunk 0x10007, of 144 bytes each.
    V2(&'a [VertexV2]),
}

impl Vertices<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::V1(vertices) => vertices.len(),
            Self::V2(vertices) => vertices.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<Vertex> {
        match self {
            Self::V1(vertices) => vertices.get(index).map(Vertex::from),
            Self::V2(vertices) => vertices.get(index).map(Vertex::from),
        }
    }

    /// All of them in order.
    pub fn iter(&self) -> impl Iterator<Item = Vertex> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_the_strides_of_the_format() {
        assert_eq!(size_of::<VertexV1>(), 128);
        assert_eq!(size_of::<VertexV2>(), 144);
        assert_eq!(size_of::<TreeNode>(), 10);
    }
}
