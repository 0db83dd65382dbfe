//! The arrays of an `.alo` file, with the layout of its bytes.

use zerocopy::little_endian::{F32, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The fields at the beginning of both vertex records.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexHead {
    /// Position: in model space if the sub-mesh is skinned, otherwise in the space of the mesh's bone.
    pub position: [F32; 3],
    /// Normal; zero in some files.
    pub normal: [F32; 3],
    /// Four texture coordinates, from the upper left; known files use only the first.
    pub tex_coords: [[F32; 2]; 4],
    /// Tangent: the direction in which U increases.
    pub tangent: [F32; 3],
    /// Binormal: the direction in which V decreases.
    pub binormal: [F32; 3],
    /// Color: red, green, blue and alpha.
    pub color: [F32; 4],
}

/// The fields at the end of both vertex records.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexTail {
    /// Four indices into the sub-mesh's palette. Unweighted vertex formats use only the first.
    pub bone_indices: [U32; 4],
    /// The weights of the four bones.
    pub bone_weights: [F32; 4],
}

/// A vertex record of chunk 0x10005, 128 bytes.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexV1 {
    /// Position to color.
    pub head: VertexHead,
    /// Bone indices and weights.
    pub tail: VertexTail,
}

/// A vertex record of chunk 0x10007, 144 bytes.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct VertexV2 {
    /// Position to color.
    pub head: VertexHead,
    /// Unused; not zero in real files.
    pub unused: [F32; 4],
    /// Bone indices and weights.
    pub tail: VertexTail,
}

/// A vertex record of either layout.
pub trait VertexRecord {
    /// Position to color.
    fn head(&self) -> &VertexHead;
    /// Bone indices and weights.
    fn tail(&self) -> &VertexTail;

    /// Whether all numbers except the unused ones are finite.
    fn is_finite(&self) -> bool {
        // Tests bits without branching, for speed: there may be millions of vertices.
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

/// A node of a collision tree (chunk 0x1202), 10 bytes.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned, Clone, Copy, Debug)]
#[repr(C)]
pub struct TreeNode {
    /// Minimum corner of the box: 0 to 255 per axis, from the minimum to the maximum of the parent's box.
    pub min: [u8; 3],
    /// Maximum corner of the box, in the same units.
    pub max: [u8; 3],
    /// Triangle count of a leaf; 0 for an inner node, which has two children.
    pub triangle_count: U16,
    /// For a leaf, the index of its first entry in the triangle map. For an inner node, the index of its first child;
    /// the second child follows the first.
    pub link: U16,
}

impl TreeNode {
    /// The node's box, from its parent's box; both are minimum and maximum corner.
    pub fn bounds(&self, [min, max]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let corner = |steps: [u8; 3]| {
            core::array::from_fn(|axis| dequantize(min[axis], max[axis], steps[axis]))
        };
        [corner(self.min), corner(self.max)]
    }
}

/// The coordinate of a step from 0 (`min`) to 255 (`max`).
///
/// Exact at both ends, unlike `min + (max - min) * t`.
pub(super) fn dequantize(min: f32, max: f32, step: u8) -> f32 {
    let t = f32::from(step) / 255.0;
    min * (1.0 - t) + max * t
}

/// A vertex as plain numbers.
///
/// Made from a file's record, all numbers are finite: the others are replaced by zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Vertex {
    /// Position: in model space if the sub-mesh is skinned, otherwise in the space of the mesh's bone.
    pub position: [f32; 3],
    /// Normal; zero in some files.
    pub normal: [f32; 3],
    /// Four texture coordinates, from the upper left; known files use only the first.
    pub tex_coords: [[f32; 2]; 4],
    /// Tangent: the direction in which U increases.
    pub tangent: [f32; 3],
    /// Binormal: the direction in which V decreases.
    pub binormal: [f32; 3],
    /// Color: red, green, blue and alpha.
    pub color: [f32; 4],
    /// Four indices into the sub-mesh's palette. Unweighted vertex formats use only the first.
    pub bone_indices: [u32; 4],
    /// The weights of the four bones.
    pub bone_weights: [f32; 4],
}

/// Converts little-endian numbers; non-finite ones become zero.
fn finite<const N: usize>(values: [F32; N]) -> [f32; N] {
    floats(values).map(|value| if value.is_finite() { value } else { 0.0 })
}

/// Converts little-endian numbers to `f32`.
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

/// The vertices of a sub-mesh, borrowed from the file.
#[derive(Clone, Copy, Debug)]
pub enum Vertices<'a> {
    /// Chunk 0x10005, the older record of 128 bytes.
    V1(&'a [VertexV1]),
    /// Chunk 0x10007, the record of 144 bytes.
    V2(&'a [VertexV2]),
}

impl Vertices<'_> {
    /// The vertex count.
    pub fn len(&self) -> usize {
        match self {
            Self::V1(vertices) => vertices.len(),
            Self::V2(vertices) => vertices.len(),
        }
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertex with an index; `None` if there is none.
    pub fn get(&self, index: usize) -> Option<Vertex> {
        match self {
            Self::V1(vertices) => vertices.get(index).map(Vertex::from),
            Self::V2(vertices) => vertices.get(index).map(Vertex::from),
        }
    }

    /// All vertices in order.
    pub fn iter(&self) -> impl Iterator<Item = Vertex> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_sizes_match_the_file_format() {
        assert_eq!(size_of::<VertexV1>(), 128);
        assert_eq!(size_of::<VertexV2>(), 144);
        assert_eq!(size_of::<TreeNode>(), 10);
    }
}
