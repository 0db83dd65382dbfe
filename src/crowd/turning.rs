//! A clip of one bone for the tests of baking and of the storage of clips.

use crate::crowd::bake::PoseSource;
use crate::crowd::skeleton::{CrowdSkeleton, Joint, SkeletonBone};
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

/// One bone that turns by an angle per frame about Z, and moves by a distance per frame along X. There are ten frames per
/// second.
pub(crate) struct Turning(pub(crate) f32, pub(crate) f32);

impl PoseSource for Turning {
    fn pose(&self, seconds: f32, local: &mut [Transform], _: &mut [bool]) {
        local[0].rotation = Quat::from_rotation_z(self.0 * seconds * 10.0);
        local[0].translation.x = self.1 * seconds * 10.0;
    }

    fn bone(&self, _: usize, _: f32, rest: (Transform, bool)) -> (Transform, bool) {
        rest
    }
}

/// A model with poses of 4 texels.
pub(crate) fn one_joint() -> CrowdSkeleton {
    CrowdSkeleton {
        bones: vec![SkeletonBone {
            parent: None,
            rest: Transform::IDENTITY,
            is_visible: true,
        }],
        joints: vec![Joint {
            bone: 0,
            inverse_bind_pose: Affine3A::IDENTITY,
            bounds: Some(Aabb3d::new(Vec3::ZERO, Vec3::ONE)),
        }],
        visibility_bones: vec![0],
        ..CrowdSkeleton::default()
    }
}
