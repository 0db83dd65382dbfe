//! Reloading Alamo animations and models that change on disk during playback, with Bevy's real file watcher.

use crate::ala::play::{FPS, HULL, ala, document, model_at, moves};
use crate::manifest::reload::Folder;
use crate::support::prelude::*;

const MODEL: &str = "watched.alo";
const CLIP: &str = "watched_MOVE_00.ala";
const OTHER: &str = "watched_HOLD_00.ala";

/// A clip that holds the hull at `x`.
fn hold_clip(x: f32) -> Vec<u8> {
    let mut hull = BoneTracks::new("Hull", 1, [x, 0.0, 1.0]);
    hull.translation = Vectors::constant([x, 0.0, 1.0]);
    ala(&document(5, vec![hull]))
}

/// An app that watches a folder with a model and its clips.
struct Watched {
    app: Folder,
    root: Entity,
    /// Bevy reloads only assets with a strong handle.
    _model: Handle<Alo>,
}

impl Watched {
    /// Spawns the model, which shows the start of a clip.
    fn new(play: PlayClip) -> Self {
        let mut app = Folder::watching(&[
            (MODEL, model_at(5.0)),
            (CLIP, ala(&moves(1.0))),
            (OTHER, hold_clip(20.0)),
        ]);
        let server = app.server();
        let _model = server.load(MODEL);
        app.wait("the model", |_| server.is_loaded_with_dependencies(&_model));
        let mut watched = Self {
            app,
            root: Entity::PLACEHOLDER,
            _model,
        };
        watched.root = watched.spawn(play);
        watched
    }

    fn spawn(&mut self, play: PlayClip) -> Entity {
        let scene = self.app.server().load(format!("{MODEL}#Scene"));
        let root = self.app.spawn_entity((WorldAssetRoot(scene), play));
        self.app.wait_for(root);
        self.app.step(0.0);
        root
    }

    fn hull(&self) -> f32 {
        self.app.bone_transform(self.root, HULL).translation.x
    }

    fn time(&self) -> f32 {
        self.app.get::<Playback>(self.root).time
    }

    /// Continues, and asserts the position of the hull.
    #[track_caller]
    fn assert_hull_after(&mut self, seconds: f32, x: f32) {
        // Bevy limits a frame to a quarter of a second.
        self.app.step(seconds / 2.0);
        self.app.step(seconds / 2.0);
        assert!((self.hull() - x).abs() < 1e-3, "{}, not {x}", self.hull());
    }

    /// Saves a clip, and waits until the hull moves to `x`. Asserts that its position and the clip's time stay the same
    /// until then.
    #[track_caller]
    fn save(&mut self, clip: &str, bytes: Vec<u8>, x: f32) {
        let (before, time) = (self.hull(), self.time());
        assert!((before - x).abs() > 1e-3, "the hull is already at {x}");
        self.app.save(clip, bytes);
        let mut patience = gpuless::Patience::new(gpuless::PATIENCE);
        while (self.hull() - x).abs() > 1e-3 {
            assert!((self.hull() - before).abs() < 1e-3, "{}", self.hull());
            assert!((self.time() - time).abs() < 1e-6, "the time changed");
            assert!(!patience.is_exhausted(), "the edit is not loaded");
            patience.wait();
            self.app.step(0.0);
        }
        assert!((self.time() - time).abs() < 1e-6, "the time changed");
    }
}

/// A clip of `frames` frames that moves the hull by `step` per frame.
fn clip_of(frames: u32, step: f32) -> Vec<u8> {
    let mut clip = moves(step);
    clip.frames = frames;
    let frames = (0..frames).map(|frame| [frame as f32 * step, 0.0, 1.0]);
    clip.bones[0].translation = Vectors::from_frames(&frames.collect::<Vec<_>>());
    ala(&clip)
}

/// The logged errors about the clip.
fn errors() -> Vec<String> {
    let mut errors = log::errors_of(&["bevy_asset"]);
    errors.retain(|text| text.contains(CLIP));
    errors
}

#[test]
fn edited_clip_shows_without_a_jump_and_broken_clip_does_not() {
    log::listen();
    let mut watched = Watched::new(PlayClip::looping("MOVE_00"));
    watched.assert_hull_after(0.15, 1.5);
    watched.save(CLIP, ala(&moves(10.0)), 15.0);
    watched.assert_hull_after(0.1, 25.0);

    // A broken animation: the previous clip keeps playing.
    assert_eq!(errors(), Vec::<String>::new());
    watched.app.save(CLIP, &ala(&moves(3.0))[..200]);
    watched.app.wait("the error", |_| !errors().is_empty());
    watched.app.wait_until_idle();
    // Bevy may load an asset with a live handle twice: by the handle, then by the path.
    let errors = errors();
    assert!(errors.len() <= 2, "{errors:#?}");
    let expected = "watched_MOVE_00.ala: ALA: chunk 0x1000 at offset 8 ";
    assert!(errors.iter().all(|it| it.contains(expected)), "{errors:?}");
    watched.assert_hull_after(0.0, 25.0);
    watched.assert_hull_after(0.05, 30.0);

    // A model spawned now also uses the last valid clip.
    let second = watched.spawn(PlayClip::looping("MOVE_00").starting_at(0.1));
    let x = watched.app.bone_transform(second, HULL).translation.x;
    assert!((x - 10.0).abs() < 1e-3, "{x}");

    // A valid clip with more frames.
    watched.save(CLIP, clip_of(9, 2.0), 6.0);
    watched.assert_hull_after(0.25, 11.0);
}

#[test]
fn edit_to_a_shorter_clip_keeps_a_valid_time() {
    let mut watched = Watched::new(PlayClip::looping("MOVE_00"));
    watched.assert_hull_after(0.35, 3.5);
    watched.app.save(CLIP, clip_of(3, 7.0));
    let root = watched.root;
    watched.app.wait("the edit", |world| {
        world.get::<Playback>(root).unwrap().time <= 2.0 / FPS + 1e-6
    });
    assert!((0.0..=14.001).contains(&watched.hull()));
    for _ in 0..7 {
        watched.app.step(0.05);
        let (x, time) = (watched.hull(), watched.time());
        assert!((x - 7.0 * FPS * time).abs() < 1e-3, "{x} at {time}");
    }
}

#[test]
fn edit_during_a_fade_shows_in_the_fade() {
    let mut watched = Watched::new(PlayClip::looping("HOLD_00"));
    watched.assert_hull_after(0.0, 20.0);
    let fading = still("MOVE_00", 0.2).with_fade(1.0);
    watched.app.insert(watched.root, fading);
    watched.app.step(0.0);
    watched.assert_hull_after(0.25, 0.75 * 20.0 + 0.25 * 2.0);
    // The clip that fades out.
    watched.save(OTHER, hold_clip(40.0), 0.75 * 40.0 + 0.25 * 2.0);
    watched.assert_hull_after(0.5, 0.25 * 40.0 + 0.75 * 2.0);
    watched.assert_hull_after(0.5, 2.0);
}
