//! Records in the layout of the file.

use zerocopy::little_endian::{F32, U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The largest absolute value of a valid texture coordinate. Larger `f32` values cannot address single texels. One real
/// file has −7.3e16.
pub const MAX_UV: f32 = 65536.0;

/// A triangle of the full model.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Triangle {
    /// Texture coordinates of the corners as stored. They may be NaN, infinite or huge: see
    /// [`clean_uvs`](Self::clean_uvs).
    pub uvs: [[F32; 2]; 3],
    /// Vertex indices of the corners.
    pub vertices: [U16; 3],
    /// The normal in units of 1/128. Unreliable.
    pub normal: [i8; 3],
}

impl Triangle {
    /// Texture coordinates of the corners. (0, 0) is the top left corner of the texture, (1, 1) the bottom right one. The
    /// texture repeats. NaN and values beyond ±[`MAX_UV`] are replaced by 0.
    pub fn clean_uvs(&self) -> [[f32; 2]; 3] {
        let clean = |value: F32| Some(value.get()).filter(|value| value.abs() <= MAX_UV);
        self.uvs
            .map(|uv| uv.map(|value| clean(value).unwrap_or(0.0)))
    }

    /// Vertex indices of the corners.
    pub fn indices(&self) -> [u32; 3] {
        self.vertices.map(|index| index.get().into())
    }
}

/// A vertex of the full model, or one that a LOD adds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Vertex {
    /// Position in the node's space, in game units. It may be NaN or infinite: see
    /// [`clean_position`](Self::clean_position). Meaningless if the node deforms the vertex.
    pub position: [F32; 3],
    /// Normal in the node's space, in units of 1/128. 0 if there is none.
    pub normal: [i8; 3],
    /// Index of the node that moves the vertex.
    pub node: u8,
    /// Indices of the two vertices that this vertex replaces, if a LOD adds it. Meaningless in the full model.
    pub replacements: [U16; 2],
}

impl Vertex {
    /// Position in the node's space. NaN and infinite values are replaced by 0.
    pub fn clean_position(&self) -> [f32; 3] {
        self.position.map(|value| finite_or_zero(value.get()))
    }

    /// The normal in the node's space, of length 1. `None` if the file has none.
    pub fn unit_normal(&self) -> Option<[f32; 3]> {
        unit(self.normal.map(f32::from))
    }
}

/// The transform of a node relative to its parent at a keyframe.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct NodeKey {
    /// Translation in the parent's space, in game units.
    pub translation: [F32; 3],
    /// Rotation: a quaternion (X, Y, Z, W) as stored: see
    /// [`TransformInfo::flip_animation`](super::TransformInfo::flip_animation).
    pub rotation: [F32; 4],
}

impl NodeKey {
    /// The stored quaternion, scaled to length 1. The identity if its length is 0.
    pub fn unit_rotation(&self) -> [f32; 4] {
        unit(self.rotation.map(F32::get)).unwrap_or([0.0, 0.0, 0.0, 1.0])
    }
}

/// The first fields of a keyframe.
#[derive(Clone, Copy, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawKeyframe {
    pub time: U32,
    pub bounds: [[F32; 3]; 2],
}

/// The last fields of a node's track.
#[derive(Clone, Copy, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct RawDeform {
    pub scale: [F32; 3],
    pub translation: [F32; 3],
}

pub(super) fn finite_or_zero(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// Scales a vector to length 1. `None` if its length is 0.
pub(super) fn unit<const N: usize>(vector: [f32; N]) -> Option<[f32; N]> {
    // Dividing by the largest component prevents overflow and underflow of the squares.
    let largest = vector
        .iter()
        .fold(0.0_f32, |max, value| max.max(value.abs()));
    // A division, because the reciprocal of a subnormal number is infinite.
    let vector = vector.map(|value| value / largest);
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length > 0.0).then(|| vector.map(|value| value / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_the_sizes_of_the_format() {
        assert_eq!(size_of::<Triangle>(), 33);
        assert_eq!(size_of::<Vertex>(), 20);
        assert_eq!(size_of::<NodeKey>(), 28);
        assert_eq!(size_of::<RawKeyframe>(), 28);
        assert_eq!(size_of::<RawDeform>(), 24);
    }

    #[test]
    fn unit_handles_huge_and_tiny_vectors() {
        assert_eq!(unit([0.0, 0.0, -3e38, 3e38]).unwrap()[2], -0.5_f32.sqrt());
        assert_eq!(unit([0.0, f32::from_bits(1), 0.0]), Some([0.0, 1.0, 0.0]));
        assert_eq!(unit([0.0; 4]), None);
    }

    #[test]
    fn invalid_numbers_become_zero() {
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
