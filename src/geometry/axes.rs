//! Conversion from the games' axes to Bevy's, and the scale of a scene.

use bevy::prelude::*;

/// Converts a format's axes to Bevy's, where X is right, Y up and −Z forward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// The rotation from the format's axes to Bevy's.
    pub rotation: Quat,
}

impl Axes {
    /// The transform of a scene's root entity.
    pub fn transform(self, scale: f32) -> Transform {
        Transform::from_rotation(self.rotation).with_scale(Vec3::splat(scale))
    }
}

/// X forward, Y left, Z up, as in Quake: (x, y, z) becomes (−y, z, −x).
pub fn z_up_forward_x() -> Axes {
    Axes {
        rotation: Quat::from_mat3(&Mat3::from_cols(Vec3::NEG_Z, Vec3::NEG_X, Vec3::Y)),
    }
}

/// Z up, the front towards −Y, as in Alamo models: (x, y, z) becomes (x, z, −y), the front +Z.
pub fn z_up_forward_minus_y() -> Axes {
    Axes {
        rotation: Quat::from_mat3(&Mat3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y)),
    }
}

/// The factors per axis that mirrored the file's positions and directions: −1 for a mirrored axis, otherwise 1.
/// They do not include the scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mirror(pub(crate) Vec3);

impl Default for Mirror {
    fn default() -> Self {
        Self(Vec3::ONE)
    }
}

/// The scale of the scene below a root relative to its file, from a manifest's scale or a `BevySpace`. Only on roots
/// whose scale is not 1.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub(crate) struct SceneScale(pub(crate) f32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alamo_axes_are_rotated_not_mirrored() {
        let rotation = z_up_forward_minus_y().rotation;
        let turned = rotation * Vec3::new(1.0, 2.0, 3.0);
        assert!(turned.abs_diff_eq(Vec3::new(1.0, 3.0, -2.0), 1e-6));
    }

    #[test]
    fn quake_axes_are_rotated_not_mirrored() {
        let rotation = z_up_forward_x().rotation;
        assert_eq!(
            rotation * Vec3::new(1.0, 2.0, 3.0),
            Vec3::new(-2.0, 3.0, -1.0)
        );
        assert!((Mat3::from_quat(rotation).determinant() - 1.0).abs() < 1e-6);
    }
}
