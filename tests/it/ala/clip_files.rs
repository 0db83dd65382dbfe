//! Which clips a spawned Alamo model has: files in folders, missing, broken and mismatching clips.

use super::play::{FPS, HULL, SCENE, TURRET, ala, app, bone, files, model, model_at, moves};
use crate::support::prelude::*;

#[test]
fn clips_are_found_in_the_models_folder() {
    let mut files = files();
    files.extend([
        // Clips of another model, whose name starts with this model's name.
        ("art/Unit_Heavy.alo", model()),
        ("art/Unit_Heavy_MOVE_00.ala", ala(&moves(9.0))),
        ("art/Units_MOVE_00.ala", ala(&moves(9.0))),
        ("more/Unit_DIE_00.ala", ala(&moves(9.0))),
    ]);
    let (mut app, root) = app(&files, ());
    assert_eq!(app.clip_names(root), ["ATTACK_00", "MOVE_00", "MOVE_01"]);
    let alo = app.load::<Alo>("art/Unit.alo");
    let alo = app.asset(&alo);
    let found = alo.animation("move_00").unwrap();
    assert_eq!(
        found.clip.path().unwrap().to_string(),
        "art/unit_MOVE_00.ALA#Clip"
    );
    assert!(alo.animation("HEAVY_MOVE_00").is_none());
}

#[test]
fn settings_control_clip_folders_and_loading() {
    let mut files = files();
    files.push(("More/Unit_DIE_00.ala", ala(&moves(9.0))));
    files.push(("More/Unit_MOVE_00.ala", ala(&moves(9.0))));
    let found = |set: fn(&mut AloLoaderSettings)| {
        let mut app = TestApp::new(&files);
        let server = app.server();
        let builder = server.load_builder().with_settings(set);
        let alo: Handle<Alo> = builder.load("art/Unit.alo");
        app.wait_loaded(&alo);
        let alo = app.asset(&alo);
        let paths = alo
            .animations
            .iter()
            .map(|found| found.clip.path().unwrap());
        paths.map(ToString::to_string).collect::<Vec<_>>()
    };
    let in_folders = found(|settings| settings.animation_folders = vec!["more".into()]);
    assert_eq!(
        in_folders,
        [
            "art/Unit_Attack_00.ala#Clip",
            "More/Unit_DIE_00.ala#Clip",
            // The model's own folder comes first.
            "art/unit_MOVE_00.ALA#Clip",
            "art/UNIT_move_01.ala#Clip",
        ]
    );
    assert!(found(|settings| settings.load_animations = false).is_empty());
}

#[test]
fn clip_from_another_folder_plays_when_loaded() {
    let mut files = files();
    files.push(("far/Any.ala", ala(&moves(2.0))));
    let (mut app, root) = app(&files, PlayClip::looping("MOVE_00").starting_at(0.1));
    let clip: Handle<AnimationClip> = app.load("far/Any.ala#Clip");
    app.insert(root, PlayClip::looping(clip.clone()).starting_at(0.1));
    let is_played = |world: &mut World| {
        let hull = world.get::<AloInstance>(root).unwrap().bones()[HULL];
        let x = world.get::<Transform>(hull).unwrap().translation.x;
        assert!((x - 1.0).abs() < 1e-3 || (x - 2.0).abs() < 1e-3, "{x}");
        world.get::<AloAnimator>(root).unwrap().clip() == Some(&clip)
    };
    app.wait_until(is_played);
    app.assert_hull_x(root, 2.0);
}

/// Until a clip is loaded, the previous clip continues with its own settings.
#[test]
fn unloaded_clip_keeps_the_previous_clip_playing() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    let clips = app.world().resource_mut::<Assets<AnimationClip>>();
    let never = clips.reserve_handle();
    let play = PlayClip::once(never).with_speed(-7.0);
    app.insert(root, play);
    for _ in 0..20 {
        let before = app.hull_x(root);
        app.step(0.05);
        // Half a frame forward, or from the end to the start.
        let moved = app.hull_x(root) - before;
        assert!(
            (moved - 0.5).abs() < 1e-3 || (moved + 3.5).abs() < 1e-3,
            "{moved}"
        );
        assert!(app.finished_clips().is_empty());
        assert!(!app.get::<Playback>(root).finished);
    }
}

#[test]
fn unreadable_clip_leaves_the_rest_pose_until_fixed() {
    let mut files = files();
    files.push(("far/Bad.ala", b"no animation".to_vec()));
    let (mut app, root) = app(&files, PlayClip::looping("MOVE_00").starting_at(0.2));
    let clip: Handle<AnimationClip> = app.load("far/Bad.ala#Clip");
    let play = PlayClip::once(clip).starting_at(0.1);
    app.insert(root, play);
    app.wait_until(|world| {
        let bone = world.get::<AloInstance>(root).unwrap().bones()[HULL];
        world.get::<Transform>(bone).unwrap().translation.x == 0.0
    });
    assert!(app.finished_clips().is_empty());
    app.replace("far/Bad.ala", ala(&moves(2.0)));
    app.assert_hull_x(root, 2.0);
}

#[test]
fn tracks_that_do_not_match_the_model_are_skipped() {
    let mut other = moves(1.0);
    other.bones[1].name = "Barrel_of_other_model".into();
    other.bones[1].translation = Vectors::constant([0.0, 0.0, 99.0]);
    other.bones[2].name = "fLASH".into();
    other.bones.push(BoneTracks::new("Beyond", 40, [0.0; 3]));
    let mut files = files();
    files.push(("art/Unit_OTHER_00.ala", ala(&other)));
    let (mut app, root) = app(&files, PlayClip::looping("OTHER_00").starting_at(0.1));
    app.assert_hull_x(root, 1.0);
    assert_eq!(app.bone_transform(root, TURRET).translation.z, 5.0);
    app.spawn_ready(SCENE, PlayClip::looping("OTHER_00"));
    app.step(0.1);
    let warnings = log::expect_warnings("Barrel_of_other_model", 1);
    let warning = &warnings[0];
    assert!(warning.contains("Unit_OTHER_00.ala") && warning.contains("\"Turret\" in the model"));
    assert!(
        warning.contains("Beyond") && !warning.contains("fLASH"),
        "{warning}"
    );
    // A file may be loaded several times. It is not changed, so it is no new warning.
    for _ in 0..2 {
        app.replace("art/Unit_OTHER_00.ala", ala(&other));
        app.step(0.1);
        log::expect_warnings("Barrel_of_other_model", 1);
    }
    // If an edit removes the flaw, and another brings it back, it is.
    for bytes in [ala(&moves(1.0)), ala(&other)] {
        app.replace("art/Unit_OTHER_00.ala", bytes);
        app.step(0.1);
    }
    log::expect_warnings("Barrel_of_other_model", 2);
}

/// The asset label selects the clip, independent of the file's extension.
#[test]
fn bone_names_are_checked_with_any_file_extension() {
    let mut other = moves(1.0);
    other.bones[1].name = "Unknown_barrel".into();
    other.bones[1].translation = Vectors::constant([0.0, 0.0, 99.0]);
    let mut files = files();
    files.push(("far/move.bin", ala(&other)));
    let (mut app, root) = app(&files, ());
    let any = app.load::<Ala>("far/move.bin");
    app.wait_loaded(&any);
    let clip = app.asset(&any).clip.clone();
    app.apply(root, PlayClip::looping(clip).starting_at(0.2));
    app.assert_hull_x(root, 2.0);
    assert_eq!(app.bone_transform(root, TURRET).translation.z, 5.0);
    log::expect_warnings("Unknown_barrel", 1);
}

#[test]
fn missing_clip_warns_and_leaves_the_rest_pose() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00").starting_at(0.2));
    app.assert_hull_x(root, 2.0);
    app.apply(root, PlayClip::looping("JUGGLE_07"));
    app.assert_hull_x(root, 0.0);
    app.step(0.1);
    let warnings = log::expect_warnings("JUGGLE_07", 1);
    assert!(
        warnings[0].contains("ATTACK_00, MOVE_00, MOVE_01"),
        "{warnings:?}"
    );
    app.apply(root, PlayClip::looping("MOVE_01").starting_at(0.2));
    app.assert_hull_x(root, -2.0);
}

#[test]
fn broken_clip_does_not_prevent_spawning() {
    let mut files = files();
    files.push(("art/Unit_BAD_00.ala", b"no animation".to_vec()));
    log::listen();
    let mut app = TestApp::new(&files);
    let root = app.spawn_ready(SCENE, PlayClip::looping("BAD_00"));
    let is_logged = |_: &mut World| {
        let errors = log::errors_of(&["bevy_asset"]);
        errors.iter().any(|error| error.contains("Unit_BAD_00.ala"))
    };
    app.wait_until(is_logged);
    app.run_until_idle(0.01, |_| {});
    app.assert_hull_x(root, 0.0);
    assert!(app.clip_names(root).contains(&"BAD_00".to_owned()));
    app.apply(root, PlayClip::looping("MOVE_00").starting_at(0.2));
    app.assert_hull_x(root, 2.0);
}

/// Reloading a clip does not affect models that play another clip.
#[test]
fn reload_of_an_inactive_clip_keeps_bones() {
    let mut few = moves(1.0);
    few.bones.truncate(1);
    let mut files = files();
    files.push(("art/Unit_FEW_00.ala", ala(&few)));
    let (mut app, root) = app(&files, PlayClip::looping("FEW_00"));
    let turret = bone(&mut app, root, TURRET);
    app.get_mut::<Transform>(turret).translation.z = 77.0;
    app.replace("art/unit_MOVE_00.ALA", ala(&moves(5.0)));
    assert_eq!(app.bone_transform(root, TURRET).translation.z, 77.0);
}

#[test]
fn reloaded_clip_keeps_the_playback_time() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    app.step(0.25);
    app.assert_hull_x(root, 2.5);
    app.replace("art/unit_MOVE_00.ALA", ala(&moves(10.0)));
    app.assert_hull_x(root, 25.0);
    let time = app.get::<Playback>(root).time;
    assert!((time - 0.25).abs() < 1e-5, "{time}");
    // The next edit does not match the turret, and hides the hull.
    let mut other = moves(10.0);
    other.bones[1].name = "Another".into();
    other.bones[1].translation = Vectors::constant([0.0, 0.0, 99.0]);
    other.bones[0].visibility = Some(vec![false; 5]);
    app.replace("art/unit_MOVE_00.ALA", ala(&other));
    app.assert_hull_x(root, 25.0);
    assert!(!app.is_shown(root, HULL));
    assert_eq!(app.bone_transform(root, TURRET).translation.z, 5.0);
    // Restore the clip.
    app.replace("art/unit_MOVE_00.ALA", ala(&moves(1.0)));
    app.assert_hull_x(root, 2.5);
    assert!(app.is_shown(root, HULL));
    // A broken file changes nothing. A model spawned now also uses the last valid clip.
    for broken in [vec![1, 2, 3], ala(&moves(3.0))[..200].to_vec()] {
        let before = app.hull_x(root);
        app.replace("art/unit_MOVE_00.ALA", broken);
        app.step(0.05);
        app.assert_hull_x(root, before + 0.5);
        let second = app.spawn_ready(SCENE, PlayClip::looping("MOVE_00").starting_at(0.1));
        app.step(0.0);
        app.assert_hull_x(second, 1.0);
        app.despawn(second);
    }
    let error = "unit_MOVE_00.ALA: ALA: chunk 0x1000 at offset 8 ";
    assert!(!log::errors_with(error).is_empty());
    // More frames, and fewer frames than the time.
    app.replace("art/unit_MOVE_00.ALA", clip_of(9, 2.0));
    app.assert_hull_x(root, 7.0);
    app.step(0.25);
    app.assert_hull_x(root, 12.0);
    app.replace("art/unit_MOVE_00.ALA", clip_of(3, 7.0));
    assert!(app.get::<Playback>(root).time <= 2.0 / FPS + 1e-6);
    for _ in 0..7 {
        let (x, time) = (app.hull_x(root), app.get::<Playback>(root).time);
        assert!((x - 7.0 * FPS * time).abs() < 1e-3, "{x} at {time}");
        app.step(0.05);
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

#[test]
fn reloaded_clip_that_fades_out_shows_in_the_fade() {
    let (mut app, root) = app(&files(), still("MOVE_01", 0.1));
    app.apply(root, still("MOVE_00", 0.2).with_fade(1.0));
    app.step(0.25);
    app.assert_hull_x(root, -0.75 + 0.25 * 2.0);
    app.replace("art/UNIT_move_01.ala", ala(&moves(-5.0)));
    app.assert_hull_x(root, 0.75 * -5.0 + 0.25 * 2.0);
    app.advance(0.5);
    app.assert_hull_x(root, 0.25 * -5.0 + 0.75 * 2.0);
    app.advance(0.5);
    app.assert_hull_x(root, 2.0);
}

#[test]
fn reloaded_model_keeps_clip_and_time() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    app.step(0.25);
    let old = bone(&mut app, root, HULL);
    app.replace("art/Unit.alo", model_at(6.0));
    assert_ne!(
        bone(&mut app, root, HULL),
        old,
        "the model was not respawned"
    );
    assert_eq!(
        app.get::<AloInstance>(root).model().bones[TURRET]
            .transform
            .translation
            .z,
        6.0
    );
    app.assert_hull_x(root, 2.5);
    assert_eq!(app.bone_transform(root, TURRET).translation.z, 5.0);
    let animator = app.get::<AloAnimator>(root);
    let clip = animator.clip().unwrap().path().unwrap().to_string();
    assert_eq!(clip, "art/unit_MOVE_00.ALA#Clip");
    app.step(0.1);
    app.assert_hull_x(root, 3.5);
    // In the middle of a fade, to a clip that has finished.
    app.apply(root, PlayClip::once("MOVE_01").with_fade(1.0));
    app.advance(0.45);
    let before = app.hull_x(root);
    app.replace("art/Unit.alo", model_at(7.0));
    app.assert_hull_x(root, before);
    assert_eq!(app.finished_clips().len(), 1);
    app.advance(0.5);
    app.advance(0.5);
    app.assert_hull_x(root, -4.0);
    assert!(app.finished_clips().is_empty());
    // Without a clip the bones are in the new model's rest pose.
    app.remove::<PlayClip>(root);
    app.step(0.0);
    assert_eq!(app.bone_transform(root, TURRET).translation.z, 7.0);
}

#[test]
fn clips_that_have_played_are_dropped_with_their_last_handle() {
    let mut files = files();
    let mut mismatching = moves(1.0);
    mismatching.bones[0] = BoneTracks::new("Other", 1, [0.0, 0.0, 1.0]);
    files.push(("art/Unit_Odd_00.ala", ala(&mismatching)));
    let (mut app, root) = app(&files, ());
    // The graph of a clip is dropped when the next one is made. Bevy drops the graph in one frame, and its clips in the next.
    let play_moves = |app: &mut TestApp| {
        for name in ["MOVE_00", "MOVE_01"] {
            app.apply(root, PlayClip::looping(name));
        }
        app.steps(4, 0.0);
        app.assets::<AnimationClip>().len()
    };
    let before = play_moves(&mut app);
    let mut played = Vec::new();
    for name in ["ODD_00", "MOVE_00"] {
        app.apply(root, PlayClip::looping(name));
        let mut clips = app.world().resource_mut::<Assets<AnimationClip>>();
        let clip = clips.add(AnimationClip::default());
        played.push(clip.id());
        app.apply(root, PlayClip::looping(ClipRef::Handle(clip)));
    }
    let after = play_moves(&mut app);
    let clips = app.assets::<AnimationClip>();
    assert!(!played.iter().any(|clip| clips.contains(*clip)));
    assert_eq!(after, before, "without the copy of ODD_00");
}
