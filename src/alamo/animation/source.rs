//! A clip and the animation that it belongs to.

use crate::alamo::animation::asset::Ala;
use crate::scene::ClipSource;
use bevy::animation::AnimationClip;
use bevy::asset::Handle;
use core::ops::Range;

/// A clip and, if it is from an Alamo file, its animation.
#[derive(Clone, Debug)]
pub(crate) struct AlaSource {
    pub(super) clip: Handle<AnimationClip>,
    pub(super) ala: Option<Handle<Ala>>,
    /// The selected frames; `None` for the whole clip.
    pub(super) frames: Option<Range<u32>>,
}

#[cfg(feature = "crowd")]
impl AlaSource {
    /// The animation that the clip belongs to, if it is from an Alamo file.
    pub(in crate::alamo) fn ala(&self) -> Option<&Handle<Ala>> {
        self.ala.as_ref()
    }
}

impl ClipSource for AlaSource {
    fn clip(&self) -> &Handle<AnimationClip> {
        &self.clip
    }

    fn frames(&self) -> Option<&Range<u32>> {
        self.frames.as_ref()
    }
}
