//! Models from every kind of asset source, with all that they name: a folder, memory, a source by name, what is
//! embedded in the program, and what the asset processor made.

use crate::gpuless;
use crate::support::app::TestApp;
use crate::support::disk::{Disk, Rules};
use crate::support::kit::{expected, files, spawn_all};
use bevy::asset::io::embedded::EmbeddedAssetRegistry;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::asset::processor::{AssetProcessor, FileTransactionLogFactory};
use bevy::asset::{AssetMode, AssetPath};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::path::Path;

/// Writes the models and all that they name into a folder.
fn write_files(folder: &Path) {
    for (path, bytes) in files() {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

#[test]
fn models_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let mut app = TestApp::in_folder(folder.path());
    assert_eq!(spawn_all(&mut app, ""), expected());
}

#[test]
fn models_in_memory() {
    let files = files();
    let files = files.iter().map(|(path, bytes)| (&**path, bytes.clone()));
    let mut app = TestApp::new(&files.collect::<Vec<_>>());
    assert_eq!(spawn_all(&mut app, ""), expected());
}

#[test]
fn models_of_a_source_by_name() {
    let dir = Dir::default();
    for (path, bytes) in files() {
        dir.insert_asset(Path::new(&path), bytes);
    }
    let mut app = App::new();
    let reader = move || Box::new(MemoryAssetReader { root: dir.clone() }) as Box<_>;
    app.register_asset_source("mods", AssetSourceBuilder::new(reader));
    let mut app = TestApp::with_sources(app, gpuless::plugins(Path::new("unused"), false));
    assert_eq!(spawn_all(&mut app, "mods://"), expected());
}

#[test]
fn models_embedded_in_the_program() {
    let mut app = TestApp::new(&[]);
    let registry = app.world().resource::<EmbeddedAssetRegistry>();
    for (path, bytes) in files() {
        let path = Path::new("game").join(path);
        registry.insert_asset(path.clone(), &path, bytes);
    }
    assert_eq!(spawn_all(&mut app, "embedded://game/"), expected());
}

#[test]
fn models_that_the_asset_processor_made() {
    let folder = tempfile::tempdir().unwrap();
    let [source, made] = ["assets", "imported"].map(|name| folder.path().join(name));
    write_files(&source);
    let plugins = gpuless::plugins(&source, false).set(AssetPlugin {
        file_path: source.to_string_lossy().into_owned(),
        processed_file_path: made.to_string_lossy().into_owned(),
        mode: AssetMode::Processed,
        use_asset_processor_override: Some(true),
        watch_for_changes_override: Some(false),
        ..default()
    });
    let mut app = TestApp::with_sources(App::new(), plugins);
    let log = FileTransactionLogFactory {
        file_path: folder.path().join("log"),
    };
    let processor = app.world().resource::<AssetProcessor>();
    processor.data().set_log_factory(Box::new(log)).unwrap();
    assert_eq!(spawn_all(&mut app, ""), expected());
    assert!(made.join("art/TEXTURES/Hull.TGA").exists());
}

#[test]
fn files_of_another_source_are_none_of_a_models() {
    let (models, others): (Vec<_>, Vec<_>) = files()
        .into_iter()
        .partition(|(path, _)| path.ends_with(".alo"));
    let mut app = App::new();
    let sources = [(AssetSourceId::Default, others), ("mods".into(), models)];
    for (source, files) in sources {
        let disk = Disk::new(Rules::Exact, files);
        let reader = move || Box::new(disk.clone()) as Box<_>;
        app.register_asset_source(source, AssetSourceBuilder::new(reader));
    }
    let mut app = TestApp::with_sources(app, gpuless::plugins(Path::new("unused"), false));
    let alo = app.load::<Alo>(AssetPath::from("mods://art/Models/Unit.alo"));
    app.finish_load(&alo);
    let alos = app.world().resource::<Assets<Alo>>();
    assert!(alos.get(&alo).unwrap().animations.is_empty());
}
