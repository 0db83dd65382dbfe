//! The baked poses that a member shows.

use crate::crowd::clips::CrowdClip;
use crate::gpu::pose_table::{PoseBlend, PosePair};
use std::sync::Arc;

/// A clip that a member shows.
#[derive(Debug)]
pub(crate) struct ShownClip<S> {
    pub(crate) clip: Arc<CrowdClip<S>>,
    /// The [`generation`](crate::crowd::clips::CrowdClips::generation) of the clips when it was looked up.
    pub(crate) generation: u32,
    /// The position in the clip: see [`Timeline`](crate::crowd::timeline::Timeline).
    pub(crate) position: f32,
}

/// The poses that a member shows.
#[derive(Debug)]
pub(crate) struct ShownPoses<S> {
    /// `None` is the rest pose.
    pub(crate) to: Option<ShownClip<S>>,
    /// The clip that fades out.
    pub(crate) from: Option<ShownClip<S>>,
    /// Its weight.
    pub(crate) from_weight: f32,
}

impl<S> Default for ShownPoses<S> {
    fn default() -> Self {
        Self {
            to: None,
            from: None,
            from_weight: 0.0,
        }
    }
}

impl<S> ShownPoses<S> {
    /// The poses as indices of texels.
    #[inline]
    pub(crate) fn blend(&self) -> PoseBlend {
        let to = poses(self.to.as_ref());
        if self.from_weight > 0.0 {
            PoseBlend {
                to,
                from: poses(self.from.as_ref()),
                from_weight: self.from_weight,
            }
        } else {
            PoseBlend::from(to)
        }
    }
}

#[inline]
fn poses<S>(shown: Option<&ShownClip<S>>) -> PosePair {
    shown.map_or_else(PosePair::default, |shown| shown.clip.poses(shown.position))
}
