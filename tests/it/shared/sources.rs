//! Models and the files that they refer to, from every kind of asset source: a folder, memory, a named source, embedded
//! assets, and the output of the asset processor.

use crate::support::archives::{Text, TextLoader};
use crate::support::disk::{Disk, Rules};
use crate::support::prelude::*;
use crate::support::sample_files::{MODELS, expected, files};
use bevy::asset::AsyncWriteExt;
use bevy::asset::io::Writer;
use bevy::asset::io::embedded::EmbeddedAssetRegistry;
use bevy::asset::processor::LoadTransformAndSave;
use bevy::asset::saver::{AssetSaver, SavedAsset};
use bevy::asset::transformer::IdentityAssetTransformer;
use bevy_classic_models::lgw::LgwLoader;

/// Writes the models and the files that they refer to into a folder.
fn write_files(folder: &Path) {
    for (path, bytes) in files() {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

#[test]
fn models_load_from_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let mut app = TestApp::in_folder(folder.path());
    assert_eq!(spawn_all(&mut app, ""), expected());
}

#[test]
fn models_load_from_memory() {
    let files = files();
    let files = files.iter().map(|(path, bytes)| (&**path, bytes.clone()));
    let mut app = TestApp::new(&files.collect::<Vec<_>>());
    assert_eq!(spawn_all(&mut app, ""), expected());
}

#[test]
fn models_load_from_a_named_source() {
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
fn models_load_from_embedded_assets() {
    let mut app = TestApp::new(&[]);
    let registry = app.world().resource::<EmbeddedAssetRegistry>();
    for (path, bytes) in files() {
        let path = Path::new("game").join(path);
        registry.insert_asset(path.clone(), &path, bytes);
    }
    assert_eq!(spawn_all(&mut app, "embedded://game/"), expected());
}

/// Bevy's plugins for an app that uses processed assets. The input of the processor is in `assets`, its output in
/// `imported`, both in `folder`.
fn processed_mode(folder: &Path, has_processor: bool) -> PluginGroupBuilder {
    let [source, processed] = ["assets", "imported"].map(|name| folder.join(name));
    gpuless::plugins(&source, false).set(AssetPlugin {
        file_path: source.to_string_lossy().into_owned(),
        processed_file_path: processed.to_string_lossy().into_owned(),
        mode: AssetMode::Processed,
        use_asset_processor_override: Some(has_processor),
        watch_for_changes_override: Some(false),
        ..default()
    })
}

/// An app whose asset processor writes from `assets` to `imported`, both in `folder`.
fn processed(folder: &Path, prepare: impl FnOnce(&mut App)) -> TestApp {
    let mut app = TestApp::with_sources(App::new(), processed_mode(folder, true));
    let log = FileTransactionLogFactory {
        file_path: folder.join("log"),
    };
    let processor = app.world().resource::<AssetProcessor>();
    processor.data().set_log_factory(Box::new(log)).unwrap();
    prepare(&mut app.app);
    app
}

#[test]
fn models_load_from_the_output_of_the_asset_processor() {
    let folder = tempfile::tempdir().unwrap();
    write_files(&folder.path().join("assets"));
    let mut app = processed(folder.path(), |_| {});
    assert_eq!(spawn_all(&mut app, ""), expected());
    let texture = folder.path().join("imported/art/TEXTURES/Hull.TGA");
    assert!(texture.exists());
}

#[test]
fn processed_models_load_without_the_unprocessed_files() {
    let folder = tempfile::tempdir().unwrap();
    write_files(&folder.path().join("assets"));
    let mut app = processed(folder.path(), |_| {});
    assert_eq!(spawn_all(&mut app, ""), expected());
    let processor = app.world().resource::<AssetProcessor>();
    block_on(processor.data().wait_until_finished());
    // The processor still watches its input, and would remove the output of files that are deleted. So the output is moved.
    let without_input = tempfile::tempdir().unwrap();
    let imported = without_input.path().join("imported");
    std::fs::rename(folder.path().join("imported"), imported).unwrap();

    let mut app = TestApp::with_sources(App::new(), processed_mode(without_input.path(), false));
    assert_eq!(spawn_all(&mut app, ""), expected());
}

/// Replaces a model by the path of its texture.
#[derive(TypePath)]
struct ReportSaver;

impl AssetSaver for ReportSaver {
    type Asset = Lgw;
    type Settings = ();
    type OutputLoader = TextLoader;
    type Error = std::io::Error;

    async fn save(
        &self,
        writer: &mut Writer,
        asset: SavedAsset<'_, '_, Lgw>,
        (): &(),
        _: AssetPath<'_>,
    ) -> Result<String, std::io::Error> {
        let material = asset.get_labeled::<LgwMaterial>("Material0").unwrap();
        let texture = material.textures[0].as_ref().and_then(Handle::path);
        let report = texture.map_or("missing".to_owned(), ToString::to_string);
        writer.write_all(report.as_bytes()).await?;
        Ok(String::new())
    }
}

#[test]
fn asset_processors_can_load_models() {
    type Process = LoadTransformAndSave<LgwLoader, IdentityAssetTransformer<Lgw>, ReportSaver>;
    let folder = tempfile::tempdir().unwrap();
    write_files(&folder.path().join("assets"));
    let mut app = processed(folder.path(), |app| {
        app.init_asset::<Text>()
            .init_asset_loader::<TextLoader>()
            .register_asset_processor::<Process>(ReportSaver.into())
            .set_default_asset_processor::<Process>("lgw");
    });
    let report = app.load::<Text>(MODELS[2]);
    app.wait_loaded(&report);
    let found = app.asset(&report).0.split('#').next();
    assert_eq!(found, Some(REFERENCES[4].1));
}

#[test]
fn models_do_not_use_files_of_another_source() {
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
    app.wait_loaded(&alo);
    assert!(app.asset(&alo).animations.is_empty());
}
