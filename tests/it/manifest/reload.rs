//! Manifests and models that change on disk while they are in use, with Bevy's file watcher and with its asset processor.

use crate::manifest::spawn::mdl;
use crate::support::prelude::*;
use bevy::asset::processor::ProcessorState;

/// An app without a GPU that watches a folder of asset files.
pub struct Folder {
    pub app: App,
    loads: Loads,
    pub folder: TempDir,
}

impl TestWorld for Folder {
    fn app(&self) -> &App {
        &self.app
    }

    fn app_mut(&mut self) -> &mut App {
        &mut self.app
    }
}

impl Folder {
    pub fn watching(files: &[(&str, Vec<u8>)]) -> Self {
        let folder = folder(files);
        let mut app = App::new();
        let files = folder.path().join("files");
        let loads = Loads::from_folder(&mut app, &files, true);
        app.add_plugins(gpuless::plugins(&files, true));
        Self::finished(app, loads, folder)
    }

    /// With the asset processor.
    ///
    /// All files are processed before the app watches them. Otherwise the app would reload the processed files while the
    /// first edits are processed, which can deadlock: Bevy's server locks a file for its `.meta` file and again for its
    /// bytes, and the processor can request the lock in between.
    fn processed(files: &[(&str, Vec<u8>)]) -> Self {
        let mut first = Self::processing(folder(files), false);
        first.wait_until_idle();
        Self::processing(first.folder, true)
    }

    fn processing(folder: TempDir, is_watched: bool) -> Self {
        let path = |name| folder.path().join(name).to_string_lossy().into_owned();
        let plugin = AssetPlugin {
            mode: AssetMode::Processed,
            use_asset_processor_override: Some(true),
            watch_for_changes_override: Some(is_watched),
            file_path: path("files"),
            processed_file_path: path("processed"),
            ..default()
        };
        let mut app = App::new();
        let (files, processed) = (folder.path().join("files"), folder.path().join("processed"));
        let loads = Loads::from_processed_folder(&mut app, &files, &processed);
        app.add_plugins(gpuless::plugins(folder.path(), true).set(plugin));
        // The default is the current folder.
        let log = FileTransactionLogFactory {
            file_path: folder.path().join("log"),
        };
        let processor = app.world().resource::<AssetProcessor>();
        processor.data().set_log_factory(Box::new(log)).unwrap();
        Self::finished(app, loads, folder)
    }

    fn finished(mut app: App, loads: Loads, folder: TempDir) -> Self {
        app.add_plugins(ClassicModelsPlugins);
        gpuless::finish(&mut app);
        gpuless::run_on_one_thread(&mut app);
        Self { app, loads, folder }
    }

    pub fn save(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.folder.path().join("files").join(name), bytes).unwrap();
    }

    pub fn spawn(&mut self, path: &'static str) -> Entity {
        self.app.spawn_entity(ClassicModel::new(path))
    }

    #[track_caller]
    pub fn wait(&mut self, what: &str, mut done: impl FnMut(&mut World) -> bool) {
        let is_done = done(self.app.world_mut()) || gpuless::wait_until(&mut self.app, done);
        assert!(is_done, "timed out: {what}");
    }

    #[track_caller]
    pub fn wait_for(&mut self, root: Entity) {
        self.wait("the model", |world| is_spawned(world, root));
    }

    /// Runs frames until all saved files are processed and reloaded.
    #[track_caller]
    pub fn wait_until_idle(&mut self) {
        let processor = self.app.world().get_resource::<AssetProcessor>().cloned();
        self.loads.run_until_idle(&mut self.app, 0.0, |_| {
            let mut processor = processor.iter();
            processor.any(|processor| block_on(processor.get_state()) != ProcessorState::Finished)
        });
    }
}

fn folder(files: &[(&str, Vec<u8>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join("files").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

fn model(world: &World, root: Entity) -> Arc<MdlModel> {
    world.get::<MdlInstance>(root).unwrap().model().clone()
}

/// A model whose first clip has another name.
fn renamed_clip() -> Vec<u8> {
    let mut bytes = mdl();
    for at in 0..bytes.len() - 3 {
        if &bytes[at..at + 3] == b"run" {
            bytes[at..at + 3].copy_from_slice(b"fly");
        }
    }
    bytes
}

fn has_clip(world: &World, root: Entity, name: &str) -> bool {
    model(world, root)
        .clips
        .iter()
        .any(|clip| &*clip.name == name)
}

#[test]
fn models_without_manifest_are_reloaded() {
    let files = ["by_path.mdl", "by_meta.mdl"];
    let mut app = Folder::watching(&files.map(|path| (path, mdl())));
    let meta = r#"(meta_format_version: "1.0", asset: Load(
        loader: "bevy_classic_models::quake::loader::MdlLoader", settings: ()))"#;
    app.save("by_meta.mdl.meta", meta);
    let roots = files.map(|path| app.spawn(path));
    for root in roots {
        app.wait_for(root);
        assert!(has_clip(app.app.world(), root, "run"));
    }
    for path in files {
        app.save(path, renamed_clip());
    }
    for root in roots {
        app.wait("the edit", |world| {
            assert!(is_spawned(world, root), "no frame is empty");
            has_clip(world, root, "fly")
        });
    }
}

#[test]
fn missing_model_is_spawned_when_its_file_is_created() {
    log::listen();
    let manifest = |model: &str| format!("(model: {model:?}, damage_stage: 1)");
    let mut app = Folder::watching(&[
        ("late.model.ron", manifest("created_late.mdl").into_bytes()),
        ("later.model.ron", manifest("a.mdl").into_bytes()),
        ("a.mdl", mdl()),
    ]);
    let root = app.spawn("late.model.ron");
    app.wait("an error", |_| {
        !log::errors_with("late.model.ron:1:9: model").is_empty()
    });
    assert!(!is_spawned(app.app.world(), root));
    app.save("created_late.mdl", mdl());
    app.wait_for(root);
    assert_eq!(app.find(root), Some(&DamageStage(1)));

    // A spawned manifest is edited to a model that does not exist yet.
    let root = app.spawn("later.model.ron");
    app.wait_for(root);
    app.save("later.model.ron", manifest("created_later.mdl"));
    app.wait("an error", |_| {
        !log::errors_with("later.model.ron:1:9: model").is_empty()
    });
    app.wait_until_idle();
    assert!(has_clip(app.app.world(), root, "run"));
    app.save("created_later.mdl", renamed_clip());
    app.wait("the model", |world| {
        assert!(is_spawned(world, root), "no frame is empty");
        has_clip(world, root, "fly")
    });
}

#[test]
fn processed_manifests_and_models_are_reloaded() {
    log::listen();
    let mut app = Folder::processed(&[
        (
            "processed_one.model.ron",
            br#"(model: "P.MDL", scale: 2, damage_stage: 1)"#.to_vec(),
        ),
        ("p.mdl", mdl()),
        ("processed_plain.mdl", mdl()),
    ]);
    let root = app.spawn("processed_one.model.ron");
    let plain = app.spawn("processed_plain.mdl");
    app.wait_for(root);
    app.wait_for(plain);
    assert_eq!(app.find(root), Some(&DamageStage(1)));
    let processed = app.folder.path().join("processed");
    assert!(Path::new(&processed.join("processed_one.model.ron.meta")).exists());
    app.save(
        "processed_one.model.ron",
        r#"(model: "p.mdl", damage_stage: 2)"#,
    );
    app.wait_for_component(root, DamageStage(2));
    app.wait_until_idle();
    app.save("p.mdl", renamed_clip());
    app.wait("the model", |world| has_clip(world, root, "fly"));
    app.wait_until_idle();
    app.save("processed_plain.mdl", renamed_clip());
    app.wait("the plain model", |world| has_clip(world, plain, "fly"));
    let errors = log::errors_with("processed_");
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn patterns_match_files_in_new_folders() {
    let manifest = r#"(model: "a.alo", clips: [(file: "extra/*.ala"), (file: "*/deep/b?.ala")])"#;
    let mut app = Folder::watching(&[
        ("patterns.model.ron", manifest.as_bytes().to_vec()),
        ("a.alo", alo::clean()),
    ]);
    let root = app.spawn("patterns.model.ron");
    app.wait_for(root);
    let files = app.folder.path().join("files");
    let clips = |world: &World| {
        let clips = world.get::<ModelClips>(root).cloned();
        let clips = clips.unwrap_or_default();
        let names = clips.0.iter().map(|clip| clip.name.clone());
        names.collect::<Vec<_>>()
    };
    std::fs::create_dir(files.join("extra")).unwrap();
    app.wait_until_idle();
    app.save("extra/first.ala", ala::small(1));
    app.wait("the first", |world| clips(world) == ["first"]);
    // A folder that is moved in with its files.
    let other = app.folder.path().join("other");
    std::fs::create_dir_all(other.join("deep")).unwrap();
    std::fs::write(other.join("deep/b2.ala"), ala::small(1)).unwrap();
    std::fs::rename(other, files.join("other")).unwrap();
    app.wait("the second", |world| clips(world) == ["first", "b2"]);
}

#[test]
fn extending_manifests_follow_edits_of_the_extended() {
    log::listen();
    let extending = |name: &str| format!("(extends: {name:?}, model: \"a.mdl\")").into_bytes();
    let mut app = Folder::watching(&[
        ("units/ext_a.model.ron", extending("shared/ext_b.model.ron")),
        ("shared/ext_b.model.ron", extending("ext_c.model.ron")),
        ("shared/ext_c.model.ron", b"(damage_stage: 1)".to_vec()),
        ("ext_late.model.ron", extending("ext_d.model.ron")),
        ("a.mdl", mdl()),
    ]);
    let root = app.spawn("units/ext_a.model.ron");
    app.wait_for(root);
    let stage = |stage| move |world: &mut World| world.get(root) == Some(&DamageStage(stage));
    assert!(stage(1)(app.app.world_mut()));
    app.save("shared/ext_c.model.ron", "(damage_stage: 2)");
    app.wait("an edit", stage(2));

    // An invalid edit changes nothing, and its error names the file.
    app.save("shared/ext_c.model.ron", "(\ndamage_stage: x)");
    app.wait("an error", |_| {
        !log::errors_with("shared/ext_c.model.ron:2:15: ").is_empty()
    });
    app.wait_until_idle();
    assert!(stage(2)(app.app.world_mut()));
    app.save("shared/ext_c.model.ron", "(damage_stage: 3)");
    app.wait("the fix", stage(3));

    // A file that is renamed over it.
    app.save("new.ron", "(damage_stage: 4)");
    let files = app.folder.path().join("files");
    std::fs::rename(files.join("new.ron"), files.join("shared/ext_c.model.ron")).unwrap();
    app.wait("the other file", stage(4));

    // A manifest that is missing, and then invalid.
    let late = app.spawn("ext_late.model.ron");
    let has_error = |text: &str| !log::errors_with(text).is_empty();
    app.wait("an error", |_| {
        has_error("ext_late.model.ron:1:11: extends")
    });
    app.save("ext_d.model.ron", "(scale: 0)");
    app.wait("an error", |_| has_error("ext_d.model.ron:1:9: scale is 0"));
    app.wait_until_idle();
    app.save("ext_d.model.ron", "(damage_stage: 5)");
    app.wait_for(late);
    assert_eq!(app.find(late), Some(&DamageStage(5)));
}

#[test]
fn processed_manifests_follow_edits_of_the_extended() {
    let mut app = Folder::processed(&[
        (
            "a.model.ron",
            br#"(extends: "b.model.ron", model: "p.mdl")"#.to_vec(),
        ),
        (
            "b.model.ron",
            br#"(model: "p.mdl", damage_stage: 1)"#.to_vec(),
        ),
        ("p.mdl", mdl()),
    ]);
    let root = app.spawn("a.model.ron");
    app.wait_for(root);
    assert_eq!(app.find(root), Some(&DamageStage(1)));
    app.save("b.model.ron", r#"(model: "p.mdl", damage_stage: 2)"#);
    app.wait_for_component(root, DamageStage(2));
}
