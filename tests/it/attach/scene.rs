//! Things that hang on models of all formats: where they are, when they show, and what becomes of them.

use crate::ala::play as ala_play;
use crate::gpuless;
use crate::support::abc::{bytes, figure};
use crate::support::app::TestApp;
use crate::support::fixtures::tetrahedron;
use crate::support::lgw::BICYCLE;
use crate::support::log;
use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::lithtech::abc::parse;
use bevy_classic_models::prelude::*;

pub const ALO: &str = "art/Unit.alo";

/// A place on a bone.
pub fn local() -> Transform {
    Transform {
        translation: Vec3::new(1.0, -2.0, 0.5),
        rotation: Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -0.4),
        scale: Vec3::splat(0.5),
    }
}

/// A place in the world.
fn somewhere() -> Transform {
    Transform {
        translation: Vec3::new(7.0, 20.0, -3.0),
        rotation: Quat::from_euler(EulerRot::XYZ, -0.7, 0.2, 2.0),
        scale: Vec3::splat(2.0),
    }
}

/// What users put on their things.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Mine(pub u32);

/// A file of each format, and a bone of it.
pub fn all_formats() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    vec![
        ("hung/unit.alo", ala_play::model_at(5.0), "TURRET"),
        ("hung/unit.abc", bytes(&figure()), "arm"),
        ("hung/unit.lgw", BICYCLE.into(), "MESH02"),
        ("hung/unit.mdl", tetrahedron().to_bytes(), ""),
    ]
}

/// An app with the files of all formats and of the model with animations.
pub fn app() -> TestApp {
    log::listen();
    let mut files = ala_play::files();
    let all = all_formats();
    files.extend(all.iter().map(|(path, bytes, _)| (*path, bytes.clone())));
    TestApp::new(&files)
}

/// The entity of a bone, and whether the model is there.
pub fn bone_of(world: &mut World, root: Entity, name: &str) -> (Option<Entity>, bool) {
    let mut state = SystemState::<ModelQuery>::new(world);
    let models = state.get(world).unwrap();
    (models.bone(root, name), models.format(root).is_some())
}

/// Where a thing belongs that hangs on a bone of a model: on its root where there is no such bone.
pub fn spot(world: &mut World, AttachedToBone { to, bone }: &AttachedToBone) -> Entity {
    bone_of(world, *to, bone).0.unwrap_or(*to)
}

pub fn spawn_model(app: &mut TestApp, path: &'static str, bundle: impl Bundle) -> Entity {
    let scene = app.load(format!("{path}#Scene"));
    app.world().spawn((WorldAssetRoot(scene), bundle)).id()
}

pub fn wait_for_model(app: &mut TestApp, root: Entity) {
    let is_there = |world: &mut World| bone_of(world, root, "").1;
    assert!(gpuless::wait_until(&mut app.app, is_there), "no model");
}

pub fn on(to: Entity, bone: &str) -> AttachedToBone {
    AttachedToBone {
        to,
        bone: bone.to_owned(),
    }
}

fn parent(app: &mut TestApp, thing: Entity) -> Option<Entity> {
    app.world().get::<ChildOf>(thing).map(ChildOf::parent)
}

fn is_seen(app: &mut TestApp, thing: Entity) -> bool {
    app.world().get::<InheritedVisibility>(thing).unwrap().get()
}

fn global(world: &World, entity: Entity) -> GlobalTransform {
    *world.get::<GlobalTransform>(entity).unwrap()
}

#[track_caller]
fn assert_at(world: &World, thing: Entity, expected: GlobalTransform) {
    let found = global(world, thing).affine();
    let expected = expected.affine();
    assert!(
        found.abs_diff_eq(expected, 1e-3),
        "{found:?} is not {expected:?}"
    );
}

/// Fails unless a thing is a child of what it is to hang on, and where its place on that is.
#[track_caller]
pub fn assert_hangs(world: &mut World, thing: Entity, place: Transform) {
    let attached = world.get::<AttachedToBone>(thing).expect("it is attached");
    let on = spot(world, &attached.clone());
    let parent = world.get::<ChildOf>(thing).map(ChildOf::parent);
    assert_eq!(parent, Some(on));
    let expected = global(world, on) * place;
    assert_at(world, thing, expected);
}

#[test]
fn things_hang_on_models_of_all_formats() {
    let mut app = app();
    for (path, _, bone) in all_formats() {
        let root = spawn_model(&mut app, path, somewhere());
        let thing = app.world().spawn((on(root, bone), local(), Mine(4))).id();
        app.step(0.0);
        let (_, is_there) = bone_of(app.world(), root, "");
        assert_eq!(is_seen(&mut app, thing), is_there, "{path}");
        wait_for_model(&mut app, root);
        assert!(is_seen(&mut app, thing), "in the frame of the model");
        assert_hangs(app.world(), thing, local());
        let (found, _) = bone_of(app.world(), root, bone);
        assert_eq!(found.is_none(), bone.is_empty(), "{path}");
        assert_eq!(app.world().get::<Mine>(thing), Some(&Mine(4)));
        assert_eq!(app.world().get::<Transform>(thing), Some(&local()));
        app.step(0.0);
        let children = app.world().get::<Children>(root).unwrap().len();
        let on_root = usize::from(bone.is_empty());
        assert_eq!(children, 1 + on_root, "nothing is left of the wait");
        app.world().despawn(root);
        app.step(0.0);
        assert!(app.world().get_entity(thing).is_err());
    }
}

#[test]
fn things_follow_bones_of_an_alamo_model() {
    let mut app = app();
    let play = PlayClip::looping("MOVE_00");
    let root = spawn_model(&mut app, ALO, (somewhere(), play));
    let thing = app.world().spawn((on(root, "turret"), local())).id();
    app.spawn_ready(ala_play::SCENE, ());
    let up = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    for _ in 0..30 {
        app.step(0.03);
        let time = app.world().get::<Playback>(root).unwrap().time;
        // The hull goes a unit a frame, and the turret stands on it.
        let hull = Vec3::new(time * ala_play::FPS, 0.0, 1.0);
        let turret = hull + Vec3::new(0.0, 0.0, 5.0);
        let in_scene = Transform::from_rotation(up) * Transform::from_translation(turret);
        let expected = GlobalTransform::from(somewhere()) * in_scene * local();
        assert_at(app.world(), thing, expected);
    }
}

#[test]
fn things_follow_nodes_of_a_lithtech_model() {
    let mut app = app();
    let play = PlayClip::looping(0);
    let root = spawn_model(&mut app, "hung/unit.abc", (somewhere(), play));
    let thing = app.world().spawn((on(root, "ARM"), local())).id();
    wait_for_model(&mut app, root);
    let document = bytes(&figure());
    let file = parse(&document).unwrap();
    for _ in 0..30 {
        app.step(0.017);
        let time = app.world().get::<Playback>(root).unwrap().time;
        let pose = file.node_poses_in_model(Some(0), time)[2];
        let ([x, y, z], [a, b, c, d]) = (pose.translation, pose.rotation);
        let node = Transform {
            translation: Vec3::new(x, y, -z),
            rotation: Quat::from_xyzw(-a, -b, c, d),
            scale: Vec3::ONE,
        };
        let expected = GlobalTransform::from(somewhere()) * node * local();
        assert_at(app.world(), thing, expected);
    }
}

#[test]
fn things_are_hidden_with_their_bone() {
    let mut app = app();
    let root = spawn_model(&mut app, ALO, PlayClip::looping("attack_00"));
    let turret = app.world().spawn(on(root, "Turret")).id();
    let flash = app.world().spawn(on(root, "Flash")).id();
    wait_for_model(&mut app, root);
    let mut states = Vec::new();
    for _ in 0..10 {
        app.step(0.04);
        let time = app.world().get::<Playback>(root).unwrap().time;
        // The turret is hidden in the second and third of five frames, in which the flash shows.
        let frame = (time * ala_play::FPS) as usize;
        let is_hidden = matches!(frame, 1 | 2);
        assert_eq!(is_seen(&mut app, turret), !is_hidden, "at {time}");
        // The flash is on the turret.
        assert!(!is_seen(&mut app, flash), "at {time}");
        states.push(is_hidden);
    }
    assert!(states.contains(&true) && states.contains(&false));
}

#[test]
fn parts_carry_things_where_no_bone_has_the_name() {
    let mut app = app();
    let root = spawn_model(&mut app, ALO, ());
    wait_for_model(&mut app, root);
    let thing = app.world().spawn((on(root, "turretmesh_alt1"), local()));
    let thing = thing.id();
    app.step(0.0);
    let part = parent(&mut app, thing).unwrap();
    let name = app.world().get::<Name>(part).unwrap();
    assert_eq!(name.as_str(), "TurretMesh_ALT1");
    assert_hangs(app.world(), thing, local());
    // The part shows at that damage stage alone.
    assert!(!is_seen(&mut app, thing));
    app.world().entity_mut(root).insert(DamageStage(1));
    app.step(0.0);
    assert!(is_seen(&mut app, thing));
}

#[test]
fn a_bone_that_is_nowhere_is_the_root_and_one_warning() {
    let mut app = app();
    for (path, _, _) in all_formats() {
        let roots = [(); 2].map(|()| spawn_model(&mut app, path, somewhere()));
        let things = roots.map(|root| {
            let thing = (on(root, "Third_Hand"), local());
            app.world().spawn(thing).id()
        });
        for root in roots {
            wait_for_model(&mut app, root);
        }
        for (root, thing) in roots.into_iter().zip(things) {
            assert_eq!(parent(&mut app, thing), Some(root));
            assert_hangs(app.world(), thing, local());
            assert!(is_seen(&mut app, thing));
        }
        let told = log::warnings_with("Third_Hand");
        let told = told.iter().filter(|text| text.contains(path)).count();
        assert_eq!(told, 1, "{path}");
    }
}

#[test]
fn a_change_moves_a_thing_and_a_removal_leaves_it_in_the_world() {
    let mut app = app();
    let play = || PlayClip::looping("MOVE_00");
    let root = spawn_model(&mut app, ALO, (somewhere(), play()));
    let other = spawn_model(&mut app, "hung/unit.abc", Transform::default());
    wait_for_model(&mut app, root);
    wait_for_model(&mut app, other);
    let thing = app.world().spawn((on(root, "hull"), local())).id();
    app.step(0.1);
    assert_hangs(app.world(), thing, local());
    app.world().get_mut::<AttachedToBone>(thing).unwrap().bone = "turret".to_owned();
    app.step(0.1);
    assert_hangs(app.world(), thing, local());
    app.world().entity_mut(thing).insert(on(other, "body"));
    app.step(0.1);
    assert_hangs(app.world(), thing, local());
    let was = global(app.world(), thing);
    app.world().entity_mut(thing).remove::<AttachedToBone>();
    app.step(0.1);
    assert_eq!(parent(&mut app, thing), None);
    assert_at(app.world(), thing, was);
    app.world().despawn(other);
    app.step(0.0);
    assert!(app.world().get_entity(thing).is_ok());
    // What hangs elsewhere by the user's will is not touched.
    app.world().entity_mut(thing).insert(on(root, "hull"));
    app.step(0.0);
    let own = app.world().spawn(Transform::default()).id();
    app.world().entity_mut(thing).insert(ChildOf(own));
    app.world().entity_mut(thing).remove::<AttachedToBone>();
    app.step(0.0);
    assert_eq!(parent(&mut app, thing), Some(own));
}

#[test]
fn things_on_things_go_with_all_above_them() {
    let mut app = app();
    let play = PlayClip::looping("MOVE_00");
    let unit = spawn_model(&mut app, ALO, (somewhere(), play));
    let hung = (on(unit, "turret"), local(), PlayClip::looping(0));
    let guard = spawn_model(&mut app, "hung/unit.abc", hung);
    let gun = spawn_model(&mut app, "hung/unit.mdl", (on(guard, "arm"), local()));
    let light = app.world().spawn((on(gun, ""), local())).id();
    for root in [unit, guard, gun] {
        wait_for_model(&mut app, root);
    }
    for _ in 0..20 {
        app.step(0.03);
        for thing in [guard, gun, light] {
            assert_hangs(app.world(), thing, local());
        }
    }
    app.world().despawn(guard);
    app.step(0.0);
    for gone in [guard, gun, light] {
        assert!(app.world().get_entity(gone).is_err());
    }
    assert!(app.world().get_entity(unit).is_ok());
}

#[test]
fn what_would_hang_on_itself_hangs_nowhere() {
    let mut app = app();
    let [a, b] = [(); 2].map(|()| spawn_model(&mut app, ALO, local()));
    app.world().entity_mut(a).insert(on(b, "hull"));
    app.world().entity_mut(b).insert(on(a, "hull"));
    let own = spawn_model(&mut app, ALO, local());
    app.world().entity_mut(own).insert(on(own, "turret"));
    for root in [a, b, own] {
        wait_for_model(&mut app, root);
    }
    app.step(0.0);
    assert_eq!(parent(&mut app, own), None);
    let hanging = [a, b].map(|root| parent(&mut app, root).is_some());
    assert_eq!(hanging.iter().filter(|hangs| **hangs).count(), 1);
    for root in [a, b, own] {
        let name = format!("{root} is attached to what is attached to it");
        assert!(log::warnings_with(&name).len() < 2);
    }
    // Where one lets go, the other can hang.
    let (upper, lower) = if hanging[0] { (b, a) } else { (a, b) };
    app.world().entity_mut(lower).remove::<AttachedToBone>();
    app.step(0.0);
    assert_eq!(parent(&mut app, lower), None);
    assert_hangs(app.world(), upper, local());
}

#[test]
fn without_a_root_there_is_nothing_to_hang_on() {
    let mut app = app();
    let root = app.world().spawn_empty().id();
    app.world().despawn(root);
    let thing = app.world().spawn(on(root, "hand")).id();
    app.step(0.0);
    assert!(app.world().get_entity(thing).is_err());
    // One that goes before its model is there takes along what waits.
    let root = spawn_model(&mut app, "hung/nowhere.alo", ());
    let thing = app.world().spawn(on(root, "hand")).id();
    app.step(0.0);
    assert!(!is_seen(&mut app, thing));
    app.world().despawn(root);
    app.step(0.0);
    assert!(app.world().get_entity(thing).is_err());
    // As does one that goes in the same frame.
    let root = spawn_model(&mut app, "hung/nowhere.alo", ());
    let thing = app.world().spawn(on(root, "hand")).id();
    app.world().despawn(root);
    app.step(0.0);
    assert!(app.world().get_entity(thing).is_err());
}

#[test]
fn a_root_that_is_given_another_scene_keeps_what_hangs_on_it() {
    let mut app = app();
    let root = spawn_model(&mut app, ALO, somewhere());
    wait_for_model(&mut app, root);
    let thing = app.world().spawn((on(root, "arm"), local(), Mine(1))).id();
    app.step(0.0);
    assert_eq!(parent(&mut app, thing), Some(root));
    let scene = app.load("hung/unit.abc#Scene");
    app.world()
        .entity_mut(root)
        .insert(WorldAssetRoot(scene.clone()));
    let came = gpuless::wait_until(&mut app.app, |world| {
        assert!(world.get_entity(thing).is_ok());
        world.get::<AbcInstance>(root).is_some()
    });
    assert!(came);
    assert_hangs(app.world(), thing, local());
    assert_ne!(parent(&mut app, thing), Some(root));
    // And one that is not loaded yet: what hung on a bone waits.
    let scene = app.load("art/Unit.alo#Scene");
    let late = app.load("hung/nowhere.abc#Scene");
    app.world().entity_mut(root).insert(WorldAssetRoot(late));
    app.step(0.0);
    app.step(0.0);
    assert!(!is_seen(&mut app, thing));
    app.world().entity_mut(root).insert(WorldAssetRoot(scene));
    app.world().entity_mut(thing).insert(on(root, "turret"));
    let hangs = gpuless::wait_until(&mut app.app, |world| {
        let turret = bone_of(world, root, "turret").0;
        let parent = world.get::<ChildOf>(thing).map(ChildOf::parent);
        turret.is_some() && turret == parent
    });
    assert!(hangs);
    assert_hangs(app.world(), thing, local());
    assert!(is_seen(&mut app, thing));
    assert_eq!(app.world().get::<Mine>(thing), Some(&Mine(1)));
}

#[test]
fn a_parent_that_the_game_has_set_stays_when_attached_is_removed() {
    let mut app = app();
    let root = app.spawn_ready("hung/unit.abc#Scene", ());
    let attach = |app: &mut TestApp, bone: &str| {
        let bone = bone.to_owned();
        let attached = AttachedToBone { to: root, bone };
        let thing = app.world().spawn((attached, somewhere())).id();
        app.step(0.0);
        thing
    };
    let parent =
        |app: &mut TestApp, thing: Entity| app.world().get::<ChildOf>(thing).map(ChildOf::parent);
    let thing = attach(&mut app, "arm");
    let other = attach(&mut app, "body");
    // A bone that carries something else already, and something of the game's.
    let bone = parent(&mut app, other).unwrap();
    let hand = app.world().spawn(somewhere()).id();
    for chosen in [bone, hand] {
        app.world().entity_mut(thing).insert(ChildOf(chosen));
        app.world().entity_mut(thing).remove::<AttachedToBone>();
        app.step(0.0);
        assert_eq!(parent(&mut app, thing), Some(chosen));
        let bone = "arm".to_owned();
        let attached = AttachedToBone { to: root, bone };
        app.world().entity_mut(thing).insert(attached);
        app.step(0.0);
        assert_ne!(parent(&mut app, thing), Some(chosen));
    }
    // One that it was given goes.
    app.world().entity_mut(thing).remove::<AttachedToBone>();
    app.step(0.0);
    assert_eq!(parent(&mut app, thing), None);
    // What waits for a model that never comes has been given a parent too.
    let nothing = app.world().spawn(somewhere()).id();
    let attached = AttachedToBone {
        to: nothing,
        bone: String::new(),
    };
    app.world().entity_mut(thing).insert(attached);
    app.step(0.0);
    assert!(parent(&mut app, thing).is_some());
    app.world().entity_mut(thing).remove::<AttachedToBone>();
    app.step(0.0);
    assert_eq!(parent(&mut app, thing), None);
}

fn despawn_mine(world: &mut World) {
    let mut things = world.query_filtered::<Entity, With<Mine>>();
    let things: Vec<Entity> = things.iter(world).collect();
    for thing in things {
        world.despawn(thing);
    }
}

#[test]
fn observers_of_a_parent_may_despawn_what_is_attached() {
    let mut app = app();
    let root = spawn_model(&mut app, ALO, ());
    wait_for_model(&mut app, root);
    let thing = app.world().spawn((on(root, "turret"), Mine(1))).id();
    app.step(0.0);
    app.world()
        .add_observer(|_: On<Remove, ChildOf>, mut commands: Commands| {
            commands.queue(despawn_mine);
        });
    app.world().entity_mut(thing).remove::<AttachedToBone>();
    assert!(app.world().get_entity(thing).is_err(), "detached");
    app.world()
        .add_observer(|_: On<Insert, ChildOf>, mut commands: Commands| {
            commands.queue(despawn_mine);
        });
    // For the missing model, the observer runs when the waiting room is spawned.
    let missing = spawn_model(&mut app, "hung/nowhere.alo", ());
    for root in [root, missing] {
        let thing = app.world().spawn((on(root, "turret"), Mine(1))).id();
        app.step(0.0);
        assert!(app.world().get_entity(thing).is_err(), "attached");
    }
}
