//! A baked clip, and how long it stays in the texture after its last use.

use crate::crowd::bake::sample_times::SampleTimes;
use crate::crowd::bake::timeline::Timeline;
use crate::gpu::poses::PosePair;
use bevy::asset::UntypedAssetId;
use bevy::prelude::*;
use core::ops::Range;
use std::sync::Arc;

/// Frames for which a clip stays in the texture after its last use, because the previous frame's pose is read for motion
/// vectors.
pub(crate) const RETIRED_FRAMES: u32 = 3;

/// Where the data of a clip comes from. The clip is baked again when that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClipOrigin {
    /// The model, which does not change: a reload makes another one.
    Model,
    /// The clip.
    Clip,
    /// The clip and the asset that it belongs to.
    File(UntypedAssetId),
}

/// What a clip is baked from.
pub struct ClipData<S> {
    /// Poses the bones.
    pub(crate) sampler: S,
    pub(crate) timeline: Timeline,
    /// Whether some values are held until the next frame.
    pub(crate) holds: bool,
    pub(crate) origin: ClipOrigin,
}

/// A baked clip. Members that show it hold it.
#[derive(Debug)]
pub(crate) struct CrowdClip<S> {
    pub(crate) id: AssetId<AnimationClip>,
    /// Its first texel.
    pub(crate) first: u32,
    pub(crate) pose_texels: u32,
    pub(crate) times: SampleTimes,
    pub(crate) timeline: Timeline,
    pub(crate) sampler: Arc<S>,
}

impl<S> CrowdClip<S> {
    /// Converts a time of the part of the clip that plays, in seconds, to a position in the whole clip.
    #[inline]
    pub(crate) fn position(&self, time: f32, part: Option<&Range<u32>>) -> f32 {
        self.timeline.position(time, part)
    }

    /// The poses around a position, as indices of texels.
    #[inline]
    pub(crate) fn poses(&self, position: f32) -> PosePair {
        let samples = self.times.locate(position);
        PosePair {
            a: self.first + samples.a * self.pose_texels,
            b: self.first + samples.b * self.pose_texels,
            towards_b: samples.towards_b,
        }
    }
}

/// A clip in the texture.
#[derive(Debug)]
pub(crate) struct Resident<S> {
    pub(crate) clip: Arc<CrowdClip<S>>,
    /// The count of frames since its last use.
    unused_frames: u32,
}

impl<S> Resident<S> {
    pub(crate) fn new(clip: Arc<CrowdClip<S>>) -> Self {
        let unused_frames = 0;
        Self {
            clip,
            unused_frames,
        }
    }

    /// Counts a frame.
    pub(crate) fn age(&mut self) {
        self.unused_frames = match Arc::strong_count(&self.clip) {
            1 => self.unused_frames.saturating_add(1),
            _ => 0,
        };
    }

    /// Whether no row points to it, neither now nor in the previous frame.
    pub(crate) fn is_removable(&self) -> bool {
        self.unused_frames >= RETIRED_FRAMES && Arc::strong_count(&self.clip) == 1
    }
}
