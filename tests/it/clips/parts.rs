//! Parts of clips of models with bones: their values compared with the files, looping, playing once, fades and reloads.

use crate::ala::play::{self as ala_play, TURRET, ala, bone, moves};
use crate::clips::named::named;
use crate::support::prelude::*;
use bevy_classic_models::alamo::ala::parse;
use bevy_classic_models::alamo::alo::Bone;
use bevy_classic_models::alamo::alo::write::write;

const MOVE: &str = "art/unit_MOVE_00.ALA";

/// An app with the Alamo model, its clips and more files.
fn alo_app(more: Vec<(&'static str, Vec<u8>)>, bundle: impl Bundle) -> (TestApp, Entity) {
    let mut files = ala_play::files();
    files.extend(more);
    ala_play::app(&files, bundle)
}

pub fn part(clip: impl Into<ClipRef>, frames: Range<u32>) -> ClipRef {
    ClipRef::part(clip, frames)
}

/// A model with the bones of [`every_track`].
fn bones_of_every_track() -> Vec<u8> {
    let mut bones = vec![Bone::new("Root", None, [0.0; 3])];
    let names: Vec<String> = (0..32).map(|number| format!("B_{number:02}")).collect();
    for name in &names {
        bones.push(Bone::new(name.as_str(), Some(0), [0.0; 3]));
    }
    write(&AloFile::new(bones)).unwrap()
}

/// Compares the bones with the decoded file at, between and around the frames of the part that plays.
fn assert_part_matches(app: &mut TestApp, root: Entity, bytes: &[u8], frames: Range<u32>) {
    let file = parse(bytes).unwrap();
    let decoder = Decoder::new(bytes);
    let last = f64::from(frames.end.min(file.frames) - 1);
    let first = f64::from(frames.start);
    let steps = (last - first).max(1.0);
    let length = steps / f64::from(file.fps);
    let duration = app.get::<Playback>(root).duration;
    assert!((f64::from(duration) - length).abs() < 1e-6, "{frames:?}");
    for quarter in -4..=(4 * steps as i32 + 4) {
        let frame = f64::from(quarter) / 4.0;
        let expected_at = (first + frame).clamp(first, last);
        app.get_mut::<Playback>(root).time = (frame / f64::from(file.fps)) as f32;
        app.step(0.0);
        for (number, info) in file.bones.iter().enumerate() {
            let expected = decoder.sample(number, expected_at);
            let what = format!("{} at {frame} of {frames:?}", info.name);
            let entity = bone(app, root, info.index as usize);
            let found = *app.get::<Transform>(entity);
            let off = found.translation.distance(expected.translation.into());
            assert!(off < 2e-3, "{what}: {found:?} {:?}", expected.translation);
            let off = found.scale.distance(expected.scale.into());
            assert!(off < 1e-4, "{what}: {found:?}");
            let rotation = expected.rotation.map_or(Quat::IDENTITY, Quat::from_array);
            assert!(found.rotation.dot(rotation).abs() > 1.0 - 1e-5, "{what}");
            let is_visible = app.get::<BoneVisibility>(entity).is_visible();
            assert_eq!(is_visible, expected.visible.unwrap_or(true), "{what}");
        }
    }
}

#[test]
fn part_matches_the_file_at_its_frames() {
    for version in [1, 2] {
        let animation = every_track(version, 11);
        let files = [
            ("all.alo", bones_of_every_track()),
            ("all_MOVE_00.ala", animation.clone()),
        ];
        let mut app = TestApp::new(&files);
        app.keep_loaded("all.alo");
        for frames in [0..11, 2..5, 0..1, 4..5, 10..11, 7..99, 9..u32::MAX] {
            // At its end, a clip that plays once keeps its time.
            let play = PlayClip::once(part("move_00", frames.clone())).with_speed(0.0);
            let root = app.spawn_shown("all.alo#Scene", play);
            assert_part_matches(&mut app, root, &animation, frames);
        }
    }
}

#[test]
fn part_loops_from_its_first_to_its_last_frame() {
    let (mut app, root) = alo_app(vec![], PlayClip::looping(part("MOVE_00", 1..4)));
    app.assert_hull_x(root, 1.0);
    app.step(0.15);
    app.assert_hull_x(root, 2.5);
    app.assert_time(root, 0.15);
    app.step(0.1);
    app.assert_time(root, 0.05);
    app.assert_hull_x(root, 1.5);
    // A seek, then backward over the start.
    app.get_mut::<Playback>(root).time = 0.1;
    app.step(0.05);
    app.assert_hull_x(root, 2.5);
    app.get_mut::<PlayClip>(root).speed = -1.0;
    app.step(0.1);
    app.assert_hull_x(root, 1.5);
    app.step(0.1);
    app.assert_time(root, 0.15);
    app.assert_hull_x(root, 2.5);
    // Seeks beyond the end wrap around.
    app.get_mut::<PlayClip>(root).speed = 0.0;
    app.get_mut::<Playback>(root).time = 0.7;
    app.step(0.0);
    app.assert_hull_x(root, 2.0);
}

#[test]
fn part_that_plays_once_ends_in_its_last_frame() {
    for (speed, ends) in [(1.0, [1.0, 3.0]), (-1.0, [3.0, 1.0]), (7.0, [1.0, 3.0])] {
        let clip = part(part("MOVE_00", 0..4), 1..9);
        let play = PlayClip::once(clip.clone()).with_speed(speed);
        let (mut app, root) = alo_app(vec![], play);
        app.assert_hull_x(root, ends[0]);
        let mut all = app.finished_clips();
        for _ in 0..20 {
            app.step(0.033);
            all.extend(app.finished_clips());
        }
        app.assert_hull_x(root, ends[1]);
        assert_eq!(all, [ClipFinished { entity: root, clip }]);
    }
    let play = PlayClip::once(part("MOVE_00", 1..4)).starting_at(0.1);
    let (mut app, root) = alo_app(vec![], play);
    app.assert_hull_x(root, 2.0);
    app.step(0.05);
    app.assert_hull_x(root, 2.5);
}

#[test]
fn backward_clip_starts_at_its_end_while_time_is_paused() {
    for clip in [ClipRef::from("MOVE_00"), part("MOVE_00", 2..5)] {
        let play = PlayClip::once(clip).with_speed(-1.0);
        let (mut app, root) = alo_app(vec![], play);
        for _ in 0..5 {
            app.step(0.0);
            app.assert_hull_x(root, 4.0);
        }
        app.step(0.1);
        app.assert_hull_x(root, 3.0);
        assert!(app.finished_clips().is_empty());
    }
}

#[test]
fn part_fades_from_a_whole_clip_and_from_another_part() {
    let (mut app, root) = alo_app(vec![], still("MOVE_00", 0.2));
    app.assert_hull_x(root, 2.0);
    app.apply(root, still(part("MOVE_01", 3..5), 0.0).with_fade(0.4));
    app.step(0.1);
    app.assert_hull_x(root, 0.75 * 2.0 - 0.25 * 3.0);
    app.steps(2, 0.2);
    app.assert_hull_x(root, -3.0);
    app.apply(root, still(part("MOVE_01", 1..2), 0.0).with_fade(0.4));
    app.step(0.2);
    app.assert_hull_x(root, -2.0);
    app.step(0.25);
    app.assert_hull_x(root, -1.0);
}

#[test]
fn part_applies_the_visibility_of_its_frames() {
    // The turret is hidden in frames 1 and 2.
    let (mut app, root) = alo_app(vec![], PlayClip::looping(part("ATTACK_00", 1..3)));
    for _ in 0..7 {
        assert!(!app.is_shown(root, TURRET));
        app.step(0.03);
    }
    app.apply(root, PlayClip::looping(part("ATTACK_00", 3..5)));
    for _ in 0..7 {
        assert!(app.is_shown(root, TURRET));
        app.step(0.03);
    }
    // A fade to a part that hides it: the clip with the larger weight decides.
    let hidden = PlayClip::looping(part("ATTACK_00", 1..2));
    app.apply(root, hidden.with_fade(0.4));
    app.step(0.15);
    assert!(app.is_shown(root, TURRET));
    app.step(0.1);
    assert!(!app.is_shown(root, TURRET));
}

#[test]
fn part_of_another_file_plays_after_it_is_loaded() {
    let more = vec![("far/Any.ala", ala(&moves(2.0)))];
    let (mut app, root) = alo_app(more, PlayClip::looping("MOVE_00").starting_at(0.2));
    let clip: Handle<AnimationClip> = app.load("far/Any.ala#Clip");
    let clips = ModelClips::new([named("stride", part(clip, 1..3), 0.5, Repeat::Once)]);
    app.apply(root, (clips, PlayClip::from_manifest("stride")));
    let is_played = |world: &mut World| {
        let clip = world.get::<AloAnimator>(root).unwrap().clip().unwrap();
        clip.path().unwrap().to_string() == "far/Any.ala#Clip"
    };
    app.wait_until(is_played);
    app.assert_hull_x(root, 2.0);
    app.step(0.1);
    app.assert_hull_x(root, 3.0);
    app.step(0.2);
    app.assert_hull_x(root, 4.0);
    let ends = app.finished_clips();
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].clip, "stride");
}

#[test]
fn part_animates_the_same_bones_as_the_whole_clip() {
    let mut bent = moves(1.0);
    bent.bones[1].name = "Partial_barrel".into();
    bent.bones[1].translation = Vectors::constant([0.0, 0.0, 99.0]);
    let more = vec![("art/Unit_BENT_00.ala", ala(&bent))];
    let (mut app, root) = alo_app(more, PlayClip::looping(part("BENT_00", 2..4)));
    let turret = bone(&mut app, root, TURRET);
    for range in [2..4, 1..3, 2..4, 0..5] {
        let first = range.start as f32;
        app.apply(root, PlayClip::looping(part("BENT_00", range)));
        app.assert_hull_x(root, first);
        let translation = app.get::<Transform>(turret).translation;
        assert_eq!(translation.z, 5.0);
    }
    log::expect_warnings("Partial_barrel", 1);
}

#[test]
fn missing_frames_are_reported_and_not_played() {
    let foreign = Handle::<AnimationClip>::default();
    for (clip, text) in [
        (
            part("MOVE_01", 5..9),
            "\"MOVE_01\", frames 5 to 8; its frames are 0 to 4",
        ),
        (
            part(1, Range { start: 4, end: 2 }),
            "at index 1, frames 4..2; its frames are 0 to 4",
        ),
        (
            part("MARCH_01", 0..2),
            "no clip \"MARCH_01\", frames 0 to 1; available clips: ATTACK_00, MOVE",
        ),
        (
            part(foreign, 0..2),
            "frames 0 to 1; its frame count is unknown",
        ),
    ] {
        let (mut app, root) = alo_app(vec![], PlayClip::looping("MOVE_00").starting_at(0.2));
        let mut clips = app.world().resource_mut::<Assets<AnimationClip>>();
        clips
            .insert(&Handle::default(), AnimationClip::default())
            .unwrap();
        app.apply(root, PlayClip::looping(clip));
        app.steps(2, 0.1);
        log::expect_warnings(text, 1);
        app.assert_hull_x(root, 0.0);
        assert!(app.get::<AloAnimator>(root).clip().is_none());
        app.apply(root, PlayClip::looping(part("MOVE_00", 3..4)));
        app.assert_hull_x(root, 3.0);
    }
}

#[test]
fn part_is_updated_when_its_file_changes() {
    let (mut app, root) = alo_app(vec![], PlayClip::looping(part("MOVE_00", 1..4)));
    app.step(0.15);
    app.assert_hull_x(root, 2.5);
    app.replace(MOVE, ala(&moves(10.0)));
    app.assert_hull_x(root, 25.0);
    app.assert_time(root, 0.15);
    // Twice as fast: its frames are at other times.
    let mut fast = moves(10.0);
    fast.fps = 20.0;
    app.replace(MOVE, ala(&fast));
    let time = app.get::<Playback>(root).time;
    app.step(0.02);
    let time = (time + 0.02) % 0.1;
    app.assert_time(root, time);
    app.assert_hull_x(root, 10.0 + 200.0 * time);
    // Too short for the part: no clip plays until the file is longer again.
    let mut short = moves(1.0);
    short.frames = 1;
    for bone in &mut short.bones {
        bone.translation = Vectors::constant([0.5; 3]);
    }
    app.replace(MOVE, ala(&short));
    app.assert_hull_x(root, 0.0);
    log::expect_warnings("\"MOVE_00\", frames 1 to 3; its only frame is 0", 1);
    app.replace(MOVE, ala(&moves(2.0)));
    app.assert_hull_x(root, 2.0);
    app.step(0.1);
    app.assert_hull_x(root, 4.0);
    // An invalid file changes nothing.
    app.replace(MOVE, vec![1, 2, 3]);
    app.step(0.05);
    app.assert_hull_x(root, 5.0);
}

#[test]
fn part_is_updated_during_a_fade() {
    let hold = PlayClip::looping(part("MOVE_00", 2..3));
    let (mut app, root) = alo_app(vec![], hold);
    let other = PlayClip::looping(part("MOVE_01", 2..3));
    app.apply(root, other.with_fade(0.4));
    app.step(0.1);
    app.assert_hull_x(root, 0.75 * 2.0 - 0.25 * 2.0);
    app.replace(MOVE, ala(&moves(10.0)));
    app.assert_hull_x(root, 0.75 * 20.0 - 0.25 * 2.0);
    app.step(0.2);
    app.assert_hull_x(root, 0.25 * 20.0 - 0.75 * 2.0);
}
