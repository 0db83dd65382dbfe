//! Missing clips: the behavior is the same for all formats with clips.

use crate::ala::play as ala_play;
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;

/// The scene and a clip of a model of each format with clips.
const MODELS: [(&str, &str); 3] = [
    ("art/Unit.alo#Scene", "MOVE_00"),
    ("missing/unit.abc#Scene", "walk"),
    ("missing/unit.mdl#Scene", "die"),
];

fn app() -> TestApp {
    log::listen();
    let mut files = ala_play::files();
    files.push(("missing/unit.abc", bytes(&figure())));
    files.push(("missing/unit.mdl", tetrahedron().to_bytes()));
    TestApp::new(&files)
}

fn playback(app: &mut TestApp, root: Entity) -> Playback {
    *app.get::<Playback>(root)
}

fn play_to_the_end(app: &mut TestApp, root: Entity) -> Vec<ClipFinished> {
    let mut all = Vec::new();
    for _ in 0..30 {
        app.step(0.1);
        all.extend(app.finished_clips());
    }
    assert!(playback(app, root).finished);
    all
}

#[test]
fn missing_clip_never_finishes() {
    let mut app = app();
    for (scene, clip) in MODELS {
        let root = app.spawn_ready(scene, PlayClip::once("unknown"));
        for missing in [
            PlayClip::once("unknown"),
            PlayClip::once(99),
            PlayClip::once(ClipRef::part(clip, 90..95)),
            PlayClip::once("unknown").with_speed(-1.0),
        ] {
            // An existing clip first, which finishes.
            app.insert(root, PlayClip::once(clip));
            assert_eq!(play_to_the_end(&mut app, root).len(), 1, "{scene}");
            app.insert(root, missing);
            for _ in 0..50 {
                app.step(0.1);
                assert_eq!(app.finished_clips(), [], "{scene}");
                assert!(!playback(&mut app, root).finished, "{scene}");
            }
        }
        let path = scene.split('#').next().unwrap();
        let mut warnings = log::warnings_with("has no clip \"unknown\"");
        warnings.retain(|text| text.starts_with(path));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }
}

/// The same model with another name of its first clip.
fn renamed(to: &[u8; 3]) -> MdlDocument {
    let mut document = tetrahedron();
    for frame in &mut document.frames {
        if let FrameDocument::Single(pose) = frame
            && pose.name.starts_with(b"run")
        {
            pose.name[..3].copy_from_slice(to);
        }
    }
    document
}

#[test]
fn quake_clip_added_by_a_reload_starts() {
    let mut app = TestApp::new(&[("late.mdl", renamed(b"jog").to_bytes())]);
    let model: Handle<Mdl> = app.load("late.mdl");
    let root = app.spawn_ready("late.mdl#Scene", PlayClip::once("run").with_speed(-1.0));
    app.steps(3, 0.1);
    let sequence = app.animator(root).sequence().clone();
    assert_eq!((sequence.first_pose, sequence.pose_count), (0, 1));
    let bytes = tetrahedron().to_bytes();
    app.edit("late.mdl", bytes);
    let plays = |world: &mut World| {
        let animator = world.get::<bevy_classic_models::quake::MdlInstance>(root);
        animator.is_some_and(|animator| animator.sequence().pose_count == 3)
    };
    app.wait("the clip was not played after the reload", plays);
    drop(model);
    // Playback starts at the end, not at the time of the previous sequence.
    let length = app.animator(root).clip_seconds();
    assert_eq!(playback(&mut app, root).time, length);
    assert_eq!(play_to_the_end(&mut app, root).len(), 1);
}
