//! Tests of the storage of clips.

use super::*;
use crate::crowd::clip::RETIRED_FRAMES;
use crate::scene::FrameRate;
use bevy::asset::{Assets, Handle};
use bevy::image::Image;
use bevy::transform::components::Transform;

/// A clip in which nothing moves.
struct Still;

impl PoseSource for Still {
    fn pose(&self, _: f32, _: &mut [Transform], _: &mut [bool]) {}
}

/// A texture with one line, and clips of it.
struct Fixture {
    skeleton: Arc<CrowdSkeleton>,
    texture: PoseTexture,
    clips: CrowdClips<Still>,
}

impl Fixture {
    fn new() -> Self {
        Self {
            skeleton: Arc::default(),
            texture: PoseTexture::new(&Assets::<Image>::default(), 1),
            clips: CrowdClips::default(),
        }
    }

    /// Stores a baked clip. Returns it if it fits.
    fn store(
        &mut self,
        clip: &Handle<AnimationClip>,
        length: usize,
    ) -> Option<Arc<CrowdClip<Still>>> {
        let baked = Baked {
            times: SampleTimes::new(1, 30.0, 1, false).unwrap(),
            texels: vec![[0.0; 4]; length],
            bounds: None,
        };
        let mut entry = Entry {
            origin: ClipOrigin::Clip,
            sampler: Arc::new(Still),
            timeline: Timeline::Rate(FrameRate {
                count: 1,
                fps: 30.0,
            }),
            state: State::Failed("not stored".into()),
        };
        let mut target = Target {
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
