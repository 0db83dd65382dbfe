//! The arrays of the file, as they lie in it.

use zerocopy::little_endian::{F32, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The largest texture coordinate that still tells the texels of a picture apart. One real file has
/// one of −7.3e16.
pub const LARGEST_UV: f32 = 65536.0;

/// A triangle of the full model, which all levels of detail are made of.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Triangle {
    /// Texture coordinates of the corners as stored, which may be no numbers at all: see
    /// [`clean_uvs`](Self::clean_uvs).
    pub uvs: [[F32; 2]; 3],
    /// Indices of the corners among the vertices of the full model.
    pub vertices: [U16; 3],
    /// The normal in 128ths, or anything: no tool can rely on it.
    pub normal: [i8; 3],
}

impl Triangle {
    /// Texture coordinates of the corners, (0, 0) being the picture's top left corner and (1, 1) its
    /// bottom right one; the picture repeats. What is not finite or beyond [`LARGEST_UV`] is 0.
    pub fn clean_uvs(&self) -> [[f32; 2]; 3] {
        let clean = |value: F32| Some(value.get()).filter(|value| value.abs() <= LARGEST_UV);
        self.uvs
            .map(|uv| uv.map(|value| clean(value).unwrap_or(0.0)))
    }

    /// The corners' indices as numbers.
    pub fn indices(&self) -> [u32; 3] {
        self.vertices.map(|index| index.get().into())
    }
}

/// A vertex of the full model, or one that a level of detail puts in the place of others.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Vertex {
    /// Place in the space of the node as stored, which may be no numbers: see
    /// [`clean_position`](Self::clean_position). Leftover bytes if the node deforms the vertex.
    pub position: [F32; 3],
    /// Normal in the space of the node, in 128ths; 0 in some vertices.
    pub normal: [i8; 3],
    /// Index of the node that it follows.
    pub node: u8,
    /// The two vertices that an extra vertex replaces; leftover bytes in the others.
    pub replacements: [U16; 2],
}

impl Vertex {
    /// Place in the space of the node. What is not finite is 0.
    pub fn clean_position(&self) -> [f32; 3] {
        self.position.map(|value| finite_or_zero(value.get()))
    }

    /// The normal, of length 1; `None` if the file has none.
    pub fn unit_normal(&self) -> Option<[f32; 3]> {
        unit(self.normal.map(f32::from))
    }
}

/// How a node stands in its parent at a keyframe.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct NodeKey {
    /// Place in the space of the parent.
    pub translation: [F32; 3],
    /// X, Y, Z and W of a quaternion, as stored: see
    /// [`TransformInfo::flip_animation`](super::TransformInfo::flip_animation).
    pub rotation: [F32; 4],
}

impl NodeKey {
    /// The quaternion as stored, made of length 1; no rotation if it has no length.
    pub fn unit_rotation(&self) -> [f32; 4] {
        unit(self.rotation.map(F32::get)).unwrap_or([0.0, 0.0, 0.0, 1.0])
    }
}

/// What begins a keyframe.
#[derive(Clone, Copy, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawKeyframe {
    pub time: U32,
    pub bounds: [[F32; 3]; 2],
}

/// What ends the track of a node.
#[derive(Clone, Copy, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawDeform {
    pub scale: [F32; 3],
    pub translation: [F32; 3],
}

pub(super) fn finite_or_zero(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// The vector of length 1 that points the same way; `None` if it points nowhere.
pub(super) fn unit<const N: usize>(vector: [f32; N]) -> Option<[f32; N]> {
    // Without squares beyond what floats can hold, and without those that vanish.
    let largest = vector
        .iter()
        .fold(0.0_f32, |max, value| max.max(value.abs()));
    // The reciprocal of the smallest numbers is infinite, so this divides.
    let vector = vector.map(|value| value / largest);
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length > 0.0).then(|| vector.map(|value| value / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_as_long_as_in_the_file() {
        assert_eq!(size_of::<Triangle>(), 33);
        assert_eq!(size_of::<Vertex>(), 20);
        assert_eq!(size_of::<NodeKey>(), 28);
        assert_eq!(size_of::<RawKeyframe>(), 28);
        assert_eq!(size_of::<RawDeform>(), 24);
    }

    #[test]
    fn any_direction_has_length_one() {
        assert_eq!(unit([0.0, 0.0, -3e38, 3e38]).unwrap()[2], -0.5_f32.sqrt());
        assert_eq!(unit([0.0, f32::from_bits(1), 0.0]), Some([0.0, 1.0, 0.0]));
        assert_eq!(unit([0.0; 4]), None);
    }

    #[test]
    fn junk_is_zero() {
        let uvs = [[f32::NAN, -7.3e16], [f32::INFINITY, 65536.0], [-0.25, 3.0]];
        let triangle = Triangle {
            uvs: uvs.map(|uv| uv.map(F32::new)),
            ..Triangle::default()
        };
        assert_eq!(
            triangle.clean_uvs(),
            [[0.0, 0.0], [0.0, 65536.0], [-0.25, 3.0]]
        );
        let vertex = Vertex {
            position: [f32::NAN, 1.0, f32::NEG_INFINITY].map(F32::new),
            normal: [0, -126, 0],
            ..Vertex::default()
        };
        assert_eq!(vertex.clean_position(), [0.0, 1.0, 0.0]);
        assert_eq!(vertex.unit_normal(), Some([0.0, -1.0, 0.0]));
        assert_eq!(Vertex::default().unit_normal(), None);
    }
}
