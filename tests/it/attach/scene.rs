//! Attachments to models of all formats: transforms, visibility and lifetime.

use crate::ala::play as ala_play;
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::abc::parse;

pub const ALO: &str = "art/Unit.alo";

/// A transform relative to a bone.
pub fn local() -> Transform {
    Transform {
        translation: Vec3::new(1.0, -2.0, 0.5),
        rotation: Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -0.4),
        scale: Vec3::splat(0.5),
    }
}

/// A global transform for roots.
fn root_transform() -> Transform {
    Transform {
        translation: Vec3::new(7.0, 20.0, -3.0),
        rotation: Quat::from_euler(EulerRot::XYZ, -0.7, 0.2, 2.0),
        scale: Vec3::splat(2.0),
    }
}

/// A component of the user on an attachment.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct UserData(pub u32);

/// Path, bytes and a bone name of a file of each format.
pub fn all_formats() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    vec![
        ("attached/unit.alo", ala_play::model_at(5.0), "TURRET"),
        ("attached/unit.abc", bytes(&figure()), "arm"),
        ("attached/unit.lgw", BICYCLE.into(), "MESH02"),
        ("attached/unit.mdl", tetrahedron().to_bytes(), ""),
    ]
}

/// An app with files of all formats and an Alamo model with animations.
pub fn app() -> TestApp {
    log::listen();
    let mut files = ala_play::files();
    let all = all_formats();
    files.extend(all.iter().map(|(path, bytes, _)| (*path, bytes.clone())));
    TestApp::new(&files)
}

/// The entity of a bone, and whether the model is spawned.
pub fn bone_of(world: &mut World, root: Entity, name: &str) -> (Option<Entity>, bool) {
    let mut state = SystemState::<ModelQuery>::new(world);
    let models = state.get(world).unwrap();
    (models.bone(root, name), models.format(root).is_some())
}

/// The entity that an attachment moves with: the bone, or the root if there is no such bone.
pub fn target(world: &mut World, AttachedToBone { to, bone }: &AttachedToBone) -> Entity {
    bone_of(world, *to, bone).0.unwrap_or(*to)
}

/// The parent of an attachment. On a bone with a `BoneVisibility`, the bone: its attachments have a parent below it.
pub fn parent_of(world: &World, attachment: Entity) -> Option<Entity> {
    let parent = |entity: Entity| world.get::<ChildOf>(entity).map(ChildOf::parent);
    let first = parent(attachment)?;
    let has_state = |bone| world.get::<BoneVisibility>(bone).is_some();
    assert!(!has_state(first), "it is not hidden with its bone");
    let name = world.get::<Name>(first).map(Name::as_str);
    match name == Some("attachments") {
        true => parent(first),
        false => Some(first),
    }
}

pub fn spawn_model(app: &mut TestApp, path: &'static str, bundle: impl Bundle) -> Entity {
    let scene = app.load(format!("{path}#Scene"));
    app.spawn_entity((WorldAssetRoot(scene), bundle))
}

pub fn wait_for_model(app: &mut TestApp, root: Entity) {
    let is_spawned = |world: &mut World| bone_of(world, root, "").1;
    app.wait("no model", is_spawned);
}

/// Spawns a model, and waits until its scene is spawned.
pub fn spawn_ready(app: &mut TestApp, path: &'static str, bundle: impl Bundle) -> Entity {
    let root = spawn_model(app, path, bundle);
    wait_for_model(app, root);
    root
}

pub fn on(to: Entity, bone: &str) -> AttachedToBone {
    AttachedToBone {
        to,
        bone: bone.to_owned(),
    }
}

fn parent(app: &mut TestApp, attachment: Entity) -> Option<Entity> {
    parent_of(app.world(), attachment)
}

fn is_visible(app: &mut TestApp, attachment: Entity) -> bool {
    app.get::<InheritedVisibility>(attachment).get()
}

fn global(world: &World, entity: Entity) -> GlobalTransform {
    *world.get::<GlobalTransform>(entity).unwrap()
}

#[track_caller]
fn assert_at(world: &World, attachment: Entity, expected: GlobalTransform) {
    let found = global(world, attachment).affine();
    let expected = expected.affine();
    assert!(
        found.abs_diff_eq(expected, 1e-3),
        "{found:?} is not {expected:?}"
    );
}

/// Asserts that an attachment is a child of its target and has a transform relative to it.
#[track_caller]
pub fn assert_attached(world: &mut World, attachment: Entity, local: Transform) {
    let attached = world
        .get::<AttachedToBone>(attachment)
        .expect("no `AttachedToBone`");
    let target = target(world, &attached.clone());
    assert_eq!(parent_of(world, attachment), Some(target));
    let expected = global(world, target) * local;
    assert_at(world, attachment, expected);
}

#[test]
fn entities_are_attached_to_models_of_all_formats() {
    let mut app = app();
    for (path, _, bone) in all_formats() {
        let root = spawn_model(&mut app, path, root_transform());
        let attachment = app.spawn_entity((on(root, bone), local(), UserData(4)));
        app.step(0.0);
        let (_, is_spawned) = bone_of(app.world(), root, "");
        assert_eq!(is_visible(&mut app, attachment), is_spawned, "{path}");
        wait_for_model(&mut app, root);
        assert!(
            is_visible(&mut app, attachment),
            "visible in the frame of the model"
        );
        assert_attached(app.world(), attachment, local());
        let (found, _) = bone_of(app.world(), root, bone);
        assert_eq!(found.is_none(), bone.is_empty(), "{path}");
        assert_eq!(app.find::<UserData>(attachment), Some(&UserData(4)));
        assert_eq!(app.find::<Transform>(attachment), Some(&local()));
        app.step(0.0);
        let children = app.get::<Children>(root).len();
        let on_root = usize::from(bone.is_empty());
        assert_eq!(children, 1 + on_root, "the pending parent is despawned");
        app.despawn(root);
        app.step(0.0);
        assert!(!app.exists(attachment));
    }
}

#[test]
fn attachments_follow_bones_of_an_alamo_model() {
    let mut app = app();
    let play = PlayClip::looping("MOVE_00");
    let root = spawn_model(&mut app, ALO, (root_transform(), play));
    let attachment = app.spawn_entity((on(root, "turret"), local()));
    app.spawn_ready(ala_play::SCENE, ());
    let up = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    for _ in 0..30 {
        app.step(0.03);
        let time = app.get::<Playback>(root).time;
        // The hull moves one unit per frame, and the turret is its child.
        let hull = Vec3::new(time * ala_play::FPS, 0.0, 1.0);
        let turret = hull + Vec3::new(0.0, 0.0, 5.0);
        let in_scene = Transform::from_rotation(up) * Transform::from_translation(turret);
        let expected = GlobalTransform::from(root_transform()) * in_scene * local();
        assert_at(app.world(), attachment, expected);
    }
}

#[test]
fn attachments_follow_nodes_of_a_lithtech_model() {
    let mut app = app();
    let play = PlayClip::looping(0);
    let root = spawn_model(&mut app, "attached/unit.abc", (root_transform(), play));
    let attachment = app.spawn_entity((on(root, "ARM"), local()));
    wait_for_model(&mut app, root);
    let document = bytes(&figure());
    let file = parse(&document).unwrap();
    for _ in 0..30 {
        app.step(0.017);
        let time = app.get::<Playback>(root).time;
        let pose = file.node_poses_in_model(Some(0), time)[2];
        let ([x, y, z], [a, b, c, d]) = (pose.translation, pose.rotation);
        let node = Transform {
            translation: Vec3::new(x, y, -z),
            rotation: Quat::from_xyzw(-a, -b, c, d),
            scale: Vec3::ONE,
        };
        let expected = GlobalTransform::from(root_transform()) * node * local();
        assert_at(app.world(), attachment, expected);
    }
}

#[test]
fn attachments_are_hidden_with_their_bone() {
    let mut app = app();
    let root = spawn_model(&mut app, ALO, PlayClip::looping("attack_00"));
    let turret = app.spawn_entity(on(root, "Turret"));
    let flash = app.spawn_entity(on(root, "Flash"));
    wait_for_model(&mut app, root);
    app.wait_for_clip(root);
    let mut states = Vec::new();
    for _ in 0..10 {
        app.step(0.04);
        let time = app.get::<Playback>(root).time;
        // In the second and third of five frames, the turret is hidden and the flash is visible.
        let frame = (time * ala_play::FPS) as usize;
        let is_hidden = matches!(frame, 1 | 2);
        assert_eq!(is_visible(&mut app, turret), !is_hidden, "at {time}");
        // The turret does not hide the flash, which is on a bone below it.
        assert_eq!(is_visible(&mut app, flash), is_hidden, "at {time}");
        states.push(is_hidden);
    }
    assert!(states.contains(&true) && states.contains(&false));
}

#[test]
fn parts_are_found_if_no_bone_has_the_name() {
    let mut app = app();
    let root = spawn_ready(&mut app, ALO, ());
    let attachment = app.world().spawn((on(root, "turretmesh_alt1"), local()));
    let attachment = attachment.id();
    app.step(0.0);
    let part = parent(&mut app, attachment).unwrap();
    assert_eq!(app.get::<Name>(part).as_str(), "TurretMesh_ALT1");
    assert_attached(app.world(), attachment, local());
    // The part is visible only at this damage stage.
    assert!(!is_visible(&mut app, attachment));
    app.apply(root, DamageStage(1));
    assert!(is_visible(&mut app, attachment));
}

#[test]
fn missing_bone_falls_back_to_the_root_with_one_warning() {
    let mut app = app();
    for (path, _, _) in all_formats() {
        let roots = [(); 2].map(|()| spawn_model(&mut app, path, root_transform()));
        let attachments = roots.map(|root| {
            let attachment = (on(root, "Third_Hand"), local());
            app.spawn_entity(attachment)
        });
        for root in roots {
            wait_for_model(&mut app, root);
        }
        for (root, attachment) in roots.into_iter().zip(attachments) {
            assert_eq!(parent(&mut app, attachment), Some(root));
            assert_attached(app.world(), attachment, local());
            assert!(is_visible(&mut app, attachment));
        }
        let count = log::count_warnings("Third_Hand", path);
        assert_eq!(count, 1, "{path}");
    }
}

#[test]
fn changes_reattach_and_removal_keeps_the_global_transform() {
    let mut app = app();
    let play = || PlayClip::looping("MOVE_00");
    let root = spawn_model(&mut app, ALO, (root_transform(), play()));
    let other = spawn_model(&mut app, "attached/unit.abc", Transform::default());
    wait_for_model(&mut app, root);
    wait_for_model(&mut app, other);
    let attachment = app.spawn_entity((on(root, "hull"), local()));
    app.step(0.1);
    assert_attached(app.world(), attachment, local());
    app.get_mut::<AttachedToBone>(attachment).bone = "turret".to_owned();
    app.step(0.1);
    assert_attached(app.world(), attachment, local());
    app.insert(attachment, on(other, "body"));
    app.step(0.1);
    assert_attached(app.world(), attachment, local());
    let was = global(app.world(), attachment);
    app.remove::<AttachedToBone>(attachment);
    app.step(0.1);
    assert_eq!(parent(&mut app, attachment), None);
    assert_at(app.world(), attachment, was);
    app.despawn(other);
    app.step(0.0);
    assert!(app.exists(attachment));
    // A parent that the user has set stays.
    app.apply(attachment, on(root, "hull"));
    let own = app.spawn_entity(Transform::default());
    app.insert(attachment, ChildOf(own));
    app.remove::<AttachedToBone>(attachment);
    app.step(0.0);
    assert_eq!(parent(&mut app, attachment), Some(own));
}

#[test]
fn nested_attachments_follow_and_are_despawned_with_ancestors() {
    let mut app = app();
    let play = PlayClip::looping("MOVE_00");
    let unit = spawn_model(&mut app, ALO, (root_transform(), play));
    let attached = (on(unit, "turret"), local(), PlayClip::looping(0));
    let guard = spawn_model(&mut app, "attached/unit.abc", attached);
    let gun = spawn_model(&mut app, "attached/unit.mdl", (on(guard, "arm"), local()));
    let light = app.spawn_entity((on(gun, ""), local()));
    for root in [unit, guard, gun] {
        wait_for_model(&mut app, root);
    }
    for _ in 0..20 {
        app.step(0.03);
        for attachment in [guard, gun, light] {
            assert_attached(app.world(), attachment, local());
        }
    }
    app.despawn(guard);
    app.step(0.0);
    for gone in [guard, gun, light] {
        assert!(!app.exists(gone));
    }
    assert!(app.exists(unit));
}

#[test]
fn attachment_cycles_are_rejected() {
    let mut app = app();
    let [a, b] = [(); 2].map(|()| spawn_model(&mut app, ALO, local()));
    app.insert(a, on(b, "hull"));
    app.insert(b, on(a, "hull"));
    let own = spawn_model(&mut app, ALO, local());
    app.insert(own, on(own, "turret"));
    for root in [a, b, own] {
        wait_for_model(&mut app, root);
    }
    app.step(0.0);
    assert_eq!(parent(&mut app, own), None);
    let are_attached = [a, b].map(|root| parent(&mut app, root).is_some());
    let count = are_attached.iter().filter(|attached| **attached).count();
    assert_eq!(count, 1);
    for root in [a, b, own] {
        let name = format!("{root} is attached to itself or to its own descendant");
        assert!(log::warnings_with(&name).len() < 2);
    }
    // If one is detached, the other can be attached.
    let (upper, lower) = if are_attached[0] { (b, a) } else { (a, b) };
    app.remove::<AttachedToBone>(lower);
    app.step(0.0);
    assert_eq!(parent(&mut app, lower), None);
    assert_attached(app.world(), upper, local());
}

#[test]
fn attachments_without_a_root_are_despawned() {
    let mut app = app();
    let root = app.world().spawn_empty().id();
    app.despawn(root);
    let attachment = app.spawn_entity(on(root, "hand"));
    app.step(0.0);
    assert!(!app.exists(attachment));
    // A root that is despawned before its model is spawned: its pending attachments are despawned too.
    let root = spawn_model(&mut app, "attached/missing.alo", ());
    let attachment = app.spawn_entity(on(root, "hand"));
    app.step(0.0);
    assert!(!is_visible(&mut app, attachment));
    app.despawn(root);
    app.step(0.0);
    assert!(!app.exists(attachment));
    // The same, in the frame of the attachment.
    let root = spawn_model(&mut app, "attached/missing.alo", ());
    let attachment = app.spawn_entity(on(root, "hand"));
    app.despawn(root);
    app.step(0.0);
    assert!(!app.exists(attachment));
}

#[test]
fn attachments_stay_when_the_root_gets_another_scene() {
    let mut app = app();
    let root = spawn_ready(&mut app, ALO, root_transform());
    let attachment = app.spawn_entity((on(root, "arm"), local(), UserData(1)));
    app.step(0.0);
    assert_eq!(parent(&mut app, attachment), Some(root));
    let scene = app.load("attached/unit.abc#Scene");
    app.insert(root, WorldAssetRoot(scene.clone()));
    app.wait_until(|world| {
        assert!(world.get_entity(attachment).is_ok());
        world.get::<AbcInstance>(root).is_some()
    });
    assert_attached(app.world(), attachment, local());
    assert_ne!(parent(&mut app, attachment), Some(root));
    // The model stays while its next scene is not loaded.
    let scene = app.load("art/Unit.alo#Scene");
    let late = app.load("attached/missing.abc#Scene");
    app.apply(root, WorldAssetRoot(late));
    app.step(0.0);
    assert_attached(app.world(), attachment, local());
    app.insert(root, WorldAssetRoot(scene));
    app.insert(attachment, on(root, "turret"));
    app.wait_until(|world| {
        let turret = bone_of(world, root, "turret").0;
        turret.is_some() && turret == parent_of(world, attachment)
    });
    assert_attached(app.world(), attachment, local());
    assert!(is_visible(&mut app, attachment));
    assert_eq!(app.find::<UserData>(attachment), Some(&UserData(1)));
}

#[test]
fn parent_set_by_the_game_stays_when_detached() {
    let mut app = app();
    let root = app.spawn_ready("attached/unit.abc#Scene", ());
    let attach = |app: &mut TestApp, bone: &str| {
        let attached = on(root, bone);
        let attachment = app.spawn_entity((attached, root_transform()));
        app.step(0.0);
        attachment
    };
    let parent = |app: &mut TestApp, attachment: Entity| {
        app.find::<ChildOf>(attachment).map(ChildOf::parent)
    };
    let attachment = attach(&mut app, "arm");
    let other = attach(&mut app, "body");
    // A bone with another attachment, and an entity of the game.
    let bone = parent(&mut app, other).unwrap();
    let hand = app.spawn_entity(root_transform());
    for chosen in [bone, hand] {
        app.insert(attachment, ChildOf(chosen));
        app.remove::<AttachedToBone>(attachment);
        app.step(0.0);
        assert_eq!(parent(&mut app, attachment), Some(chosen));
        app.apply(attachment, on(root, "arm"));
        assert_ne!(parent(&mut app, attachment), Some(chosen));
    }
    // A parent that was set for the attachment is removed.
    app.remove::<AttachedToBone>(attachment);
    app.step(0.0);
    assert_eq!(parent(&mut app, attachment), None);
    // A pending attachment has such a parent too.
    let nothing = app.spawn_entity(root_transform());
    app.apply(attachment, on(nothing, ""));
    assert!(parent(&mut app, attachment).is_some());
    app.remove::<AttachedToBone>(attachment);
    app.step(0.0);
    assert_eq!(parent(&mut app, attachment), None);
}

fn despawn_user_entities(world: &mut World) {
    let mut attachments = world.query_filtered::<Entity, With<UserData>>();
    let attachments: Vec<Entity> = attachments.iter(world).collect();
    for attachment in attachments {
        world.despawn(attachment);
    }
}

#[test]
fn observers_of_parents_may_despawn_attachments() {
    let mut app = app();
    let root = spawn_ready(&mut app, ALO, ());
    let attachment = app.spawn_entity((on(root, "turret"), UserData(1)));
    app.step(0.0);
    app.world()
        .add_observer(|_: On<Remove, ChildOf>, mut commands: Commands| {
            commands.queue(despawn_user_entities);
        });
    app.remove::<AttachedToBone>(attachment);
    assert!(!app.exists(attachment), "detached");
    app.world()
        .add_observer(|_: On<Insert, ChildOf>, mut commands: Commands| {
            commands.queue(despawn_user_entities);
        });
    // For the missing model, the observer runs when the pending parent is spawned.
    let missing = spawn_model(&mut app, "attached/missing.alo", ());
    for root in [root, missing] {
        let attachment = app.spawn_entity((on(root, "turret"), UserData(1)));
        app.step(0.0);
        assert!(!app.exists(attachment), "attached");
    }
}
