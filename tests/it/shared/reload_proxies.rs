//! Proxy models are reloaded with the settings of the outer model.

use crate::support::alo::{clean, edited};
use crate::support::prelude::*;

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

/// An app with a model that has a proxy model, which has a third one as proxy; and its root.
fn nested_proxies() -> (TestApp, Entity) {
    let mut app = TestApp::watching(&[
        ("outer.alo", with_proxy("inner", "Hull")),
        ("inner.alo", with_proxy("third", "Hull")),
        ("third.alo", plain("Hull")),
        ("gun.alo", plain("Hull")),
    ]);
    let settings = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let outer: Handle<Alo> = app.load_with("outer.alo", settings);
    app.wait_loaded(&outer);
    let root = app.spawn("outer.alo#Scene", KeepsAlo(outer));
    wait_for(&mut app, "third", "Hull");
    (app, root)
}

/// Keeps a model loaded with its settings.
#[derive(Component)]
struct KeepsAlo(#[expect(dead_code)] Handle<Alo>);

/// Waits until the first mesh of a proxy's model has the given name.
fn wait_for(app: &mut TestApp, proxy: &str, mesh: &str) {
    let is_spawned = |world: &mut World| mesh_of_proxy(world, proxy).as_deref() == Some(mesh);
    app.wait(&format!("{mesh} of {proxy}"), is_spawned);
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
    let (mut app, _) = nested_proxies();
    // Twice: the second reload must have the settings too.
    for mesh in ["Edited", "Again"] {
        app.edit("inner.alo", with_proxy("third", mesh));
        wait_for(&mut app, "inner", mesh);
        wait_for(&mut app, "third", "Hull");
    }
    app.edit("third.alo", plain("Fixed"));
    wait_for(&mut app, "third", "Fixed");
}

#[test]
fn proxy_models_respawn_in_the_same_frame_as_the_outer_model() {
    let (mut app, root) = nested_proxies();
    for mesh in ["Edited", "Again"] {
        app.edit("outer.alo", with_proxy("inner", mesh));
        let is_spawned = |world: &mut World| {
            assert!(
                mesh_of_proxy(world, "inner").is_some(),
                "missing in a frame"
            );
            let outer = world.get::<AloInstance>(root).unwrap().model();
            outer.meshes[0].name.to_string() == mesh
        };
        app.wait_until(is_spawned);
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
    let (mut app, root) = nested_proxies();
    let gun: Handle<Alo> = app.load("gun.alo");
    app.wait_loaded(&gun);
    for (round, mesh) in MESHES.into_iter().enumerate() {
        act(&mut app, root);
        save(&mut app, round, paths);
        let is_spawned = |world: &mut World| mesh_of(world, root).as_deref() == Some(mesh);
        app.wait(&format!("round {round}"), is_spawned);
        if paths.contains(&"inner.alo") {
            wait_for(&mut app, "inner", mesh);
        }
        let has_third = paths.contains(&"third.alo");
        wait_for(&mut app, "third", if has_third { mesh } else { "Hull" });
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
        let bone = app.get::<AloInstance>(root).bones()[1];
        let child = scene(app, "third.alo#Scene");
        app.world().spawn((child, ChildOf(bone)));
        app.steps(6, 0.0);
        assert_eq!(app.count::<AloInstance>(), 4);
    });
}

#[test]
fn an_attachment_of_a_proxy_model_can_change_in_the_same_frame() {
    change_together(&["outer.alo", "gun.alo"], |app, _| {
        let to = proxy_of(app, "inner");
        let attached = on(to, "");
        let gun = scene(app, "gun.alo#Scene");
        app.world().spawn((gun, attached));
        app.steps(6, 0.0);
    });
}

#[test]
fn a_former_attachment_below_a_bone_can_change_in_the_same_frame() {
    change_together(&["outer.alo", "gun.alo"], |app, root| {
        let attached = on(root, "");
        let gun = scene(app, "gun.alo#Scene");
        let gun = app.spawn_entity((gun, attached));
        app.steps(6, 0.0);
        let bone = app.get::<AloInstance>(root).bones()[1];
        let mut gun = app.world().entity_mut(gun);
        gun.remove::<AttachedToBone>().insert(ChildOf(bone));
        app.steps(6, 0.0);
    });
}

#[test]
fn a_proxy_outside_the_hierarchy_can_change_in_the_same_frame() {
    change_together(&["outer.alo", "inner.alo"], |app, _| {
        let proxy = proxy_of(app, "inner");
        app.remove::<ChildOf>(proxy);
        app.steps(6, 0.0);
    });
}

#[test]
fn a_scene_spawned_below_a_bone_can_change_in_the_same_frame() {
    change_together(&["outer.alo", "gun.alo"], |app, root| {
        let WorldAssetRoot(gun) = scene(app, "gun.alo#Scene");
        let other = app.spawn_entity(WorldAssetRoot(gun.clone()));
        let bone = app.get::<AloInstance>(root).bones()[1];
        let mut spawner = app.world().resource_mut::<WorldInstanceSpawner>();
        spawner.spawn_as_child(gun, bone);
        app.steps(6, 0.0);
        app.insert(other, Name::new("separate"));
    });
}

#[test]
fn a_root_can_get_another_scene_in_the_frame_of_a_reload() {
    let (mut app, root) = nested_proxies();
    let second = scene(&mut app, "outer.alo#Scene");
    let second = app.spawn_entity(second);
    let all = ["outer.alo", "inner.alo", "third.alo", "gun.alo"];
    let gun: Handle<Alo> = app.load("gun.alo");
    app.wait_loaded(&gun);
    for (round, mesh) in MESHES.into_iter().enumerate() {
        app.steps(6, 0.0);
        save(&mut app, round, &all);
        let other = scene(&mut app, "gun.alo#Scene");
        let changed = [second, proxy_of(&mut app, "inner")][round % 2];
        app.insert(changed, other);
        let is_spawned = |world: &mut World| mesh_of(world, root).as_deref() == Some(mesh);
        app.wait(&format!("round {round}"), is_spawned);
        app.steps(6, 0.0);
        let again = scene(&mut app, "outer.alo#Scene");
        app.insert(second, again);
        let is_spawned = |world: &mut World| mesh_of(world, second).as_deref() == Some(mesh);
        app.wait(&format!("round {round}"), is_spawned);
    }
}
