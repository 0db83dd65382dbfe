//! The vertices of members of crowds, compared with those of the same models as scenes.

use crate::ala::render::{PALETTE, bend_clip, chain, limb, model_at_rest, swing_clip};
use crate::crowd::subjects::{SUBJECTS, moving_banner};
use crate::support::crowd::{assert_close, pose, previous_pose};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::Mesh as AloMesh;
use bevy_classic_models::alamo::alo::write::write;

/// The tolerance at frames, as a fraction of the model's size.
pub const AT_FRAMES: f32 = 1e-5;

/// The tolerance between frames.
pub const BETWEEN: f32 = 1e-3;

pub fn assets() -> TestApp {
    TestApp::in_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"))
}

/// The clips of a model, each with its count of frames and its rate.
fn clips(app: &mut TestApp, root: Entity) -> Vec<(String, u32, f32)> {
    let model = app.get::<AloInstance>(root).model().clone();
    let animations = model.animations.iter().map(|animation| {
        app.wait_loaded(&animation.ala);
        let ala = app.assets::<Ala>().get(&animation.ala);
        let ala = ala.unwrap();
        (animation.name.to_string(), ala.frames, ala.fps)
    });
    animations.collect()
}

/// Compares a pair at frames and between frames of all its clips. Returns the count of compared vertices.
fn compare_clips(app: &mut TestApp, pair: Pair, path: &str) -> usize {
    pair.wait(app);
    let mut compared = pair.assert_equal(app, AT_FRAMES, &format!("{path} at rest"));
    for (clip, count, fps) in clips(app, pair.scene) {
        let last = (count - 1) as f32;
        for frame in [0.0, 1.0, (0.4 * last).floor(), last] {
            let frame = frame.min(last);
            pair.show(app, &*clip, frame / fps);
            let what = format!("{path}, {clip} at frame {frame}");
            compared += pair.assert_equal(app, AT_FRAMES, &what);
        }
        for frame in [0.5, 0.37 * last, 0.61 * last, last - 0.25, last - 0.01] {
            let frame = frame.clamp(0.0, last);
            pair.show(app, &*clip, frame / fps);
            let what = format!("{path}, {clip} at frame {frame}");
            compared += pair.assert_equal(app, BETWEEN, &what);
        }
    }
    compared
}

#[test]
fn samples_are_posed_as_their_scenes() {
    let mut app = assets();
    for path in ["models/walker.alo", "models/crate.alo"] {
        let pair = Pair::spawn(&mut app, path, ());
        assert!(compare_clips(&mut app, pair, path) > 20);
    }
}

/// A model with a skinned mesh, and a rigid one: a box of this size.
pub fn swinging_model(size: [f32; 3]) -> Vec<u8> {
    let (vertices, triangles) = limb(true);
    let buffers = SubmeshBuffers::new(&vertices, &triangles).with_palette(&PALETTE);
    let parameters = || crate::alo::render::matte_parameters("colors.tga");
    let skinned = buffers.submesh("RSkinGloss.fx", "alD3dVertB4I4NU2", parameters());
    let (vertices, triangles) = crate::support::alo_stage::cuboid(size, [0.0, 1.0, 2.0]);
    let rigid = SubmeshBuffers::new(&vertices, &triangles);
    let mut model = model_at_rest(&chain());
    model.meshes = vec![
        AloMesh::new("Limb", 0, vec![skinned]),
        AloMesh::new(
            "Box",
            4,
            vec![rigid.submesh("MeshGloss.fx", "alD3dVertNU2", parameters())],
        ),
    ];
    write(&model).unwrap()
}

/// The model with clips with steps, scales and fast rotations.
pub fn swinging_files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("subject.alo", swinging_model([2.0, 3.0, 4.0])),
        ("subject_SWING_00.ala", swing_clip(2)),
        ("subject_BEND_00.ala", bend_clip(1)),
        ("colors.tga", tga(&quarters([255; 4]))),
    ]
}

#[test]
fn held_values_scales_and_fast_rotations_are_posed_as_in_a_scene() {
    let mut app = TestApp::new(&swinging_files());
    let pair = Pair::spawn(&mut app, "subject.alo", ());
    assert!(compare_clips(&mut app, pair, "subject.alo") > 1000);
}

#[test]
fn a_cross_fade_blends_the_vertices_of_both_clips() {
    let mut files = swinging_files();
    files.push(("moving.abc", moving_banner(8.0)));
    let mut app = TestApp::new(&files);
    // The clips, each at a time in seconds, and the tolerance after the fade.
    for (path, (from, from_seconds), (to, to_seconds), at_end) in [
        (
            "subject.alo",
            ("SWING_00", 0.2),
            ("BEND_00", 0.1),
            AT_FRAMES,
        ),
        ("moving.abc", ("Wave", 0.03), ("Furl", 0.2), BETWEEN),
    ] {
        let pair = Pair::spawn(&mut app, path, ());
        pair.show(&mut app, to, to_seconds);
        let to_vertices = scene_vertices(app.world(), pair.scene);
        pair.show(&mut app, from, from_seconds);
        let from_vertices = scene_vertices(app.world(), pair.scene);
        let fade = PlayClip::once(to).starting_at(to_seconds).with_speed(0.0);
        pair.insert(&mut app, fade.with_fade(1.0));
        pair.wait(&mut app);
        for weight in [0.75, 0.5, 0.25] {
            app.step(0.25);
            let blended = from_vertices.iter().zip(&to_vertices);
            let blended: Vec<_> = blended
                .map(|((from, visible), (to, _))| (to.lerp(*from, weight), *visible))
                .collect();
            let found = crowd_vertices(app.world(), pair.crowd);
            assert_close(&found, &blended, BETWEEN, &format!("weight {weight}"));
        }
        app.step(0.25);
        pair.assert_equal(&mut app, at_end, "after the fade");
    }
}

#[test]
fn the_previous_pose_is_that_of_the_last_frame() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        let root = app.spawn_ready(subject.scene, (Crowd, PlayClip::looping(subject.clips[0])));
        // Pose 0 is the rest pose.
        app.wait_until(|world| pose(world, root).to.a != 0);
        app.step(0.0);
        let poses = |app: &mut TestApp| {
            let world = app.world();
            (previous_pose(world, root), pose(world, root))
        };
        for _ in 0..3 {
            let (_, before) = poses(&mut app);
            app.step(0.06);
            let (previous, now) = poses(&mut app);
            assert_eq!(previous, before);
            assert_ne!(previous, now);
        }
        app.steps(2, 0.0);
        let (previous, now) = poses(&mut app);
        assert_eq!(previous, now, "no motion while paused");
    }
}

#[test]
fn parts_of_clips_and_reversed_clips_are_posed_as_in_a_scene() {
    let mut app = assets();
    for (path, part, whole) in [
        (
            "models/walker.alo",
            ClipRef::part("MOVE_00", 4..9),
            "MOVE_00",
        ),
        ("models/warden.abc", ClipRef::part("attack", 2..5), "walk"),
    ] {
        let pair = Pair::spawn(&mut app, path, ());
        app.wait_until_idle();
        for play in [
            PlayClip::looping(part.clone()),
            PlayClip::looping(part).with_speed(-0.7),
            PlayClip::looping(whole).with_speed(1.3),
        ] {
            pair.insert(&mut app, play);
            pair.wait(&mut app);
            for step in 0..7 {
                app.step(0.11);
                let what = format!("{path} after step {step}");
                assert!(pair.assert_equal(&mut app, BETWEEN, &what) > 0);
            }
        }
        pair.despawn(&mut app);
    }
}

/// Compares all models of the corpus that have crowds with their scenes. `compare` returns the count of vertices.
pub fn compare_real_models(
    extensions: &[&str],
    has_crowd: impl Fn(&mut TestApp, &'static str) -> bool,
    compare: impl Fn(&mut TestApp, Pair, &str) -> usize,
) {
    let Some(folder) = corpus("real_models_are_posed_as_their_scenes") else {
        return;
    };
    log::listen();
    let leaked = |(name, bytes): (String, Vec<u8>)| (&*name.leak(), bytes);
    let files = extensions
        .iter()
        .map(|it| files_of(&folder, it).into_iter());
    let files: Vec<Vec<_>> = files.map(|files| files.map(leaked).collect()).collect();
    let mut app = TestApp::new(&files.concat());
    let (mut compared, mut with_meshes) = (0, 0);
    for (path, _) in &files[0] {
        if !has_crowd(&mut app, path) {
            continue;
        }
        let pair = Pair::spawn(&mut app, path, ());
        let count = compare(&mut app, pair, path);
        with_meshes += usize::from(count > 0);
        compared += count;
        pair.despawn(&mut app);
    }
    println!("{compared} vertices of {with_meshes} models with visible meshes");
    assert!(
        files[0].is_empty() || with_meshes > 0,
        "no model has visible meshes"
    );
}

#[test]
fn real_models_are_posed_as_their_scenes() {
    let has_crowd = |app: &mut TestApp, path: &'static str| {
        let alo = app.load::<Alo>(path);
        let state = app.finish_load(&alo);
        matches!(state, LoadState::Loaded) && app.asset(&alo).particles.is_none()
    };
    compare_real_models(&["alo", "ala"], has_crowd, compare_clips);
}
