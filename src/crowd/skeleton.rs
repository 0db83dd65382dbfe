//! The joints of a model, and their poses as texels.
//!
//! The texels of one pose are those of the visibility bits, then three per joint: the rows of a matrix that transforms
//! the vertices of the joint to the model's space. Then one per deformed vertex.

use crate::crowd::deformed::{
    DeformedVertex, PosedVertex, deformed_bounds, deformed_distance, push_deformed,
};
use crate::scene::{merged, transformed_bounds};
use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Vec4};
use bevy::transform::components::Transform;

/// A texel of the pose texture.
pub(crate) type Texel = [f32; 4];

/// Texels per joint.
const JOINT_TEXELS: usize = 3;

/// Visibility bits per channel of a texel. A float stores them exactly as a number.
const BITS_PER_CHANNEL: usize = 16;

/// Visibility bits per texel.
const BITS_PER_TEXEL: usize = 4 * BITS_PER_CHANNEL;

/// A bone of a [`CrowdSkeleton`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkeletonBone {
    /// The index of its parent, which is lower than its own.
    pub(crate) parent: Option<usize>,
    /// The transform to its parent's space at rest.
    pub(crate) rest: Transform,
    /// Whether it is visible at rest.
    pub(crate) is_visible: bool,
}

/// A bone that vertices follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joint {
    pub(crate) bone: usize,
    /// Transforms its vertices to the bone's space.
    pub(crate) inverse_bind_pose: Affine3A,
    /// The box around its vertices. `None` if it has none.
    pub(crate) bounds: Option<Aabb3d>,
}

/// The bones, joints and visibility bits of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct CrowdSkeleton {
    /// Parents come before their children.
    pub(crate) bones: Vec<SkeletonBone>,
    pub(crate) joints: Vec<Joint>,
    /// The bone of each visibility bit.
    pub(crate) visibility_bones: Vec<usize>,
    /// The vertices that follow no joint.
    pub(crate) deformed: Vec<DeformedVertex>,
}

/// Reusable memory for [`CrowdSkeleton::pose`].
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) local: Vec<Transform>,
    pub(super) visible: Vec<bool>,
    /// The deformed vertices, in the spaces of their bones.
    pub(super) deformed: Vec<PosedVertex>,
    model: Vec<Affine3A>,
}

impl Scratch {
    /// Sets the local transforms and visibility to those of the rest pose.
    pub(super) fn reset(&mut self, skeleton: &CrowdSkeleton) {
        let bones = &skeleton.bones;
        self.local.clear();
        self.local.extend(bones.iter().map(|bone| bone.rest));
        self.visible.clear();
        self.visible
            .extend(bones.iter().map(|bone| bone.is_visible));
        self.deformed.clear();
        self.deformed
            .extend(skeleton.deformed.iter().map(|vertex| vertex.rest));
    }
}

impl CrowdSkeleton {
    /// Texels before those of the joints.
    fn visibility_texels(&self) -> usize {
        self.visibility_bones.len().div_ceil(BITS_PER_TEXEL)
    }

    /// Texels per pose.
    pub(crate) fn pose_texels(&self) -> usize {
        self.deformed_offset() + self.deformed.len()
    }

    /// The offset of the texels of deformed vertices in a pose.
    pub(crate) fn deformed_offset(&self) -> usize {
        self.visibility_texels() + JOINT_TEXELS * self.joints.len()
    }

    /// The texels of deformed vertices in the texels of a pose.
    fn deformed_texels<'a>(&self, pose: &'a [Texel]) -> &'a [Texel] {
        pose.get(self.deformed_offset()..).unwrap_or_default()
    }

    /// Texels of a count of poses. `None` if they exceed the range.
    pub(crate) fn texels_of(&self, poses: u32) -> Option<usize> {
        usize::try_from(poses).ok()?.checked_mul(self.pose_texels())
    }

    /// The offset of a joint's texels in a pose. `None` if a vertex cannot store it.
    pub(crate) fn joint_offset(&self, joint: usize) -> Option<u16> {
        let offset = self.visibility_texels() + JOINT_TEXELS * joint;
        u16::try_from(offset).ok()
    }

    /// The texels of the rest pose.
    pub(crate) fn rest_pose(&self) -> Vec<Texel> {
        let (mut scratch, mut texels) = (Scratch::default(), Vec::new());
        scratch.reset(self);
        self.pose(&mut scratch, &mut texels);
        texels
    }

    /// Adds the texels of the pose with the scratch's local transforms and visibility. A hidden bone hides its
    /// children.
    pub(super) fn pose(&self, scratch: &mut Scratch, texels: &mut Vec<Texel>) {
        let Scratch {
            local,
            visible,
            deformed,
            model,
        } = scratch;
        model.clear();
        for (index, bone) in self.bones.iter().enumerate() {
            let affine = local[index].compute_affine();
            let parent = bone.parent.filter(|parent| *parent < index);
            model.push(match parent {
                Some(parent) => {
                    visible[index] &= visible[parent];
                    model[parent] * affine
                }
                None => affine,
            });
        }
        self.push_visibility(visible, texels);
        for joint in &self.joints {
            let pose = model.get(joint.bone).copied().unwrap_or_default();
            let matrix = pose * joint.inverse_bind_pose;
            let (columns, translation) = (matrix.matrix3, matrix.translation);
            for row in 0..JOINT_TEXELS {
                texels.push([
                    columns.x_axis[row],
                    columns.y_axis[row],
                    columns.z_axis[row],
                    translation[row],
                ]);
            }
        }
        push_deformed(&self.deformed, deformed, model, texels);
    }

    fn push_visibility(&self, visible: &[bool], texels: &mut Vec<Texel>) {
        let is_visible = |bone: &usize| visible.get(*bone).copied().unwrap_or(true);
        for bones in self.visibility_bones.chunks(BITS_PER_TEXEL) {
            let mut texel = Texel::default();
            for (channel, bones) in texel.iter_mut().zip(bones.chunks(BITS_PER_CHANNEL)) {
                let bits = bones.iter().enumerate();
                let bits = bits.map(|(bit, bone)| u16::from(is_visible(bone)) << bit);
                *channel = f32::from(bits.fold(0, |all, bit| all | bit));
            }
            texels.push(texel);
        }
    }

    /// The matrix of a joint in the texels of a pose.
    fn matrix(&self, pose: &[Texel], joint: usize) -> Option<[Vec4; 3]> {
        let first = self.visibility_texels() + JOINT_TEXELS * joint;
        let rows = pose.get(first..first + JOINT_TEXELS)?;
        Some([rows[0], rows[1], rows[2]].map(Vec4::from_array))
    }

    /// The box around all vertices in a pose, in the model's space. `None` if there are none.
    pub(crate) fn bounds(&self, pose: &[Texel]) -> Option<Aabb3d> {
        let joints = self.joints.iter().enumerate();
        let boxes = joints.map(|(index, joint)| {
            let [x, y, z] = self.matrix(pose, index)?;
            let affine =
                Affine3A::from_mat4(bevy::math::Mat4::from_cols(x, y, z, Vec4::W).transpose());
            transformed_bounds(&affine, &joint.bounds?)
        });
        let deformed = deformed_bounds(self.deformed_texels(pose));
        boxes.fold(deformed, merged)
    }

    /// The longest distance of any vertex between a pose and the weighted sum of others.
    pub(super) fn distance(&self, pose: &[Texel], others: &[(&[Texel], f32)]) -> f32 {
        let joints = self.joints.iter().enumerate();
        let distances = joints.filter_map(|(index, joint)| {
            let mut rows = self.matrix(pose, index)?;
            for (other, weight) in others {
                let other = self.matrix(other, index)?;
                for (row, other) in rows.iter_mut().zip(other) {
                    *row -= other * *weight;
                }
            }
            let bounds = joint.bounds?;
            let center = ((bounds.min + bounds.max) * 0.5).extend(1.0);
            let half = ((bounds.max - bounds.min) * 0.5).extend(0.0);
            let axis = |row: Vec4| row.dot(center).abs() + row.abs().dot(half);
            let [x, y, z] = rows.map(axis);
            Some(x.max(y).max(z))
        });
        // A distance that is not finite is ignored: no count of samples makes it smaller.
        let distances = distances.filter(|distance| distance.is_finite());
        let deformed = deformed_distance(
            self.deformed_texels(pose),
            others
                .iter()
                .map(|(other, weight)| (self.deformed_texels(other), *weight)),
        );
        distances.fold(deformed, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::{Vec3, Vec3A};

    fn skeleton(bones: usize) -> CrowdSkeleton {
        let bone = |index: usize| SkeletonBone {
            parent: index.checked_sub(1),
            rest: Transform::from_xyz(1.0, 0.0, 0.0),
            is_visible: index != 70,
        };
        let joint = |bone| Joint {
            bone,
            inverse_bind_pose: Affine3A::IDENTITY,
            bounds: Some(Aabb3d::new(Vec3::ZERO, Vec3::splat(0.5))),
        };
        CrowdSkeleton {
            bones: (0..bones).map(bone).collect(),
            joints: [0, bones - 1].map(joint).into(),
            visibility_bones: (0..bones).collect(),
            deformed: Vec::new(),
        }
    }

    #[test]
    fn poses_have_visibility_bits_and_matrices() {
        let skeleton = skeleton(100);
        let pose = skeleton.rest_pose();
        assert_eq!(pose.len(), skeleton.pose_texels());
        assert_eq!(skeleton.joint_offset(0), Some(2));
        // A hidden bone hides those below it: 64 to 69 are visible.
        assert_eq!(pose[0], [65535.0; 4]);
        assert_eq!(pose[1], [63.0, 0.0, 0.0, 0.0]);
        assert_eq!(pose[5], [1.0, 0.0, 0.0, 100.0]);
    }

    #[test]
    fn bounds_contain_the_vertices_of_all_joints() {
        let skeleton = skeleton(4);
        let bounds = skeleton.bounds(&skeleton.rest_pose()).unwrap();
        assert_eq!(bounds.min, Vec3A::new(0.5, -0.5, -0.5));
        assert_eq!(bounds.max, Vec3A::new(4.5, 0.5, 0.5));
    }

    #[test]
    fn distance_is_that_of_the_farthest_vertex() {
        let skeleton = skeleton(2);
        let rest = skeleton.rest_pose();
        let mut moved = rest.clone();
        moved[1][3] += 3.0;
        assert_eq!(skeleton.distance(&moved, &[(&rest, 1.0)]), 3.0);
        assert_eq!(
            skeleton.distance(&moved, &[(&rest, 0.5), (&moved, 0.5)]),
            1.5
        );
        moved[1][3] = f32::NAN;
        assert_eq!(skeleton.distance(&moved, &[(&rest, 1.0)]), 0.0);
    }
}
