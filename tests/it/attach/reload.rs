//! Things that hang on models whose files change: they are the same things, on the new bones, in every frame.

use crate::ala::play as ala_play;
use crate::attach::scene::{
    Mine, all_formats, app, assert_hangs, bone_of, local, on, spawn_model, wait_for_model,
};
use crate::gpuless;
use crate::support::abc::{ARM, bytes, figure, walk};
use crate::support::app::TestApp;
use crate::support::fixtures::tetrahedron;
use crate::support::lgw::BICYCLE;
use crate::support::log;
use crate::support::random::Random;
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::{MdlAnimator, MdlModel};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// What nobody has a handle to is not loaded anew.
#[derive(Component)]
struct Keeps(#[expect(dead_code, reason = "it is kept, not read")] UntypedHandle);

/// A model that plays, with a thing on a bone.
fn hung(app: &mut TestApp, path: &'static str, bone: &str) -> (Entity, Entity) {
    let server = app.world().resource::<AssetServer>().clone();
    let model = match path.rsplit_once('.').unwrap().1 {
        "alo" => server.load::<Alo>(path).untyped(),
        "abc" => server.load::<Abc>(path).untyped(),
        "lgw" => server.load::<Lgw>(path).untyped(),
        _ => server.load::<Mdl>(path).untyped(),
    };
    let is_loaded =
        gpuless::wait_until(&mut app.app, |_| server.is_loaded_with_dependencies(&model));
    assert!(is_loaded, "{path} was not loaded");
    let place = Transform::from_xyz(3.0, 4.0, 5.0);
    let root = spawn_model(app, path, (place, Keeps(model), PlayClip::looping(0)));
    wait_for_model(app, root);
    let thing = (on(root, bone), local(), Mine(7), Name::new("a thing"));
    let thing = app.world().spawn(thing).id();
    app.step(0.0);
    (root, thing)
}

/// Replaces a file without waiting for what comes of it.
fn replace(app: &mut TestApp, path: &'static str, bytes: Vec<u8>) {
    app.files.insert_asset(Path::new(path), bytes);
    app.world().resource::<AssetServer>().reload(path);
}

/// All bytes of the formats, edited so that all models differ from what they were.
fn edited() -> Vec<Vec<u8>> {
    let mut abc = figure();
    abc.animations[0] = walk("Walk", 25.0);
    let mut mdl = tetrahedron();
    mdl.header.origin = [1.0, 2.0, 3.0];
    let lgw = BICYCLE.replace("1 0 0 1 0 0 0 1", "9 0 0 1 0 0 0 1");
    vec![
        ala_play::model_at(9.0),
        bytes(&abc),
        lgw.into(),
        mdl.to_bytes(),
    ]
}

/// The entity of the scene below a root.
fn scene(app: &mut TestApp, (root, thing): (Entity, Entity)) -> Option<Entity> {
    let children = app.world().get::<Children>(root)?;
    children.iter().find(|child| *child != thing)
}

/// The model that an MDL model's entity is exchanged for, where it is not spawned anew.
fn exchanged(app: &mut TestApp, (root, _): (Entity, Entity)) -> Option<Arc<MdlModel>> {
    let animator = app.world().get::<MdlAnimator>(root)?;
    Some(animator.model().clone())
}

#[test]
fn a_thing_is_never_elsewhere() {
    for ((path, before, bone), after) in all_formats().into_iter().zip(edited()) {
        let mut app = app();
        let hung = hung(&mut app, path, bone);
        let thing = hung.1;
        for (round, bytes) in [&after, &before, &after].into_iter().enumerate() {
            let old = scene(&mut app, hung);
            let old_model = exchanged(&mut app, hung);
            replace(&mut app, path, bytes.clone());
            let mut patience = gpuless::Patience::new(5000);
            let mut after_it = 0;
            while after_it < 5 {
                app.step(0.011);
                assert_hangs(app.world(), thing, local());
                let visible = app.world().get::<InheritedVisibility>(thing).unwrap();
                assert!(visible.get(), "{path}, round {round}");
                assert_eq!(app.world().get::<Mine>(thing), Some(&Mine(7)));
                let is_new = match (&old_model, exchanged(&mut app, hung)) {
                    (Some(old), Some(new)) => !Arc::ptr_eq(old, &new),
                    _ => scene(&mut app, hung) != old,
                };
                after_it += usize::from(is_new);
                assert!(!patience.is_exhausted(), "{path} was never spawned anew");
                patience.wait();
            }
        }
    }
}

#[test]
fn a_thing_on_a_hidden_bone_is_not_shown_by_a_reload() {
    let mut app = app();
    let (root, thing) = hung(&mut app, "hung/unit.alo", "flash");
    let old = bone_of(app.world(), root, "flash").0.unwrap();
    replace(&mut app, "hung/unit.alo", ala_play::model_at(9.0));
    let mut patience = gpuless::Patience::new(5000);
    while bone_of(app.world(), root, "flash").0 == Some(old) {
        assert!(!patience.is_exhausted(), "it was never spawned anew");
        app.step(0.011);
        let visible = app.world().get::<InheritedVisibility>(thing).unwrap();
        assert!(!visible.get());
        patience.wait();
    }
}

#[test]
fn a_broken_file_moves_nothing() {
    for (path, before, bone) in all_formats() {
        let mut app = app();
        let hung = hung(&mut app, path, bone);
        let old = scene(&mut app, hung);
        app.begin_replace(path, before[..before.len() / 2].to_vec());
        app.run_until_idle(0.011, |world| assert_hangs(world, hung.1, local()));
        let server = app.world().resource::<AssetServer>();
        let handles = server.get_handles_untyped(path);
        let is_broken = |of: &UntypedHandle| server.load_state(of).is_failed();
        assert!(handles.iter().any(is_broken), "{path} is not read");
        assert_eq!(scene(&mut app, hung), old, "{path}");
    }
}

#[test]
fn a_bone_that_is_renamed_lets_go_and_takes_up_again() {
    let path = "hung/unit.abc";
    let mut app = app();
    let (root, thing) = hung(&mut app, path, "Arm");
    let mut renamed = figure();
    renamed.nodes[ARM].name = "Wing".to_owned();
    for round in 0..3 {
        replace(&mut app, path, bytes(&renamed));
        let is_gone = |world: &mut World| bone_of(world, root, "arm").0.is_none();
        assert!(gpuless::wait_until(&mut app.app, is_gone));
        assert_hangs(app.world(), thing, local());
        let parent = app.world().get::<ChildOf>(thing).unwrap().parent();
        assert_eq!(parent, root, "round {round}");
        replace(&mut app, path, bytes(&figure()));
        let is_back = |world: &mut World| bone_of(world, root, "arm").0.is_some();
        assert!(gpuless::wait_until(&mut app.app, is_back));
        assert_hangs(app.world(), thing, local());
        let parent = app.world().get::<ChildOf>(thing).unwrap().parent();
        assert_ne!(parent, root, "round {round}");
    }
    // Each time that it was there before.
    let told = log::warnings_with("has no bone \"Arm\"");
    assert_eq!(told.len(), 3, "{told:?}");
}

/// Everything that hangs somewhere hangs on something that is there, and all else would hang on itself.
fn check(app: &mut TestApp) {
    // What was refused is tried again in the next frame.
    for _ in 0..12 {
        if !may_hang(app) {
            break;
        }
        app.step(0.0);
    }
    assert!(!may_hang(app), "it could hang and does not");
    let mut attached = app
        .world()
        .query::<(Entity, &AttachedToBone, Option<&ChildOf>)>();
    let all: Vec<_> = attached
        .iter(app.app.world())
        .map(|(entity, attached, of)| (entity, attached.clone(), of.map(ChildOf::parent)))
        .collect();
    for (thing, attached, parent) in all {
        let world = app.world();
        assert!(world.get_entity(attached.to).is_ok(), "its root is gone");
        let Some(parent) = parent else {
            continue;
        };
        let (_, is_there) = bone_of(world, attached.to, "");
        if is_there {
            assert_hangs(world, thing, local());
        } else {
            let of = world.get::<ChildOf>(parent).unwrap().parent();
            assert_eq!(of, attached.to, "it waits");
        }
    }
}

/// Whether something hangs nowhere that would not hang on itself.
fn may_hang(app: &mut TestApp) -> bool {
    let world = app.world();
    let mut refused = world.query_filtered::<(Entity, &AttachedToBone), Without<ChildOf>>();
    refused.iter(world).any(|(thing, attached)| {
        let above = core::iter::successors(Some(attached.to), |entity| {
            world.get::<ChildOf>(*entity).map(ChildOf::parent)
        });
        above.into_iter().all(|above| above != thing)
    })
}

/// One of a list.
fn any<T: Clone>(random: &mut Random, all: &[T]) -> Option<T> {
    let index = random.below(all.len().max(1));
    all.get(index).cloned()
}

#[test]
fn thousands_of_steps_leave_nothing_behind() {
    const PATHS: [&str; 3] = ["hung/unit.alo", "hung/unit.abc", "hung/unit.mdl"];
    const BONES: [&str; 6] = ["hull", "TURRET", "body", "Arm", "nothing", ""];
    let mut app = app();
    let keeps: (Handle<Alo>, Handle<Abc>, Handle<Mdl>) =
        (app.load(PATHS[0]), app.load(PATHS[1]), app.load(PATHS[2]));
    // What stays is there once everything has been there.
    for (path, _, _) in all_formats() {
        let root = spawn_model(&mut app, path, ());
        wait_for_model(&mut app, root);
        app.world().despawn(root);
    }
    let settle = |app: &mut TestApp| {
        app.run_until_idle(0.01, |_| {});
        app.world().entities().count_spawned()
    };
    let before = settle(&mut app);
    let random = &mut Random(0x1357_9bdf_2468_ace0);
    let mut roots = Vec::new();
    let mut things = Vec::new();
    let mut seen = HashSet::new();
    for step in 0..4000 {
        let is_alive = |entity: &Entity| app.app.world().get_entity(*entity).is_ok();
        roots.retain(is_alive);
        things.retain(is_alive);
        let all: Vec<Entity> = roots.iter().chain(&things).copied().collect();
        let doing = random.below(12);
        match doing {
            0 | 1 if roots.len() < 8 => {
                let path = any(random, &PATHS).unwrap();
                roots.push(spawn_model(&mut app, path, local()));
            }
            2 | 3 if things.len() < 12 => things.push(app.world().spawn(local()).id()),
            4..=6 => {
                if let (Some(to), Some(thing)) = (any(random, &roots), any(random, &all)) {
                    let bone = any(random, &BONES).unwrap();
                    app.world().entity_mut(thing).insert(on(to, bone));
                }
            }
            7 => {
                if let Some(thing) = any(random, &all) {
                    let mut thing = app.world().entity_mut(thing);
                    thing.remove::<AttachedToBone>().insert(local());
                }
            }
            8 | 9 => {
                // As a change of its file does.
                if let Some(root) = any(random, &roots) {
                    let mut scene = app.world().get_mut::<WorldAssetRoot>(root);
                    scene.as_mut().unwrap().set_changed();
                }
            }
            10 if step % 40 == 0 => {
                let path = any(random, &PATHS).unwrap();
                app.world().resource::<AssetServer>().reload(path);
            }
            11 if step % 3 == 0 => {
                if let Some(gone) = any(random, &all) {
                    app.world().despawn(gone);
                }
            }
            _ => continue,
        }
        seen.insert(doing);
        app.step(0.01);
        check(&mut app);
    }
    assert_eq!(seen.len(), 12, "everything was done");
    for entity in roots.into_iter().chain(things) {
        app.world().try_despawn(entity).ok();
    }
    assert_eq!(settle(&mut app), before);
    drop(keeps);
}

#[test]
fn a_thing_on_a_thing_that_is_a_model_survives_both() {
    let mut app = app();
    let (unit, _) = hung(&mut app, "hung/unit.alo", "turret");
    let (guard, light) = hung(&mut app, "hung/unit.abc", "arm");
    app.world()
        .entity_mut(guard)
        .insert((on(unit, "turret"), local()));
    app.step(0.01);
    for round in 0..2 {
        let height = 9.0 + round as f32;
        replace(&mut app, "hung/unit.alo", ala_play::model_at(height));
        let mut other = figure();
        other.animations[0] = walk("Walk", height);
        replace(&mut app, "hung/unit.abc", bytes(&other));
        let bones = |app: &mut TestApp| {
            let bones = [(unit, "turret"), (guard, "arm")];
            bones.map(|(root, bone)| bone_of(app.world(), root, bone).0.unwrap())
        };
        let old = bones(&mut app);
        let mut patience = gpuless::Patience::new(5000);
        let are_new = |app: &mut TestApp| {
            let new = bones(app);
            new[0] != old[0] && new[1] != old[1]
        };
        while !are_new(&mut app) {
            assert!(!patience.is_exhausted());
            app.step(0.01);
            assert_hangs(app.world(), guard, local());
            assert_hangs(app.world(), light, local());
            patience.wait();
        }
    }
}
