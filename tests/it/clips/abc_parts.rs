//! Parts of LithTech clips: their values compared with the files, events, and reloads.

use crate::abc::pose::assert_posed;
use crate::clips::parts::part;
use crate::support::abc::{BODY, bytes, figure};
use crate::support::abc_app::{drawn, spawned};
use crate::support::prelude::*;

#[track_caller]
fn assert_body(app: &mut TestApp, root: Entity, [x, y]: [f32; 2]) {
    let body = app.bone_transform(root, BODY).translation;
    assert!(body.abs_diff_eq(Vec3::new(x, y, 0.0), 1e-2), "{body}");
}

#[test]
fn parts_of_abc_clips_show_their_keyframes() {
    let mut app = TestApp::new(&[("model.abc", bytes(&figure()))]);
    let play = |frames| PlayClip::looping(part("walk", frames));
    let root = app.spawn_shown("model.abc#Scene", play(1..3));
    assert_body(&mut app, root, [10.0, 0.0]);
    app.step(0.1);
    assert_body(&mut app, root, [10.0, 10.0]);
    app.step(0.15);
    app.assert_time(root, 0.05);
    assert_body(&mut app, root, [10.0, 5.0]);
    app.apply(root, play(0..2));
    app.step(0.05);
    assert_body(&mut app, root, [5.0, 0.0]);
    app.step(0.1);
    app.assert_time(root, 0.05);
    // A part of a single keyframe is static.
    app.apply(root, play(1..2));
    for _ in 0..5 {
        assert_body(&mut app, root, [10.0, 0.0]);
        app.step(0.017);
    }
    app.apply(root, PlayClip::once(part("walk", 0..2)).with_speed(5.0));
    app.steps(2, 0.2);
    assert_body(&mut app, root, [10.0, 0.0]);
    assert_eq!(app.finished_clips().len(), 1);
    // A half-weight fade from a part to a whole clip.
    app.apply(root, still(part(2, 2..3), 0.0));
    app.apply(root, still("walk", 0.1).with_fade(0.4));
    app.step(0.2);
    assert_body(&mut app, root, [0.0, 10.0]);
}

#[test]
fn abc_part_sends_the_events_matchings_keyframes() {
    let mut app = TestApp::new(&[("model.abc", bytes(&figure()))]);
    let received = app.record::<ModelEvent>();
    // The frames are those of the whole clip.
    let (begin, step, sound) = (("begin", 0), ("FOOTSTEP_KEY", 1), ("[play_sound:step]", 2));
    for (frames, length, events) in [
        (0..2, 0.1, vec![begin, step]),
        (1..3, 0.2, vec![step, sound]),
        (1..2, 1.0 / 30.0, vec![step]),
        (0..3, 0.3, vec![begin, step, sound]),
    ] {
        for speed in [1.0, -1.0] {
            let play = PlayClip::looping(part("walk", frames.clone())).with_speed(speed);
            let root = app.spawn_shown("model.abc#Scene", play);
            received.take();
            let passes = 10;
            // Nearly half a pass more than `passes`.
            let step = (passes as f32 + 0.45) * length / 200.0;
            app.steps(200, step);
            let sent = received.take();
            for (string, frame) in &events {
                let matching = sent.iter().filter(|event| event.name == *string);
                let matching: Vec<_> = matching.collect();
                let count = matching.len();
                assert!(
                    (passes..=passes + 1).contains(&count),
                    "{string}: {count} in {frames:?}"
                );
                let is_match = |event: &&ModelEvent| event.frame == *frame && event.clip == "Walk";
                assert!(matching.iter().all(is_match), "{matching:?}");
            }
            let is_expected = |string: &str| events.iter().any(|event| event.0 == string);
            assert!(
                sent.iter().all(|event| is_expected(&event.name)),
                "{frames:?}: {sent:?}"
            );
            app.despawn(root);
        }
    }
}

#[test]
fn deformed_vertices_match_the_poses_of_a_part() {
    let document = banner();
    let settings = AbcLoaderSettings::default();
    let (mut app, root) = spawned(bytes(&document), settings.clone());
    let keyframes = [0.0, 0.1, 0.4];
    for clip in 0..2 {
        for frames in [0..2, 1..3, 1..2, 2..3, 0..3] {
            let start = keyframes[frames.start as usize];
            let end = keyframes[frames.end as usize - 1];
            for step in 0..8 {
                let seconds = f64::from(step) * 0.0171;
                let play = PlayClip::once(part(clip, frames.clone()));
                app.apply(root, play.starting_at(seconds as f32).paused());
                app.step(0.0);
                let shown = (start + seconds).min(end);
                let found = drawn(&mut app, root);
                assert_posed(&found, (&document, &settings), 0, (Some(clip), shown));
            }
            // At the end, which Bevy overshoots.
            app.apply(
                root,
                PlayClip::once(part(clip, frames.clone())).with_speed(9.0),
            );
            app.steps(2, 0.1);
            let found = drawn(&mut app, root);
            assert_posed(&found, (&document, &settings), 0, (Some(clip), end));
        }
    }
}

#[test]
fn abc_part_is_updated_when_its_file_changes() {
    let mut app = TestApp::new(&[("model.abc", bytes(&figure()))]);
    app.keep_loaded("model.abc");
    let root = app.spawn_shown("model.abc#Scene", PlayClip::looping(part("walk", 1..3)));
    app.step(0.1);
    assert_body(&mut app, root, [10.0, 10.0]);
    let mut edited = figure();
    edited.animations[0] = walk("Walk", 30.0);
    // The part starts earlier and is longer.
    edited.animations[0].keyframes[1].time = 50;
    edited.animations[0].keyframes[2].time = 450;
    edited.animations[0].length = 450;
    app.replace("model.abc", bytes(&edited));
    app.assert_time(root, 0.1);
    assert_body(&mut app, root, [30.0, 5.0]);
    app.step(0.2);
    assert_body(&mut app, root, [30.0, 15.0]);
    // Without these keyframes, no clip plays.
    let mut short = edited.clone();
    short.animations[0] = short.animations[1].clone();
    short.animations[0].name = "Walk".into();
    app.replace("model.abc", bytes(&short));
    assert!(app.get::<AbcAnimator>(root).clip().is_none());
    app.replace("model.abc", bytes(&edited));
    assert_body(&mut app, root, [30.0, 0.0]);
    app.step(0.1);
    assert_body(&mut app, root, [30.0, 5.0]);
}

/// Models of one skeleton play each other's clips.
#[test]
fn part_of_another_models_clip_is_updated_when_that_file_changes() {
    let mut other = figure();
    other.animations[0] = walk("Walk", 50.0);
    let files = [
        ("model.abc", bytes(&figure())),
        ("other.abc", bytes(&other)),
    ];
    let mut app = TestApp::new(&files);
    app.keep_loaded("other.abc");
    let clip: Handle<AnimationClip> = app.load("other.abc#Animation0");
    let play = PlayClip::looping(part(clip, 1..3));
    let root = app.spawn_shown("model.abc#Scene", play);
    app.step(0.1);
    assert_body(&mut app, root, [50.0, 10.0]);
    other.animations[0] = walk("Walk", 70.0);
    app.replace("other.abc", bytes(&other));
    assert_body(&mut app, root, [70.0, 10.0]);
    app.assert_time(root, 0.1);
}
