//! Proxy models are reloaded with the settings of the outer model.

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

/// A model with a mesh of the given name, a proxy of the given name, and a proxy without a model.
fn with_proxy(proxy: &'static str, mesh: &'static str) -> Vec<u8> {
    edited(&clean(), |file| {
        file.proxies.truncate(2);
        file.proxies[0].name = proxy.into();
        file.proxies[0].hidden = None;
        file.proxies[1].name = "p_smoke".into();
        file.meshes[0].name = mesh.into();
    })
}

/// A model without proxies, with a mesh of the given name.
fn plain(mesh: &'static str) -> Vec<u8> {
    edited(&minimal(), |file| file.meshes[0].name = mesh.into())
}

/// An app with `watch_for_changes`: Bevy reloads assets of which only labels are in use.
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

/// An app with a model that has a proxy model, which has a third one as proxy; and its root.
fn nested_proxies() -> (TestApp, Dir, Entity) {
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
    let root = app.world().spawn((scene, KeepsAlo(outer))).id();
    wait_for(&mut app, "third", "Hull");
    (app, files, root)
}

/// Keeps a model loaded with its settings.
#[derive(Component)]
struct KeepsAlo(#[expect(dead_code)] Handle<Alo>);

/// Waits until the first mesh of a proxy's model has the given name.
fn wait_for(app: &mut TestApp, proxy: &str, mesh: &str) {
    let is_spawned = |world: &mut World| mesh_of_proxy(world, proxy).as_deref() == Some(mesh);
    assert!(
        gpuless::wait_until(&mut app.app, is_spawned),
        "{mesh} of {proxy}"
    );
}

/// The name of the first mesh of a proxy's model.
fn mesh_of_proxy(world: &mut World, proxy: &str) -> Option<String> {
    let mut proxies = world.query::<(&AloProxy, &AloInstance)>();
    let mut proxies = proxies.iter(world);
    let (_, model) = proxies.find(|(proxy_of, _)| proxy_of.name == proxy)?;
    Some(model.model().meshes[0].name.to_string())
}

#[test]
fn proxy_models_keep_their_settings() {
    let (mut app, files, _) = nested_proxies();
    let server = app.world().resource::<AssetServer>().clone();
    // Twice: the second reload must have the settings too.
    for mesh in ["Edited", "Again"] {
        files.insert_asset(Path::new("inner.alo"), with_proxy("third", mesh));
        server.reload("inner.alo");
        wait_for(&mut app, "inner", mesh);
        wait_for(&mut app, "third", "Hull");
    }
    files.insert_asset(Path::new("third.alo"), plain("Fixed"));
    server.reload("third.alo");
    wait_for(&mut app, "third", "Fixed");
}

#[test]
fn proxy_models_respawn_in_the_same_frame_as_the_outer_model() {
    let (mut app, files, root) = nested_proxies();
    let server = app.world().resource::<AssetServer>().clone();
    for mesh in ["Edited", "Again"] {
        files.insert_asset(Path::new("outer.alo"), with_proxy("inner", mesh));
        server.reload("outer.alo");
        let is_spawned = |world: &mut World| {
            assert!(
                mesh_of_proxy(world, "inner").is_some(),
                "missing in a frame"
            );
            let outer = world.get::<AloInstance>(root).unwrap().model();
            outer.meshes[0].name.to_string() == mesh
        };
        assert!(gpuless::wait_until(&mut app.app, is_spawned));
        wait_for(&mut app, "third", "Hull");
    }
}

/// The mesh names of the rounds.
const MESHES: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

/// Writes some files so that all are reloaded in one frame. Each round has another order.
fn save(app: &mut TestApp, round: usize, paths: &[&'static str]) {
    let mesh = MESHES[round];
    let mut order = paths.to_vec();
    order.rotate_left(round % paths.len());
    for path in order {
        let model = match path {
            "outer.alo" => with_proxy("inner", mesh),
            "inner.alo" => with_proxy("third", mesh),
            _ => plain(mesh),
        };
        app.begin_replace(path, model);
    }
    // Loads run in other threads.
    app.loads().wait_without_frames();
}

/// The name of the first mesh of a root's model.
fn mesh_of(world: &World, root: Entity) -> Option<String> {
    let model = world.get::<AloInstance>(root)?.model();
    Some(model.meshes[0].name.to_string())
}

/// In each round, changes the world with `act`, writes the files at `paths`, and asserts that all models respawn.
fn change_together(paths: &[&'static str], act: impl Fn(&mut TestApp, Entity)) {
    let (mut app, _, root) = nested_proxies();
    let gun: Handle<Alo> = app.load("gun.alo");
    app.wait_loaded(&gun);
    for (round, mesh) in MESHES.into_iter().enumerate() {
        act(&mut app, root);
        save(&mut app, round, paths);
        let is_spawned = |world: &mut World| mesh_of(world, root).as_deref() == Some(mesh);
        assert!(
            gpuless::wait_until(&mut app.app, is_spawned),
            "round {round}"
        );
        if paths.contains(&"inner.alo") {
            wait_for(&mut app, "inner", mesh);
        }
        wait_for(
            &mut app,
            "third",
            if paths.contains(&"third.alo") {
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

/// The scene of a loaded file.
fn scene(app: &mut TestApp, path: &'static str) -> WorldAssetRoot {
    WorldAssetRoot(app.load(path))
}

fn proxy_of(app: &mut TestApp, name: &str) -> Entity {
    let mut proxies = app.world().query::<(Entity, &AloProxy)>();
    let mut proxies = proxies.iter(app.app.world());
    proxies.find(|(_, proxy)| proxy.name == name).unwrap().0
}

#[test]
fn nested_models_can_change_in_one_frame() {
    change_together(&["outer.alo", "inner.alo", "third.alo"], |app, root| {
        // A child of a bone without `AttachedToBone`, which is despawned with the bone.
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[1];
        let child = scene(app, "third.alo#Scene");
        app.world().spawn((child, ChildOf(bone)));
        steps(app);
        let mut instances = app.world().query::<&AloInstance>();
        assert_eq!(instances.iter(app.app.world()).count(), 4);
    });
}

#[test]
fn an_attachment_of_a_proxy_model_can_change_in_the_same_frame() {
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
fn a_former_attachment_below_a_bone_can_change_in_the_same_frame() {
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
fn a_proxy_outside_the_hierarchy_can_change_in_the_same_frame() {
    change_together(&["outer.alo", "inner.alo"], |app, _| {
        let proxy = proxy_of(app, "inner");
        app.world().entity_mut(proxy).remove::<ChildOf>();
        steps(app);
    });
}

#[test]
fn a_scene_spawned_below_a_bone_can_change_in_the_same_frame() {
    change_together(&["outer.alo", "gun.alo"], |app, root| {
        let WorldAssetRoot(gun) = scene(app, "gun.alo#Scene");
        let other = app.world().spawn(WorldAssetRoot(gun.clone())).id();
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[1];
        let mut spawner = app.world().resource_mut::<WorldInstanceSpawner>();
        spawner.spawn_as_child(gun, bone);
        steps(app);
        app.world().entity_mut(other).insert(Name::new("separate"));
    });
}

#[test]
fn a_root_can_get_another_scene_in_the_frame_of_a_reload() {
    let (mut app, _, root) = nested_proxies();
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
        let is_spawned = |world: &mut World| mesh_of(world, root).as_deref() == Some(mesh);
        assert!(
            gpuless::wait_until(&mut app.app, is_spawned),
            "round {round}"
        );
        steps(&mut app);
        let again = scene(&mut app, "outer.alo#Scene");
        app.world().entity_mut(second).insert(again);
        let is_spawned = |world: &mut World| mesh_of(world, second).as_deref() == Some(mesh);
        assert!(
            gpuless::wait_until(&mut app.app, is_spawned),
            "round {round}"
        );
    }
}
