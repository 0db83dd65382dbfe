//! A bone in the pose of the clips that play, and how poses are blended.

use crate::playback::frames::slerp;
use crate::playback::skeletal::pose_source::{Animated, BoundClip};
use crate::playback::skeletal::rig::RigBone;
use bevy::prelude::*;

/// A bone in the pose of the clips that play.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PosedBone {
    /// At rest.
    pub(crate) rest: (Transform, bool),
    pub(crate) local: Transform,
    /// The share of the clips that show it, from 0 to 1. Weights are votes.
    pub(crate) shown: f32,
    pub(crate) animated: Animated,
}

impl From<RigBone<'_>> for PosedBone {
    fn from(bone: RigBone<'_>) -> Self {
        Self {
            rest: (bone.rest, bone.is_visible),
            local: bone.rest,
            shown: share(bone.is_visible),
            animated: Animated::default(),
        }
    }
}

pub(crate) fn share(is_visible: bool) -> f32 {
    if is_visible { 1.0 } else { 0.0 }
}

impl PosedBone {
    /// The transform and visibility in a clip.
    #[inline]
    pub(crate) fn sample(
        &self,
        clip: &BoundClip,
        index: usize,
        position: f32,
    ) -> (Transform, bool) {
        match clip.animates(index) {
            // The clip has the rest pose of bones that only others animate.
            Animated {
                transform: false,
                visibility: false,
            } => self.rest,
            _ => clip.bone(index, position, self.rest),
        }
    }

    /// Blends in another pose, which has a share from 0 to 1 of the result.
    #[inline]
    pub(crate) fn mix(&mut self, (local, is_visible): (Transform, bool), share_of_it: f32) {
        if share_of_it < 1.0 {
            self.local = mixed(&self.local, &local, share_of_it);
            self.shown += (share(is_visible) - self.shown) * share_of_it;
        } else {
            self.local = local;
            self.shown = share(is_visible);
        }
    }

    /// Adds the difference between two poses.
    pub(crate) fn add(&mut self, pose: &Transform, first: &Transform, weight: f32) {
        let turn = pose.rotation * first.rotation.inverse();
        self.local.translation += (pose.translation - first.translation) * weight;
        self.local.rotation = slerp(Quat::IDENTITY, turn, weight) * self.local.rotation;
        self.local.scale += (pose.scale - first.scale) * weight;
    }

    /// `None` if no clip decides about it. In a tie the bone is shown.
    pub(crate) fn is_visible(&self) -> Option<bool> {
        // Weights add up to 1 only within the rounding error.
        self.animated.visibility.then_some(self.shown > 0.5 - 1e-6)
    }
}

/// Blends two transforms. `share` is that of the second one, from 0 to 1.
pub(crate) fn mixed(from: &Transform, to: &Transform, share: f32) -> Transform {
    if share >= 1.0 {
        return *to;
    }
    // Not `lerp`: the difference of two finite values may be infinite.
    let between = |from: Vec3, to: Vec3| from * (1.0 - share) + to * share;
    Transform {
        translation: between(from.translation, to.translation),
        rotation: slerp(from.rotation, to.rotation, share),
        scale: between(from.scale, to.scale),
    }
}
