//! Models that proxies bring along follow their files with the settings of the model that they belong to.

use crate::gpuless;
use crate::support::alo::{clean, edited, minimal};
use crate::support::app::TestApp;
use crate::support::loads::Loads;
use bevy::asset::io::memory::Dir;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceSpawner;
use bevy_classic_models::alamo::AloProxy;
use bevy_classic_models::alamo::{Alo, AloInstance, AloLoaderSettings};
use bevy_classic_models::prelude::*;
use std::path::Path;

/// A model with one proxy that may name a model, and a mesh of some name.
fn with_proxy(proxy: &'static str, mesh: &'static str) -> Vec<u8> {
    edited(&clean(), |file| {
        file.proxies.truncate(2);
        file.proxies[0].name = proxy.into();
        file.proxies[0].hidden = None;
        file.proxies[1].name = "p_smoke".into();
        file.meshes[0].name = mesh.into();
    })
}

/// A model without proxies, with a mesh of some name.
fn plain(mesh: &'static str) -> Vec<u8> {
    edited(&minimal(), |file| file.meshes[0].name = mesh.into())
}

/// An app that loads anew what has only labels left.
fn watching(files: &[(&str, Vec<u8>)]) -> (TestApp, Dir) {
    let root = Dir::default();
    for (path, bytes) in files {
        root.insert_asset(Path::new(path), bytes.clone());
    }
    let mut app = App::new();
    let loads = Loads::from_memory(&mut app, &root);
    let bevy = gpuless::plugins(Path::new("unused"), true);
    (TestApp::with_loads(app, root.clone(), loads, bevy), root)
}

/// An app with a model that brings along another one, in which a third one is; and its root.
fn with_third() -> (TestApp, Dir, Entity) {
    let (mut app, files) = watching(&[
        ("outer.alo", with_proxy("inner", "Hull")),
        ("inner.alo", with_proxy("third", "Hull")),
        ("third.alo", plain("Hull")),
        ("gun.alo", plain("Hull")),
    ]);
    let server = app.world().resource::<AssetServer>().clone();
    let settings = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let outer: Handle<Alo> = server
        .load_builder()
        .with_settings(settings)
        .load("outer.alo");
    app.wait_loaded(&outer);
    let scene = WorldAssetRoot(server.load("outer.alo#Scene"));
    let root = app.world().spawn((scene, Holds(outer))).id();
    wait_for(&mut app, "third", "Hull");
    (app, files, root)
}

/// Keeps the settings of a model.
#[derive(Component)]
struct Holds(#[expect(dead_code)] Handle<Alo>);

/// Waits until the model that a proxy has brought has a first mesh of some name.
fn wait_for(app: &mut TestApp, proxy: &str, mesh: &str) {
    let is_there = |world: &mut World| brought(world, proxy).as_deref() == Some(mesh);
    assert!(
        gpuless::wait_until(&mut app.app, is_there),
        "{mesh} of {proxy}"
    );
}

/// The first mesh of the model that the proxy of a name has brought.
fn brought(world: &mut World, proxy: &str) -> Option<String> {
    let mut proxies = world.query::<(&AloProxy, &AloInstance)>();
    let mut proxies = proxies.iter(world);
    let (_, model) = proxies.find(|(of, _)| of.name == proxy)?;
    Some(model.model().meshes[0].name.to_string())
}

#[test]
fn models_of_proxies_keep_their_settings() {
    let (mut app, files, _) = with_third();
    let server = app.world().resource::<AssetServer>().clone();
    // Twice, because the second load might be without what the first one was told.
    for mesh in ["Edited", "Again"] {
        files.insert_asset(Path::new("inner.alo"), with_proxy("third", mesh));
        server.reload("inner.alo");
        wait_for(&mut app, "inner", mesh);
        wait_for(&mut app, "third", "Hull");
    }
    files.insert_asset(Path::new("third.alo"), plain("Mended"));
    server.reload("third.alo");
    wait_for(&mut app, "third", "Mended");
}

#[test]
fn models_of_proxies_come_in_the_frame_of_the_model_that_brings_them() {
    let (mut app, files, root) = with_third();
    let server = app.world().resource::<AssetServer>().clone();
    for mesh in ["Edited", "Again"] {
        files.insert_asset(Path::new("outer.alo"), with_proxy("inner", mesh));
        server.reload("outer.alo");
        let is_there = |world: &mut World| {
            assert!(brought(world, "inner").is_some(), "a frame is without it");
            let outer = world.get::<AloInstance>(root).unwrap().model();
            outer.meshes[0].name.to_string() == mesh
        };
        assert!(gpuless::wait_until(&mut app.app, is_there));
        wait_for(&mut app, "third", "Hull");
    }
}

/// Names of meshes, one for each round.
const MESHES: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

/// Saves some files so that the models are there in one frame, in an order that is another in each round.
fn save(app: &mut TestApp, round: usize, which: &[&'static str]) {
    let mesh = MESHES[round];
    let mut order = which.to_vec();
    order.rotate_left(round % which.len());
    for path in order {
        let model = match path {
            "outer.alo" => with_proxy("inner", mesh),
            "inner.alo" => with_proxy("third", mesh),
            _ => plain(mesh),
        };
        app.begin_replace(path, model);
    }
    // Loads end in other threads.
    app.loads().wait_without_frames();
}

/// The first mesh of the model of a root.
fn mesh_of(world: &World, root: Entity) -> Option<String> {
    let model = world.get::<AloInstance>(root)?.model();
    Some(model.meshes[0].name.to_string())
}

/// Does something with a model, and saves it together with others, in each round. The models are there all the
/// same.
fn change_together(which: &[&'static str], act: impl Fn(&mut TestApp, Entity)) {
    let (mut app, _, root) = with_third();
    let gun: Handle<Alo> = app.load("gun.alo");
    app.wait_loaded(&gun);
    for (round, mesh) in MESHES.into_iter().enumerate() {
        act(&mut app, root);
        save(&mut app, round, which);
        let is_there = |world: &mut World| mesh_of(world, root).as_deref() == Some(mesh);
        assert!(gpuless::wait_until(&mut app.app, is_there), "round {round}");
        if which.contains(&"inner.alo") {
            wait_for(&mut app, "inner", mesh);
        }
        wait_for(
            &mut app,
            "third",
            if which.contains(&"third.alo") {
                mesh
            } else {
                "Hull"
            },
        );
    }
}

fn steps(app: &mut TestApp) {
    for _ in 0..6 {
        app.step(0.0);
    }
}

/// The scene of a file that is loaded.
fn scene(app: &mut TestApp, path: &'static str) -> WorldAssetRoot {
    WorldAssetRoot(app.load(path))
}

fn proxy_of(app: &mut TestApp, name: &str) -> Entity {
    let mut proxies = app.world().query::<(Entity, &AloProxy)>();
    let mut proxies = proxies.iter(app.app.world());
    proxies.find(|(_, of)| of.name == name).unwrap().0
}

#[test]
fn models_within_models_may_change_in_one_frame() {
    change_together(&["outer.alo", "inner.alo", "third.alo"], |app, root| {
        // A user's own, below a bone and not attached, which goes with the bone.
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[1];
        let own = scene(app, "third.alo#Scene");
        app.world().spawn((own, ChildOf(bone)));
        steps(app);
        let mut instances = app.world().query::<&AloInstance>();
        assert_eq!(instances.iter(app.app.world()).count(), 4);
    });
}

#[test]
fn what_is_attached_to_a_model_of_a_proxy_may_change_with_it() {
    change_together(&["outer.alo", "gun.alo"], |app, _| {
        let to = proxy_of(app, "inner");
        let attached = AttachedToBone {
            to,
            bone: String::new(),
        };
        let gun = scene(app, "gun.alo#Scene");
        app.world().spawn((gun, attached));
        steps(app);
    });
}

#[test]
fn what_was_attached_once_may_change_with_the_bone_that_it_was_put_on() {
    change_together(&["outer.alo", "gun.alo"], |app, root| {
        let attached = AttachedToBone {
            to: root,
            bone: String::new(),
        };
        let gun = scene(app, "gun.alo#Scene");
        let gun = app.world().spawn((gun, attached)).id();
        steps(app);
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[1];
        let mut gun = app.world().entity_mut(gun);
        gun.remove::<AttachedToBone>().insert(ChildOf(bone));
        steps(app);
    });
}

#[test]
fn proxies_outside_of_the_model_may_change_with_it() {
    change_together(&["outer.alo", "inner.alo"], |app, _| {
        let proxy = proxy_of(app, "inner");
        app.world().entity_mut(proxy).remove::<ChildOf>();
        steps(app);
    });
}

#[test]
fn what_others_spawn_below_a_bone_may_change_with_it() {
    change_together(&["outer.alo", "gun.alo"], |app, root| {
        let WorldAssetRoot(gun) = scene(app, "gun.alo#Scene");
        let root_of_another = WorldAssetRoot(gun.clone());
        let other = app.world().spawn(root_of_another).id();
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[1];
        let mut spawner = app.world().resource_mut::<WorldInstanceSpawner>();
        spawner.spawn_as_child(gun, bone);
        steps(app);
        app.world()
            .entity_mut(other)
            .insert(Name::new("on its own"));
    });
}

#[test]
fn models_may_be_given_another_scene_in_the_frame_of_a_change() {
    let (mut app, _, root) = with_third();
    let second = scene(&mut app, "outer.alo#Scene");
    let second = app.world().spawn(second).id();
    let all = ["outer.alo", "inner.alo", "third.alo", "gun.alo"];
    let gun: Handle<Alo> = app.load("gun.alo");
    app.wait_loaded(&gun);
    for (round, mesh) in MESHES.into_iter().enumerate() {
        steps(&mut app);
        save(&mut app, round, &all);
        let other = scene(&mut app, "gun.alo#Scene");
        let changed = [second, proxy_of(&mut app, "inner")][round % 2];
        app.world().entity_mut(changed).insert(other);
        let is_there = |world: &mut World| mesh_of(world, root).as_deref() == Some(mesh);
        assert!(gpuless::wait_until(&mut app.app, is_there), "round {round}");
        steps(&mut app);
        let again = scene(&mut app, "outer.alo#Scene");
        app.world().entity_mut(second).insert(again);
        let is_there = |world: &mut World| mesh_of(world, second).as_deref() == Some(mesh);
        assert!(gpuless::wait_until(&mut app.app, is_there), "round {round}");
    }
}
