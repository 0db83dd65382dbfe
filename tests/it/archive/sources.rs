//! Models and other assets from archives in an app.

use crate::support::archives::{FORMATS, Games, Text, TextLoader};
use crate::support::prelude::*;
use crate::support::sample_files::{MODELS, clip, expected, files, unit};

/// An app with a source of archives, and no other files.
fn app_with(source: ArchiveSource, id: impl Into<AssetSourceId<'static>>) -> TestApp {
    let mut app = App::new();
    app.register_asset_source(id, source.into_builder());
    let mut app = TestApp::with_sources(app, gpuless::plugins(Path::new("unused"), false));
    app.app
        .init_asset::<Text>()
        .init_asset_loader::<TextLoader>();
    app
}

/// The files of the models and all files that they refer to, in an archive.
fn packed_models(games: &Games, archive: &str) -> ArchiveSource {
    let files = files();
    let files: Vec<_> = files.iter().map(|(path, bytes)| (&**path, bytes)).collect();
    games.pack(archive, &files);
    games.source([archive])
}

#[test]
fn models_load_with_their_files_from_every_kind_of_archive() {
    let games = Games::new();
    for format in FORMATS {
        let source = packed_models(&games, &format!("a.{format}"));
        let mut app = app_with(source, "game");
        let found = spawn_all(&mut app, "game://");
        assert_eq!(found, expected().map(|path| path.to_lowercase()));
    }
}

#[test]
fn models_load_from_archives_and_folders_together() {
    let games = Games::new();
    let all = files();
    let (archived, loose): (Vec<_>, Vec<_>) =
        all.iter().partition(|(path, _)| MODELS.contains(&&**path));
    let archived: Vec<_> = archived
        .iter()
        .map(|(path, bytes)| (&**path, bytes))
        .collect();
    games.pack("a.pak", &archived);
    for (path, bytes) in loose {
        games.put(&format!("loose/{}", path.to_uppercase()), bytes);
    }
    let source = games.source(["a.pak", "loose"]);
    // As the default source.
    let mut app = app_with(source, AssetSourceId::Default);
    let found = spawn_all(&mut app, "");
    // Folders that only the disk has are spelled as on disk.
    let expected: Vec<_> = expected().iter().map(|path| path.to_uppercase()).collect();
    assert_eq!(
        found
            .iter()
            .map(|path| path.to_uppercase())
            .collect::<Vec<_>>(),
        expected
    );
    assert!(
        found
            .iter()
            .all(|path| path.contains("TEXTURES/") || !path.contains("extures/")),
        "{found:?}"
    );
}

#[test]
fn patterns_of_manifests_match_archived_files() {
    let games = Games::new();
    let manifest = r#"(model: "UNIT.alo", clips: [(file: "unit_*.ALA"), (file: "more/*.ala")])"#;
    let unit = &files()[0].1;
    let files: [(&str, &[u8]); 5] = [
        ("Units/unit.model.ron", manifest.as_bytes()),
        ("UNITS/Unit.ALO", unit),
        ("Units/Unit_Move_00.ala", &clip()),
        ("Units/MORE/Far.ala", &clip()),
        ("Units/other.ala", &clip()),
    ];
    games.pack("a.meg", &files);
    let source = games.source(["a.meg"]);
    let mut app = app_with(source, "game");
    let manifest = app.load::<ModelManifest>("game://units/unit.model.ron");
    app.wait_loaded(&manifest);
    let server = app.server();
    for (clip, is_loaded) in [("unit_move_00", true), ("more/far", true), ("other", false)] {
        let path = format!("game://units/{clip}.ala#Clip");
        assert_eq!(
            server.get_handle_untyped(&path).is_some(),
            is_loaded,
            "{path}"
        );
    }
}

#[test]
fn paths_of_manifests_can_name_other_sources() {
    let games = Games::new();
    let unit = unit(r"W:\Hull.tga", "none");
    let image = tga(&quarters([255; 4]));
    let files: [(&str, &[u8]); 4] = [
        ("Units/UNIT.alo", &unit),
        ("Units/unit_MOVE_00.ala", &clip()),
        ("Far/rest.ala", &clip()),
        ("Paint/hull.TGA", &image),
    ];
    games.pack("a.meg", &files);
    // Without the source, the path would be that of this file.
    games.put("loose/units/unit.alo", b"no model");
    let base = r#"(
        model: "arc://units/unit.alo",
        clips: [(file: "arc://far/rest.ala"), (name: "", file: "arc://units/*.ala")],
        texture_folders: ["arc://paint"],
        attachments: [(model: "arc://units/unit.alo")])"#;
    games.put("loose/shared/base.model.ron", base);
    games.put("loose/a.model.ron", r#"(extends: "shared/base.model.ron")"#);
    games.put("loose/b.model.ron", r#"(model: "none://units/unit.alo")"#);
    let mut app = App::new();
    app.register_asset_source("arc", games.source(["a.meg"]).into_builder());
    let loose = games.path("loose");
    let mut app = TestApp::with_sources(app, gpuless::plugins(&loose, false));
    let manifest = app.load::<ModelManifest>("a.model.ron");
    app.wait_loaded(&manifest);
    let files = app.asset(&manifest).files.clone();
    let model = files.model().unwrap().to_string();
    assert!(
        model.eq_ignore_ascii_case("arc://units/unit.alo"),
        "{model}"
    );
    let server = app.server();
    let is_loaded = |path: String| server.get_handle_untyped(path).is_some();
    for path in ["units/unit_move_00.ala#Clip", "far/rest.ala#Clip"] {
        assert!(is_loaded(format!("arc://{path}")), "{path}");
    }
    app.spawn_model_ready("a.model.ron", ());
    assert!(is_loaded("arc://paint/hull.tga".to_owned()));
    let broken = app.load::<ModelManifest>("b.model.ron");
    app.wait_until(|world| {
        world
            .resource::<AssetServer>()
            .load_state(&broken)
            .is_failed()
    });
    let LoadState::Failed(error) = server.load_state(&broken) else {
        panic!("it was loaded");
    };
    let text = "none://units/unit.alo (there is no such asset source)";
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn two_hundred_files_load_at_once() {
    let games = Games::new();
    let files: Vec<_> = (0..200)
        .map(|number| {
            (
                format!("Text/{number}.txt"),
                format!("text {number}").repeat(number),
            )
        })
        .collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, text)).collect();
    for format in FORMATS {
        let archive = format!("many.{format}");
        games.pack(&archive, &files);
        let source = games.source([&archive]);
        let mut app = app_with(source, "game");
        let handles: Vec<Handle<Text>> = (0..200)
            .map(|number| app.load(format!("game://text/{number}.txt")))
            .collect();
        for handle in &handles {
            app.wait_loaded(handle);
        }
        let texts = app.assets::<Text>();
        for (handle, (path, expected)) in handles.iter().zip(&files) {
            assert_eq!(texts.get(handle).unwrap().0, **expected, "{path}");
        }
    }
}

#[test]
fn folders_load_without_names_that_asset_paths_cannot_contain() {
    let games = Games::new();
    let names = [
        "a/1.TXT",
        "a/b/2.txt",
        "a/x#y.txt",
        "a/#",
        "a/.z.txt",
        "a/x#/3.txt",
        "c/4.txt",
    ];
    games.pack("a.pak", &names.map(|name| (name, name)));
    games.put("loose/A/B/5.txt", "loose");
    games.put("loose/a#.txt", "loose");
    let source = games.source(["a.pak"]);
    let mut app = app_with(source.folder(games.path("loose")), "game");
    let server = app.server();
    let folder: Handle<LoadedFolder> = server.load_folder("game://a");
    app.wait_loaded(&folder);
    let handles = app.asset(&folder).handles.iter();
    let mut paths: Vec<_> = handles.map(|it| it.path().unwrap().to_string()).collect();
    paths.sort();
    assert_eq!(
        paths,
        ["game://a/1.txt", "game://a/b/2.txt", "game://a/b/5.txt"]
    );
}

#[test]
fn names_that_asset_paths_cannot_contain_load_by_their_file_path() {
    let games = Games::new();
    let names = ["a#b.txt", "x#/y.txt", "#.txt", ".hidden.txt", "a/b c.txt"];
    for format in FORMATS {
        let archive = format!("a.{format}");
        games.pack(&archive, &names.map(|name| (name, name)));
        let source = games.source([&archive]);
        let mut app = app_with(source, "game");
        for name in names {
            let path = AssetPath::from_path_buf(name.into()).with_source("game");
            let text = app.load::<Text>(path);
            app.wait_loaded(&text);
            assert_eq!(app.asset(&text).0, name, "{format}");
        }
        // As text, the rest of the name is a label, and the file before it does not exist.
        let label = app.load::<Text>("game://a#b.txt");
        assert!(matches!(app.finish_load(&label), LoadState::Failed(_)));
    }
}

#[test]
fn meta_files_beside_archives_apply() {
    let games = Games::new();
    games.pack("a.pak", &[("x.txt", "x"), ("y.txt", "y")]);
    games.put("loose/x.txt.meta", meta(" with settings"));
    let source = games.source(["loose"]);
    let mut app = app_with(source.archive(games.path("a.pak")).unwrap(), "game");
    let [x, y] = ["game://X.txt", "game://y.txt"].map(|path| app.load::<Text>(path));
    app.wait_loaded(&x);
    app.wait_loaded(&y);
    let texts = app.assets::<Text>();
    assert_eq!(texts.get(&x).unwrap().0, "x with settings");
    assert_eq!(texts.get(&y).unwrap().0, "y");
}

/// Settings that add text.
pub fn meta(added: &str) -> String {
    let loader = TextLoader::type_path();
    format!(r#"(meta_format_version: "1.0", asset: Load(loader: "{loader}", settings: "{added}"))"#)
}

#[test]
fn archives_are_read_in_processed_mode() {
    for has_processor in [true, false] {
        let games = Games::new();
        let source = packed_models(&games, "a.rez");
        let path = |name| games.path(name).to_string_lossy().into_owned();
        games.put("assets/readme.md", "an unused file");
        games.put("imported/readme.md", "an unused file");
        let plugins = gpuless::plugins(Path::new("unused"), false).set(AssetPlugin {
            file_path: path("assets"),
            processed_file_path: path("imported"),
            mode: AssetMode::Processed,
            use_asset_processor_override: Some(has_processor),
            watch_for_changes_override: Some(false),
            ..default()
        });
        let mut app = App::new();
        app.register_asset_source("game", source.into_builder());
        let mut app = TestApp::with_sources(app, plugins);
        if has_processor {
            let log = FileTransactionLogFactory {
                file_path: games.path("log"),
            };
            let processor = app.world().resource::<AssetProcessor>();
            processor.data().set_log_factory(Box::new(log)).unwrap();
        }
        let found = spawn_all(&mut app, "game://");
        assert_eq!(found, expected().map(|path| path.to_lowercase()));
    }
}

#[test]
fn missing_files_and_damaged_entries_fail_to_load() {
    let games = Games::new();
    let source = packed_models(&games, "a.meg");
    let mut app = app_with(source, "game");
    let missing = app.load::<Text>("game://missing.txt");
    assert!(matches!(app.finish_load(&missing), LoadState::Failed(_)));
    let (_, texture) = REFERENCES[0];
    let texture: Handle<Image> = app.load(format!("game://{texture}"));
    app.wait_loaded(&texture);
}
