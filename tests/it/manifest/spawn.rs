//! Entities with a `ClassicModel`: spawning, updates and removal.

use crate::gpuless;
use crate::support::app::TestApp;
use crate::support::lgw::BICYCLE;
use crate::support::mdl::{figure, tetrahedron};
use crate::support::{abc, ala, alo, cpu_time, log};
use bevy::asset::LoadState;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::alamo::AloLight;
use bevy_classic_models::alamo::alo::Bone;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::manifest::ManifestAttachment;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::root::{NamedClip, Repeat};
use classic_models_fixtures::alo::edited;
use std::path::Path;
use std::time::Duration;

pub fn mdl() -> Vec<u8> {
    figure(Precision::Bits8).to_bytes()
}

/// Spawns a manifest or a model.
pub fn spawn(app: &mut TestApp, path: &'static str, bundle: impl Bundle) -> Entity {
    let model = ClassicModel(app.load(path));
    app.world().spawn((model, bundle)).id()
}

#[track_caller]
pub fn wait(app: &mut TestApp, what: &str, done: impl FnMut(&mut World) -> bool) {
    assert!(gpuless::wait_until(&mut app.app, done), "timed out: {what}");
}

/// Waits until a model's scene is spawned.
#[track_caller]
pub fn wait_for(app: &mut TestApp, root: Entity) {
    wait(app, "the scene", |world| is_spawned(world, root));
    app.step(0.0);
}

pub fn is_spawned(world: &World, root: Entity) -> bool {
    let root = world.entity(root);
    root.contains::<MdlAnimator>()
        || root.contains::<AloInstance>()
        || root.contains::<AbcInstance>()
        || root.contains::<LgwInstance>()
}

pub fn spawn_ready(app: &mut TestApp, path: &'static str, bundle: impl Bundle) -> Entity {
    let root = spawn(app, path, bundle);
    wait_for(app, root);
    root
}

/// Changes a file and reloads it.
pub fn edit(app: &mut TestApp, path: &'static str, text: &str) {
    app.files
        .insert_asset(Path::new(path), text.as_bytes().to_vec());
    app.world().resource::<AssetServer>().reload(path);
}

pub fn get<C: Component + Clone>(app: &mut TestApp, entity: Entity) -> Option<C> {
    app.world().get::<C>(entity).cloned()
}

#[track_caller]
pub fn children(app: &mut TestApp, root: Entity) -> Vec<Entity> {
    app.world()
        .get::<Children>(root)
        .expect("children")
        .to_vec()
}

/// The transform of the scene's root.
#[track_caller]
fn scene(app: &mut TestApp, root: Entity) -> Transform {
    let children = children(app, root);
    assert_eq!(children.len(), 1);
    get(app, children[0]).unwrap()
}

fn scene_path(app: &mut TestApp, root: Entity) -> String {
    let root = get::<WorldAssetRoot>(app, root).unwrap();
    root.0.path().unwrap().to_string()
}

pub fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

const SOLDIER: &str = r##"(
    model: "Figure.MDL",
    scale: 2,
    clips: [
        (name: "walk", clip: "run", speed: 1.5),
        (name: "fall", frames: (4, 5), repeat: Once),
        (name: "half", clip: 0, frames: (0, 1)),
    ],
    play: "walk",
    masks: {"Upper": ["Turret"]},
    skins: {"Red": "red.tga"},
    skin: "red",
    lod_distances: [10, 20],
    team_color: "#ff8000",
    player_colors: (shirt: 4, pants: 13),
    hidden: ["Shield"],
    shown: ["Engine"],
    damage_stage: 2,
)"##;

fn soldier() -> TestApp {
    TestApp::new(&[
        ("units/soldier.model.ron", text(SOLDIER)),
        ("units/figure.mdl", mdl()),
        ("units/red.tga", Vec::new()),
    ])
}

#[test]
fn all_manifest_fields_are_applied() {
    let mut app = soldier();
    let root = spawn_ready(&mut app, "units/soldier.model.ron", ());
    assert_eq!(scene_path(&mut app, root), "units/figure.mdl#Scene");
    assert_eq!(get(&mut app, root), Some(PlayClip::from_manifest("walk")));
    let clip = |name: &str, clip: ClipRef, speed, repeat| NamedClip {
        name: name.into(),
        clip,
        speed,
        repeat,
        stride: None,
    };
    let clips = ModelClips::new([
        clip("walk", "run".into(), 1.5, Repeat::Loop),
        clip("fall", (4..6).into(), 1.0, Repeat::Once),
        clip("half", ClipRef::part(0, 0..2), 1.0, Repeat::Loop),
    ]);
    assert_eq!(get(&mut app, root), Some(clips));
    let masks = ModelMasks::new([("upper", BoneMask::subtrees(["Turret"]))]);
    assert_eq!(get(&mut app, root), Some(masks));
    let mut skins = ModelSkins::default();
    skins.insert("red", ModelSkin::Path("units/red.tga".into()));
    assert_eq!(get(&mut app, root), Some(skins));
    assert_eq!(get(&mut app, root), Some(ModelSkin::Name("red".into())));
    assert_eq!(get(&mut app, root), Some(LodDistances(vec![10.0, 20.0])));
    let team = TeamColor(Color::srgb_u8(255, 128, 0));
    assert_eq!(get(&mut app, root), Some(team));
    let (shirt, pants) = (4, 13);
    assert_eq!(get(&mut app, root), Some(PlayerColors { shirt, pants }));
    let mut hidden = PartVisibility::hidden(["shield"]);
    hidden.show("engine");
    assert_eq!(get(&mut app, root), Some(hidden));
    assert_eq!(get(&mut app, root), Some(DamageStage(2)));
    assert_eq!(scene(&mut app, root).scale, Vec3::splat(2.0));
}

#[test]
fn manifest_without_fields_applies_no_components() {
    let files = [
        ("plain.model.ron", text(r#"(model: "a.mdl")"#)),
        ("a.mdl", mdl()),
    ];
    let mut app = TestApp::new(&files);
    let root = spawn_ready(&mut app, "plain.model.ron", ());
    let root = app.world().entity(root);
    assert!(!root.contains::<PlayClip>() && !root.contains::<ModelClips>());
    assert!(!root.contains::<ModelSkin>() && !root.contains::<ModelSkins>());
    assert!(!root.contains::<PartVisibility>() && !root.contains::<DamageStage>());
    assert!(!root.contains::<TeamColor>() && !root.contains::<LodDistances>());
}

#[test]
fn user_components_override_the_manifest() {
    let mut app = soldier();
    let own = (
        PlayClip::once("die"),
        DamageStage(7),
        Transform::from_xyz(1.0, 2.0, 3.0),
    );
    let root = spawn_ready(&mut app, "units/soldier.model.ron", own);
    assert_eq!(get(&mut app, root), Some(PlayClip::once("die")));
    assert_eq!(get(&mut app, root), Some(DamageStage(7)));
    let translation = get::<Transform>(&mut app, root).unwrap().translation;
    assert_eq!(translation, Vec3::new(1.0, 2.0, 3.0));
    // Applied components can be changed and removed.
    app.world().entity_mut(root).insert(TeamColor(Color::BLACK));
    app.world().entity_mut(root).remove::<PartVisibility>();
    let edited = SOLDIER
        .replace("\"walk\",\n", "\"fall\",\n")
        .replace("damage_stage: 2", "damage_stage: 3")
        .replace("#ff8000", "#00ff00")
        .replace("Shield", "Hull")
        .replace("[10, 20]", "[30]")
        .replace("scale: 2", "scale: 3");
    edit(&mut app, "units/soldier.model.ron", &edited);
    wait(&mut app, "the edit", |world| {
        world.get::<LodDistances>(root).unwrap().0 == [30.0]
    });
    assert_eq!(get(&mut app, root), Some(PlayClip::once("die")));
    assert_eq!(get(&mut app, root), Some(DamageStage(7)));
    assert_eq!(get(&mut app, root), Some(TeamColor(Color::BLACK)));
    assert_eq!(get::<PartVisibility>(&mut app, root), None);
    assert_eq!(scene(&mut app, root).scale, Vec3::splat(3.0));
}

#[test]
fn applied_components_follow_manifest_edits() {
    let mut app = soldier();
    let root = spawn_ready(&mut app, "units/soldier.model.ron", ());
    app.step(0.1);
    let before = children(&mut app, root);
    let time = get::<Playback>(&mut app, root).unwrap().time;
    edit(
        &mut app,
        "units/soldier.model.ron",
        r#"(model: "figure.mdl", clips: [(name: "walk", clip: "run")], play: "walk", damage_stage: 3)"#,
    );
    wait(&mut app, "the edit", |world| {
        world.get::<DamageStage>(root) == Some(&DamageStage(3))
    });
    assert_eq!(get(&mut app, root), Some(PlayClip::from_manifest("walk")));
    let clips = get::<ModelClips>(&mut app, root).unwrap().0;
    assert_eq!(clips.len(), 1);
    assert_eq!(get::<ModelSkin>(&mut app, root), None);
    assert_eq!(get::<LodDistances>(&mut app, root), None);
    assert_eq!(scene(&mut app, root).scale, Vec3::ONE);
    // The scene was not respawned, and its clip continues.
    assert_eq!(children(&mut app, root), before);
    assert_eq!(get::<Playback>(&mut app, root).unwrap().time, time);
}

#[test]
fn each_manifest_applies_its_own_scale_and_axes() {
    let manifest = |rest: &str| text(&format!("(model: \"a.mdl\", {rest})"));
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("small.model.ron", manifest("scale: 0.5")),
        ("large.model.ron", manifest("scale: 4")),
        ("turned.model.ron", manifest("axes: (up: Y, forward: X)")),
        ("quake.model.ron", manifest("axes: (up: Z, forward: X)")),
    ]);
    let [plain, small, large, turned, quake] = [
        "a.mdl",
        "small.model.ron",
        "large.model.ron",
        "turned.model.ron",
        "quake.model.ron",
    ]
    .map(|path| spawn_ready(&mut app, path, ()));
    let own = scene(&mut app, plain);
    assert_eq!(own.scale, Vec3::ONE);
    assert_eq!(scene(&mut app, small), own.with_scale(Vec3::splat(0.5)));
    assert_eq!(scene(&mut app, large), own.with_scale(Vec3::splat(4.0)));
    assert!(
        scene(&mut app, quake)
            .rotation
            .abs_diff_eq(own.rotation, 1e-6)
    );
    let rotation = scene(&mut app, turned).rotation;
    assert!((rotation * Vec3::X).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((rotation * Vec3::Y).abs_diff_eq(Vec3::Y, 1e-6));
    // After a reload of the model, the transform is the same.
    app.world().resource::<AssetServer>().reload("a.mdl");
    let child = children(&mut app, large)[0];
    wait(&mut app, "the scene is respawned", |world| {
        world
            .get::<Children>(large)
            .is_some_and(|children| children[0] != child)
    });
    app.step(0.0);
    assert_eq!(scene(&mut app, large), own.with_scale(Vec3::splat(4.0)));
    assert_eq!(scene(&mut app, plain), own);
}

#[test]
fn manifest_axes_refer_to_the_unmirrored_file() {
    let manifest = |axes: &str| text(&format!("(model: \"hero.abc\", axes: {axes})"));
    let mut app = TestApp::new(&[
        ("hero.abc", abc::bytes(&abc::figure())),
        ("as_is.model.ron", manifest("(up: Y, forward: Z)")),
        ("back.model.ron", manifest("(up: Y, forward: NegZ)")),
    ]);
    let as_is = spawn_ready(&mut app, "as_is.model.ron", ());
    let back = spawn_ready(&mut app, "back.model.ron", ());
    assert!(
        scene(&mut app, as_is)
            .rotation
            .abs_diff_eq(Quat::IDENTITY, 1e-6)
    );
    let turned = scene(&mut app, back).rotation * Vec3::NEG_Z;
    assert!(turned.abs_diff_eq(Vec3::Z, 1e-6));
}

#[test]
fn models_without_manifest_are_spawned_by_load_and_open() {
    log::listen();
    let mut app = TestApp::new(&[("bare_one.mdl", mdl()), ("bare_two.ALO", alo::clean())]);
    let server = app.world().resource::<AssetServer>().clone();
    let loaded = spawn_ready(&mut app, "bare_one.mdl", PlayClip::looping("run"));
    let opened = ClassicModel::open(&server, "bare_two.ALO");
    let opened = app.world().spawn(opened).id();
    wait_for(&mut app, opened);
    assert_eq!(scene_path(&mut app, loaded), "bare_one.mdl#Scene");
    assert_eq!(scene_path(&mut app, opened), "bare_two.ALO#Scene");
    let logged = log::errors_of(&["bevy_asset", "bevy_classic_models"]);
    assert!(
        logged.iter().all(|error| !error.contains("bare_")),
        "{logged:?}"
    );
}

#[test]
fn models_with_meta_files_are_spawned_without_manifest() {
    log::listen();
    let meta = r#"(meta_format_version: "1.0", asset: Load(
        loader: "bevy_classic_models::quake::loader::MdlLoader",
        settings: (scale: 3.0),
    ))"#;
    let files = ["meta_loaded.mdl", "meta_opened.mdl"];
    let mut app = TestApp::new(&files.map(|path| (path, mdl())));
    for path in files {
        app.files.insert_meta_text(Path::new(path), meta);
    }
    let loaded = spawn_ready(&mut app, "meta_loaded.mdl", ());
    let server = app.world().resource::<AssetServer>().clone();
    let opened = ClassicModel::open(&server, "meta_opened.mdl");
    let opened = app.world().spawn(opened).id();
    wait_for(&mut app, opened);
    assert_eq!(scene(&mut app, loaded).scale, Vec3::splat(3.0));
    assert_eq!(scene(&mut app, opened).scale, Vec3::splat(3.0));
    let logged = log::errors_of(&["bevy_asset", "bevy_classic_models"]);
    let of = |name: &str| logged.iter().filter(|error| error.contains(name)).count();
    assert_eq!(of("meta_opened"), 0, "{logged:?}");
}

#[test]
fn scene_label_of_a_manifest_inserts_classic_model() {
    let mut app = soldier();
    let scene_of = "units/soldier.model.ron#Scene";
    let root = app.spawn(scene_of, DamageStage(7));
    wait_for(&mut app, root);
    assert_eq!(scene_path(&mut app, root), "units/figure.mdl#Scene");
    assert_eq!(get(&mut app, root), Some(PlayClip::from_manifest("walk")));
    assert_eq!(get(&mut app, root), Some(DamageStage(7)));
    assert_eq!(scene(&mut app, root).scale, Vec3::splat(2.0));
    let manifest = get::<ClassicModel>(&mut app, root).unwrap().0;
    let path = manifest.path().unwrap().to_string();
    assert_eq!(path, "units/soldier.model.ron");
    edit(
        &mut app,
        "units/soldier.model.ron",
        r#"(model: "figure.mdl", scale: 3)"#,
    );
    wait(&mut app, "the edit", |world| {
        world.get::<PlayClip>(root).is_none()
    });
    assert_eq!(scene(&mut app, root).scale, Vec3::splat(3.0));
}

#[test]
fn removing_classic_model_removes_applied_components() {
    let mut app = soldier();
    let root = spawn_ready(&mut app, "units/soldier.model.ron", DamageStage(7));
    app.world().entity_mut(root).insert(TeamColor(Color::BLACK));
    let before = app.world().get::<Children>(root).unwrap()[0];
    app.world().entity_mut(root).remove::<ClassicModel>();
    app.step(0.0);
    assert!(app.world().get_entity(before).is_err());
    let entity = app.world().entity(root);
    assert!(!entity.contains::<WorldAssetRoot>() && !entity.contains::<PlayClip>());
    assert!(!entity.contains::<ModelClips>() && !entity.contains::<MdlAnimator>());
    assert_eq!(get(&mut app, root), Some(DamageStage(7)));
    assert_eq!(get(&mut app, root), Some(TeamColor(Color::BLACK)));
    // Inserting it again applies the components again.
    let again = ClassicModel(app.load("units/soldier.model.ron"));
    app.world().entity_mut(root).insert(again);
    wait_for(&mut app, root);
    assert_eq!(get(&mut app, root), Some(PlayClip::from_manifest("walk")));
}

#[test]
fn removed_scene_is_inserted_again() {
    let mut app = soldier();
    let manifest = "units/soldier.model.ron";
    let as_scene = app.spawn("units/soldier.model.ron#Scene", ());
    wait_for(&mut app, as_scene);
    for root in [spawn_ready(&mut app, manifest, ()), as_scene] {
        let before = children(&mut app, root)[0];
        app.world().entity_mut(root).remove::<WorldAssetRoot>();
        assert!(app.world().get_entity(before).is_err());
        app.step(0.0);
        assert!(is_spawned(app.world(), root), "in the same frame");
        assert_eq!(scene(&mut app, root).scale, Vec3::splat(2.0));
        assert_eq!(get(&mut app, root), Some(PlayClip::from_manifest("walk")));
    }
    // It is respawned when its file changes.
    let before = children(&mut app, as_scene)[0];
    app.world()
        .resource::<AssetServer>()
        .reload("units/figure.mdl");
    wait(&mut app, "the model is respawned", |world| {
        world.get_entity(before).is_err() && is_spawned(world, as_scene)
    });
    assert_eq!(scene(&mut app, as_scene).scale, Vec3::splat(2.0));
}

#[test]
fn scene_removed_with_classic_model_is_not_inserted_again() {
    let mut app = soldier();
    let root = spawn_ready(&mut app, "units/soldier.model.ron", ());
    let mut entity = app.world().entity_mut(root);
    entity.remove::<(WorldAssetRoot, ClassicModel)>();
    for _ in 0..5 {
        app.step(0.0);
    }
    let entity = app.world().entity(root);
    assert!(!entity.contains::<WorldAssetRoot>() && !entity.contains::<Children>());
}

#[test]
fn user_scene_overrides_the_manifest() {
    let mut app = soldier();
    let root = spawn_ready(&mut app, "units/soldier.model.ron", ());
    app.world().entity_mut(root).remove::<WorldAssetRoot>();
    let own = WorldAssetRoot(
        app.world()
            .resource_mut::<Assets<WorldAsset>>()
            .add(WorldAsset::new(World::new())),
    );
    app.world().entity_mut(root).insert(own.clone());
    for _ in 0..5 {
        app.step(0.0);
    }
    assert_eq!(get(&mut app, root), Some(own.clone()));
    // Removing the user's scene does not insert the manifest's.
    app.world().entity_mut(root).remove::<WorldAssetRoot>();
    app.step(0.0);
    assert_eq!(get::<WorldAssetRoot>(&mut app, root), None);
}

#[test]
fn new_manifest_replaces_applied_components() {
    let mut app = soldier();
    let root = spawn_ready(&mut app, "units/soldier.model.ron", ());
    app.files.insert_asset(Path::new("other.mdl"), mdl());
    app.files.insert_asset(
        Path::new("other.model.ron"),
        text(r#"(model: "other.mdl", play: "die")"#),
    );
    let other = ClassicModel(app.load("other.model.ron"));
    app.world().entity_mut(root).insert(other);
    wait(&mut app, "the other", |world| {
        let path = world.get::<WorldAssetRoot>(root).unwrap().0.path().unwrap();
        assert!(is_spawned(world, root), "no frame is empty");
        path.to_string() == "other.mdl#Scene"
    });
    assert_eq!(get(&mut app, root), Some(PlayClip::from_manifest("die")));
    assert_eq!(get::<ModelClips>(&mut app, root), None);
    app.step(0.0);
    assert_eq!(scene(&mut app, root).scale, Vec3::ONE);
}

#[test]
fn manifest_can_be_created_in_code() {
    let mut app = TestApp::new(&[("a/figure.mdl", mdl())]);
    let manifest = ModelManifest {
        model: "a/figure.mdl".into(),
        damage_stage: Some(4),
        ..default()
    };
    let manifest = app
        .world()
        .resource_mut::<Assets<ModelManifest>>()
        .add(manifest);
    let root = app.world().spawn(ClassicModel(manifest.clone())).id();
    wait_for(&mut app, root);
    assert_eq!(get(&mut app, root), Some(DamageStage(4)));
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    manifests.get_mut(&manifest).unwrap().damage_stage = Some(5);
    wait(&mut app, "the change", |world| {
        world.get::<DamageStage>(root) == Some(&DamageStage(5))
    });
}

#[test]
fn clips_are_found_by_file_names_and_patterns() {
    let manifest = r#"(model: "tank.alo", clips: [
        (name: "idle", file: "Tank_Stand_00.ALA", speed: 2, frames: (0, 1)),
        (file: "anims/*/tank_m?ve_*.ala", repeat: Once),
        (file: "anims/other.ala"),
    ])"#;
    let mut app = TestApp::new(&[
        ("u/tank.model.ron", text(manifest)),
        ("u/TANK.ALO", alo::clean()),
        ("u/tank_stand_00.ala", ala::small(1)),
        ("u/Anims/b/TANK_MOVE_01.ala", ala::small(1)),
        ("u/Anims/b/TANK_STOP_00.ala", ala::small(1)),
        ("u/Anims/a/tank_move_00.ALA", ala::small(1)),
        ("u/Anims/other.ala", ala::small(1)),
    ]);
    let root = spawn_ready(&mut app, "u/tank.model.ron", ());
    let clips = get::<ModelClips>(&mut app, root).unwrap().0;
    let describe = |clip: &NamedClip| format!("{} {} {:?}", clip.name, clip.clip, clip.repeat);
    let clips: Vec<String> = clips.iter().map(describe).collect();
    assert_eq!(
        clips,
        [
            "idle u/tank_stand_00.ala#Clip, frames 0 to 2 Loop",
            "move_00 u/Anims/a/tank_move_00.ALA#Clip Once",
            "MOVE_01 u/Anims/b/TANK_MOVE_01.ala#Clip Once",
            "other u/Anims/other.ala#Clip Loop",
        ]
    );
}

#[test]
fn models_and_manifests_are_no_clips() {
    log::listen();
    let itself = r#"(model: "tank.alo", clips: [
        (file: "unclip.model.ron"),
        (file: "tank.alo"),
        (file: "other.model.ron"),
        (file: "*"),
    ])"#;
    let mut app = TestApp::new(&[
        ("u/unclip.model.ron", text(itself)),
        ("u/other.model.ron", text("(model: \"tank.alo\")")),
        ("u/tank.alo", alo::clean()),
        ("u/tank_a.ala", ala::small(1)),
    ]);
    let root = spawn_ready(&mut app, "u/unclip.model.ron", ());
    let clips = get::<ModelClips>(&mut app, root).unwrap().0;
    let names: Vec<&str> = clips.iter().map(|clip| &*clip.name).collect();
    assert_eq!(names, ["a"]);
    for (position, file) in [
        ("2:16", "unclip.model.ron"),
        ("3:16", "tank.alo"),
        ("4:16", "other.model.ron"),
    ] {
        let expected = format!("u/unclip.model.ron:{position}: ");
        let warnings = log::warnings_with(&expected);
        let is_right = |text: &str| text.contains(&format!("u/{file} is not a file of clips"));
        assert!(
            warnings.len() == 1 && is_right(&warnings[0]),
            "{warnings:?}"
        );
    }
}

#[test]
fn missing_files_are_reported_with_their_positions() {
    log::listen();
    let bad = r#"(
    model: "missing.mdl",
)"#;
    let lacking = "(
    model: \"here.mdl\",
    clips: [(file: \"gone.ala\"),
            (file: \"none/*.ala\")],
    skins: {\"red\": \"gone.tga\"},
    skin: \"blue\",
    palette: \"gone.lmp\",
    attachments: [(model: \"gone.mdl\")],
)";
    let mut app = TestApp::new(&[
        ("far/no_model.model.ron", text(bad)),
        ("far/lacking.model.ron", text(lacking)),
        ("far/here.mdl", mdl()),
    ]);
    let handle = app.load::<ModelManifest>("far/no_model.model.ron");
    let LoadState::Failed(error) = app.finish_load(&handle) else {
        panic!("the model should be missing");
    };
    let error = error.to_string();
    let expected = "far/no_model.model.ron:2:12: model \"missing.mdl\" was not found; tried \
                    far/missing.mdl, Textures/missing.mdl, missing.mdl";
    assert!(error.contains(expected), "{error}");
    let root = spawn_ready(&mut app, "far/lacking.model.ron", ());
    let warnings = log::warnings_with("far/lacking.model.ron");
    for (position, file) in [
        ("3:20: clips[0].file", "gone.ala"),
        ("4:20: clips[1].file \"none/*.ala\" matches no file", ""),
        ("5:20: skins[\"red\"]", "gone.tga"),
        (
            "6:11: skin is \"blue\", but `skins` has no entry of this name",
            "",
        ),
        ("7:14: palette", "gone.lmp"),
        ("8:27: attachments[0].model", "gone.mdl"),
    ] {
        let position = format!("far/lacking.model.ron:{position}");
        let is_match = |text: &&String| text.contains(&position) && text.contains(file);
        assert_eq!(
            warnings.iter().filter(is_match).count(),
            1,
            "{position} {warnings:#?}"
        );
    }
    assert!(is_spawned(app.world(), root));
}

#[test]
fn invalid_edit_keeps_the_model() {
    log::listen();
    let files = [
        (
            "broken_edit.model.ron",
            text(r#"(model: "a.mdl", damage_stage: 1)"#),
        ),
        ("a.mdl", mdl()),
    ];
    let mut app = TestApp::new(&files);
    let root = spawn_ready(&mut app, "broken_edit.model.ron", ());
    edit(
        &mut app,
        "broken_edit.model.ron",
        "(model: \"a.mdl\",\n damage_stage: 2, new: 3)",
    );
    let errors = || {
        let mut errors = log::errors_of(&["bevy_asset"]);
        errors.retain(|error| error.contains("broken_edit.model.ron:2:19:"));
        errors.len()
    };
    wait(&mut app, "an error", |_| errors() > 0);
    app.wait_until_idle();
    // Bevy tries twice to load a file whose main asset is kept, and logs the error each time.
    assert!(errors() <= 2);
    assert_eq!(get(&mut app, root), Some(DamageStage(1)));
    edit(
        &mut app,
        "broken_edit.model.ron",
        r#"(model: "a.mdl", damage_stage: 3)"#,
    );
    wait(&mut app, "the edit", |world| {
        world.get::<DamageStage>(root) == Some(&DamageStage(3))
    });
}

/// The red of the first texel of a model's first skin.
fn color(world: &mut World, root: Entity) -> Option<u8> {
    let model = world.get::<MdlAnimator>(root)?.model().clone();
    let images = world.resource::<Assets<Image>>();
    let image = images.get(&model.skins[0].images[0].image)?;
    Some(image.data.as_ref()?[0])
}

#[test]
fn first_manifest_sets_the_palette_of_a_shared_model() {
    log::listen();
    let manifest = |palette: &str| text(&format!("(model: \"a.mdl\", palette: {palette:?})"));
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("palette_first.model.ron", manifest("p/grey.lmp")),
        ("palette_second.model.ron", manifest("p/white.lmp")),
        ("p/grey.lmp", vec![100; 768]),
        ("p/white.lmp", vec![255; 768]),
    ]);
    let first = spawn_ready(&mut app, "palette_first.model.ron", ());
    assert_eq!(color(app.world(), first), Some(100));
    let second = spawn_ready(&mut app, "palette_second.model.ron", ());
    assert_eq!(color(app.world(), second), Some(100));
    let warnings = log::warnings_with("palette_second.model.ron");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("palette_first.model.ron"),
        "{warnings:?}"
    );
    // An edit of the first manifest reloads the model with the settings of the second.
    edit(&mut app, "palette_first.model.ron", r#"(model: "a.mdl")"#);
    wait(&mut app, "the second palette", |world| {
        color(world, second) == Some(255)
    });
    // Dropping manifests is no edit, so the model keeps its palette while it is in use.
    let plain = spawn_ready(&mut app, "a.mdl", ());
    for root in [second, first] {
        app.world().entity_mut(root).despawn();
        app.run_until_idle(0.0, |world| assert_eq!(color(world, plain), Some(255)));
    }
    // Loaded again, it has no override.
    app.world().entity_mut(plain).despawn();
    app.wait_until_idle();
    let plain = spawn_ready(&mut app, "a.mdl", ());
    let color = color(app.world(), plain).unwrap();
    assert!(color != 255 && color != 100, "{color}");
}

#[test]
fn hole_index_applies_to_models_with_the_flag() {
    let mut bytes = tetrahedron().to_bytes();
    // Bit 14 of the flags. The first texel has color 14.
    bytes[77] |= 1 << 6;
    let mut app = TestApp::new(&[
        ("a.mdl", bytes),
        (
            "hexen.model.ron",
            text("(model: \"a.mdl\", hole_index: 14)"),
        ),
    ]);
    let root = spawn_ready(&mut app, "hexen.model.ron", ());
    let model = app.animator(root).model().clone();
    let images = app.world().resource::<Assets<Image>>();
    let image = images.get(&model.skins[0].images[0].image).unwrap();
    let alphas = image.data.as_ref().unwrap().chunks(4).map(|texel| texel[3]);
    assert_eq!(
        alphas.collect::<Vec<_>>(),
        [0, 255, 255, 255, 255, 255, 255, 255]
    );
}

#[test]
fn an_edit_replaces_the_palette_of_a_dropped_manifest() {
    let manifest = |palette: &str| format!("(model: \"a.mdl\", palette: {palette:?})");
    let (dropped, living) = ("dropped_palette.model.ron", "living_palette.model.ron");
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        (dropped, text(&manifest("p/grey.lmp"))),
        (living, text(&manifest("p/white.lmp"))),
        ("p/grey.lmp", vec![100; 768]),
        ("p/white.lmp", vec![255; 768]),
        ("p/black.lmp", vec![50; 768]),
    ]);
    let first = spawn_ready(&mut app, dropped, ());
    let second = spawn_ready(&mut app, living, ());
    app.world().entity_mut(first).despawn();
    app.run_until_idle(0.0, |world| {
        assert_eq!(color(world, second), Some(100));
    });
    edit(&mut app, living, &manifest("p/black.lmp"));
    wait(&mut app, "the edited palette", |world| {
        color(world, second) == Some(50)
    });
}

#[test]
fn alo_lights_are_skipped_without_load_lights() {
    let mut app = TestApp::new(&[
        ("model.alo", alo::clean()),
        (
            "dark.model.ron",
            text("(model: \"model.alo\", load_lights: false)"),
        ),
    ]);
    let lights = |app: &mut TestApp| {
        let mut lights = app.world().query::<&AloLight>();
        lights.iter(app.app.world()).count()
    };
    let dark = spawn_ready(&mut app, "dark.model.ron", ());
    assert_eq!(lights(&mut app), 0);
    // An edit of the manifest reloads the model.
    edit(&mut app, "dark.model.ron", "(model: \"model.alo\")");
    wait(&mut app, "the lights", |world| {
        let mut lights = world.query::<&AloLight>();
        lights.iter(world).count() == 3
    });
    app.world().entity_mut(dark).despawn();
}

#[test]
fn hidden_bones_hide_their_children_with_the_field() {
    let mut below = 0;
    let model = edited(&alo::clean(), |file| {
        below = file.bones.len();
        let hidden = file.bones.iter().position(|bone| !bone.visible);
        let parent = hidden.map(|bone| bone as u32);
        file.bones.push(Bone::new("Below", parent, [0.0; 3]));
    });
    let field = "(model: \"model.alo\", hidden_bones_hide_children: true)";
    let mut app = TestApp::new(&[("model.alo", model), ("hides.model.ron", text(field))]);
    let root = spawn_ready(&mut app, "hides.model.ron", ());
    app.step(0.0);
    let is_visible = move |world: &World| {
        let bone = world.get::<AloInstance>(root)?.bones()[below];
        Some(world.get::<InheritedVisibility>(bone)?.get())
    };
    assert_eq!(is_visible(app.world()), Some(false));
    // An edit of the manifest reloads the model.
    edit(&mut app, "hides.model.ron", "(model: \"model.alo\")");
    wait(&mut app, "the edit", |world| {
        is_visible(world) == Some(true)
    });
}

#[test]
fn texture_folders_are_searched_first() {
    let manifest = r#"(model: "hero.abc", texture_folders: ["more"])"#;
    let mut app = TestApp::new(&[
        ("u/hero.abc", abc::bytes(&abc::figure())),
        ("u/hero.model.ron", text(manifest)),
        ("u/more/hero.dtx", Vec::new()),
    ]);
    let skins = |world: &mut World, root: Entity| {
        world.get::<AbcInstance>(root).unwrap().model().skins.len()
    };
    let root = spawn_ready(&mut app, "u/hero.model.ron", ());
    assert_eq!(skins(app.world(), root), 1);
    edit(&mut app, "u/hero.model.ron", r#"(model: "hero.abc")"#);
    wait(&mut app, "the edit", |world| skins(world, root) == 0);
}

/// The attachments of a root, sorted by bone.
pub fn attachments(app: &mut TestApp, root: Entity) -> Vec<(String, Entity)> {
    let world = app.world();
    let mut all = world.query::<(Entity, &AttachedToBone)>();
    let all = all.iter(world).filter(|(_, attached)| attached.to == root);
    let mut all: Vec<_> = all
        .map(|(entity, attached)| (attached.bone.clone(), entity))
        .collect();
    all.sort();
    all
}

#[test]
fn attachments_follow_manifest_edits() {
    let manifest =
        |attachments: &str| format!("(model: \"body.abc\", attachments: [{attachments}])");
    let gun = r#"(bone: "Arm", model: "gun.model.ron", translation: (1, 2, 3), play: "die")"#;
    let hat = r#"(bone: "Body", model: "hat.mdl", rotation: (0, 90, 0), scale: 2)"#;
    let mut app = TestApp::new(&[
        ("body.abc", abc::bytes(&abc::figure())),
        ("armed.model.ron", text(&manifest(&format!("{gun}, {hat}")))),
        (
            "gun.model.ron",
            text(r#"(model: "gun.mdl", play: "run", damage_stage: 1)"#),
        ),
        ("gun.mdl", mdl()),
        ("hat.mdl", mdl()),
    ]);
    let root = spawn_ready(&mut app, "armed.model.ron", ());
    let [(_, arm), (_, head)] = attachments(&mut app, root)[..] else {
        panic!("a gun and a hat");
    };
    wait_for(&mut app, arm);
    wait_for(&mut app, head);
    assert_eq!(scene_path(&mut app, arm), "gun.mdl#Scene");
    assert_eq!(get(&mut app, arm), Some(PlayClip::from_manifest("die")));
    assert_eq!(get(&mut app, arm), Some(DamageStage(1)));
    assert_eq!(get(&mut app, arm), Some(Transform::from_xyz(1.0, 2.0, 3.0)));
    let turned = get::<Transform>(&mut app, head).unwrap();
    assert!((turned.rotation * Vec3::Z).abs_diff_eq(Vec3::X, 1e-6));
    assert_eq!(turned.scale, Vec3::splat(2.0));

    // An attachment that is still in the manifest keeps its entity.
    let moved = gun
        .replace("(1, 2, 3)", "(4, 5, 6)")
        .replace("\"die\"", "\"run\"");
    edit(&mut app, "armed.model.ron", &manifest(&moved));
    wait(&mut app, "the edit", |world| {
        world.get_entity(head).is_err()
    });
    assert_eq!(attachments(&mut app, root), [("Arm".to_owned(), arm)]);
    assert_eq!(get(&mut app, arm), Some(PlayClip::from_manifest("run")));
    assert_eq!(get(&mut app, arm), Some(Transform::from_xyz(4.0, 5.0, 6.0)));
    edit(
        &mut app,
        "armed.model.ron",
        &manifest(&format!("{moved}, {hat}")),
    );
    wait(&mut app, "the hat is back", |world| {
        world.query::<&AttachedToBone>().iter(world).count() == 2
    });

    app.world().entity_mut(root).despawn();
    app.step(0.0);
    assert!(attachments(&mut app, root).is_empty());
    assert!(app.world().get_entity(arm).is_err());
}

#[test]
fn removing_classic_model_despawns_attachments() {
    let manifest = r#"(model: "a.mdl", attachments: [(model: "a.mdl")])"#;
    let mut app = TestApp::new(&[("a.mdl", mdl()), ("with_hat.model.ron", text(manifest))]);
    let root = spawn_ready(&mut app, "with_hat.model.ron", ());
    assert_eq!(attachments(&mut app, root).len(), 1);
    app.world().entity_mut(root).remove::<ClassicModel>();
    app.step(0.0);
    assert!(attachments(&mut app, root).is_empty());
}

#[test]
fn attachment_cycles_and_deep_nesting_are_rejected() {
    log::listen();
    let with_attachment = |model: &str| {
        text(&format!(
            "(model: \"a.mdl\", attachments: [(model: {model:?})])"
        ))
    };
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("cycle_a.model.ron", with_attachment("cycle_b.model.ron")),
        ("cycle_b.model.ron", with_attachment("cycle_a.model.ron")),
        ("deep_0.model.ron", with_attachment("deep_1.model.ron")),
        ("deep_1.model.ron", with_attachment("deep_2.model.ron")),
        ("deep_2.model.ron", with_attachment("deep_3.model.ron")),
        ("deep_3.model.ron", with_attachment("deep_4.model.ron")),
        ("deep_4.model.ron", with_attachment("deep_5.model.ron")),
        ("deep_5.model.ron", with_attachment("a.mdl")),
    ]);
    for path in ["cycle_a.model.ron", "deep_0.model.ron", "cycle_a.model.ron"] {
        spawn(&mut app, path, ());
    }
    wait(&mut app, "all", |world| {
        world.query::<&AttachedToBone>().iter(world).count() == 1 + 4 + 1
            && world.query::<&MdlAnimator>().iter(world).count() == 2 + 5 + 2
    });
    app.wait_until_idle();
    let world = app.world();
    assert_eq!(world.query::<&AttachedToBone>().iter(world).count(), 6);
    let cycles = log::warnings_with("cycle_a.model.ron is attached to itself");
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    let deep = log::warnings_with("deep_5.model.ron is attached 5 models deep");
    assert_eq!(deep.len(), 1, "{deep:?}");
}

#[test]
fn manifest_with_unsupported_model_extension_fails_to_load() {
    let manifest = text("(\n    model: \"unclaimed.xyz\",\n)");
    let files = [("unclaimed.model.ron", manifest), ("unclaimed.xyz", mdl())];
    let mut app = TestApp::new(&files);
    let manifest = app.load::<ModelManifest>("unclaimed.model.ron");
    let LoadState::Failed(error) = app.finish_load(&manifest) else {
        panic!("no format should have the extension");
    };
    let expected = "unclaimed.model.ron:2:12: model unclaimed.xyz has no extension of a model format; expected one of .alo";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn unsupported_model_extension_is_reported_once() {
    log::listen();
    let mut app = TestApp::new(&[]);
    let server = app.world().resource::<AssetServer>().clone();
    for _ in 0..10 {
        let model = ClassicModel::open(&server, "opened_often.xyz");
        app.world().spawn(model);
        app.step(0.0);
    }
    app.wait_until_idle();
    let logged = log::warnings_with("opened_often.xyz has no extension of a model format");
    assert_eq!(logged.len(), 1, "{logged:?}");
}

#[test]
fn nested_attachments_are_limited() {
    log::listen();
    let with_attachments = |model: &str, count: usize| {
        let all = format!("(model: {model:?}),").repeat(count);
        text(&format!("(model: \"a.mdl\", attachments: [{all}])"))
    };
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("many_0.model.ron", with_attachments("many_1.model.ron", 40)),
        ("many_1.model.ron", with_attachments("a.mdl", 40)),
    ]);
    let first = spawn(&mut app, "many_0.model.ron", ());
    let second = spawn(&mut app, "many_0.model.ron", ());
    let attached = |world: &mut World| world.query::<&AttachedToBone>().iter(world).count();
    wait(&mut app, "all", |world| attached(world) >= 2 * 1024);
    app.wait_until_idle();
    assert_eq!(attached(app.world()), 2 * 1024);
    let logged = log::warnings_with("many_0.model.ron: more than 1024 models");
    assert_eq!(logged.len(), 1, "{logged:?}");
    app.world().entity_mut(first).despawn();
    app.world().entity_mut(second).despawn();
    assert_eq!(attached(app.world()), 0);
}

#[test]
fn waiting_for_a_failed_model_is_cheap() {
    let clips: String = (0..1000)
        .map(|number| format!("(name: \"{number}\", clip: 0),"))
        .collect();
    let manifest = format!("(model: \"broken_for_all.mdl\", clips: [{clips}])");
    let mut app = TestApp::new(&[
        ("waits.model.ron", text(&manifest)),
        ("broken_for_all.mdl", mdl()[..2000].to_vec()),
    ]);
    let roots: Vec<_> = (0..200)
        .map(|_| spawn(&mut app, "waits.model.ron", ()))
        .collect();
    let errors = || {
        let errors = log::errors_of(&["bevy_asset"]);
        errors
            .iter()
            .any(|error| error.contains("broken_for_all.mdl"))
    };
    wait(&mut app, "an error", |_| errors());
    app.wait_until_idle();
    // Cloning the manifests takes about 5 s.
    cpu_time::assert_cpu_time_below(Duration::from_secs(1), "waiting", || {
        for _ in 0..100 {
            app.step(0.0);
        }
    });
    // The model is spawned once its file is fixed.
    app.files
        .insert_asset(Path::new("broken_for_all.mdl"), mdl());
    let server = app.world().resource::<AssetServer>();
    server.reload("broken_for_all.mdl");
    wait_for(&mut app, roots[199]);
}

/// The rotation of the scene of a model with `axes` in its manifest and loader settings in its `.meta` file.
fn scene_rotation(
    model: (&'static str, Vec<u8>),
    loader: &str,
    settings: &str,
    axes: &str,
) -> Quat {
    let meta = format!(
        "(meta_format_version: \"1.0\", asset: Load(loader: \"bevy_classic_models::{loader}\", \
         settings: ({settings})))"
    );
    let manifest = format!("(model: {:?}, axes: {axes})", model.0);
    let path = model.0;
    let mut app = TestApp::new(&[model, ("axes.model.ron", text(&manifest))]);
    app.files.insert_meta_text(Path::new(path), &meta);
    let root = spawn(&mut app, "axes.model.ron", ());
    wait(&mut app, "the scene", |world| {
        is_spawned(world, root) || world.entity(root).contains::<LgwInstance>()
    });
    app.step(0.0);
    scene(&mut app, root).rotation
}

#[test]
fn manifest_axes_are_independent_of_mirroring_settings() {
    let abc = |settings: &str| {
        let model = ("hero.abc", abc::bytes(&abc::figure()));
        let loader = "lithtech::loader::AbcLoader";
        scene_rotation(model, loader, settings, "(up: Y, forward: Z)")
    };
    let is = |a: Quat, b: Quat| assert!(a.abs_diff_eq(b, 1e-6), "{a} {b}");
    is(abc("convert_axes: true"), Quat::IDENTITY);
    // The file's +Z is unchanged, and becomes −Z, the forward direction in Bevy.
    let turned = abc("convert_axes: false");
    assert!((turned * Vec3::Z).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((turned * Vec3::Y).abs_diff_eq(Vec3::Y, 1e-6));
    let lgw = |settings: &str, axes: &str| {
        let loader = "lgw::loader::LgwLoader";
        scene_rotation(("bike.lgw", text(BICYCLE)), loader, settings, axes)
    };
    is(
        lgw("left_handed: true", "(up: Y, forward: Z)"),
        Quat::IDENTITY,
    );
    let mirrored = lgw("left_handed: true, up_axis: Z", "(up: Z, forward: Y)");
    assert!((mirrored * Vec3::NEG_Y).abs_diff_eq(Vec3::NEG_Z, 1e-6));
    assert!((mirrored * Vec3::Z).abs_diff_eq(Vec3::Y, 1e-6));
    let plain = lgw("up_axis: Z", "(up: Z, forward: Y)");
    assert!((plain * Vec3::Y).abs_diff_eq(Vec3::NEG_Z, 1e-6));
}

#[test]
fn code_can_change_a_loaded_manifest() {
    let manifest = r#"(model: "a.mdl", clips: [(file: "near*.ala")], skins: {"red": "red.tga"})"#;
    let mut app = TestApp::new(&[
        ("u/changed.model.ron", text(manifest)),
        ("u/a.mdl", mdl()),
        ("u/red.tga", Vec::new()),
        ("u/near_1.ala", ala::small(1)),
        ("far/b.mdl", mdl()),
        ("far/blue.tga", Vec::new()),
    ]);
    let root = spawn_ready(&mut app, "u/changed.model.ron", ());
    let handle = get::<ClassicModel>(&mut app, root).unwrap().0;
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    let mut manifest = manifests.get_mut(&handle).unwrap();
    manifest.model = "far/b.mdl".into();
    manifest.skins.insert("blue".into(), "far/blue.tga".into());
    manifest.attachments.push(ManifestAttachment {
        model: "far/b.mdl".into(),
        ..default()
    });
    drop(manifest);
    wait(&mut app, "the other model", |world| {
        let root = world.get::<WorldAssetRoot>(root).unwrap();
        root.0.path().unwrap().to_string() == "far/b.mdl#Scene"
    });
    let mut skins = ModelSkins::default();
    skins.insert("blue", ModelSkin::Path("far/blue.tga".into()));
    skins.insert("red", ModelSkin::Path("u/red.tga".into()));
    assert_eq!(get(&mut app, root), Some(skins));
    assert_eq!(attachments(&mut app, root).len(), 1);
    // The files that a pattern matched are kept.
    let clips = get::<ModelClips>(&mut app, root).unwrap().0;
    assert_eq!(clips.len(), 1);
    assert_eq!(clips[0].name, "near_1");
}

#[test]
fn manifests_created_in_code_are_validated() {
    log::listen();
    let mut app = TestApp::new(&[("by_code.mdl", mdl())]);
    let manifest = ModelManifest {
        model: "by_code.mdl".into(),
        scale: f32::NAN,
        ..default()
    };
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    let nothing = manifests.add(ModelManifest::default());
    let manifest = manifests.add(manifest);
    app.world().spawn(ClassicModel(nothing));
    let root = app.world().spawn(ClassicModel(manifest.clone())).id();
    app.world().spawn(ClassicModel(manifest.clone()));
    let warnings = [
        "a manifest of by_code.mdl, created in code: scale is NaN",
        "a manifest created in code: the manifest lacks the field `model`",
    ];
    wait(&mut app, "the warnings", |_| {
        let is_logged = |warning: &&str| !log::warnings_with(warning).is_empty();
        warnings.iter().all(is_logged)
    });
    app.wait_until_idle();
    assert!(!is_spawned(app.world(), root));
    for warning in warnings {
        let logged = log::warnings_with(warning);
        assert_eq!(logged.len(), 1, "{logged:?}");
    }
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    manifests.get_mut(&manifest).unwrap().scale = 2.0;
    wait_for(&mut app, root);
    assert_eq!(scene(&mut app, root).scale, Vec3::splat(2.0));
}

#[test]
fn missing_skin_is_reported_once() {
    log::listen();
    let files = |skins: &str, skin: &str| {
        text(&format!(
            "(model: \"no_skin.mdl\", skins: {skins}, skin: {skin:?})"
        ))
    };
    let mut app = TestApp::new(&[
        ("no_skin.mdl", mdl()),
        (
            "no_skin_1.model.ron",
            files(r#"{"red": "gone.tga"}"#, "red"),
        ),
        ("no_skin_2.model.ron", files("{}", "blue")),
    ]);
    for path in ["no_skin_1.model.ron", "no_skin_2.model.ron"] {
        let root = spawn_ready(&mut app, path, ());
        app.step(0.0);
        assert_eq!(log::warnings_with(path).len(), 1);
        assert_eq!(get::<ModelSkin>(&mut app, root), None);
    }
    assert_eq!(log::warnings_with("no_skin.mdl keeps its skin"), [""; 0]);
}

#[test]
fn patterns_match_files_but_not_folders() {
    let manifest = r#"(model: "a.mdl", clips: [(file: "*.ala")])"#;
    let mut app = TestApp::new(&[
        ("folders.model.ron", text(manifest)),
        ("a.mdl", mdl()),
        ("folder.ala/inner.txt", Vec::new()),
        ("file.ala", ala::small(1)),
    ]);
    let root = spawn_ready(&mut app, "folders.model.ron", ());
    let clips = get::<ModelClips>(&mut app, root).unwrap().0;
    let names: Vec<_> = clips.iter().map(|clip| &*clip.name).collect();
    assert_eq!(names, ["file"]);
}

#[test]
fn observer_may_despawn_the_root_while_components_are_applied() {
    fn despawn_on<C: Component>(app: &mut TestApp) {
        app.world()
            .add_observer(|insert: On<Insert, C>, mut commands: Commands| {
                commands.entity(insert.entity).try_despawn();
            });
    }
    let observe: [fn(&mut TestApp); 4] = [
        despawn_on::<ModelClips>,
        despawn_on::<PlayClip>,
        despawn_on::<ModelSkin>,
        despawn_on::<WorldAssetRoot>,
    ];
    for observe in observe {
        let mut app = soldier();
        observe(&mut app);
        let root = spawn(&mut app, "units/soldier.model.ron", ());
        wait(&mut app, "the root is despawned", |world| {
            world.get_entity(root).is_err()
        });
        app.wait_until_idle();
        let attached = app
            .world()
            .query::<&AttachedToBone>()
            .iter(app.app.world())
            .count();
        assert_eq!(attached, 0);
    }
}
