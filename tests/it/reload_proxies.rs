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

/// The first mesh of the model that the proxy of a name has brought.
fn brought(world: &mut World, proxy: &str) -> Option<String> {
    let mut proxies = world.query::<(&AloProxy, &AloInstance)>();
    let mut proxies = proxies.iter(world);
    let (_, model) = proxies.find(|(of, _)| of.name == proxy)?;
    Some(model.model().meshes[0].name.to_string())
}

#[test]
fn models_of_proxies_keep_their_settings() {
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
    app.world().spawn(scene);
    let wait = |app: &mut TestApp, proxy: &str, mesh: &str| {
        let is_there = |world: &mut World| brought(world, proxy).as_deref() == Some(mesh);
        assert!(
            gpuless::wait_until(&mut app.app, is_there),
            "{mesh} of {proxy}"
        );
    };
    wait(&mut app, "third", "Hull");
    // Twice, because the second load might be without what the first one was told.
    for mesh in ["Edited", "Again"] {
        files.insert_asset(Path::new("inner.alo"), with_proxy("third", mesh));
        server.reload("inner.alo");
        wait(&mut app, "inner", mesh);
        wait(&mut app, "third", "Hull");
    }
    let third = edited(&minimal(), |file| file.meshes[0].name = "Mended".into());
    files.insert_asset(Path::new("third.alo"), third);
    server.reload("third.alo");
    wait(&mut app, "third", "Mended");
}
