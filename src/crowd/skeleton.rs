//! The joints of a model, and their poses as texels.
//!
//! The texels of one pose are those of the visibility bits, then three per joint: the rows of a matrix that transforms
//! the vertices of the joint to the model's space. Then one per deformed vertex.

use crate::crowd::deformed::{
    DeformedVertex, PosedVertex, deformed_bounds, deformed_distance, write_deformed,
};
use crate::playback::skeletal::rig::RigBone;
use crate::spawn::format::{merged, transformed_bounds};
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

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

impl From<RigBone<'_>> for SkeletonBone {
    fn from(bone: RigBone<'_>) -> Self {
        Self {
            parent: bone.parent,
            rest: bone.rest,
            is_visible: bone.is_visible,
        }
    }
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
    /// Whether a hidden bone hides what is connected to the bones below it.
    pub(crate) hidden_bones_hide_children: bool,
    /// The vertices that follow no joint.
    pub(crate) deformed: Vec<DeformedVertex>,
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
        let mut texels = vec![Texel::default(); self.pose_texels()];
        Poser::new(self).write(&mut texels);
        texels
    }

    fn write_visibility(&self, visible: &[bool], texels: &mut [Texel]) {
        let parent = |bone: &usize| {
            if self.hidden_bones_hide_children {
                self.bones.get(*bone)?.parent
            } else {
                None
            }
        };
        let is_visible = |bone: &usize| {
            let mut bones = core::iter::successors(Some(*bone), parent);
            bones.all(|bone| visible.get(bone).copied().unwrap_or(true))
        };
        let bones = self.visibility_bones.chunks(BITS_PER_TEXEL);
        for (texel, bones) in texels.iter_mut().zip(bones) {
            for (channel, bones) in texel.iter_mut().zip(bones.chunks(BITS_PER_CHANNEL)) {
                let bits = bones.iter().enumerate();
                let bits = bits.map(|(bit, bone)| u16::from(is_visible(bone)) << bit);
                *channel = f32::from(bits.fold(0, |all, bit| all | bit));
            }
        }
    }

    /// Whether a visibility bit is set in the texels of a pose.
    pub(crate) fn is_visible_in(&self, pose: &[Texel], bit: u32) -> bool {
        let bit = bit as usize;
        let texel = pose.get(bit / BITS_PER_TEXEL);
        let channel = texel.map(|texel| texel[bit % BITS_PER_TEXEL / BITS_PER_CHANNEL]);
        channel.is_some_and(|channel| channel as u16 >> (bit % BITS_PER_CHANNEL) & 1 != 0)
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
            let affine = Affine3A::from_mat4(Mat4::from_cols(x, y, z, Vec4::W).transpose());
            transformed_bounds(&affine, &joint.bounds?)
        });
        let deformed = deformed_bounds(self.deformed_texels(pose));
        boxes.fold(deformed, merged)
    }
}

/// A joint with what all its poses share.
struct PosedJoint {
    bone: usize,
    /// `None` if it is the identity.
    inverse_bind_pose: Option<Affine3A>,
    /// The center and half the size of the box around its vertices.
    extents: Option<(Vec3A, Vec3A)>,
}

impl PosedJoint {
    fn new(joint: &Joint) -> Self {
        let inverse = joint.inverse_bind_pose;
        Self {
            bone: joint.bone,
            inverse_bind_pose: (inverse != Affine3A::IDENTITY).then_some(inverse),
            extents: joint.bounds.map(|bounds| {
                (
                    (bounds.min + bounds.max) * 0.5,
                    (bounds.max - bounds.min) * 0.5,
                )
            }),
        }
    }
}

/// Poses a skeleton many times.
pub(crate) struct Poser<'a> {
    skeleton: &'a CrowdSkeleton,
    joints: Vec<PosedJoint>,
    /// The transform of each bone to its parent's space. First those of the rest pose.
    pub(crate) local: Vec<Transform>,
    /// The own visibility of each bone. First that of the rest pose.
    pub(crate) visible: Vec<bool>,
    /// The deformed vertices, in the spaces of their bones. First those of the rest pose.
    pub(crate) deformed: Vec<PosedVertex>,
    /// The transform of each bone to the model's space.
    model: Vec<Affine3A>,
    /// The transform of each joint's vertices to the model's space.
    matrices: Vec<Affine3A>,
}

impl<'a> Poser<'a> {
    pub(crate) fn new(skeleton: &'a CrowdSkeleton) -> Self {
        let (bones, joints) = (&skeleton.bones, &skeleton.joints);
        Self {
            skeleton,
            joints: joints.iter().map(PosedJoint::new).collect(),
            local: bones.iter().map(|bone| bone.rest).collect(),
            visible: bones.iter().map(|bone| bone.is_visible).collect(),
            deformed: skeleton.deformed.iter().map(|it| it.rest).collect(),
            model: vec![Affine3A::IDENTITY; bones.len()],
            matrices: vec![Affine3A::IDENTITY; joints.len()],
        }
    }

    /// Writes the texels of the pose with the local transforms and visibility.
    pub(crate) fn write(&mut self, texels: &mut [Texel]) {
        self.pose_bones();
        let count = self.skeleton.visibility_texels().min(texels.len());
        let (visibility, rest) = texels.split_at_mut(count);
        self.skeleton.write_visibility(&self.visible, visibility);
        let count = (JOINT_TEXELS * self.joints.len()).min(rest.len());
        let (rows, deformed) = rest.split_at_mut(count);
        write_deformed(
            &self.skeleton.deformed,
            &self.deformed,
            &self.model,
            deformed,
        );
        let (rows, _) = rows.as_chunks_mut::<JOINT_TEXELS>();
        let targets = self.matrices.iter_mut().zip(rows);
        for (joint, (matrix, rows)) in self.joints.iter().zip(targets) {
            let pose = self.model.get(joint.bone).copied().unwrap_or_default();
            *matrix = match &joint.inverse_bind_pose {
                Some(inverse) => pose * *inverse,
                None => pose,
            };
            let transposed = Mat4::from(*matrix).transpose();
            let columns = [transposed.x_axis, transposed.y_axis, transposed.z_axis];
            *rows = columns.map(|column| column.to_array());
        }
    }

    fn pose_bones(&mut self) {
        for (index, bone) in self.skeleton.bones.iter().enumerate() {
            let affine = self.local[index].compute_affine();
            let parent = bone.parent.filter(|parent| *parent < index);
            self.model[index] = parent.map_or(affine, |parent| self.model[parent] * affine);
        }
    }

    /// The box around all vertices in the pose that was written last, in the model's space. `None` if there are none.
    /// `texels` are those of the pose.
    pub(crate) fn bounds(&self, texels: &[Texel]) -> Option<Aabb3d> {
        let boxes = self.joints.iter().zip(&self.matrices);
        let mut all = deformed_bounds(self.skeleton.deformed_texels(texels));
        for (joint, matrix) in boxes {
            let Some((center, half)) = joint.extents else {
                continue;
            };
            let center = matrix.transform_point3a(center);
            let half = matrix.matrix3.abs() * half;
            if center.is_finite() && half.is_finite() {
                let (min, max) = (center - half, center + half);
                all = merged(all, Some(Aabb3d { min, max }));
            }
        }
        all
    }

    /// The longest distance of any vertex between a pose and the middle of two others, if it is longer than `minimum`.
    pub(crate) fn distance_to_middle(
        &self,
        pose: &[Texel],
        others: [&[Texel]; 2],
        minimum: f32,
    ) -> Option<f32> {
        let skip = self.skeleton.visibility_texels();
        let [rows, from, to] = [pose, others[0], others[1]].map(|pose| {
            let (rows, _) = pose.get(skip..).unwrap_or_default().as_chunks();
            rows
        });
        let mut longest = minimum;
        for (joint, rows) in self.joints.iter().zip(rows.iter().zip(from.iter().zip(to))) {
            let Some((center, half)) = joint.extents else {
                continue;
            };
            let rows = differences(rows);
            // The distance is at most this, along any axis. This avoids most of the exact ones.
            let [x, y, z] = rows.map(Vec4::abs);
            let reach = (center.abs() + half).extend(1.0);
            if x.max(y).max(z).dot(reach) <= longest {
                continue;
            }
            let (center, half) = (center.extend(1.0), half.extend(0.0));
            let axis = |row: Vec4| row.dot(center).abs() + row.abs().dot(half);
            let [x, y, z] = rows.map(axis);
            let distance = x.max(y).max(z);
            // A distance that is not finite is ignored: no count of samples makes it smaller.
            if distance.is_finite() {
                longest = longest.max(distance);
            }
        }
        let deformed = deformed_distance(
            self.skeleton.deformed_texels(pose),
            others.map(|other| self.skeleton.deformed_texels(other)),
        );
        longest = longest.max(deformed);
        (longest > minimum).then_some(longest)
    }
}

/// The rows of a joint's matrix.
type Rows = [Texel; JOINT_TEXELS];

/// The rows of a matrix minus those in the middle between two others.
#[inline]
fn differences((pose, (from, to)): (&Rows, (&Rows, &Rows))) -> [Vec4; JOINT_TEXELS] {
    core::array::from_fn(|row| {
        let [pose, from, to] = [pose, from, to].map(|rows| Vec4::from_array(rows[row]));
        pose - from * 0.5 - to * 0.5
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Vec3;

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
            ..CrowdSkeleton::default()
        }
    }

    #[test]
    fn poses_have_visibility_bits_and_matrices() {
        let mut skeleton = skeleton(100);
        let pose = skeleton.rest_pose();
        assert_eq!(pose.len(), skeleton.pose_texels());
        assert_eq!(skeleton.joint_offset(0), Some(2));
        assert_eq!(pose[0], [65535.0; 4]);
        // Bone 70 is hidden.
        let all = 65535.0;
        assert_eq!(pose[1], [all - 64.0, all, 15.0, 0.0]);
        assert_eq!(pose[5], [1.0, 0.0, 0.0, 100.0]);
        // Only with the setting, it hides those below it: 64 to 69 are visible.
        skeleton.hidden_bones_hide_children = true;
        assert_eq!(skeleton.rest_pose()[1], [63.0, 0.0, 0.0, 0.0]);
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
        let poser = Poser::new(&skeleton);
        let distance = |from, to, minimum| poser.distance_to_middle(&moved, [from, to], minimum);
        assert_eq!(distance(&rest, &rest, 0.0), Some(3.0));
        assert_eq!(distance(&rest, &moved, 0.0), Some(1.5));
        assert_eq!(distance(&rest, &moved, 1.4), Some(1.5));
        assert_eq!(distance(&rest, &moved, 1.5), None);
        let mut broken = rest.clone();
        broken[1][3] = f32::NAN;
        assert_eq!(poser.distance_to_middle(&broken, [&rest, &rest], 0.0), None);
    }
}
