//! The baked clips of one model.

use crate::alamo::animation::{Ala, AlaSource};
use crate::alamo::asset::AloModel;
use crate::alamo::crowd::sampler::ClipSampler;
use crate::crowd::{
    Baked, Baking, ClipFrames, CrowdSkeleton, MAX_SAMPLES, PoseTexture, SampleTimes, bake,
};
use crate::scene::{ClipSource, FrameRate, Frames, PosePair};
use bevy::animation::AnimationClip;
use bevy::asset::{AssetId, Assets};
use bevy::math::bounding::Aabb3d;
use bevy::platform::collections::HashMap;
use core::ops::Range;
use std::sync::Arc;

/// Frames for which a clip stays in the texture after its last use, because the previous frame's pose is read for motion
/// vectors.
const RETIRED_FRAMES: u32 = 3;

/// A baked clip. Members that show it hold it.
#[derive(Debug)]
pub(super) struct CrowdClip {
    pub(super) id: AssetId<AnimationClip>,
    /// Its first texel.
    first: u32,
    pose_texels: u32,
    times: SampleTimes,
    frames: FrameRate,
    pub(super) sampler: Arc<ClipSampler>,
}

impl CrowdClip {
    /// Converts a time of the part of the clip that plays to a time of the whole clip, in seconds.
    #[inline]
    pub(super) fn seconds(&self, time: f32, part: Option<&Range<u32>>) -> f32 {
        let span = part.and_then(|part| self.frames.span(part));
        span.map_or(time, |span| span.time(time))
    }

    /// The poses around a time in seconds, as indices of texels.
    #[inline]
    pub(super) fn poses(&self, seconds: f32) -> PosePair {
        let samples = self.times.locate(seconds);
        PosePair {
            a: self.first + samples.a * self.pose_texels,
            b: self.first + samples.b * self.pose_texels,
            towards_b: samples.towards_b,
        }
    }
}

/// The state of a clip.
#[derive(Debug)]
enum State {
    Baking(Baking),
    Ready(Resident),
    /// Why it cannot be shown.
    Failed(Arc<str>),
    /// Why it does not fit into the texture beside the others. It is baked again if one of them is removed.
    Full(Arc<str>),
}

/// A clip in the texture.
#[derive(Debug)]
struct Resident {
    clip: Arc<CrowdClip>,
    /// The count of frames since its last use.
    unused_frames: u32,
}

impl Resident {
    fn new(clip: Arc<CrowdClip>) -> Self {
        let unused_frames = 0;
        Self {
            clip,
            unused_frames,
        }
    }

    /// Counts a frame.
    fn age(&mut self) {
        self.unused_frames = match Arc::strong_count(&self.clip) {
            1 => self.unused_frames.saturating_add(1),
            _ => 0,
        };
    }

    /// Whether no row points to it, neither now nor in the previous frame.
    fn is_removable(&self) -> bool {
        self.unused_frames >= RETIRED_FRAMES && Arc::strong_count(&self.clip) == 1
    }
}

#[derive(Debug)]
struct Entry {
    /// The animation that it belongs to.
    ala: Option<AssetId<Ala>>,
    sampler: Arc<ClipSampler>,
    frames: ClipFrames,
    state: State,
}

/// The clips of a model, by the asset of the whole clip.
#[derive(Debug, Default)]
pub(super) struct CrowdClips {
    entries: HashMap<AssetId<AnimationClip>, Entry>,
    /// Clips that were edited.
    retired: Vec<Resident>,
    /// Incremented if an edit or free texels may change the result of a lookup, so that members look up their clips again.
    pub(super) generation: u32,
}

/// The assets from which clips are baked.
pub(super) struct ClipAssets<'a> {
    pub(super) alas: &'a Assets<Ala>,
    pub(super) clips: &'a Assets<AnimationClip>,
}

/// The result of a lookup.
pub(super) enum Found {
    Ready(Arc<CrowdClip>),
    /// It is being baked, or not loaded.
    Pending,
    Failed(Arc<str>),
}

/// What a clip is baked for.
pub(super) struct Target<'a> {
    pub(super) model: &'a AloModel,
    pub(super) skeleton: &'a Arc<CrowdSkeleton>,
    pub(super) texture: &'a mut PoseTexture,
    pub(super) bounds: &'a mut Option<Aabb3d>,
}

impl CrowdClips {
    /// Looks up a clip, and starts to bake it if it is new. `at_once` waits for the result.
    pub(super) fn find(
        &mut self,
        source: &AlaSource,
        target: &mut Target<'_>,
        assets: &ClipAssets<'_>,
        at_once: bool,
    ) -> Found {
        let id = source.clip().id();
        if !self.entries.contains_key(&id) {
            let sampler = ClipSampler::new(source, target.model, assets.alas, assets.clips);
            let Some((sampler, frames)) = sampler else {
                return Found::Pending;
            };
            let ala = source.ala().map(|ala| ala.id());
            self.start(id, ala, (Arc::new(sampler), frames), target, at_once);
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
        ala: Option<AssetId<Ala>>,
        (sampler, frames): (Arc<ClipSampler>, ClipFrames),
        target: &mut Target<'_>,
        at_once: bool,
    ) {
        let max_texels = target.texture.capacity();
        let mut entry = Entry {
            ala,
            sampler: sampler.clone(),
            frames,
            state: State::Failed(too_large(frames, target).into()),
        };
        let is_possible = SampleTimes::new(frames.count, frames.fps, 1, frames.holds)
            .and_then(|times| target.skeleton.texels_of(times.count()))
            .is_some_and(|texels| texels <= max_texels);
        if is_possible && at_once {
            let baked = bake(target.skeleton, &*sampler, frames, max_texels);
            entry.state = self.store(id, &entry, baked, target);
        } else if is_possible {
            let skeleton = target.skeleton.clone();
            let task = Baking::start(skeleton, sampler, frames, max_texels);
            entry.state = State::Baking(task);
        }
        self.entries.insert(id, entry);
    }

    /// Stores the clips whose tasks have finished. Returns whether any has.
    pub(super) fn finish(&mut self, target: &mut Target<'_>) -> bool {
        let mut finished = Vec::new();
        for (id, entry) in &mut self.entries {
            if let State::Baking(task) = &mut entry.state
                && let Some(baked) = task.poll()
            {
                finished.push((*id, baked));
            }
        }
        let is_any = !finished.is_empty();
        for (id, baked) in finished {
            if let Some(mut entry) = self.entries.remove(&id) {
                entry.state = self.store(id, &entry, baked, target);
                self.entries.insert(id, entry);
            }
        }
        is_any
    }

    /// Adds a baked clip to the texture. If it does not fit, removes clips that no member shows.
    fn store(
        &mut self,
        id: AssetId<AnimationClip>,
        entry: &Entry,
        baked: Option<Baked>,
        target: &mut Target<'_>,
    ) -> State {
        let Some(baked) = baked else {
            return State::Failed(too_large(entry.frames, target).into());
        };
        let texels = baked.texels;
        if !target.texture.fits(texels.len()) {
            self.remove_unused(target.texture);
        }
        let first = match target.texture.insert(texels) {
            Ok(first) => first,
            Err(error) => return State::Full(error.to_string().into()),
        };
        *target.bounds = crate::scene::merged(*target.bounds, baked.bounds);
        State::Ready(Resident::new(Arc::new(CrowdClip {
            id,
            first,
            pose_texels: target.skeleton.pose_texels() as u32,
            times: baked.times,
            frames: FrameRate {
                count: entry.frames.count,
                fps: entry.frames.fps,
            },
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

    /// Retires the clips that an edit has changed. They are shown until they are baked again.
    pub(super) fn retire(
        &mut self,
        is_edited: impl Fn(AssetId<AnimationClip>, Option<AssetId<Ala>>) -> bool,
    ) {
        let retired = &mut self.retired;
        let count = self.entries.len();
        self.entries.retain(|id, entry| {
            if !is_edited(*id, entry.ala) {
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
    pub(super) fn free_unused(&mut self, texture: &mut PoseTexture) {
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

fn too_large(frames: ClipFrames, target: &Target<'_>) -> String {
    let (texels, capacity) = (target.skeleton.pose_texels(), target.texture.capacity());
    let count = frames.count;
    format!(
        "it has {count} frames of {texels} texels; at most {MAX_SAMPLES} frames and {capacity} texels are possible"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::asset::Handle;
    use bevy::image::Image;

    /// A texture with one line, and clips of it.
    struct Fixture {
        model: AloModel,
        skeleton: Arc<CrowdSkeleton>,
        texture: PoseTexture,
        clips: CrowdClips,
    }

    impl Fixture {
        fn new() -> Self {
            Self {
                model: AloModel::default(),
                skeleton: Arc::default(),
                texture: PoseTexture::new(&Assets::<Image>::default(), 1),
                clips: CrowdClips::default(),
            }
        }

        /// Stores a baked clip. Returns it if it fits.
        fn store(&mut self, clip: &Handle<AnimationClip>, length: usize) -> Option<Arc<CrowdClip>> {
            let frames = ClipFrames {
                count: 1,
                fps: 30.0,
                holds: false,
            };
            let baked = Baked {
                times: SampleTimes::new(1, 30.0, 1, false).unwrap(),
                texels: vec![[0.0; 4]; length],
                bounds: None,
            };
            let mut entry = Entry {
                ala: None,
                sampler: Arc::new(ClipSampler::Curves(Vec::new())),
                frames,
                state: State::Failed("not stored".into()),
            };
            let mut target = Target {
                model: &self.model,
                skeleton: &self.skeleton,
                texture: &mut self.texture,
                bounds: &mut None,
            };
            entry.state = self
                .clips
                .store(clip.id(), &entry, Some(baked), &mut target);
            let stored = match &entry.state {
                State::Ready(resident) => Some(resident.clip.clone()),
                _ => None,
            };
            self.clips.entries.insert(clip.id(), entry);
            stored
        }

        /// Runs a frame. Returns whether members look up their clips again.
        fn frame(&mut self) -> bool {
            let generation = self.clips.generation;
            self.clips.free_unused(&mut self.texture);
            self.clips.generation != generation
        }
    }

    #[test]
    fn clips_that_did_not_fit_are_baked_again_when_others_are_unused() {
        let assets = Assets::<AnimationClip>::default();
        let [first, second] = [(); 2].map(|()| assets.reserve_handle());
        let mut fixture = Fixture::new();
        let shown = fixture.store(&first, 1500).unwrap();
        assert!(fixture.store(&second, 1000).is_none());
        for _ in 0..2 * RETIRED_FRAMES {
            assert!(!fixture.frame(), "the first one is shown");
        }
        drop(shown);
        // Rows of the previous frame may point to it.
        assert!(fixture.store(&second, 1000).is_none());
        for _ in 1..RETIRED_FRAMES {
            assert!(!fixture.frame());
        }
        assert!(fixture.frame());
        assert!(fixture.clips.entries.is_empty());
        assert!(fixture.store(&second, 1000).is_some());
    }

    #[test]
    fn edited_clips_free_texels_after_their_last_use() {
        let assets = Assets::<AnimationClip>::default();
        let [first, second] = [(); 2].map(|()| assets.reserve_handle());
        let mut fixture = Fixture::new();
        let shown = fixture.store(&first, 1500).unwrap();
        fixture.clips.retire(|clip, _| clip == first.id());
        assert!(fixture.store(&second, 1000).is_none());
        assert!(!fixture.frame());
        drop(shown);
        for _ in 1..RETIRED_FRAMES {
            assert!(!fixture.frame());
        }
        assert!(fixture.frame());
        assert!(fixture.store(&second, 1000).is_some());
    }
}
