//! Playback of clips on spawned Alamo models with `PlayClip`, and the model and clips that other tests share.

use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as FileMesh};

pub const SCENE: &str = "art/Unit.alo#Scene";
pub const FPS: f32 = 10.0;

/// Indices of the model's bones.
pub const HULL: usize = 1;
pub const TURRET: usize = 2;
/// Hidden in the model.
pub const FLASH: usize = 3;

/// A model with four bones. All except the first have meshes.
pub fn model() -> Vec<u8> {
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
        bone_weights: [1.0, 0.0, 0.0, 0.0],
        ..default()
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

pub fn bones() -> Vec<BoneTracks> {
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
pub fn blinks(hidden: [bool; 5]) -> AlaDocument {
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

/// An app with the model and all its clips loaded, and the model spawned.
pub fn app(files: &[(&str, Vec<u8>)], bundle: impl Bundle) -> (TestApp, Entity) {
    log::listen();
    let mut app = TestApp::new(files);
    app.keep_loaded("art/Unit.alo");
    let root = app.spawn_shown(SCENE, bundle);
    (app, root)
}

pub fn bone(app: &mut TestApp, root: Entity, index: usize) -> Entity {
    app.get::<AloInstance>(root).bones()[index]
}

/// The bones of units.
impl TestApp {
    /// Steps twice, because Bevy limits a frame to a quarter of a second.
    pub fn advance(&mut self, seconds: f32) {
        self.steps(2, seconds / 2.0);
    }

    pub fn hull_x(&self, root: Entity) -> f32 {
        self.bone_transform(root, HULL).translation.x
    }

    #[track_caller]
    pub fn assert_hull_x(&self, root: Entity, expected: f32) {
        let x = self.hull_x(root);
        assert!((x - expected).abs() < 1e-3, "{x}, expected {expected}");
    }

    /// Whether a bone itself is visible.
    pub fn is_shown(&self, root: Entity, index: usize) -> bool {
        let bone = self.get::<AloInstance>(root).bones()[index];
        self.get::<BoneVisibility>(bone).is_visible()
    }

    /// The names of visible parts.
    pub fn visible_parts(&mut self) -> Vec<String> {
        let mut parts = self.world().query::<(&AloPart, &InheritedVisibility)>();
        let parts = parts.iter(self.app.world());
        let visible = parts.filter(|(_, visible)| visible.get());
        let mut names: Vec<_> = visible.map(|(part, _)| part.name.clone()).collect();
        names.sort();
        names
    }

    /// The names of a model's clips.
    pub fn clip_names(&self, root: Entity) -> Vec<String> {
        let animations = self.get::<AloInstance>(root).model().animations.iter();
        animations.map(|found| found.name.to_string()).collect()
    }
}

#[test]
fn loop_continues_from_end_to_start() {
    let (mut app, root) = app(&files(), PlayClip::looping("MOVE_00"));
    app.assert_hull_x(root, 0.0);
    app.step(0.05);
    app.assert_hull_x(root, 0.5);
    app.advance(0.3);
    app.assert_hull_x(root, 3.5);
    // Five frames have four steps. There is no step from the last frame to the first.
    app.step(0.1);
    app.assert_hull_x(root, 0.5);
    let time = app.get::<Playback>(root).time;
    assert!((time - 0.05).abs() < 1e-4);
    assert!(app.finished_clips().is_empty());
}

#[test]
fn clips_play_by_name_index_and_handle() {
    let (mut app, root) = app(&files(), PlayClip::looping("move_01").starting_at(0.1));
    app.assert_hull_x(root, -1.0);
    app.apply(root, PlayClip::looping(1).starting_at(0.2));
    app.assert_hull_x(root, 2.0);
    let clip: Handle<AnimationClip> = app.load("art/UNIT_move_01.ala#Clip");
    app.apply(root, PlayClip::looping(clip.clone()).starting_at(0.3));
    app.assert_hull_x(root, -3.0);
    let animator = app.get::<AloAnimator>(root);
    assert_eq!(animator.clip(), Some(&clip));
}

#[test]
fn clip_played_once_stays_at_its_end_and_sends_one_message() {
    let (mut app, root) = app(&files(), PlayClip::once("MOVE_00"));
    app.advance(0.35);
    app.assert_hull_x(root, 3.5);
    assert!(app.finished_clips().is_empty());
    app.step(0.1);
    app.assert_hull_x(root, 4.0);
    let expected = ClipFinished {
        entity: root,
        clip: "MOVE_00".into(),
    };
    assert_eq!(app.finished_clips(), [expected]);
    app.step(0.1);
    app.assert_hull_x(root, 4.0);
    assert!(app.finished_clips().is_empty());
    let playback = *app.get::<Playback>(root);
    assert!(playback.finished && (playback.time - 0.4).abs() < 1e-6);
    // Backward from the end.
    app.get_mut::<PlayClip>(root).speed = -1.0;
    app.step(0.1);
    app.assert_hull_x(root, 3.0);
    app.advance(0.4);
    app.assert_hull_x(root, 0.0);
    assert_eq!(app.finished_clips().len(), 1);
}

#[test]
fn speed_start_pause_and_seeking() {
    let (mut app, root) = app(&files(), PlayClip::once("MOVE_00").with_speed(2.0));
    app.step(0.1);
    app.assert_hull_x(root, 2.0);
    app.get_mut::<PlayClip>(root).paused = true;
    app.step(0.1);
    app.assert_hull_x(root, 2.0);
    app.get_mut::<Playback>(root).time = 0.05;
    app.step(0.1);
    app.assert_hull_x(root, 0.5);
    let end = PlayClip::once("MOVE_00").starting_at(0.4);
    app.apply(root, end.with_speed(0.0));
    app.assert_hull_x(root, 4.0);
    app.step(0.1);
    app.assert_hull_x(root, 4.0);
    app.apply(root, PlayClip::once("MOVE_00").with_speed(-1.0));
    app.assert_hull_x(root, 4.0);
    app.step(0.1);
    app.assert_hull_x(root, 3.0);
    let backward = PlayClip::looping("MOVE_00").with_speed(-1.0);
    app.apply(root, backward.starting_at(0.05));
    app.step(0.1);
    app.assert_hull_x(root, 3.5);
    // Backward by more than the clip's length, then NaN and infinity.
    app.get_mut::<PlayClip>(root).speed = -21.0;
    app.step(0.1);
    app.step(0.1);
    let found = app.hull_x(root);
    assert!((0.0..=4.0).contains(&found), "{found}");
    app.get_mut::<PlayClip>(root).speed = f32::NAN;
    app.get_mut::<Playback>(root).time = f32::INFINITY;
    app.step(0.1);
    app.assert_hull_x(root, 0.0);
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
            app.assert_hull_x(root, 7.0);
        }
        app.apply(root, PlayClip::once("IDLE_00"));
        app.step(0.2);
        app.step(0.2);
        app.assert_hull_x(root, 7.0);
        assert_eq!(app.finished_clips().len(), 1);
    }
}

#[test]
fn cross_fades_blend_and_interrupted_fades_do_not_jump() {
    let (mut app, root) = app(&files(), still("MOVE_00", 0.2));
    app.assert_hull_x(root, 2.0);
    app.apply(root, still("MOVE_01", 0.2).with_fade(1.0));
    app.assert_hull_x(root, 2.0);
    for (seconds, expected) in [(0.25, 1.0), (0.25, 0.0), (0.25, -1.0)] {
        app.step(seconds);
        app.assert_hull_x(root, expected);
    }
    let weight = app.get::<AloAnimator>(root).weight();
    assert!((weight - 0.75).abs() < 1e-5);
    // A fade to another time of the same clip.
    let end = PlayClip::once("MOVE_01").starting_at(0.4).with_speed(0.0);
    app.apply(root, end.with_fade(0.5));
    app.assert_hull_x(root, -1.0);
    app.step(0.25);
    app.assert_hull_x(root, -2.5);
    app.step(0.25);
    app.assert_hull_x(root, -4.0);
    app.step(0.25);
    app.assert_hull_x(root, -4.0);
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
    assert_eq!(app.bone_transform(root, TURRET), turned);
    // A clip without the bone, and a clip without its scale track.
    app.apply(root, PlayClip::looping("FEW_00"));
    assert_eq!(app.bone_transform(root, TURRET), rest);
    app.apply(root, PlayClip::looping("GROW_00"));
    app.apply(root, PlayClip::looping("MOVE_00").starting_at(0.2));
    assert_eq!(app.bone_transform(root, TURRET), rest);
    app.assert_hull_x(root, 2.0);
    app.apply(root, PlayClip::looping("GROW_00"));
    app.remove::<PlayClip>(root);
    app.step(0.0);
    assert_eq!(app.bone_transform(root, TURRET), rest);
    app.assert_hull_x(root, 0.0);
    assert!(app.find::<AnimationGraphHandle>(root).is_none());
}

/// The first frame of a spawned model and of a new clip already shows the requested pose.
#[test]
fn new_clip_shows_in_the_same_frame() {
    let mut app = TestApp::new(&files());
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn(SCENE, PlayClip::looping("MOVE_01").starting_at(0.3));
    let mut frames = 0;
    app.wait_until(|world| {
        if let Some(instance) = world.get::<AloInstance>(root) {
            let x = world.get::<Transform>(instance.bones()[HULL]).unwrap();
            assert!((x.translation.x + 3.0).abs() < 1e-3, "{x:?}");
            frames += 1;
        }
        frames == 20
    });
    app.apply(root, PlayClip::looping("ATTACK_00").starting_at(0.1));
    app.assert_hull_x(root, 0.0);
    assert!(app.is_shown(root, FLASH) && !app.is_shown(root, TURRET));
}
