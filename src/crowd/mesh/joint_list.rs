//! Collects the joints that the vertices of a model follow.

use crate::crowd::bake::skeleton::{CrowdSkeleton, Joint};
use crate::crowd::format::Missing;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::Mesh;
use bevy::platform::collections::HashMap;

/// A [`CrowdSkeleton`] to which joints are added.
pub(crate) struct JointList {
    pub(crate) skeleton: CrowdSkeleton,
    /// The joint of each bone: of rigid vertices, and of skinned ones.
    joints: HashMap<(usize, bool), usize>,
    /// Whether vertices cannot store the offsets of some joints.
    pub(crate) is_full: bool,
}

impl JointList {
    /// The skeleton must have its visibility bits already: they come first in a pose.
    pub(crate) fn new(skeleton: CrowdSkeleton) -> Self {
        Self {
            skeleton,
            joints: HashMap::default(),
            is_full: false,
        }
    }

    /// The offset of the joint of a bone. `bind_pose` is that of skinned vertices, which are in the model's space at
    /// rest; others are in the bone's space. `bounds` is the box around the vertices. `None` if a vertex cannot store
    /// the offset.
    pub(crate) fn joint(
        &mut self,
        bone: usize,
        bind_pose: Option<Affine3A>,
        bounds: Option<Aabb3d>,
    ) -> Option<u16> {
        let joints = &mut self.skeleton.joints;
        let key = (bone, bind_pose.is_some());
        let index = *self.joints.entry(key).or_insert_with(|| {
            let inverse = bind_pose.map(|pose| pose.inverse());
            let inverse = inverse.filter(|inverse| inverse.is_finite());
            joints.push(Joint {
                bone,
                inverse_bind_pose: inverse.unwrap_or(Affine3A::IDENTITY),
                bounds: None,
            });
            joints.len() - 1
        });
        if let Some(joint) = joints.get_mut(index) {
            joint.bounds = crate::spawn::info::merged(joint.bounds, bounds);
        }
        let offset = self.skeleton.joint_offset(index);
        self.is_full |= offset.is_none();
        offset
    }

    /// Why sub-meshes are missing. `None` if none is.
    pub(crate) fn missing(&self, is_any_missing: bool) -> Option<Missing> {
        is_any_missing.then_some(if self.is_full {
            Missing::TooManyJoints
        } else {
            Missing::NotInMainWorld
        })
    }

    /// The offsets of the joints of a skinned mesh. `bones` are the bones of its joint indices, each with its bind pose.
    pub(crate) fn palette(
        &mut self,
        mesh: &Mesh,
        bones: impl ExactSizeIterator<Item = (usize, Affine3A)>,
    ) -> Option<Vec<u16>> {
        let mut boxes = vec![None; bones.len()];
        if let Some(bounds) = mesh.skinned_mesh_bounds() {
            let joints = bounds.aabbs.iter().zip(&bounds.aabb_index_to_joint_index);
            for (aabb, joint) in joints {
                if let Some(bounds) = boxes.get_mut(usize::from(joint.0)) {
                    *bounds = Some(Aabb3d::new(aabb.center, aabb.half_size));
                }
            }
        }
        bones
            .zip(boxes)
            .map(|((bone, pose), bounds)| self.joint(bone, Some(pose), bounds))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_beyond_the_range_of_offsets_are_a_reason_for_missing_meshes() {
        let mut joints = JointList::new(CrowdSkeleton::default());
        assert_eq!(joints.missing(true), Some(Missing::NotInMainWorld));
        // Three texels per joint.
        let count = usize::from(u16::MAX / 3) + 1;
        for bone in 0..count {
            assert!(joints.joint(bone, None, None).is_some());
        }
        assert_eq!(joints.missing(false), None);
        assert_eq!(joints.joint(count, None, None), None);
        assert_eq!(joints.missing(true), Some(Missing::TooManyJoints));
    }
}
