//! Playback of clips on spawned Alamo models: `PlayClip`, custom animation graphs, visibility tracks, and reloads.

use crate::alo::raycast::set_visible;
use crate::gpuless;
use crate::support::app::TestApp;
use crate::support::log;
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
use bevy::animation::{AnimatedBy, AnimationClip, AnimationPlayer};
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as FileMesh, Vertex};
use bevy_classic_models::alamo::{
    Ala, Alo, AloBone, AloInstance, AloLoaderSettings, BoneVisibility,
};
use bevy_classic_models::alamo::{
    AloAnimator, AloModel, AloPart, DefaultVisibilityCurve, bone_target,
};
use bevy_classic_models::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const SCENE: &str = "art/Unit.alo#Scene";
pub const FPS: f32 = 10.0;

/// Indices of the model's bones.
pub const HULL: usize = 1;
pub const TURRET: usize = 2;
/// Hidden in the model.
const FLASH: usize = 3;

/// A model with four bones. All except the first have meshes.
fn model() -> Vec<u8> {
    model_at(5.0)
}

/// The same model with the turret at height `turret` above the hull.
pub fn model_at(turret: f32) -> Vec<u8> {
    let mut bones = vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Hull", Some(0), [0.0, 0.0, 1.0]),
        Bone::new("Turret", Some(1), [0.0, 0.0, turret]),
        Bone::new("Flash", Some(2), [0.0, -3.0, 0.0]),
    ];
    bones[FLASH].visible = false;
    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(|position| Vertex {
        position,
        normal: [0.0, -1.0, 0.0],
        tex_coords: [[0.0; 2]; 4],
        tangent: [1.0, 0.0, 0.0],
        binormal: [0.0, 0.0, 1.0],
        color: [1.0; 4],
        bone_indices: [0; 4],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
    });
    let buffers = SubmeshBuffers::new(&vertices, &[[0, 1, 2]]);
    let mesh = |name: &'static str, bone: u32| {
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", Vec::new());
        FileMesh::new(name, bone, vec![submesh])
    };
    let mut file = AloFile::new(bones);
    file.meshes = vec![
        mesh("HullMesh", 1),
        mesh("TurretMesh_LOD1", 2),
        mesh("TurretMesh_LOD0", 2),
        mesh("TurretMesh_ALT1", 2),
        mesh("FlashMesh", 3),
    ];
    write(&file).unwrap()
}

fn bones() -> Vec<BoneTracks> {
    vec![
        BoneTracks::new("Hull", 1, [0.0, 0.0, 1.0]),
        BoneTracks::new("Turret", 2, [0.0, 0.0, 5.0]),
        BoneTracks::new("Flash", 3, [0.0, -3.0, 0.0]),
    ]
}

pub fn document(frames: u32, bones: Vec<BoneTracks>) -> AlaDocument {
    AlaDocument {
        version: 2,
        frames,
        fps: FPS,
        bones,
    }
}

pub fn ala(document: &AlaDocument) -> Vec<u8> {
    bevy_classic_models::alamo::ala::write::write(document).unwrap()
}

/// A clip of five frames that moves the hull along X by `step` per frame.
pub fn moves(step: f32) -> AlaDocument {
    let mut bones = bones();
    let translations: Vec<_> = (0..5)
        .map(|frame| [frame as f32 * step, 0.0, 1.0])
        .collect();
    bones[0].translation = Vectors::from_frames(&translations);
    document(5, bones)
}

/// A clip that hides the turret and shows the flash in the given frames.
fn blinks(hidden: [bool; 5]) -> AlaDocument {
    let mut bones = bones();
    bones[1].visibility = Some(hidden.map(|hidden| !hidden).into());
    bones[2].visibility = Some(hidden.into());
    document(5, bones)
}

pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("art/Unit.alo", model()),
        ("art/unit_MOVE_00.ALA", ala(&moves(1.0))),
        ("art/UNIT_move_01.ala", ala(&moves(-1.0))),
        (
            "art/Unit_Attack_00.ala",
            ala(&blinks([false, true, true, false, false])),
        ),
    ]
}

/// Keeps a handle, because Bevy reloads only assets with live handles unless it watches files.
#[derive(Resource)]
struct KeptHandle(
    #[expect(dead_code, reason = "the handle only keeps the asset loaded")] Handle<Alo>,
);

/// An app with the model and all its clips loaded, and the model spawned.
fn app(files: &[(&str, Vec<u8>)], bundle: impl Bundle) -> (TestApp, Entity) {
    log::listen();
    let mut app = TestApp::new(files);
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn_ready(SCENE, bundle);
    app.world().insert_resource(KeptHandle(alo));
    app.step(0.0);
    (app, root)
}

/// Steps twice, because Bevy limits a frame to a quarter of a second.
fn advance(app: &mut TestApp, seconds: f32) {
    app.step(seconds / 2.0);
    app.step(seconds / 2.0);
}

pub fn bone(app: &mut TestApp, root: Entity, index: usize) -> Entity {
    app.world().get::<AloInstance>(root).unwrap().bones()[index]
}

fn transform(app: &mut TestApp, root: Entity, index: usize) -> Transform {
    let bone = bone(app, root, index);
    *app.world().get::<Transform>(bone).unwrap()
}

fn hull_x(app: &mut TestApp, root: Entity) -> f32 {
    transform(app, root, HULL).translation.x
}

#[track_caller]
fn assert_hull_x(app: &mut TestApp, root: Entity, expected: f32) {
    let x = hull_x(app, root);
    assert!((x - expected).abs() < 1e-3, "{x}, expected {expected}");
}

/// Whether a bone itself is visible.
fn is_shown(app: &mut TestApp, root: Entity, index: usize) -> bool {
    let bone = bone(app, root, index);
    app.world()
        .get::<BoneVisibility>(bone)
        .unwrap()
        .is_visible()
}

/// The names of visible parts.
fn visible_parts(app: &mut TestApp) -> Vec<String> {
    let mut parts = app.world().query::<(&AloPart, &InheritedVisibility)>();
    let parts = parts.iter(app.app.world());
    let mut names: Vec<_> = parts
        .filter(|(_, visible)| visible.get())
        .map(|(part, _)| part.name.clone())
        .collect();
    names.sort();
    names
}

fn finished(app: &mut TestApp) -> Vec<ClipFinished> {
    let mut messages = app.world().resource_mut::<Messages<ClipFinished>>();
    messages.drain().collect()
}

fn play(app: &mut TestApp, root: Entity, play: PlayClip) {
    app.world().entity_mut(root).insert(play);
    app.step(0.0);
}

fn names(app: &mut TestApp, root: Entity) -> Vec<String> {
    let instance = app.world().get::<AloInstance>(root).unwrap();
    let animations = instance.model().animations.iter();
    animations.map(|found| found.name.to_string()).collect()
}

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
    assert_eq!(names(&mut app, root), ["ATTACK_00", "MOVE_00", "MOVE_01"]);
    let alo = app.load::<Alo>("art/Unit.alo");
    let alo = app.world().resource::<Assets<Alo>>().get(&alo).unwrap();
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
        let server = app.world().resource::<AssetServer>().clone();
        let builder = server.load_builder().with_settings(set);
        let alo: Handle<Alo> = builder.load("art/Unit.alo");
        app.wait_loaded(&alo);
        let alo = app.world().resource::<Assets<Alo>>().get(&alo).unwrap();
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
fn loop_continues_from_end_to_start() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    assert_hull_x(&mut app, root, 0.0);
    app.step(0.05);
    assert_hull_x(&mut app, root, 0.5);
    advance(&mut app, 0.3);
    assert_hull_x(&mut app, root, 3.5);
    // Five frames have four steps. There is no step from the last frame to the first.
    app.step(0.1);
    assert_hull_x(&mut app, root, 0.5);
    let time = app.world().get::<Playback>(root).unwrap().time;
    assert!((time - 0.05).abs() < 1e-4);
    assert!(finished(&mut app).is_empty());
}

#[test]
fn clips_play_by_name_index_and_handle() {
    let (mut app, root) = app(&files(), PlayClip::looping("move_01").starting_at(0.1));
    assert_hull_x(&mut app, root, -1.0);
    play(&mut app, root, PlayClip::looping(1).starting_at(0.2));
    assert_hull_x(&mut app, root, 2.0);
    let clip: Handle<AnimationClip> = app.load("art/UNIT_move_01.ala#Clip");
    play(
        &mut app,
        root,
        PlayClip::looping(clip.clone()).starting_at(0.3),
    );
    assert_hull_x(&mut app, root, -3.0);
    let animator = app.world().get::<AloAnimator>(root).unwrap();
    assert_eq!(animator.clip(), Some(&clip));
}

#[test]
fn clip_from_another_folder_plays_when_loaded() {
    let mut files = files();
    files.push(("far/Any.ala", ala(&moves(2.0))));
    let (mut app, root) = app(&files, PlayClip::looping("MOVE_00").starting_at(0.1));
    let clip: Handle<AnimationClip> = app.load("far/Any.ala#Clip");
    app.world()
        .entity_mut(root)
        .insert(PlayClip::looping(clip.clone()).starting_at(0.1));
    let is_played = |world: &mut World| {
        let hull = world.get::<AloInstance>(root).unwrap().bones()[HULL];
        let x = world.get::<Transform>(hull).unwrap().translation.x;
        assert!((x - 1.0).abs() < 1e-3 || (x - 2.0).abs() < 1e-3, "{x}");
        world.get::<AloAnimator>(root).unwrap().clip() == Some(&clip)
    };
    assert!(gpuless::wait_until(&mut app.app, is_played));
    assert_hull_x(&mut app, root, 2.0);
}

/// Until a clip is loaded, the previous clip continues with its own settings.
#[test]
fn unloaded_clip_keeps_the_previous_clip_playing() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    let clips = app.world().resource_mut::<Assets<AnimationClip>>();
    let never = clips.reserve_handle();
    let play = PlayClip::once(never).with_speed(-7.0);
    app.world().entity_mut(root).insert(play);
    for _ in 0..20 {
        let before = hull_x(&mut app, root);
        app.step(0.05);
        // Half a frame forward, or from the end to the start.
        let moved = hull_x(&mut app, root) - before;
        assert!(
            (moved - 0.5).abs() < 1e-3 || (moved + 3.5).abs() < 1e-3,
            "{moved}"
        );
        assert!(finished(&mut app).is_empty());
        assert!(!app.world().get::<Playback>(root).unwrap().finished);
    }
}

#[test]
fn unreadable_clip_leaves_the_rest_pose_until_fixed() {
    let mut files = files();
    files.push(("far/Bad.ala", b"no animation".to_vec()));
    let (mut app, root) = app(&files, PlayClip::looping("MOVE_00").starting_at(0.2));
    let clip: Handle<AnimationClip> = app.load("far/Bad.ala#Clip");
    let play = PlayClip::once(clip).starting_at(0.1);
    app.world().entity_mut(root).insert(play);
    let at_rest = gpuless::wait_until(&mut app.app, |world| {
        let bone = world.get::<AloInstance>(root).unwrap().bones()[HULL];
        world.get::<Transform>(bone).unwrap().translation.x == 0.0
    });
    assert!(at_rest);
    assert!(finished(&mut app).is_empty());
    app.replace("far/Bad.ala", ala(&moves(2.0)));
    assert_hull_x(&mut app, root, 2.0);
}

/// The `Visibility` of a bone's entity is the user's, and hides everything below the bone.
#[test]
fn playback_keeps_the_visibility_component_of_bones() {
    let (mut app, root) = app(&files(), PlayClip::looping("ATTACK_00"));
    let turret = bone(&mut app, root, TURRET);
    *app.world().get_mut::<Visibility>(turret).unwrap() = Visibility::Hidden;
    play(&mut app, root, PlayClip::looping("MOVE_01").with_fade(0.2));
    for _ in 0..6 {
        app.step(0.05);
        let visibility = app.world().get::<Visibility>(turret);
        assert_eq!(visibility, Some(&Visibility::Hidden));
        assert_eq!(visible_parts(&mut app), ["HullMesh"]);
    }
}

/// A custom graph applies in the frame in which `PlayClip` is removed.
#[test]
fn custom_graph_applies_immediately() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    let clip: Handle<AnimationClip> = app.load("art/UNIT_move_01.ala#Clip");
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = app
        .world()
        .resource_mut::<Assets<AnimationGraph>>()
        .add(graph);
    let mut entity = app.world().entity_mut(root);
    entity.remove::<PlayClip>();
    entity.insert(AnimationGraphHandle(graph.clone()));
    let mut player = entity.get_mut::<AnimationPlayer>().unwrap();
    player.stop_all();
    player.play(node).set_seek_time(0.3).pause();
    app.step(0.05);
    app.step(0.05);
    assert_hull_x(&mut app, root, -3.0);
    let current = app.world().get::<AnimationGraphHandle>(root).unwrap();
    assert_eq!(current.0, graph);
}

/// Bevy advances the clips of `PlayClip`, and so triggers their events.
#[test]
fn clip_events_trigger_once_per_loop() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    let clip = app
        .world()
        .get::<AloAnimator>(root)
        .unwrap()
        .clip()
        .cloned();
    let count = Arc::<AtomicUsize>::default();
    let counter = count.clone();
    let mut clips = app.world().resource_mut::<Assets<AnimationClip>>();
    let mut clip = clips.get_mut(&clip.unwrap()).unwrap();
    clip.add_event_fn(0.15, move |_, _, _, _| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    drop(clip);
    // A loop takes 0.4 seconds.
    for expected in [0, 1, 1, 1, 1, 2, 2, 2, 2, 3] {
        app.step(0.1);
        assert_eq!(count.load(Ordering::Relaxed), expected);
    }
}

/// A root without a model keeps no graph and no active clips.
#[test]
fn removing_the_scene_stops_playback() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    assert!(app.world().get::<AnimationGraphHandle>(root).is_some());
    app.world().entity_mut(root).remove::<WorldAssetRoot>();
    app.step(0.1);
    app.step(0.1);
    assert!(app.world().get::<AnimationGraphHandle>(root).is_none());
    assert!(app.world().get::<AloAnimator>(root).is_none());
    let player = app.world().get::<AnimationPlayer>(root).unwrap();
    assert_eq!(player.playing_animations().count(), 0);
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
    app.world()
        .get_mut::<Transform>(turret)
        .unwrap()
        .translation
        .z = 77.0;
    app.replace("art/unit_MOVE_00.ALA", ala(&moves(5.0)));
    assert_eq!(transform(&mut app, root, TURRET).translation.z, 77.0);
}

#[test]
fn clip_played_once_stays_at_its_end_and_sends_one_message() {
    let (mut app, root) = app(&files(), PlayClip::once("MOVE_00"));
    advance(&mut app, 0.35);
    assert_hull_x(&mut app, root, 3.5);
    assert!(finished(&mut app).is_empty());
    app.step(0.1);
    assert_hull_x(&mut app, root, 4.0);
    let expected = ClipFinished {
        entity: root,
        clip: "MOVE_00".into(),
    };
    assert_eq!(finished(&mut app), [expected]);
    app.step(0.1);
    assert_hull_x(&mut app, root, 4.0);
    assert!(finished(&mut app).is_empty());
    let playback = *app.world().get::<Playback>(root).unwrap();
    assert!(playback.finished && (playback.time - 0.4).abs() < 1e-6);
    // Backward from the end.
    app.world().get_mut::<PlayClip>(root).unwrap().speed = -1.0;
    app.step(0.1);
    assert_hull_x(&mut app, root, 3.0);
    advance(&mut app, 0.4);
    assert_hull_x(&mut app, root, 0.0);
    assert_eq!(finished(&mut app).len(), 1);
}

#[test]
fn speed_start_pause_and_seeking() {
    let (mut app, root) = app(&files(), PlayClip::once("MOVE_00").with_speed(2.0));
    app.step(0.1);
    assert_hull_x(&mut app, root, 2.0);
    app.world().get_mut::<PlayClip>(root).unwrap().paused = true;
    app.step(0.1);
    assert_hull_x(&mut app, root, 2.0);
    app.world().get_mut::<Playback>(root).unwrap().time = 0.05;
    app.step(0.1);
    assert_hull_x(&mut app, root, 0.5);
    play(
        &mut app,
        root,
        PlayClip::once("MOVE_00").starting_at(0.4).with_speed(0.0),
    );
    assert_hull_x(&mut app, root, 4.0);
    app.step(0.1);
    assert_hull_x(&mut app, root, 4.0);
    play(&mut app, root, PlayClip::once("MOVE_00").with_speed(-1.0));
    assert_hull_x(&mut app, root, 4.0);
    app.step(0.1);
    assert_hull_x(&mut app, root, 3.0);
    play(
        &mut app,
        root,
        PlayClip::looping("MOVE_00")
            .with_speed(-1.0)
            .starting_at(0.05),
    );
    app.step(0.1);
    assert_hull_x(&mut app, root, 3.5);
    // Backward by more than the clip's length, then NaN and infinity.
    app.world().get_mut::<PlayClip>(root).unwrap().speed = -21.0;
    app.step(0.1);
    app.step(0.1);
    let found = hull_x(&mut app, root);
    assert!((0.0..=4.0).contains(&found), "{found}");
    app.world().get_mut::<PlayClip>(root).unwrap().speed = f32::NAN;
    app.world().get_mut::<Playback>(root).unwrap().time = f32::INFINITY;
    app.step(0.1);
    assert_hull_x(&mut app, root, 0.0);
}

#[test]
fn clips_with_one_pose_hold_it() {
    for frames in [1, 2] {
        let mut still = document(frames, bones());
        still.bones[0].translation = Vectors::constant([7.0, 0.0, 0.0]);
        let mut files = files();
        files.push(("art/Unit_IDLE_00.ala", ala(&still)));
        let (mut app, root) = app(&files, PlayClip::looping("IDLE_00"));
        for _ in 0..10 {
            app.step(0.07);
            assert_hull_x(&mut app, root, 7.0);
        }
        play(&mut app, root, PlayClip::once("IDLE_00"));
        app.step(0.2);
        app.step(0.2);
        assert_hull_x(&mut app, root, 7.0);
        assert_eq!(finished(&mut app).len(), 1);
    }
}

#[test]
fn cross_fades_blend_and_interrupted_fades_do_not_jump() {
    let (mut app, root) = app(
        &files(),
        PlayClip::looping("MOVE_00")
            .starting_at(0.2)
            .with_speed(0.0),
    );
    assert_hull_x(&mut app, root, 2.0);
    let reverse = PlayClip::looping("MOVE_01")
        .starting_at(0.2)
        .with_speed(0.0);
    play(&mut app, root, reverse.with_fade(1.0));
    assert_hull_x(&mut app, root, 2.0);
    for (seconds, expected) in [(0.25, 1.0), (0.25, 0.0), (0.25, -1.0)] {
        app.step(seconds);
        assert_hull_x(&mut app, root, expected);
    }
    let weight = app.world().get::<AloAnimator>(root).unwrap().weight();
    assert!((weight - 0.75).abs() < 1e-5);
    // A fade to another time of the same clip.
    let end = PlayClip::once("MOVE_01").starting_at(0.4).with_speed(0.0);
    play(&mut app, root, end.with_fade(0.5));
    assert_hull_x(&mut app, root, -1.0);
    app.step(0.25);
    assert_hull_x(&mut app, root, -2.5);
    app.step(0.25);
    assert_hull_x(&mut app, root, -4.0);
    app.step(0.25);
    assert_hull_x(&mut app, root, -4.0);
}

#[test]
fn visibility_follows_each_frame_of_a_loop() {
    let (mut app, root) = app(&files(), PlayClip::looping("ATTACK_00"));
    let mut shown = Vec::new();
    // Two and a half loops of four frames, by a quarter of a frame per step.
    for _ in 0..40 {
        let turret = is_shown(&mut app, root, TURRET);
        assert_eq!(turret, !is_shown(&mut app, root, FLASH));
        shown.push(turret);
        app.step(0.025);
    }
    for (step, shown) in shown.iter().enumerate() {
        let frame = step / 4 % 4;
        assert_eq!(*shown, !(1..3).contains(&frame), "step {step}");
    }
}

#[test]
fn clip_with_greater_weight_decides_visibility() {
    let hides = blinks([true; 5]);
    let reveals = blinks([false; 5]);
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&hides)));
    files.push(("art/Unit_SHOW_00.ala", ala(&reveals)));
    for (from, to, first) in [("HIDE_00", "SHOW_00", false), ("SHOW_00", "HIDE_00", true)] {
        let (mut app, root) = app(&files, PlayClip::looping(from));
        assert_eq!(is_shown(&mut app, root, TURRET), first);
        play(&mut app, root, PlayClip::looping(to).with_fade(1.0));
        for step in 0..10 {
            let weight = step as f32 / 10.0;
            // If both weights are equal, the clip that shows the bone decides.
            let expected = match weight {
                0.5 => true,
                _ if weight < 0.5 => first,
                _ => !first,
            };
            assert_eq!(
                is_shown(&mut app, root, TURRET),
                expected,
                "{from} to {to} at {weight}"
            );
            assert_eq!(is_shown(&mut app, root, FLASH), !expected || weight == 0.5);
            app.step(0.1);
        }
    }
}

#[test]
fn clip_without_a_visibility_track_shows_the_bone() {
    let mut hides = blinks([true; 5]);
    hides.bones[2].visibility = Some([false; 5].into());
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&hides)));
    assert_fades(
        &files,
        ["HIDE_00", "MOVE_00"],
        [[false, false], [true, true]],
    );
}

#[test]
fn clip_without_the_bone_restores_the_default_flag() {
    let mut hull_alone = moves(1.0);
    hull_alone.bones.truncate(1);
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&blinks([true; 5]))));
    files.push(("art/Unit_HULL_00.ala", ala(&hull_alone)));
    assert_fades(
        &files,
        ["HIDE_00", "HULL_00"],
        [[false, true], [true, false]],
    );
    // One clip shows the flash, without a track.
    assert_fades(
        &files,
        ["MOVE_00", "HULL_00"],
        [[true, true], [true, false]],
    );
}

/// Tracks of a bone with another name are not played.
#[test]
fn clip_with_another_name_for_the_bone_keeps_the_flag() {
    let mut renamed = moves(1.0);
    renamed.bones[2].name = "Other".into();
    let mut files = files();
    files.push(("art/Unit_NAME_00.ala", ala(&renamed)));
    assert_fades(
        &files,
        ["MOVE_00", "NAME_00"],
        [[true, true], [true, false]],
    );
}

/// Asserts which of turret and flash are visible in two clips and in fades between them.
#[track_caller]
fn assert_fades(files: &[(&str, Vec<u8>)], clips: [&'static str; 2], expected: [[bool; 2]; 2]) {
    let [first, second] = clips;
    let (mut app, root) = app(files, PlayClip::looping(first));
    let shown = |app: &mut TestApp| [TURRET, FLASH].map(|bone| is_shown(app, root, bone));
    assert_eq!(shown(&mut app), expected[0]);
    play(&mut app, root, PlayClip::looping(second));
    assert_eq!(shown(&mut app), expected[1]);
    play(&mut app, root, PlayClip::looping(first));
    assert_eq!(shown(&mut app), expected[0]);
    // In a fade the clip with the greater weight decides, in both directions.
    for (to, before, after) in [
        (second, expected[0], expected[1]),
        (first, expected[1], expected[0]),
    ] {
        play(&mut app, root, PlayClip::looping(to).with_fade(1.0));
        for (seconds, expected) in [(0.4, before), (0.2, after), (0.6, after)] {
            for _ in 0..4 {
                app.step(seconds / 4.0);
            }
            assert_eq!(shown(&mut app), expected, "to {to}");
        }
    }
    app.world().entity_mut(root).remove::<PlayClip>();
    app.step(0.1);
    assert_eq!(shown(&mut app), [true, false], "as in the model");
}

/// The count of bones with `AnimatedBy`, which Bevy and this crate visit every frame.
fn animated_bones(app: &mut TestApp, root: Entity) -> usize {
    let bones = app.world().get::<AloInstance>(root).unwrap().bones();
    let bones = bones.to_vec();
    let world = app.app.world();
    let is_animated = |bone: &&Entity| {
        world
            .get::<AnimatedBy>(**bone)
            .is_some_and(|animated| animated.0 == root)
    };
    bones.iter().filter(is_animated).count()
}

#[test]
fn idle_models_have_no_animated_bones() {
    let (mut app, idle) = app(&files(), ());
    let playing = app.spawn_ready(SCENE, PlayClip::looping("MOVE_00"));
    app.step(0.1);
    assert_eq!(
        [idle, playing].map(|root| animated_bones(&mut app, root)),
        [0, 4]
    );
    let mut animated = app.world().query_filtered::<(), With<AnimatedBy>>();
    assert_eq!(animated.iter(app.app.world()).count(), 4);
    // After a clip that hides the turret is removed, the model's flag applies again.
    play(
        &mut app,
        playing,
        PlayClip::once("ATTACK_00")
            .starting_at(0.15)
            .with_speed(0.0),
    );
    app.step(0.0);
    assert!(!is_shown(&mut app, playing, TURRET));
    app.world().entity_mut(playing).remove::<PlayClip>();
    app.step(0.1);
    assert_eq!(animated_bones(&mut app, playing), 0);
    assert!(is_shown(&mut app, playing, TURRET));
    // A custom graph.
    let graph = app
        .world()
        .resource_mut::<Assets<AnimationGraph>>()
        .add(AnimationGraph::new());
    app.world()
        .entity_mut(idle)
        .insert(AnimationGraphHandle(graph.clone()));
    app.step(0.1);
    assert_eq!(animated_bones(&mut app, idle), 4);
    let ready = app.spawn_ready(SCENE, AnimationGraphHandle(graph));
    app.step(0.0);
    assert_eq!(animated_bones(&mut app, ready), 4);
    // A bone that another player animates keeps that player.
    let turret = bone(&mut app, ready, TURRET);
    app.world().entity_mut(turret).insert(AnimatedBy(idle));
    app.world()
        .entity_mut(ready)
        .remove::<AnimationGraphHandle>();
    app.step(0.0);
    assert_eq!(animated_bones(&mut app, ready), 0);
    let animated_by = app.world().get::<AnimatedBy>(turret);
    assert_eq!(animated_by.map(|player| player.0), Some(idle));
}

#[test]
fn flags_of_an_instance_apply_unless_a_clip_decides() {
    let (mut app, root) = app(&files(), ());
    let [turret, flash] = [TURRET, FLASH].map(|index| bone(&mut app, root, index));
    set_visible(app.world(), turret, false);
    set_visible(app.world(), flash, true);
    app.step(0.0);
    assert_eq!(visible_parts(&mut app), ["FlashMesh", "HullMesh"]);
    // The clip shows the flash, which the model hides. It has no track of the turret.
    set_visible(app.world(), flash, false);
    play(&mut app, root, PlayClip::looping("MOVE_00"));
    assert!(!is_shown(&mut app, root, TURRET) && is_shown(&mut app, root, FLASH));
    set_visible(app.world(), turret, true);
    set_visible(app.world(), flash, false);
    app.step(0.0);
    assert!(is_shown(&mut app, root, TURRET) && is_shown(&mut app, root, FLASH));
    set_visible(app.world(), turret, false);
    app.world().entity_mut(root).remove::<PlayClip>();
    app.step(0.0);
    app.step(0.0);
    assert_eq!(visible_parts(&mut app), ["HullMesh"]);
}

/// The plugin does not overwrite changes that an observer makes when the scene is spawned.
#[test]
fn bone_hidden_on_spawn_stays_hidden() {
    let mut app = TestApp::new(&files());
    app.app.add_observer(
        |ready: On<bevy::world_serialization::WorldInstanceReady>,
         bones: Query<(Entity, &AloBone)>,
         mut visibilities: Query<&mut Visibility>,
         mut commands: Commands| {
            let _ = ready;
            for (entity, bone) in &bones {
                if bone.index == TURRET {
                    *visibilities.get_mut(entity).unwrap() = Visibility::Hidden;
                }
                if bone.index == HULL {
                    commands.entity(entity).insert(AloBone {
                        visible: false,
                        ..*bone
                    });
                }
            }
        },
    );
    let root = app.spawn_ready(SCENE, ());
    for _ in 0..3 {
        app.step(0.1);
        assert!(!is_shown(&mut app, root, HULL));
        assert_eq!(visible_parts(&mut app), Vec::<String>::new());
    }
}

#[test]
fn part_is_visible_only_if_nothing_hides_it() {
    let mut files = files();
    files.push((
        "art/Unit_HIDE_00.ala",
        ala(&blinks([true, false, false, true, true])),
    ));
    let (mut app, root) = app(&files, PlayClip::looping("HIDE_00").with_speed(0.0));
    let at = |app: &mut TestApp, frame: f32| {
        app.world().get_mut::<Playback>(root).unwrap().time = frame / FPS;
        app.step(0.0);
        visible_parts(app)
    };
    assert_eq!(
        at(&mut app, 0.0),
        ["FlashMesh", "HullMesh"],
        "the flash is a child of the hidden turret"
    );
    assert_eq!(at(&mut app, 1.0), ["HullMesh", "TurretMesh_LOD1"]);
    app.world()
        .entity_mut(root)
        .insert((ModelLod(1), DamageStage(1)));
    assert_eq!(at(&mut app, 0.0), ["FlashMesh", "HullMesh"]);
    assert_eq!(
        at(&mut app, 1.0),
        ["HullMesh", "TurretMesh_ALT1", "TurretMesh_LOD0"]
    );
    let hidden = PartVisibility::hidden(["TurretMesh_LOD0", "HullMesh", "FlashMesh"]);
    app.world().entity_mut(root).insert(hidden);
    assert_eq!(at(&mut app, 0.0), Vec::<String>::new());
    assert_eq!(at(&mut app, 1.0), ["TurretMesh_ALT1"]);
    let mut parts = PartVisibility::default();
    parts.show("TurretMesh_LOD1").show("TurretMesh_ALT1");
    parts.hide("FlashMesh");
    app.world().entity_mut(root).insert(parts);
    assert_eq!(at(&mut app, 0.0), ["HullMesh"], "the track hides the bone");
}

#[test]
fn bones_without_active_tracks_return_to_rest() {
    let mut grown = moves(1.0);
    grown.bones[1].scale = Vectors::constant([2.0; 3]);
    grown.bones[1].rotation = Rotations::constant([0.0, 0.0, 1.0, 0.0]);
    let mut few = moves(1.0);
    few.bones.truncate(1);
    let mut files = files();
    files.push(("art/Unit_GROW_00.ala", ala(&grown)));
    files.push(("art/Unit_FEW_00.ala", ala(&few)));
    let (mut app, root) = app(&files, PlayClip::looping("GROW_00"));
    let rest = Transform::from_xyz(0.0, 0.0, 5.0);
    let turned = rest
        .with_scale(Vec3::splat(2.0))
        .with_rotation(Quat::from_xyzw(0.0, 0.0, 1.0, 0.0));
    assert_eq!(transform(&mut app, root, TURRET), turned);
    // A clip without the bone, and a clip without its scale track.
    play(&mut app, root, PlayClip::looping("FEW_00"));
    assert_eq!(transform(&mut app, root, TURRET), rest);
    play(&mut app, root, PlayClip::looping("GROW_00"));
    play(
        &mut app,
        root,
        PlayClip::looping("MOVE_00").starting_at(0.2),
    );
    assert_eq!(transform(&mut app, root, TURRET), rest);
    assert_hull_x(&mut app, root, 2.0);
    play(&mut app, root, PlayClip::looping("GROW_00"));
    app.world().entity_mut(root).remove::<PlayClip>();
    app.step(0.0);
    assert_eq!(transform(&mut app, root, TURRET), rest);
    assert_hull_x(&mut app, root, 0.0);
    assert!(app.world().get::<AnimationGraphHandle>(root).is_none());
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
    assert_hull_x(&mut app, root, 1.0);
    assert_eq!(transform(&mut app, root, TURRET).translation.z, 5.0);
    app.spawn_ready(SCENE, PlayClip::looping("OTHER_00"));
    app.step(0.1);
    let warnings = log::warnings_with("Barrel_of_other_model");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
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
        assert_eq!(log::warnings_with("Barrel_of_other_model").len(), 1);
    }
    // If an edit removes the flaw, and another brings it back, it is.
    for bytes in [ala(&moves(1.0)), ala(&other)] {
        app.replace("art/Unit_OTHER_00.ala", bytes);
        app.step(0.1);
    }
    let warnings = log::warnings_with("Barrel_of_other_model");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
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
    let clip = app
        .world()
        .resource::<Assets<Ala>>()
        .get(&any)
        .unwrap()
        .clip
        .clone();
    play(&mut app, root, PlayClip::looping(clip).starting_at(0.2));
    assert_hull_x(&mut app, root, 2.0);
    assert_eq!(transform(&mut app, root, TURRET).translation.z, 5.0);
    assert_eq!(log::warnings_with("Unknown_barrel").len(), 1);
}

#[test]
fn missing_clip_warns_and_leaves_the_rest_pose() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00").starting_at(0.2));
    assert_hull_x(&mut app, root, 2.0);
    play(&mut app, root, PlayClip::looping("JUGGLE_07"));
    assert_hull_x(&mut app, root, 0.0);
    app.step(0.1);
    let warnings = log::warnings_with("JUGGLE_07");
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("ATTACK_00, MOVE_00, MOVE_01"),
        "{warnings:?}"
    );
    play(
        &mut app,
        root,
        PlayClip::looping("MOVE_01").starting_at(0.2),
    );
    assert_hull_x(&mut app, root, -2.0);
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
    assert!(gpuless::wait_until(&mut app.app, is_logged));
    app.run_until_idle(0.01, |_| {});
    assert_hull_x(&mut app, root, 0.0);
    assert!(names(&mut app, root).contains(&"BAD_00".to_owned()));
    play(
        &mut app,
        root,
        PlayClip::looping("MOVE_00").starting_at(0.2),
    );
    assert_hull_x(&mut app, root, 2.0);
}

#[test]
fn models_with_the_same_clip_share_clip_and_graph() {
    let (mut app, first) = app(&files(), PlayClip::looping("MOVE_00").starting_at(0.1));
    let second = app.spawn_ready(SCENE, PlayClip::looping("MOVE_00").starting_at(0.3));
    app.step(0.0);
    assert_hull_x(&mut app, first, 1.0);
    assert_hull_x(&mut app, second, 3.0);
    let graph = |app: &mut TestApp, root| app.world().get::<AnimationGraphHandle>(root).cloned();
    let shared = graph(&mut app, first);
    assert!(shared.is_some() && shared == graph(&mut app, second));
    play(
        &mut app,
        second,
        PlayClip::looping("MOVE_01").starting_at(0.3),
    );
    assert_hull_x(&mut app, first, 1.0);
    assert_hull_x(&mut app, second, -3.0);
    // Unused graphs are removed, at the latest when the next one is created.
    for _ in 0..3 {
        play(
            &mut app,
            second,
            PlayClip::looping("ATTACK_00").with_fade(0.1),
        );
        app.step(0.2);
        play(
            &mut app,
            second,
            PlayClip::looping("MOVE_01").with_fade(0.1),
        );
        app.step(0.2);
    }
    app.step(0.0);
    let graphs = app.world().resource::<Assets<AnimationGraph>>().len();
    assert!(graphs <= 4, "{graphs}");
}

/// A custom graph on the root can blend and mask clips.
#[test]
fn custom_graphs_blend_and_mask() {
    let mut turned = moves(0.0);
    turned.bones[0].translation = Vectors::constant([8.0, 0.0, 1.0]);
    turned.bones[1].translation = Vectors::constant([0.0, 6.0, 5.0]);
    let mut files = files();
    files.push(("art/Unit_TURN_00.ala", ala(&turned)));
    let (mut app, root) = app(&files, ());
    let clips = ["art/unit_MOVE_00.ALA#Clip", "art/Unit_TURN_00.ala#Clip"];
    let [moving, turning]: [Handle<AnimationClip>; 2] = clips.map(|path| app.load(path));
    let mut graph = AnimationGraph::new();
    const UPPER: u32 = 0;
    const LOWER: u32 = 1;
    graph.add_target_to_mask_group(bone_target(TURRET), UPPER);
    graph.add_target_to_mask_group(bone_target(HULL), LOWER);
    let legs = graph.add_clip_with_mask(moving.clone(), 1 << UPPER, 1.0, graph.root);
    let upper = graph.add_clip_with_mask(turning.clone(), 1 << LOWER, 1.0, graph.root);
    let handle = app
        .world()
        .resource_mut::<Assets<AnimationGraph>>()
        .add(graph);
    app.world()
        .entity_mut(root)
        .insert(AnimationGraphHandle(handle));
    let mut player = app.world().get_mut::<AnimationPlayer>(root).unwrap();
    player.play(legs).set_seek_time(0.3).pause();
    player.play(upper).pause();
    app.step(0.0);
    app.step(0.0);
    assert_hull_x(&mut app, root, 3.0);
    assert_eq!(transform(&mut app, root, TURRET).translation.y, 6.0);
    // Blend by weights.
    let (graph, nodes) = AnimationGraph::from_clips([moving, turning]);
    let handle = app
        .world()
        .resource_mut::<Assets<AnimationGraph>>()
        .add(graph);
    app.world()
        .entity_mut(root)
        .insert(AnimationGraphHandle(handle));
    let mut player = app.world().get_mut::<AnimationPlayer>(root).unwrap();
    player.stop_all();
    player
        .play(nodes[0])
        .set_seek_time(0.3)
        .set_weight(0.25)
        .pause();
    player.play(nodes[1]).set_weight(0.75).pause();
    app.step(0.0);
    app.step(0.0);
    assert_hull_x(&mut app, root, 0.25 * 3.0 + 0.75 * 8.0);
}

/// Blends two clips with visibility tracks and a clip of the default flags, in every order and with several weights.
#[test]
fn visibility_in_custom_graphs_is_the_weighted_majority() {
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&blinks([true; 5]))));
    files.push(("art/Unit_SHOW_00.ala", ala(&blinks([false; 5]))));
    let (mut app, root) = app(&files, ());
    let [hides, reveals]: [Handle<AnimationClip>; 2] =
        ["art/Unit_HIDE_00.ala#Clip", "art/Unit_SHOW_00.ala#Clip"].map(|path| app.load(path));
    let mut flags = AnimationClip::default();
    flags.add_curve_to_target(bone_target(TURRET), DefaultVisibilityCurve);
    let flags = app
        .world()
        .resource_mut::<Assets<AnimationClip>>()
        .add(flags);
    let turret = bone(&mut app, root, TURRET);
    let mut check = |clips: &[(&Handle<AnimationClip>, f32)], flag: bool, expected: bool| {
        let mut graph = AnimationGraph::new();
        // A nested blend node, as in graphs with several blend steps.
        let inner = graph.add_blend(1.0, graph.root);
        let nodes: Vec<_> = clips
            .iter()
            .map(|(clip, _)| graph.add_clip((*clip).clone(), 1.0, inner))
            .collect();
        let handle = app
            .world()
            .resource_mut::<Assets<AnimationGraph>>()
            .add(graph);
        set_visible(app.world(), turret, flag);
        app.world()
            .entity_mut(root)
            .insert(AnimationGraphHandle(handle));
        let mut player = app.world().get_mut::<AnimationPlayer>(root).unwrap();
        player.stop_all();
        for (node, (_, weight)) in nodes.iter().zip(clips) {
            player.play(*node).set_weight(*weight);
        }
        app.step(0.0);
        app.step(0.0);
        let weights: Vec<_> = clips.iter().map(|(_, weight)| *weight).collect();
        assert_eq!(
            is_shown(&mut app, root, TURRET),
            expected,
            "{weights:?}, {flag}"
        );
    };
    for flag in [true, false] {
        for (hiding, showing, expected) in [
            (0.9, 0.1, false),
            (0.6, 0.4, false),
            (0.5, 0.5, true),
            (0.4, 0.6, true),
            (0.1, 0.05, false),
            (1.0, 3.0, true),
            (1.0, 0.0, false),
        ] {
            check(&[(&hides, hiding), (&reveals, showing)], flag, expected);
            check(&[(&reveals, showing), (&hides, hiding)], flag, expected);
        }
        check(&[(&hides, 0.6), (&flags, 1.0)], flag, false);
        check(&[(&flags, 1.0), (&hides, 0.4)], flag, flag);
        check(&[(&reveals, 0.4), (&flags, 1.0)], flag, flag);
        check(&[(&reveals, 0.6), (&flags, 1.0)], flag, true);
    }
}

fn model_of(app: &mut TestApp, root: Entity) -> Arc<AloModel> {
    let instance = app.world().get::<AloInstance>(root).unwrap();
    instance.model().clone()
}

#[test]
fn reloaded_clip_keeps_the_playback_time() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    app.step(0.25);
    assert_hull_x(&mut app, root, 2.5);
    app.replace("art/unit_MOVE_00.ALA", ala(&moves(10.0)));
    assert_hull_x(&mut app, root, 25.0);
    let time = app.world().get::<Playback>(root).unwrap().time;
    assert!((time - 0.25).abs() < 1e-5, "{time}");
    // The next edit does not match the turret, and hides the hull.
    let mut other = moves(10.0);
    other.bones[1].name = "Another".into();
    other.bones[1].translation = Vectors::constant([0.0, 0.0, 99.0]);
    other.bones[0].visibility = Some(vec![false; 5]);
    app.replace("art/unit_MOVE_00.ALA", ala(&other));
    assert_hull_x(&mut app, root, 25.0);
    assert!(!is_shown(&mut app, root, HULL));
    assert_eq!(transform(&mut app, root, TURRET).translation.z, 5.0);
    // Restore the clip.
    app.replace("art/unit_MOVE_00.ALA", ala(&moves(1.0)));
    assert_hull_x(&mut app, root, 2.5);
    assert!(is_shown(&mut app, root, HULL));
    // A broken file changes nothing.
    app.replace("art/unit_MOVE_00.ALA", vec![1, 2, 3]);
    app.step(0.05);
    assert_hull_x(&mut app, root, 3.0);
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
        model_of(&mut app, root).bones[TURRET]
            .transform
            .translation
            .z,
        6.0
    );
    assert_hull_x(&mut app, root, 2.5);
    app.step(0.1);
    assert_hull_x(&mut app, root, 3.5);
    // In the middle of a fade, to a clip that has finished.
    play(&mut app, root, PlayClip::once("MOVE_01").with_fade(1.0));
    advance(&mut app, 0.45);
    let before = hull_x(&mut app, root);
    app.replace("art/Unit.alo", model_at(7.0));
    assert_hull_x(&mut app, root, before);
    assert_eq!(finished(&mut app).len(), 1);
    advance(&mut app, 0.5);
    advance(&mut app, 0.5);
    assert_hull_x(&mut app, root, -4.0);
    assert!(finished(&mut app).is_empty());
}

/// The first frame of a spawned model and of a new clip already shows the requested pose.
#[test]
fn new_clip_shows_in_the_same_frame() {
    let mut app = TestApp::new(&files());
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn(SCENE, PlayClip::looping("MOVE_01").starting_at(0.3));
    let mut frames = 0;
    let is_constant = gpuless::wait_until(&mut app.app, |world| {
        if let Some(instance) = world.get::<AloInstance>(root) {
            let x = world.get::<Transform>(instance.bones()[HULL]).unwrap();
            assert!((x.translation.x + 3.0).abs() < 1e-3, "{x:?}");
            frames += 1;
        }
        frames == 20
    });
    assert!(is_constant);
    app.world()
        .entity_mut(root)
        .insert(PlayClip::looping("ATTACK_00").starting_at(0.1));
    app.step(0.0);
    assert_hull_x(&mut app, root, 0.0);
    assert!(is_shown(&mut app, root, FLASH) && !is_shown(&mut app, root, TURRET));
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
            play(app, root, PlayClip::looping(name));
        }
        for _ in 0..4 {
            app.step(0.0);
        }
        app.world().resource::<Assets<AnimationClip>>().len()
    };
    let before = play_moves(&mut app);
    let mut played = Vec::new();
    for name in ["ODD_00", "MOVE_00"] {
        play(&mut app, root, PlayClip::looping(name));
        let mut clips = app.world().resource_mut::<Assets<AnimationClip>>();
        let clip = clips.add(AnimationClip::default());
        played.push(clip.id());
        play(&mut app, root, PlayClip::looping(ClipRef::Handle(clip)));
    }
    let after = play_moves(&mut app);
    let clips = app.world().resource::<Assets<AnimationClip>>();
    assert!(!played.iter().any(|clip| clips.contains(*clip)));
    assert_eq!(after, before, "without the copy of ODD_00");
}
