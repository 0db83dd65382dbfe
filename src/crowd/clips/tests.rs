//! Tests of the storage of clips.

use crate::crowd::bake::tests::{Turning, one_joint};
use crate::crowd::clips::{RETIRED_FRAMES, *};
use crate::crowd::timeline::SampleTimes;
use crate::playback::skeletal::pose_source::{Animated, PoseSource};
use bevy::tasks::{AsyncComputeTaskPool, TaskPool};

/// A clip in which nothing moves.
#[derive(Debug)]
struct Still;

impl PoseSource for Still {
    fn pose(&self, _: f32, _: &mut [Transform], _: &mut [bool]) {}

    fn bone(&self, _: usize, _: f32, rest: (Transform, bool)) -> (Transform, bool) {
        rest
    }

    fn animates(&self, _: usize) -> Animated {
        Animated::default()
    }
}

impl BakeSource for Still {}

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
        let timeline = Timeline::Rate {
            count: 1,
            fps: 30.0,
        };
        let mut entry = Entry {
            origin: ClipOrigin::Clip,
            sampler: Arc::new(Still),
            frames: timeline.frames(false),
            timeline,
            state: State::Failed("not stored".into()),
        };
        let mut target = Target {
            skeleton: &self.skeleton,
            texture: &mut self.texture,
            bounds: &mut None,
        };
        entry.state = self
            .clips
            .store(clip.id(), &entry, Some(baked), &mut target, true);
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

/// Bakes clips with these counts of frames, and stores all of them. Returns the count of samples of each, `None` if it
/// does not fit.
fn sample_counts(frames: &[u32], at_once: bool) -> Vec<Result<u32, Arc<str>>> {
    AsyncComputeTaskPool::get_or_init(TaskPool::new);
    let skeleton = Arc::new(one_joint());
    let mut texture = PoseTexture::new(&Assets::<Image>::default(), 1);
    texture.insert(skeleton.rest_pose()).unwrap();
    let assets = Assets::<AnimationClip>::default();
    let mut clips = CrowdClips::default();
    let mut target = Target {
        skeleton: &skeleton,
        texture: &mut texture,
        bounds: &mut None,
    };
    let mut shown = Vec::new();
    let counts = frames.iter().map(|count| {
        let id = assets.reserve_handle().id();
        let data = || ClipData {
            // It turns so fast that a clip has 11 samples per frame.
            sampler: Turning(f32::to_radians(40.0), 0.0),
            timeline: Timeline::Rate {
                count: *count,
                fps: 10.0,
            },
            holds: false,
            origin: ClipOrigin::Clip,
        };
        loop {
            match clips.find(id, || Some(data()), &mut target, at_once) {
                Found::Ready(clip) => {
                    shown.push(clip.clone());
                    return Ok(clip.times.count());
                }
                Found::Failed(reason) => return Err(reason),
                Found::Pending => clips.finish(&mut target),
            }
            std::thread::yield_now();
        }
    });
    counts.collect()
}

#[test]
fn clips_have_fewer_samples_if_the_texture_has_no_room_for_more() {
    for at_once in [true, false] {
        // The texture has 2048 texels: 511 samples beside the rest pose.
        let counts = sample_counts(&[200, 50, 50, 10, 10], at_once);
        let [first, second, third, fourth, fifth] = counts.try_into().unwrap();
        assert_eq!(first, Ok(199 * 2 + 1));
        assert_eq!(second, Ok(49 * 2 + 1), "112 samples are free");
        let reason = third.unwrap_err();
        assert!(reason.contains("52 of 2048 texels"), "{reason}");
        assert_eq!(fourth, Ok(9 + 1), "13 samples are free");
        assert!(fifth.is_err());
    }
}

#[test]
fn clips_as_long_as_the_texture_have_room_beside_the_rest_pose() {
    for at_once in [true, false] {
        assert_eq!(sample_counts(&[511], at_once), [Ok(511)]);
        let reason = sample_counts(&[512], at_once)[0].clone().unwrap_err();
        assert!(reason.contains("2044 texels are possible"), "{reason}");
    }
}
