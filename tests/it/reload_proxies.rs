//! Models that proxies bring along follow their files with the settings of the model that they belong to.

use crate::gpuless;
use crate::support::alo::{clean, edited, minimal};
use crate::support::app::TestApp;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloProxy;
use bevy_classic_models::prelude::*;
use std::path::Path;
use std::time::Duration;

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

/// An app that loads anew what has only labels left.
fn watching(files: &[(&str, Vec<u8>)]) -> (TestApp, Dir) {
    let root = Dir::default();
    for (path, bytes) in files {
        root.insert_asset(Path::new(path), bytes.clone());
    }
    let files = root.clone();
    let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
        Box::new(MemoryAssetReader { root: root.clone() })
    };
    let mut app = App::new();
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
    let bevy = gpuless::plugins(Path::new("unused"), true);
    (TestApp::with_sources(app, bevy), files)
}

/// An app with a model that brings along another one, in which a third one is; and its root.
fn with_third() -> (TestApp, Dir, Entity) {
    let (mut app, files) = watching(&[
        ("outer.alo", with_proxy("inner", "Hull")),
        ("inner.alo", with_proxy("third", "Hull")),
        ("third.alo", minimal()),
    ]);
    let server = app.world().resource::<AssetServer>().clone();
    let settings = |settings: &mut AloLoaderSettings| settings.follow_proxies = true;
    let outer: Handle<Alo> = server
        .load_builder()
        .with_settings(settings)
        .load("outer.alo");
    app.finish_load(&outer);
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
    let third = edited(&minimal(), |file| file.meshes[0].name = "Mended".into());
    files.insert_asset(Path::new("third.alo"), third);
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

#[test]
fn models_within_models_may_change_in_one_frame() {
    let (mut app, files, root) = with_third();
    // A user's own, below a bone and not attached.
    let server = app.world().resource::<AssetServer>().clone();
    let name = |world: &World, entity| {
        let model = world.get::<AloInstance>(entity)?.model();
        Some(model.meshes[0].name.to_string())
    };
    for round in 0..8 {
        let mesh: &'static str = ["A", "B", "C", "D", "E", "F", "G", "H"][round];
        let bone = app.world().get::<AloInstance>(root).unwrap().bones()[1];
        let own = WorldAssetRoot(server.load("third.alo#Scene"));
        app.world().spawn((own, ChildOf(bone)));
        app.step(0.0);
        app.step(0.0);
        files.insert_asset(Path::new("outer.alo"), with_proxy("inner", mesh));
        files.insert_asset(Path::new("inner.alo"), with_proxy("third", mesh));
        let third = edited(&minimal(), |file| file.meshes[0].name = mesh.into());
        files.insert_asset(Path::new("third.alo"), third);
        let mut order = ["outer.alo", "inner.alo", "third.alo"];
        order.rotate_left(round % 3);
        for path in order {
            server.reload(path);
        }
        // Loads end in other threads: in one frame if there is time enough between two.
        std::thread::sleep(Duration::from_millis(20));
        let is_there = |world: &mut World| name(world, root).as_deref() == Some(mesh);
        assert!(gpuless::wait_until(&mut app.app, is_there));
        wait_for(&mut app, "inner", mesh);
        wait_for(&mut app, "third", mesh);
        let instances = app
            .world()
            .query::<&AloInstance>()
            .iter(app.app.world())
            .count();
        assert_eq!(instances, 3, "the user's own went with the bone");
    }
}
