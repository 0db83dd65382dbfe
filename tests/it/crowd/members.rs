//! Components of the root on members of crowds, bones that are asked for, and models that have no crowds.

use crate::crowd::poses::{assets, swinging_files};
use crate::crowd::subjects::{SUBJECTS, Subject};
use crate::gpuless;
use crate::support::app::TestApp;
use crate::support::crowd::{Pair, is_baking, member, pose};
use crate::support::loads::Loads;
use crate::support::{log, mdl};
use bevy::asset::io::memory::Dir;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemState;
use bevy::math::Vec3A;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloCrowd, AloInstance, AloPoseTable};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;
use bevy_classic_models::root::{CrowdBone, NamedClip, Repeat};
use std::path::Path;

fn bone_transform(app: &mut TestApp, root: Entity, name: &str) -> Option<GlobalTransform> {
    let world = app.world();
    let mut state = SystemState::<ModelQuery>::new(world);
    state.get(world).unwrap().bone_transform(root, name)
}

fn bone(app: &mut TestApp, root: Entity, name: &str) -> Option<Entity> {
    let world = app.world();
    let mut state = SystemState::<ModelQuery>::new(world);
    state.get(world).unwrap().bone(root, name)
}

#[track_caller]
fn assert_near(found: GlobalTransform, expected: GlobalTransform, what: &str) {
    let (found, expected) = (found.affine(), expected.affine());
    assert!(
        found.abs_diff_eq(expected, 1e-3),
        "{what}: {found:?}, expected {expected:?}"
    );
}

/// A root that is moved, turned and scaled.
fn placed() -> Transform {
    Transform {
        translation: Vec3::new(3.0, 1.0, -2.0),
        rotation: Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -0.4),
        scale: Vec3::splat(0.5),
    }
}

#[test]
fn bones_are_where_those_of_the_scene_are() {
    let mut app = assets();
    let pair = Pair::spawn(&mut app, "models/walker.alo", placed());
    let model = app
        .world()
        .get::<AloInstance>(pair.scene)
        .unwrap()
        .model()
        .clone();
    for seconds in [0.2, 0.4567] {
        pair.show(&mut app, "MOVE_00", seconds);
        for info in &model.bones {
            let expected = bone_transform(&mut app, pair.scene, &info.name).unwrap();
            let found = bone_transform(&mut app, pair.crowd, &info.name).unwrap();
            assert_near(found, expected, &info.name);
        }
        // A part is at its bone.
        for proxy in &model.proxies {
            let name = &*proxy.proxy.name;
            if model.bones_named(name).is_empty() {
                let expected = bone_transform(&mut app, pair.scene, name).unwrap();
                let found = bone_transform(&mut app, pair.crowd, name).unwrap();
                assert_near(found, expected, name);
            }
        }
    }
    assert!(bone_transform(&mut app, pair.crowd, "no such bone").is_none());
    let bones = app
        .world()
        .query::<&CrowdBone>()
        .iter(app.app.world())
        .count();
    assert_eq!(bones, 0, "queries spawn no entities");
}

#[test]
fn attachments_follow_bones_and_survive_reloads() {
    for subject in &SUBJECTS {
        attachments_follow_bones(subject);
    }
}

fn attachments_follow_bones(subject: &Subject) {
    let mut app = TestApp::new(&(subject.files)());
    let pair = Pair::spawn(&mut app, subject.path, placed());
    let local = Transform::from_xyz(1.0, 2.0, 3.0);
    let attach = |to, app: &mut TestApp| {
        let on = AttachedToBone {
            to,
            bone: subject.bone.to_uppercase(),
        };
        app.world().spawn((on, local)).id()
    };
    let of_scene = attach(pair.scene, &mut app);
    let [first, second] = [(); 2].map(|()| attach(pair.crowd, &mut app));
    let global = |app: &mut TestApp, entity| *app.world().get::<GlobalTransform>(entity).unwrap();
    for (clip, seconds) in subject.clips.into_iter().zip([0.25, 0.1]) {
        pair.show(&mut app, clip, seconds);
        let expected = global(&mut app, of_scene);
        assert_near(global(&mut app, first), expected, clip);
        assert_near(global(&mut app, second), expected, clip);
    }
    let parent = |app: &mut TestApp, entity| app.world().get::<ChildOf>(entity).unwrap().parent();
    assert_eq!(parent(&mut app, first), parent(&mut app, second));
    assert_eq!(
        bone(&mut app, pair.crowd, subject.bone),
        Some(parent(&mut app, first))
    );
    let old = parent(&mut app, first);
    app.keep_loaded(subject.path);
    app.replace(subject.path, (subject.edited)());
    pair.wait(&mut app);
    assert_ne!(parent(&mut app, first), old);
    let expected = global(&mut app, of_scene);
    assert_near(global(&mut app, first), expected, "after a reload");
    // The entity of the bone is despawned with its last attachment.
    let bone = parent(&mut app, first);
    for attachment in [first, second] {
        app.world().despawn(attachment);
    }
    app.step(0.0);
    app.step(0.0);
    assert!(app.world().get_entity(bone).is_err());
}

#[test]
fn clips_are_played_and_end_as_on_a_scene() {
    for subject in &SUBJECTS {
        clips_are_played_and_end(subject);
    }
}

fn clips_are_played_and_end(subject: &Subject) {
    let mut app = TestApp::new(&(subject.files)());
    #[derive(Resource, Default)]
    struct Events(Vec<(Entity, String)>);
    app.world().init_resource::<Events>();
    app.app
        .add_observer(|event: On<ModelEvent>, mut events: ResMut<Events>| {
            events.0.push((event.entity, event.name.clone()));
        });
    let events: ModelEvents = [ClipEvent::new(subject.clips[0], 2, "step")]
        .into_iter()
        .collect();
    let clips = ModelClips::new([NamedClip {
        name: "walk".to_owned(),
        clip: subject.clips[0].into(),
        speed: 2.0,
        repeat: Repeat::Once,
        stride: None,
    }]);
    let bundle = (PlayClip::from_manifest("walk"), events, clips);
    let pair = Pair::spawn(&mut app, subject.path, bundle);
    pair.wait(&mut app);
    for _ in 0..8 {
        app.step(0.05);
    }
    for root in [pair.scene, pair.crowd] {
        let playback = app.world().get::<Playback>(root).unwrap();
        assert!(playback.finished, "{playback:?}");
    }
    let events = &app.world().resource::<Events>().0;
    let of = |root| events.iter().filter(|(entity, _)| *entity == root).count();
    assert_eq!([of(pair.scene), of(pair.crowd)], [1, 1], "{events:?}");
    pair.assert_equal(&mut app, 1e-5, "at the end");
}

#[test]
fn ready_members_are_baked() {
    #[derive(Resource, Default)]
    struct Ready(Vec<Entity>);
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        app.world().init_resource::<Ready>();
        app.app
            .add_observer(|event: On<ModelReady>, mut ready: ResMut<Ready>| {
                ready.0.push(event.entity);
            });
        let play = PlayClip::looping(subject.clips[0]).starting_at(0.2);
        let model = ClassicModel(app.load(subject.path));
        let root = app.world().spawn((model, Crowd, play)).id();
        let is_ready = gpuless::wait_until(&mut app.app, |world| {
            let is_ready = world.resource::<Ready>().0.contains(&root);
            if is_ready {
                let member = member(world, root).unwrap();
                assert!(!member.is_baking && !member.meshes.is_empty());
                assert_ne!(pose(world, root).to.a, 0, "the rest pose");
            }
            is_ready
        });
        assert!(is_ready, "{}", subject.path);
    }
}

#[test]
fn boxes_contain_all_poses() {
    let mut app = assets();
    for (path, clips) in [
        ("models/walker.alo", ["MOVE_00", "DIE_00"]),
        ("models/warden.abc", ["walk", "attack"]),
    ] {
        let pair = Pair::spawn(&mut app, path, ());
        boxes_contain_poses(&mut app, pair, clips);
    }
}

fn boxes_contain_poses(app: &mut TestApp, pair: Pair, clips: [&str; 2]) {
    for clip in clips {
        for seconds in [0.0, 0.7, 5.0] {
            pair.show(app, clip, seconds);
            let vertices = pair.vertices(app);
            let [_, crowd] = &vertices;
            let mesh = member(app.world(), pair.crowd).unwrap().meshes[0];
            let bounds = *app.world().get::<Aabb>(mesh).unwrap();
            let to_model = app
                .world()
                .get::<GlobalTransform>(mesh)
                .unwrap()
                .affine()
                .inverse();
            let size = bounds.half_extents.max_element();
            for (vertex, is_visible) in crowd {
                let offset = Vec3A::from(to_model.transform_point3(*vertex)) - bounds.center;
                let outside = (offset.abs() - bounds.half_extents).max_element();
                assert!(
                    !is_visible || outside < 1e-3 * size,
                    "{clip}: {outside} outside"
                );
            }
        }
    }
}

#[test]
fn a_manifest_spawns_a_member() {
    for subject in &SUBJECTS {
        spawn_from_manifests(subject);
    }
}

fn spawn_from_manifests(subject: &Subject) {
    let (path, clip) = (subject.path, subject.clips[0]);
    let manifest = format!("(model: \"{path}\", crowd: true, play: \"{clip}\")");
    let other = br#"(extends: "unit.model.ron", crowd: false)"#;
    let mut files = (subject.files)();
    files.push(("unit.model.ron", manifest.into_bytes()));
    files.push(("other.model.ron", other.to_vec()));
    let mut app = TestApp::new(&files);
    for (path, in_crowd) in [("unit.model.ron", true), ("other.model.ron", false)] {
        let model = ClassicModel(app.load(path));
        let root = app.world().spawn(model).id();
        let is_spawned = gpuless::wait_until(&mut app.app, |world| {
            world.get::<ModelInstance>(root).is_some()
        });
        assert!(is_spawned, "{path}");
        let world = app.world();
        assert_eq!(world.get::<Crowd>(root).is_some(), in_crowd, "{path}");
        assert_eq!(member(world, root).is_some(), in_crowd, "{path}");
        let instance = world.get::<ModelInstance>(root).unwrap();
        assert_eq!(instance.is_in_crowd(), in_crowd);
        // What the user removes stays removed.
        app.world().entity_mut(root).remove::<Crowd>();
        app.step(0.0);
        app.step(0.0);
        let instance = app.world().get::<ModelInstance>(root).unwrap();
        assert!(!instance.is_in_crowd());
    }
}

#[test]
fn formats_without_crowds_are_spawned_as_usual_with_a_warning() {
    log::listen();
    let mut files = swinging_files();
    files.push(("plain_crowd.mdl", mdl::tetrahedron().to_bytes()));
    let mut app = TestApp::new(&files);
    app.keep_loaded("plain_crowd.mdl");
    let other = app.spawn_ready("plain_crowd.mdl#Scene", ());
    let mesh = app.animator(other).mesh();
    let model = ClassicModel(app.load("plain_crowd.mdl"));
    let root = app.world().spawn((model, Crowd)).id();
    let is_spawned = gpuless::wait_until(&mut app.app, |world| {
        world.get::<MdlAnimator>(root).is_some()
    });
    assert!(is_spawned);
    for _ in 0..10 {
        app.step(0.0);
        assert_eq!(app.animator(other).mesh(), mesh, "other instances stay");
    }
    let warnings = log::warnings_with("plain_crowd.mdl");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("`Crowd` has no effect"),
        "{warnings:?}"
    );
}

#[test]
fn clip_layers_of_members_are_warned_about_once() {
    log::listen();
    for subject in &SUBJECTS {
        let path: &str = format!("layered_{}", subject.path).leak();
        let bytes = (subject.files)()[0].1.clone();
        let mut app = TestApp::new(&[(path, bytes)]);
        let warnings = || {
            let warnings = log::warnings_with("`ClipLayers` has no effect");
            warnings.iter().filter(|line| line.contains(path)).count()
        };
        let scene = app.spawn_ready(format!("{path}#Scene").leak(), ClipLayers::default());
        app.step(0.0);
        assert_eq!(warnings(), 0, "{path}: a scene has layers");
        let early = app.spawn_ready(format!("{path}#Crowd").leak(), ClipLayers::default());
        assert_eq!(warnings(), 1, "{path}: before the model");
        app.world().despawn(early);
        let late = app.spawn_ready(format!("{path}#Crowd").leak(), ());
        app.world().entity_mut(late).insert(ClipLayers::default());
        app.step(0.0);
        assert_eq!(warnings(), 1, "{path}: the same warning");
        app.world().despawn(scene);
    }
}

#[test]
fn a_clip_that_is_too_long_is_a_warning_and_the_member_keeps_its_pose() {
    use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, write};
    log::listen();
    let long = AlaDocument {
        version: 1,
        frames: 70_000,
        fps: 30.0,
        bones: vec![BoneTracks::new("Bone1", 1, [0.0; 3])],
    };
    let mut files = swinging_files();
    files.push(("subject_LONG_00.ala", write(&long).unwrap()));
    let mut app = TestApp::new(&files);
    let pair = Pair::spawn(&mut app, "subject.alo", ());
    pair.show(&mut app, "SWING_00", 0.1);
    let row = app.world().get::<AloCrowd>(pair.crowd).unwrap().row();
    let blend = |app: &mut TestApp| app.world().resource::<AloPoseTable>().get(row);
    let before = blend(&mut app);
    pair.insert(&mut app, PlayClip::looping("LONG_00"));
    app.step(0.0);
    app.step(0.0);
    assert!(!is_baking(app.app.world(), pair.crowd));
    assert_eq!(blend(&mut app), before);
    let warnings = log::warnings_with("subject_LONG_00");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("70000 frames"), "{warnings:?}");
    pair.show(&mut app, "BEND_00", 0.1);
    pair.assert_equal(&mut app, 1e-5, "another clip");
}

#[test]
fn models_of_manifests_stay_while_files_are_watched() {
    let files = Dir::default();
    let mut all = swinging_files();
    let manifest = |model: &str| format!("(model: \"{model}\", crowd: true)").into_bytes();
    all.push(("watched.mdl", mdl::tetrahedron().to_bytes()));
    all.push(("a.model.ron", manifest("subject.alo")));
    all.push(("b.model.ron", manifest("watched.mdl")));
    for (path, bytes) in &all {
        files.insert_asset(Path::new(path), bytes.clone());
    }
    let mut app = App::new();
    let loads = Loads::from_memory(&mut app, &files);
    let plugins = gpuless::plugins(Path::new("unused"), true);
    let mut app = TestApp::with_loads(app, files, loads, plugins);
    let roots = ["a.model.ron", "b.model.ron"].map(|path| {
        let model = ClassicModel(app.load(path));
        let root = app.world().spawn(model).id();
        let is_spawned = gpuless::wait_until(&mut app.app, |world| {
            world.get::<ModelInstance>(root).is_some()
        });
        assert!(is_spawned, "{path}");
        root
    });
    app.wait_until_idle();
    // The only child is the root entity of the scene.
    let children =
        |app: &mut TestApp| roots.map(|root| app.world().get::<Children>(root).unwrap()[0]);
    let before = children(&mut app);
    for _ in 0..20 {
        app.step(0.0);
        assert_eq!(children(&mut app), before, "nothing is reloaded");
    }
    app.replace("subject.alo", all[0].1.clone());
    let [member, other] = children(&mut app);
    assert!(member != before[0] && other == before[1]);
    let world = app.world();
    assert_eq!(world.get::<AloCrowd>(roots[0]).unwrap().scene(), member);
    // A second member of a model whose main asset was dropped.
    let model = ClassicModel(app.load("a.model.ron"));
    let second = app.world().spawn(model).id();
    let is_member = gpuless::wait_until(&mut app.app, |world| {
        world.get::<AloCrowd>(second).is_some()
    });
    assert!(is_member);
    assert_eq!(children(&mut app), [member, other]);
    // A member of a model whose scene is in use, but not that of its crowd.
    let scene = app.spawn_ready("subject.alo#Scene", ());
    app.wait_until_idle();
    let server = app.world().resource::<AssetServer>().clone();
    for root in [roots[0], second] {
        app.world().despawn(root);
    }
    let is_dropped = gpuless::wait_until(&mut app.app, |_| {
        let crowd = server.get_handle::<WorldAsset>("subject.alo#Crowd");
        crowd.is_none()
            && server
                .get_handle::<WorldAsset>("subject.alo#Scene")
                .is_some()
    });
    assert!(is_dropped);
    let model = ClassicModel(app.load("a.model.ron"));
    let third = app.world().spawn(model).id();
    let is_member =
        gpuless::wait_until(&mut app.app, |world| world.get::<AloCrowd>(third).is_some());
    assert!(is_member);
    assert!(app.world().get::<AloInstance>(scene).is_some());
}

#[test]
fn render_layers_of_the_root_apply_to_the_meshes_of_members() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        let model = ClassicModel(app.load(subject.path));
        let root = app
            .world()
            .spawn((model, Crowd, RenderLayers::layer(3)))
            .id();
        let wait_for_meshes = |app: &mut TestApp, expected: bool| {
            let has_meshes = |world: &mut World| {
                member(world, root).is_some_and(|member| !member.meshes.is_empty()) == expected
            };
            assert!(
                gpuless::wait_until(&mut app.app, has_meshes),
                "{}",
                subject.path
            );
        };
        let assert_layer = |app: &mut TestApp, expected: Option<usize>| {
            let world = app.world();
            let meshes = member(world, root).unwrap().meshes.into_iter();
            let layers = meshes.map(|mesh| world.get::<RenderLayers>(mesh).cloned());
            let layers: Vec<_> = layers.collect();
            let expected = expected.map(RenderLayers::layer);
            assert!(
                !layers.is_empty() && layers.iter().all(|it| *it == expected),
                "{layers:?}"
            );
        };
        // In the first frame in which they are drawn.
        wait_for_meshes(&mut app, true);
        assert_layer(&mut app, Some(3));
        app.world().entity_mut(root).insert(RenderLayers::layer(4));
        app.step(0.0);
        assert_layer(&mut app, Some(4));
        // Meshes that are spawned later. All parts of this model can be hidden.
        if subject.path == "subject.alo" {
            let hidden = PartVisibility::hidden([subject.part, "Limb"]);
            app.world().entity_mut(root).insert(hidden);
            wait_for_meshes(&mut app, false);
            app.world().entity_mut(root).remove::<PartVisibility>();
            wait_for_meshes(&mut app, true);
            assert_layer(&mut app, Some(4));
        }
        app.world().entity_mut(root).remove::<RenderLayers>();
        app.step(0.0);
        assert_layer(&mut app, None);
    }
}
