//! Components of the root on members of crowds, bones that are asked for, and models that have no crowds.

use crate::crowd::poses::{assets, swinging_files};
use crate::crowd::subjects::SUBJECTS;
use crate::support::crowd::{member, pose};
use crate::support::prelude::*;

fn bone_transform(app: &mut TestApp, root: Entity, name: &str) -> Option<GlobalTransform> {
    app.ask(|models| models.bone_transform(root, name))
}

fn bone(app: &mut TestApp, root: Entity, name: &str) -> Option<Entity> {
    app.ask(|models| models.bone(root, name))
}

#[track_caller]
fn assert_near(found: GlobalTransform, expected: GlobalTransform, tolerance: f32, what: &str) {
    let (found, expected) = (found.affine(), expected.affine());
    assert!(
        found.abs_diff_eq(expected, tolerance),
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
    for (path, clip, tolerance) in [
        ("models/walker.alo", "MOVE_00", 1e-3),
        ("models/warden.abc", "attack", 1e-4),
    ] {
        let pair = Pair::spawn(&mut app, path, placed());
        let bones = app.ask(|models| models.bones(pair.scene));
        let mut names: Vec<_> = bones.into_iter().map(|bone| bone.name).collect();
        // A part is at its bone.
        let model = app.find::<AloInstance>(pair.scene);
        for proxy in model.iter().flat_map(|model| &model.model().proxies) {
            names.push(proxy.proxy.name.to_string());
        }
        assert!(names.len() > 10, "{path}: {names:?}");
        for seconds in [0.0, 0.2, 0.4567] {
            pair.show(&mut app, clip, seconds);
            for name in &names {
                let expected = bone_transform(&mut app, pair.scene, name).unwrap();
                let found = bone_transform(&mut app, pair.crowd, name).unwrap();
                assert_near(found, expected, tolerance, name);
            }
        }
        assert!(bone_transform(&mut app, pair.crowd, "no such bone").is_none());
    }
    assert_eq!(app.count::<CrowdBone>(), 0, "queries spawn no entities");
}

#[test]
fn attachments_follow_bones_and_survive_reloads() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        let pair = Pair::spawn(&mut app, subject.path, placed());
        let local = Transform::from_xyz(1.0, 2.0, 3.0);
        let attach =
            |to, app: &mut TestApp| app.spawn_entity((on(to, &subject.bone.to_uppercase()), local));
        let of_scene = attach(pair.scene, &mut app);
        let [first, second] = [(); 2].map(|()| attach(pair.crowd, &mut app));
        let global = |app: &mut TestApp, entity| *app.get::<GlobalTransform>(entity);
        for (clip, seconds) in subject.clips.into_iter().zip([0.25, 0.1]) {
            pair.show(&mut app, clip, seconds);
            let expected = global(&mut app, of_scene);
            assert_near(global(&mut app, first), expected, 1e-3, clip);
            assert_near(global(&mut app, second), expected, 1e-3, clip);
        }
        let parent = |app: &mut TestApp, entity| app.get::<ChildOf>(entity).parent();
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
        assert_near(global(&mut app, first), expected, 1e-3, "after a reload");
        // The entity of the bone is despawned with its last attachment.
        let bone = parent(&mut app, first);
        for attachment in [first, second] {
            app.despawn(attachment);
        }
        app.steps(2, 0.0);
        assert!(!app.exists(bone));
    }
}

#[test]
fn clips_are_played_and_end_as_on_a_scene() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        let received = app.record::<ModelEvent>();
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
        app.steps(8, 0.05);
        for root in [pair.scene, pair.crowd] {
            let playback = app.get::<Playback>(root);
            assert!(playback.finished, "{playback:?}");
        }
        let events = received.take();
        let of = |root| events.iter().filter(|event| event.entity == root).count();
        assert_eq!([of(pair.scene), of(pair.crowd)], [1, 1], "{events:?}");
        pair.assert_equal(&mut app, 1e-5, "at the end");
    }
}

#[test]
fn ready_members_are_baked() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        let ready = app.record::<ModelReady>();
        let play = PlayClip::looping(subject.clips[0]).starting_at(0.2);
        let root = app.spawn_model(subject.path, (Crowd, play));
        app.wait(subject.path, |world| {
            let is_ready = ready.take().iter().any(|ready| ready.entity == root);
            if is_ready {
                let member = member(world, root).unwrap();
                assert!(!member.is_baking && !member.meshes.is_empty());
                assert_ne!(pose(world, root).to.a, 0, "the rest pose");
            }
            is_ready
        });
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
            let bounds = *app.get::<Aabb>(mesh);
            let to_model = app.get::<GlobalTransform>(mesh).affine().inverse();
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
        let (path, clip) = (subject.path, subject.clips[0]);
        let manifest = format!("(model: \"{path}\", crowd: true, play: \"{clip}\")");
        let other = br#"(extends: "unit.model.ron", crowd: false)"#;
        let mut files = (subject.files)();
        files.push(("unit.model.ron", manifest.into_bytes()));
        files.push(("other.model.ron", other.to_vec()));
        let mut app = TestApp::new(&files);
        for (path, in_crowd) in [("unit.model.ron", true), ("other.model.ron", false)] {
            let root = app.spawn_model(path, ());
            app.wait(path, |world| world.get::<ModelInstance>(root).is_some());
            let world = app.world();
            assert_eq!(world.get::<Crowd>(root).is_some(), in_crowd, "{path}");
            assert_eq!(member(world, root).is_some(), in_crowd, "{path}");
            let instance = world.get::<ModelInstance>(root).unwrap();
            assert_eq!(instance.is_in_crowd(), in_crowd);
            // What the user removes stays removed.
            app.remove::<Crowd>(root);
            app.steps(2, 0.0);
            assert!(!app.get::<ModelInstance>(root).is_in_crowd());
        }
    }
}

#[test]
fn formats_that_need_no_crowd_are_spawned_as_usual_without_a_warning() {
    log::listen();
    let mut files = swinging_files();
    files.push(("plain_crowd.mdl", mdl::tetrahedron().to_bytes()));
    let mut app = TestApp::new(&files);
    app.keep_loaded("plain_crowd.mdl");
    let other = app.spawn_ready("plain_crowd.mdl#Scene", ());
    let mesh = app.animator(other).mesh();
    let root = app.spawn_model("plain_crowd.mdl", Crowd);
    app.wait_until(|world| world.get::<MdlInstance>(root).is_some());
    for _ in 0..10 {
        app.step(0.0);
        assert_eq!(app.animator(other).mesh(), mesh, "other instances stay");
    }
    assert_eq!(log::warnings_with("plain_crowd.mdl"), [""; 0]);
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
    let row = app.get::<AloCrowd>(pair.crowd).row();
    let blend = |app: &mut TestApp| app.world().resource::<AloPoseTable>().get(row);
    let before = blend(&mut app);
    pair.insert(&mut app, PlayClip::looping("LONG_00"));
    app.steps(2, 0.0);
    assert!(!is_baking(app.app.world(), pair.crowd));
    assert_eq!(blend(&mut app), before);
    log::expect_warning("subject_LONG_00", "70000 frames");
    pair.show(&mut app, "BEND_00", 0.1);
    pair.assert_equal(&mut app, 1e-5, "another clip");
}

#[test]
fn models_of_manifests_stay_while_files_are_watched() {
    let mut all = swinging_files();
    let manifest = |model: &str| format!("(model: \"{model}\", crowd: true)").into_bytes();
    all.push(("watched.mdl", mdl::tetrahedron().to_bytes()));
    all.push(("a.model.ron", manifest("subject.alo")));
    all.push(("b.model.ron", manifest("watched.mdl")));
    let mut app = TestApp::watching(&all);
    let roots = ["a.model.ron", "b.model.ron"].map(|path| {
        let root = app.spawn_model(path, ());
        app.wait(path, |world| world.get::<ModelInstance>(root).is_some());
        root
    });
    app.wait_until_idle();
    // The only child is the root entity of the scene.
    let children = |app: &mut TestApp| roots.map(|root| app.get::<Children>(root)[0]);
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
    let second = app.spawn_model("a.model.ron", ());
    app.wait_until(|world| world.get::<AloCrowd>(second).is_some());
    assert_eq!(children(&mut app), [member, other]);
    // A member of a model whose scene is in use.
    let scene = app.spawn_ready("subject.alo#Scene", ());
    app.wait_until_idle();
    for root in [roots[0], second] {
        app.despawn(root);
    }
    app.wait_until_idle();
    let third = app.spawn_model("a.model.ron", ());
    app.wait_until(|world| world.get::<AloCrowd>(third).is_some());
    assert!(app.find::<AloInstance>(scene).is_some());
}

#[test]
fn render_layers_of_the_root_apply_to_the_meshes_of_members() {
    for subject in &SUBJECTS {
        let mut app = TestApp::new(&(subject.files)());
        let root = app.spawn_model(subject.path, (Crowd, RenderLayers::layer(3)));
        let wait_for_meshes = |app: &mut TestApp, expected: bool| {
            let has_meshes = |world: &mut World| {
                member(world, root).is_some_and(|member| !member.meshes.is_empty()) == expected
            };
            app.wait(subject.path, has_meshes);
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
        app.apply(root, RenderLayers::layer(4));
        assert_layer(&mut app, Some(4));
        // Meshes that are spawned later. All parts of this model can be hidden.
        if subject.path == "subject.alo" {
            app.insert(root, PartVisibility::hidden([subject.part, "Limb"]));
            wait_for_meshes(&mut app, false);
            app.remove::<PartVisibility>(root);
            wait_for_meshes(&mut app, true);
            assert_layer(&mut app, Some(4));
        }
        app.remove::<RenderLayers>(root);
        app.step(0.0);
        assert_layer(&mut app, None);
    }
}
