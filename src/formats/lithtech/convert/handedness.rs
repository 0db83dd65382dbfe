//! Converts coordinates from the file's left-handed space to Bevy's right-handed one.
//!
//! In the file, +X is the model's right, +Y is up, and +Z is forward. A rotation can't change the handedness, so the
//! data are mirrored along Z. The model then faces Bevy's −Z.

use bevy::prelude::*;
use classic_model_formats::abc::TransformInfo;

/// The conversion of a file's vectors, rotations and triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handedness {
    /// Whether Z is negated. Otherwise the model is drawn mirrored and faces +Z.
    mirrors_z: bool,
    /// Whether the second and the third corner of each triangle are exchanged.
    swaps_winding: bool,
    /// Whether the file stores the inverse of each keyframe's rotation.
    inverts_keyframe_rotations: bool,
}

impl Handedness {
    pub(crate) fn new(transform: TransformInfo, mirrors_z: bool) -> Self {
        Self {
            mirrors_z,
            // Mirroring reverses the winding, and a file with `flip_geometry` stores it reversed.
            swaps_winding: mirrors_z != transform.flip_geometry,
            inverts_keyframe_rotations: transform.flip_animation,
        }
    }

    /// Converts a position or a direction.
    #[inline]
    pub(crate) fn vector(self, [x, y, z]: [f32; 3]) -> Vec3 {
        Vec3::new(x, y, if self.mirrors_z { -z } else { z })
    }

    /// Converts a node's rotation.
    #[inline]
    pub(crate) fn rotation(self, [x, y, z, w]: [f32; 4]) -> Quat {
        if self.mirrors_z {
            Quat::from_xyzw(-x, -y, z, w)
        } else {
            Quat::from_xyzw(x, y, z, w)
        }
    }

    /// Converts a node's rotation as a keyframe stores it.
    #[inline]
    pub(crate) fn keyframe_rotation(self, rotation: [f32; 4]) -> Quat {
        let rotation = self.rotation(rotation);
        if self.inverts_keyframe_rotations {
            rotation.conjugate()
        } else {
            rotation
        }
    }

    /// Orders the corners of a triangle counterclockwise, seen from outside.
    #[inline]
    pub(crate) fn corners<T>(self, [a, b, c]: [T; 3]) -> [T; 3] {
        if self.swaps_winding {
            [a, c, b]
        } else {
            [a, b, c]
        }
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

    fn handedness(mirrors_z: bool, flip_geometry: bool, flip_animation: bool) -> Handedness {
        let transform = TransformInfo {
            flip_geometry,
            flip_animation,
        };
        Handedness::new(transform, mirrors_z)
    }

    #[test]
    fn triangles_face_outward_for_all_flips() {
        // In files that are not flipped the cross product of the edges points outward: along +Z here.
        let outward = [0.0, 0.0, 1.0];
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        for (mirrors_z, flip_geometry, flip_animation) in ALL {
            let handedness = handedness(mirrors_z, flip_geometry, flip_animation);
            let [a, b, c] = corners;
            let stored = if flip_geometry { [a, c, b] } else { [a, b, c] };
            let [a, b, c] = handedness
                .corners(stored)
                .map(|corner| handedness.vector(corner));
            assert_eq!((b - a).cross(c - a), handedness.vector(outward));
        }
    }

    #[test]
    fn converted_rotations_rotate_converted_points() {
        let stored = [0.5_f32, -0.1, 0.3, 0.8];
        let plain = Quat::from_array(stored).normalize();
        let point = [1.0, -2.0, 3.0];
        for (mirrors_z, flip_geometry, flip_animation) in ALL {
            let handedness = handedness(mirrors_z, flip_geometry, flip_animation);
            let unflipped = if flip_animation {
                plain.inverse()
            } else {
                plain
            };
            let expected = handedness.vector((unflipped * Vec3::from_array(point)).to_array());
            let found = handedness.keyframe_rotation(plain.to_array()) * handedness.vector(point);
            assert!(found.abs_diff_eq(expected, 1e-5));
            let found = handedness.rotation(unflipped.to_array()) * handedness.vector(point);
            assert!(found.abs_diff_eq(expected, 1e-5));
        }
    }
}
