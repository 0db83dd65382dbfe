//! From the file's space to Bevy's.
//!
//! The file's is left-handed, +X being the model's right, +Y up and +Z forward. Turning it will not
//! do: it must be mirrored, which is done to the data, and so the model looks along Bevy's −Z.

use crate::lithtech::abc::TransformInfo;
use bevy::math::{Quat, Vec3};

/// What becomes of numbers of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handedness {
    /// Whether Z is mirrored. Otherwise the model is its own mirror image, and looks along +Z.
    mirrors: bool,
    /// Whether the second and the third corner of a triangle change places.
    swaps: bool,
    /// Whether the rotations of keyframes are the inverse of what is stored.
    inverts: bool,
}

impl Handedness {
    pub(super) fn new(transform: TransformInfo, mirrors: bool) -> Self {
        Self {
            mirrors,
            // A mirror turns triangles inside out, and those of a flipped file are already.
            swaps: mirrors != transform.flip_geometry,
            inverts: transform.flip_animation,
        }
    }

    /// A place or a direction.
    #[inline]
    pub(super) fn vector(self, [x, y, z]: [f32; 3]) -> Vec3 {
        Vec3::new(x, y, if self.mirrors { -z } else { z })
    }

    /// How a node is turned.
    #[inline]
    pub(super) fn rotation(self, [x, y, z, w]: [f32; 4]) -> Quat {
        if self.mirrors {
            Quat::from_xyzw(-x, -y, z, w)
        } else {
            Quat::from_xyzw(x, y, z, w)
        }
    }

    /// How a keyframe says that a node is turned.
    #[inline]
    pub(super) fn stored_rotation(self, rotation: [f32; 4]) -> Quat {
        let rotation = self.rotation(rotation);
        if self.inverts {
            rotation.conjugate()
        } else {
            rotation
        }
    }

    /// The corners of a triangle, counter-clockwise when seen from outside.
    #[inline]
    pub(super) fn corners<T>(self, [a, b, c]: [T; 3]) -> [T; 3] {
        if self.swaps { [a, c, b] } else { [a, b, c] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(bool, bool, bool); 8] = [
        (false, false, false),
        (false, false, true),
        (false, true, false),
        (false, true, true),
        (true, false, false),
        (true, false, true),
        (true, true, false),
        (true, true, true),
    ];

    fn space(mirrors: bool, flip_geometry: bool, flip_animation: bool) -> Handedness {
        let transform = TransformInfo {
            flip_geometry,
            flip_animation,
        };
        Handedness::new(transform, mirrors)
    }

    #[test]
    fn triangles_face_outward_whatever_the_flips() {
        // In files that are not flipped the cross product of the edges points outward: along +Z here.
        let outward = [0.0, 0.0, 1.0];
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        for (mirrors, flip_geometry, flip_animation) in ALL {
            let space = space(mirrors, flip_geometry, flip_animation);
            let [a, b, c] = corners;
            let stored = if flip_geometry { [a, c, b] } else { [a, b, c] };
            let [a, b, c] = space.corners(stored).map(|corner| space.vector(corner));
            assert_eq!((b - a).cross(c - a), space.vector(outward));
        }
    }

    #[test]
    fn rotations_and_mirrors_go_together() {
        let stored = [0.5_f32, -0.1, 0.3, 0.8];
        let plain = Quat::from_array(stored).normalize();
        let point = [1.0, -2.0, 3.0];
        for (mirrors, flip_geometry, flip_animation) in ALL {
            let space = space(mirrors, flip_geometry, flip_animation);
            let meant = if flip_animation {
                plain.inverse()
            } else {
                plain
            };
            let expected = space.vector((meant * Vec3::from_array(point)).to_array());
            let found = space.stored_rotation(plain.to_array()) * space.vector(point);
            assert!(found.abs_diff_eq(expected, 1e-5));
            let found = space.rotation(meant.to_array()) * space.vector(point);
            assert!(found.abs_diff_eq(expected, 1e-5));
        }
    }
}
