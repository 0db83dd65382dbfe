//! Entities with a `ClassicModel`: spawning, updates and removal.

use crate::support::entities::model_path;
use crate::support::mdl::figure;
use crate::support::prelude::*;

pub fn mdl() -> Vec<u8> {
    figure(Precision::Bits8).to_bytes()
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
    let root = app.spawn_model_ready("units/soldier.model.ron", ());
    assert_eq!(app.model_path(root), "units/figure.mdl");
    assert_eq!(app.cloned(root), Some(PlayClip::from_manifest("walk")));
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
    assert_eq!(app.cloned(root), Some(clips));
    let masks = ModelMasks::new([("upper", BoneMask::subtrees(["Turret"]))]);
    assert_eq!(app.cloned(root), Some(masks));
    let mut skins = ModelSkins::default();
    skins.insert("red", ModelSkin::Path("units/red.tga".into()));
    assert_eq!(app.cloned(root), Some(skins));
    assert_eq!(app.cloned(root), Some(ModelSkin::Name("red".into())));
    assert_eq!(app.cloned(root), Some(LodDistances(vec![10.0, 20.0])));
    let team = TeamColor(Color::srgb_u8(255, 128, 0));
    assert_eq!(app.cloned(root), Some(team));
    let (shirt, pants) = (4, 13);
    assert_eq!(app.cloned(root), Some(PlayerColors { shirt, pants }));
    let mut hidden = PartVisibility::hidden(["shield"]);
    hidden.show("engine");
    assert_eq!(app.cloned(root), Some(hidden));
    assert_eq!(app.cloned(root), Some(DamageStage(2)));
    assert_eq!(app.scene(root).scale, Vec3::splat(2.0));
}

#[test]
fn manifest_without_fields_applies_no_components() {
    let files = [
        ("plain.model.ron", text(r#"(model: "a.mdl")"#)),
        ("a.mdl", mdl()),
    ];
    let mut app = TestApp::new(&files);
    let root = app.spawn_model_ready("plain.model.ron", ());
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
    let root = app.spawn_model_ready("units/soldier.model.ron", own);
    assert_eq!(app.cloned(root), Some(PlayClip::once("die")));
    assert_eq!(app.cloned(root), Some(DamageStage(7)));
    let translation = app.cloned::<Transform>(root).unwrap().translation;
    assert_eq!(translation, Vec3::new(1.0, 2.0, 3.0));
    // Applied components can be changed and removed.
    app.insert(root, TeamColor(Color::BLACK));
    app.remove::<PartVisibility>(root);
    let edited = SOLDIER
        .replace("\"walk\",\n", "\"fall\",\n")
        .replace("damage_stage: 2", "damage_stage: 3")
        .replace("#ff8000", "#00ff00")
        .replace("Shield", "Hull")
        .replace("[10, 20]", "[30]")
        .replace("scale: 2", "scale: 3");
    app.edit("units/soldier.model.ron", &edited);
    app.wait("the edit", |world| {
        world.get::<LodDistances>(root).unwrap().0 == [30.0]
    });
    assert_eq!(app.cloned(root), Some(PlayClip::once("die")));
    assert_eq!(app.cloned(root), Some(DamageStage(7)));
    assert_eq!(app.cloned(root), Some(TeamColor(Color::BLACK)));
    assert_eq!(app.cloned::<PartVisibility>(root), None);
    assert_eq!(app.scene(root).scale, Vec3::splat(3.0));
}

#[test]
fn applied_components_follow_manifest_edits() {
    let mut app = soldier();
    let root = app.spawn_model_ready("units/soldier.model.ron", ());
    app.step(0.1);
    let before = app.children(root);
    let time = app.cloned::<Playback>(root).unwrap().time;
    app.edit("units/soldier.model.ron",
        r#"(model: "figure.mdl", clips: [(name: "walk", clip: "run")], play: "walk", damage_stage: 3)"#,
    );
    app.wait_for_component(root, DamageStage(3));
    assert_eq!(app.cloned(root), Some(PlayClip::from_manifest("walk")));
    let clips = app.cloned::<ModelClips>(root).unwrap().0;
    assert_eq!(clips.len(), 1);
    assert_eq!(app.cloned::<ModelSkin>(root), None);
    assert_eq!(app.cloned::<LodDistances>(root), None);
    assert_eq!(app.scene(root).scale, Vec3::ONE);
    // The scene was not respawned, and its clip continues.
    assert_eq!(app.children(root), before);
    assert_eq!(app.cloned::<Playback>(root).unwrap().time, time);
}

/// The sources of models with scale 2 and, if they have a manifest, damage stage 4.
fn all_sources(app: &mut TestApp) -> [ModelSource; 6] {
    let settings = |settings: &mut MdlLoaderSettings| settings.scale = 2.0;
    let server = app.server();
    let loaded = server.load_builder().with_settings(settings);
    let loaded: Handle<Mdl> = loaded.load("scaled.mdl");
    app.wait_loaded(&loaded);
    let mut models = app.world().resource_mut::<Assets<Mdl>>();
    let model = models.get(&loaded).unwrap().clone();
    let made = models.add(model);
    let manifest: Handle<ModelManifest> = app.load("two.model.ron");
    let made_manifest = app.add_asset(ModelManifest {
        model: "plain.mdl".into(),
        scale: 2.0,
        damage_stage: Some(4),
        ..default()
    });
    [
        "meta.mdl".into(),
        loaded.into(),
        made.into(),
        "two.model.ron".into(),
        manifest.untyped().into(),
        made_manifest.into(),
    ]
}

#[test]
fn models_of_all_sources_are_spawned_replaced_and_removed() {
    log::listen();
    let meta = r#"(meta_format_version: "1.0", asset: Load(
        loader: "bevy_classic_models::quake::loader::MdlLoader",
        settings: (scale: 2.0),
    ))"#;
    let models = ["meta.mdl", "scaled.mdl", "plain.mdl"];
    let mut app = TestApp::new(&models.map(|path| (path, mdl())));
    app.files.insert_meta_text(Path::new("meta.mdl"), meta);
    let manifest = r#"(model: "plain.mdl", scale: 2, damage_stage: 4)"#;
    app.save("two.model.ron", manifest);
    let sources = all_sources(&mut app);
    let check = |app: &TestApp, root, index: usize| {
        assert_eq!(app.scene(root).scale, Vec3::splat(2.0), "source {index}");
        let stage = (index >= 3).then_some(DamageStage(4));
        assert_eq!(app.cloned(root), stage, "source {index}");
    };
    for (index, source) in sources.iter().enumerate() {
        let root = app.spawn_entity(ClassicModel::new(source.clone()));
        app.wait_for_model(root);
        check(&app, root, index);
        let next = (index + 2) % sources.len();
        let before = app.children(root)[0];
        app.insert(root, ClassicModel::new(sources[next].clone()));
        app.wait("the other model", |world| {
            assert!(is_spawned(world, root), "no frame is empty");
            world.get_entity(before).is_err() || next >= 3 && index >= 3
        });
        app.step(0.0);
        check(&app, root, next);
        app.remove::<ClassicModel>(root);
        app.step(0.0);
        let root = app.world().entity(root);
        assert!(!root.contains::<ModelInstance>() && !root.contains::<Children>());
    }
    for name in models.into_iter().chain(["two.model.ron"]) {
        assert_eq!(log::errors_with(name), [""; 0]);
    }
}

#[test]
fn model_loaded_as_a_manifest_is_an_error() {
    let mut app = TestApp::new(&[("no_manifest.mdl", mdl())]);
    let manifest: Handle<ModelManifest> = app.load("no_manifest.mdl");
    let error = app.load_error(&manifest);
    assert!(
        error.contains("no_manifest.mdl: is not a manifest"),
        "{error}"
    );
}

#[test]
fn scene_label_of_a_manifest_inserts_classic_model() {
    let mut app = soldier();
    let scene_of = "units/soldier.model.ron#Scene";
    let root = app.spawn(scene_of, DamageStage(7));
    app.wait_for_model(root);
    assert_eq!(app.model_path(root), "units/figure.mdl");
    assert_eq!(app.cloned(root), Some(PlayClip::from_manifest("walk")));
    assert_eq!(app.cloned(root), Some(DamageStage(7)));
    assert_eq!(app.scene(root).scale, Vec3::splat(2.0));
    let manifest = app.cloned::<ClassicModel>(root).unwrap().0;
    let path = manifest.path().unwrap().to_string();
    assert_eq!(path, "units/soldier.model.ron");
    app.edit(
        "units/soldier.model.ron",
        r#"(model: "figure.mdl", scale: 3)"#,
    );
    app.wait("the edit", |world| world.get::<PlayClip>(root).is_none());
    assert_eq!(app.scene(root).scale, Vec3::splat(3.0));
}

#[test]
fn removing_classic_model_removes_applied_components() {
    let mut app = soldier();
    let root = app.spawn_model_ready("units/soldier.model.ron", DamageStage(7));
    app.insert(root, TeamColor(Color::BLACK));
    let before = app.get::<Children>(root)[0];
    app.remove::<ClassicModel>(root);
    app.step(0.0);
    assert!(!app.exists(before));
    let entity = app.world().entity(root);
    assert!(!entity.contains::<ModelInstance>() && !entity.contains::<PlayClip>());
    assert!(!entity.contains::<ModelClips>() && !entity.contains::<MdlInstance>());
    assert_eq!(app.cloned(root), Some(DamageStage(7)));
    assert_eq!(app.cloned(root), Some(TeamColor(Color::BLACK)));
    // Inserting it again applies the components again.
    let again = ClassicModel::new("units/soldier.model.ron");
    app.insert(root, again);
    app.wait_for_model(root);
    assert_eq!(app.cloned(root), Some(PlayClip::from_manifest("walk")));
}

#[test]
fn removing_world_asset_root_removes_the_model_of_its_manifest() {
    let mut app = soldier();
    let root = app.spawn("units/soldier.model.ron#Scene", ());
    app.wait_for_model(root);
    app.remove::<WorldAssetRoot>(root);
    app.steps(2, 0.0);
    let entity = app.world().entity(root);
    assert!(!entity.contains::<ModelInstance>() && !entity.contains::<ClassicModel>());
    assert_eq!(app.count::<Mesh3d>(), 0);
}

#[test]
fn a_scene_that_replaces_that_of_a_manifest_removes_its_model() {
    let mut app = soldier();
    app.save("other.mdl", mdl());
    let empty = app.add_asset(WorldAsset::new(World::new()));
    let other: Handle<WorldAsset> = app.load("other.mdl#Scene");
    for (scene, path) in [(empty, None), (other, Some("other.mdl"))] {
        let root = app.spawn("units/soldier.model.ron#Scene", ());
        app.wait_for_model(root);
        app.insert(root, WorldAssetRoot(scene));
        app.wait("the other scene", |world| {
            world.get::<ClassicModel>(root).is_none()
        });
        app.steps(2, 0.0);
        assert_eq!(model_path(app.world(), root).as_deref(), path);
        assert_eq!(app.cloned::<PlayClip>(root), None);
        app.despawn(root);
    }
}

#[test]
fn a_removed_scene_beside_classic_model_gives_way_to_the_manifest() {
    let mut app = soldier();
    app.save("other.mdl", mdl());
    let root = app.spawn_model_ready("units/soldier.model.ron", ());
    let other: Handle<WorldAsset> = app.load("other.mdl#Scene");
    app.insert(root, WorldAssetRoot(other));
    app.wait("the other scene", |world| {
        model_path(world, root).as_deref() == Some("other.mdl")
    });
    app.remove::<WorldAssetRoot>(root);
    app.steps(2, 0.0);
    assert_eq!(app.model_path(root), "units/figure.mdl");
}

#[test]
fn new_manifest_replaces_applied_components() {
    let mut app = soldier();
    let root = app.spawn_model_ready("units/soldier.model.ron", ());
    app.save("other.mdl", mdl());
    app.save(
        "other.model.ron",
        text(r#"(model: "other.mdl", play: "die")"#),
    );
    let other = ClassicModel::new("other.model.ron");
    app.insert(root, other);
    app.wait("the other", |world| {
        assert!(is_spawned(world, root), "no frame is empty");
        model_path(world, root).as_deref() == Some("other.mdl")
    });
    assert_eq!(app.cloned(root), Some(PlayClip::from_manifest("die")));
    assert_eq!(app.cloned::<ModelClips>(root), None);
    app.step(0.0);
    assert_eq!(app.scene(root).scale, Vec3::ONE);
}

#[test]
fn manifest_can_be_created_in_code() {
    let mut app = TestApp::new(&[("a/figure.mdl", mdl())]);
    let manifest = ModelManifest {
        model: "a/figure.mdl".into(),
        damage_stage: Some(4),
        ..default()
    };
    let manifest = app.add_asset(manifest);
    let root = app.spawn_entity(ClassicModel::new(manifest.clone()));
    app.wait_for_model(root);
    assert_eq!(app.cloned(root), Some(DamageStage(4)));
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    manifests.get_mut(&manifest).unwrap().damage_stage = Some(5);
    app.wait_for_component(root, DamageStage(5));
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
    let root = app.spawn_model_ready("u/changed.model.ron", ());
    let handle: Handle<ModelManifest> = app.load("u/changed.model.ron");
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    let mut manifest = manifests.get_mut(&handle).unwrap();
    manifest.model = "far/b.mdl".into();
    manifest.skins.insert("blue".into(), "far/blue.tga".into());
    manifest.attachments.push(ManifestAttachment {
        model: "far/b.mdl".into(),
        ..default()
    });
    drop(manifest);
    app.wait("the other model", |world| {
        model_path(world, root).as_deref() == Some("far/b.mdl")
    });
    let mut skins = ModelSkins::default();
    skins.insert("blue", ModelSkin::Path("far/blue.tga".into()));
    skins.insert("red", ModelSkin::Path("u/red.tga".into()));
    assert_eq!(app.cloned(root), Some(skins));
    assert_eq!(app.attachments(root).len(), 1);
    // The files that a pattern matched are kept.
    let clips = app.cloned::<ModelClips>(root).unwrap().0;
    assert_eq!(clips.len(), 1);
    assert_eq!(clips[0].name, "near_1");
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
        despawn_on::<ModelInstance>,
    ];
    for observe in observe {
        let mut app = soldier();
        observe(&mut app);
        let root = app.spawn_model("units/soldier.model.ron", ());
        app.wait("the root is despawned", |world| {
            world.get_entity(root).is_err()
        });
        app.wait_until_idle();
        let attached = app.count::<AttachedToBone>();
        assert_eq!(attached, 0);
    }
}
