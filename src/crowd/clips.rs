//! The baked clips of one model: they are baked again when they are edited, and dropped when no member shows them any more.

use crate::crowd::bake::{BakeSource, Baked, Baking, bake};
use crate::crowd::pose_texture::PoseTexture;
use crate::crowd::skeleton::CrowdSkeleton;
use crate::crowd::timeline::{ClipFrames, MAX_SAMPLES, SampleTimes};
use crate::gpu::pose_table::PosePair;
use crate::playback::skeletal::pose_source::{ClipData, ClipOrigin, Timeline};
use bevy::math::bounding::Aabb3d;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use core::ops::Range;
use std::sync::Arc;

/// Frames for which a clip stays in the texture after its last use, because the previous frame's pose is read for motion
/// vectors.
pub(crate) const RETIRED_FRAMES: u32 = 3;

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

/// The state of a clip.
#[derive(Debug)]
enum State<S> {
    Baking(Baking),
    Ready(Resident<S>),
    /// Why it cannot be shown.
    Failed(Arc<str>),
    /// Why it does not fit into the texture beside the others. It is baked again if one of them is removed.
    Full(Arc<str>),
}

#[derive(Debug)]
struct Entry<S> {
    origin: ClipOrigin,
    sampler: Arc<S>,
    timeline: Timeline,
    frames: ClipFrames,
    state: State<S>,
}

/// The clips of a model, by the asset of the whole clip.
#[derive(Debug)]
pub(crate) struct CrowdClips<S> {
    entries: HashMap<AssetId<AnimationClip>, Entry<S>>,
    /// Clips that were edited.
    retired: Vec<Resident<S>>,
    /// Incremented if an edit or free texels may change the result of a lookup, so that members look up their clips again.
    pub(crate) generation: u32,
}

impl<S> Default for CrowdClips<S> {
    fn default() -> Self {
        Self {
            entries: HashMap::default(),
            retired: Vec::new(),
            generation: 0,
        }
    }
}

/// The result of a lookup.
pub(crate) enum Found<S> {
    Ready(Arc<CrowdClip<S>>),
    /// It is being baked, or not loaded.
    Pending,
    Failed(Arc<str>),
}

/// What a clip is baked for.
pub(crate) struct Target<'a> {
    pub(crate) skeleton: &'a Arc<CrowdSkeleton>,
    pub(crate) texture: &'a mut PoseTexture,
    pub(crate) bounds: &'a mut Option<Aabb3d>,
}

impl Target<'_> {
    /// The most texels of a clip: those of the texture without the rest pose.
    fn max_texels(&self) -> usize {
        let all = self.texture.capacity();
        all.saturating_sub(self.skeleton.pose_texels())
    }

    /// Whether a clip fits into a count of texels with one sample per frame.
    fn fits(&self, frames: &ClipFrames, max_texels: usize) -> bool {
        let times = frames.fewest_samples();
        times
            .and_then(|times| self.skeleton.texels_of(times.count()))
            .is_some_and(|texels| texels <= max_texels)
    }
}

impl<S: BakeSource> CrowdClips<S> {
    /// Looks up a clip, and starts to bake it if it is new. `data` returns what it is baked from, `None` if it is not
    /// loaded. `at_once` waits for the result.
    pub(crate) fn find(
        &mut self,
        id: AssetId<AnimationClip>,
        data: impl FnOnce() -> Option<ClipData<S>>,
        target: &mut Target<'_>,
        at_once: bool,
    ) -> Found<S> {
        if !self.entries.contains_key(&id) {
            let Some(data) = data() else {
                return Found::Pending;
            };
            let entry = self.start(id, data, target, at_once);
            self.entries.insert(id, entry);
        }
        match self.entries.get(&id).map(|entry| &entry.state) {
            Some(State::Ready(resident)) => Found::Ready(resident.clip.clone()),
            Some(State::Failed(reason) | State::Full(reason)) => Found::Failed(reason.clone()),
            Some(State::Baking(_)) | None => Found::Pending,
        }
    }

    fn start(
        &mut self,
        id: AssetId<AnimationClip>,
        data: ClipData<S>,
        target: &mut Target<'_>,
        at_once: bool,
    ) -> Entry<S> {
        let frames = data.timeline.frames(data.holds);
        let mut entry = Entry {
            origin: data.origin,
            sampler: Arc::new(data.sampler),
            state: State::Failed(too_large(&frames, target).into()),
            timeline: data.timeline,
            frames,
        };
        let max_texels = target.max_texels();
        if target.fits(&frames, max_texels) {
            entry.state = self.bake(id, &entry, max_texels, target, at_once);
        }
        entry
    }

    /// Bakes a clip to at most this count of texels, or starts to.
    fn bake(
        &mut self,
        id: AssetId<AnimationClip>,
        entry: &Entry<S>,
        max_texels: usize,
        target: &mut Target<'_>,
        at_once: bool,
    ) -> State<S> {
        let (skeleton, frames) = (target.skeleton, entry.frames);
        if at_once {
            let baked = bake(skeleton, &*entry.sampler, frames, max_texels);
            return self.store(id, entry, baked, target, true);
        }
        let sampler = entry.sampler.clone();
        State::Baking(Baking::start(skeleton.clone(), sampler, frames, max_texels))
    }

    /// Stores the clips whose tasks have finished.
    pub(crate) fn finish(&mut self, target: &mut Target<'_>) {
        let mut finished = Vec::new();
        for (id, entry) in &mut self.entries {
            if let State::Baking(task) = &mut entry.state
                && let Some(baked) = task.poll()
            {
                finished.push((*id, baked));
            }
        }
        for (id, baked) in finished {
            if let Some(mut entry) = self.entries.remove(&id) {
                entry.state = self.store(id, &entry, baked, target, false);
                self.entries.insert(id, entry);
            }
        }
    }

    /// Adds a baked clip to the texture. If it does not fit, removes clips that no member shows. If it still does not
    /// fit, bakes it again with fewer samples per frame.
    fn store(
        &mut self,
        id: AssetId<AnimationClip>,
        entry: &Entry<S>,
        baked: Option<Baked>,
        target: &mut Target<'_>,
        at_once: bool,
    ) -> State<S> {
        let Some(baked) = baked else {
            return State::Failed(too_large(&entry.frames, target).into());
        };
        if !target.texture.fits(baked.texels.len()) {
            self.remove_unused(target.texture);
        }
        if !target.texture.fits(baked.texels.len()) {
            let free = target.texture.longest_free();
            let is_refined = entry.frames.fewest_samples() != Some(baked.times);
            // Each time the limit is smaller, so this ends.
            if is_refined && target.fits(&entry.frames, free) {
                return self.bake(id, entry, free, target, at_once);
            }
        }
        let first = match target.texture.insert(baked.texels) {
            Ok(first) => first,
            Err(error) => return State::Full(error.to_string().into()),
        };
        *target.bounds = crate::spawn::format::merged(*target.bounds, baked.bounds);
        State::Ready(Resident::new(Arc::new(CrowdClip {
            id,
            first,
            pose_texels: target.skeleton.pose_texels() as u32,
            times: baked.times,
            timeline: entry.timeline.clone(),
            sampler: entry.sampler.clone(),
        })))
    }

    /// Removes clips that no member shows. Returns whether there were any.
    fn remove_unused(&mut self, texture: &mut PoseTexture) -> bool {
        let count = self.entries.len();
        self.entries.retain(|_, entry| match &entry.state {
            State::Ready(resident) if resident.is_removable() => {
                texture.remove(resident.clip.first);
                false
            }
            _ => true,
        });
        self.entries.len() != count
    }

    /// Retires the clips that an edit has changed. They are shown until they are baked again. `is_edited` gets the asset
    /// of a clip and its origin.
    pub(crate) fn retire(
        &mut self,
        is_edited: impl Fn(AssetId<AnimationClip>, ClipOrigin) -> bool,
    ) {
        let retired = &mut self.retired;
        let count = self.entries.len();
        self.entries.retain(|id, entry| {
            if !is_edited(*id, entry.origin) {
                return true;
            }
            if let State::Ready(resident) = &entry.state {
                retired.push(Resident::new(resident.clip.clone()));
            }
            false
        });
        if self.entries.len() != count {
            self.generation += 1;
        }
    }

    /// Removes retired clips that no member shows any more. If a clip did not fit, also removes others that no member
    /// shows, and lets it be baked again. Call it once per frame.
    pub(crate) fn free_unused(&mut self, texture: &mut PoseTexture) {
        let count = self.retired.len();
        self.retired.retain_mut(|resident| {
            resident.age();
            let is_kept = !resident.is_removable();
            if !is_kept {
                texture.remove(resident.clip.first);
            }
            is_kept
        });
        let mut is_any_freed = self.retired.len() != count;
        let mut is_any_full = false;
        for entry in self.entries.values_mut() {
            match &mut entry.state {
                State::Ready(resident) => resident.age(),
                State::Full(_) => is_any_full = true,
                State::Baking(_) | State::Failed(_) => {}
            }
        }
        if is_any_full {
            is_any_freed |= self.remove_unused(texture);
            if is_any_freed {
                self.entries
                    .retain(|_, entry| !matches!(entry.state, State::Full(_)));
                self.generation += 1;
            }
        }
    }
}

fn too_large(frames: &ClipFrames, target: &Target<'_>) -> String {
    let (texels, max_texels) = (target.skeleton.pose_texels(), target.max_texels());
    let count = frames.count;
    format!(
        "it has {count} frames of {texels} texels; at most {MAX_SAMPLES} frames and {max_texels} texels are possible"
    )
}

#[cfg(test)]
mod tests;
