//! A model finds the same files on every file system: a case-sensitive one (Linux), a case-insensitive one (Windows,
//! macOS), and one without directory listings (the web).

use crate::support::disk::{Disk, Rules};
use crate::support::prelude::*;
use crate::support::sample_files;
use crate::support::sample_files::{MODELS, clip, unit};
use bevy_classic_models::texture::PLACEHOLDER_IMAGE;

/// The file systems with directory listings.
const LISTED: [Rules; 2] = [Rules::Exact, Rules::AnyCase];

fn app(rules: Rules, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> TestApp {
    log::listen();
    let mut app = App::new();
    let disk = Disk::new(rules, files);
    let reader = move || Box::new(disk.clone()) as Box<_>;
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
    TestApp::with_sources(app, gpuless::plugins(Path::new("unused"), false))
}

/// An app with a model whose texture is called `name`, and with image files at `textures`.
fn textured(rules: Rules, name: &str, textures: &[&str]) -> TestApp {
    let model = ("art/Models/Unit.alo".to_owned(), unit(name, "none"));
    let image = tga(&quarters([255; 4]));
    let textures = textures.iter();
    let textures = textures.map(|path| ((*path).to_owned(), image.clone()));
    app(rules, textures.chain([model]))
}

fn load(app: &mut TestApp, path: &str) -> Alo {
    let server = app.server();
    let set = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let alo: Handle<Alo> = server
        .load_builder()
        .with_settings(set)
        .load(path.to_owned());
    let state = app.finish_load(&alo);
    assert!(matches!(state, LoadState::Loaded), "{state:?}");
    app.asset(&alo).clone()
}

/// The path of a model's texture; none for a placeholder.
fn texture(app: &mut TestApp, path: &str) -> Option<String> {
    let alo = load(app, path);
    let material = alo.meshes[0].submeshes[0].material.clone().unwrap();
    let base = &app.asset(&material).base;
    let image = base.base_color_texture.as_ref()?;
    (*image != PLACEHOLDER_IMAGE).then(|| image.path().unwrap().to_string())
}

#[test]
fn all_formats_find_the_same_files_on_every_file_system() {
    for rules in LISTED {
        let mut app = app(rules, sample_files::files());
        assert_eq!(
            spawn_all(&mut app, ""),
            sample_files::expected(),
            "{rules:?}"
        );
    }
}

#[test]
fn found_paths_have_the_spelling_of_the_file_system() {
    // Only a case-insensitive file system finds the model under this path.
    let mut app = app(Rules::AnyCase, sample_files::files());
    let alo = load(&mut app, "ART/models/UNIT.ALO");
    let path = |index: usize| Some(REFERENCES[index].1.to_owned());
    assert_eq!(texture(&mut app, "ART/models/UNIT.ALO"), path(0));
    assert_eq!(
        alo.animations[0].ala.path().map(ToString::to_string),
        path(1)
    );
    let turret = alo.proxies[0].model.as_ref();
    assert_eq!(turret.map(ToString::to_string), path(2));
}

#[test]
fn file_names_follow_the_rules_of_windows() {
    let cases = [
        // Drives, servers and `..` are ignored.
        (r"..\..\..\HULL.TGA", "art/Textures/hull.tga"),
        (r"C:\Work\Hull.tga", "art/Textures/hull.tga"),
        ("C:hull.tga", "art/Textures/hull.tga"),
        (r"\\server\share\hull.tga", "art/Textures/hull.tga"),
        ("/hull.tga", "art/Textures/hull.tga"),
        (r"Sub Folder/.\HULL.tga", "art/Textures/Sub Folder/hull.tga"),
        // Trailing dots and spaces are ignored, inner ones are not.
        ("hull.tga. ", "art/Textures/hull.tga"),
        (r"sub folder. \hull.tga", "art/Textures/Sub Folder/hull.tga"),
        ("HULL.V2", "art/Textures/Hull.v2.tga"),
        ("hull.v2.DDS", "art/Textures/Hull.v2.tga"),
        ("hull", "art/Textures/hull.tga"),
        // Case folding covers all of Unicode.
        ("ČERVENÁ.tga", "art/Textures/Červená.tga"),
        ("КОРПУС.TGA", "art/Textures/корпус.tga"),
        ("ΟΔΟΣ.tga", "art/Textures/οδος.tga"),
        ("οδοσ.tga", "art/Textures/οδος.tga"),
        ("STRAẞE.TGA", "art/Textures/Straße.tga"),
    ];
    let mut textures: Vec<&str> = cases.iter().map(|(_, path)| *path).collect();
    textures.dedup();
    for rules in LISTED {
        for (name, path) in cases {
            let mut app = textured(rules, name, &textures);
            let found = texture(&mut app, MODELS[0]);
            assert_eq!(found.as_deref(), Some(path), "{name} with {rules:?}");
        }
        let mut app = textured(rules, "strasse.tga", &textures);
        assert_eq!(texture(&mut app, MODELS[0]), None, "{rules:?}");
    }
}

#[test]
fn file_names_that_windows_does_not_allow_are_found() {
    let named = |name| {
        texture(
            &mut textured(Rules::Exact, name, &["HULL.tga. "]),
            MODELS[0],
        )
    };
    assert_eq!(named("hull.tga").as_deref(), Some("HULL.tga. "));
    let both = ["art/Models/HULL.tga.", "art/Models/hull.tga"];
    let named = |name| texture(&mut textured(Rules::Exact, name, &both), MODELS[0]);
    assert_eq!(named("Hull.TGA").as_deref(), Some(both[1]));
}

#[test]
fn an_exact_match_wins_otherwise_the_first_spelling_in_order() {
    let spellings = ["HULL.tga", "Hull.tga", "hull.tga"].map(|name| format!("art/Models/{name}"));
    let spellings = spellings.each_ref().map(|path| &**path);
    for (name, expected) in [
        ("hull.tga", spellings[2]),
        ("Hull.tga", spellings[1]),
        ("hULL.tga", spellings[0]),
        ("hull", spellings[2]),
    ] {
        let mut app = textured(Rules::Exact, name, &spellings);
        let found = texture(&mut app, MODELS[0]);
        assert_eq!(found.as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn proxies_and_clips_with_several_spellings_follow_the_same_order() {
    let files = [
        ("Unit.alo", unit("none", "Turret")),
        ("TURRET.alo", unit("none", "none")),
        ("Turret.alo", unit("none", "none")),
        ("UNIT_move_00.ala", clip()),
        ("Unit_MOVE_00.ala", clip()),
    ];
    let mut app = app(
        Rules::Exact,
        files.map(|(path, bytes)| (path.to_owned(), bytes)),
    );
    let alo = load(&mut app, "Unit.alo");
    let turret = alo.proxies[0].model.as_ref().unwrap().to_string();
    assert_eq!(turret, "Turret.alo");
    let clips = alo
        .animations
        .iter()
        .map(|clip| clip.ala.path().unwrap().to_string());
    assert_eq!(clips.collect::<Vec<_>>(), ["UNIT_move_00.ala"]);
}

#[test]
fn clips_match_their_model_in_any_script() {
    for rules in LISTED {
        let files = [
            ("Страж.alo", unit("none", "none")),
            ("СТРАЖ_ход_00.ALA", clip()),
            ("Страж_Straße.ala", clip()),
        ];
        let mut app = app(rules, files.map(|(path, bytes)| (path.to_owned(), bytes)));
        let alo = load(&mut app, "Страж.alo");
        assert_eq!(alo.animations.len(), 2, "{rules:?}");
        assert_eq!(&*alo.animation("Ход_00").unwrap().name, "ХОД_00");
        assert!(alo.animation("STRAẞE").is_some() && alo.animation("straße").is_some());
    }
}

#[test]
fn without_directory_listings_common_spellings_are_tried() {
    for (name, stored) in [
        ("Hull.tga", "art/Models/Hull.tga"),
        ("HULL.TGA", "art/Models/hull.tga"),
        (r"Paint\HULL.dds", "art/Models/Paint/hull.tga"),
        ("Hull.dds", "art/Textures/Hull.tga"),
        ("HULL.dds", "art/textures/hull.tga"),
    ] {
        let model = match stored.starts_with("art/textures") {
            // The folders are in lower case too.
            true => "art/models/unit.alo",
            false => MODELS[0],
        };
        let image = tga(&quarters([255; 4]));
        let files = [
            (model.to_owned(), unit(name, "TURRET")),
            (stored.to_owned(), image),
            (
                model.replace("Unit", "turret").replace("unit", "turret"),
                unit("none", "none"),
            ),
        ];
        let mut app = app(Rules::Unlisted, files);
        assert_eq!(texture(&mut app, model).as_deref(), Some(stored), "{name}");
        let alo = load(&mut app, model);
        let turret = alo.proxies[0].model.as_ref().map(ToString::to_string);
        assert!(turret.is_some_and(|turret| turret.ends_with("odels/turret.alo")));
        // Clips are found by directory listing only.
        assert!(alo.animations.is_empty());
    }
    let mut app = textured(Rules::Unlisted, "Hull.tga", &["art/Models/HULL.TGA"]);
    assert_eq!(texture(&mut app, MODELS[0]), None);
}

#[test]
fn a_recursive_proxy_in_another_case_is_skipped() {
    let files = [("ring.alo".to_owned(), unit("none", "RING"))];
    let mut app = app(Rules::AnyCase, files);
    let alo = load(&mut app, "Ring.alo");
    let root = app.spawn_entity(WorldAssetRoot(alo.scene));
    app.wait_for(&[root]);
    let warned =
        || !log::warnings_with("has a recursive proxy for ring.alo; it is skipped").is_empty();
    app.wait_until(|_| warned());
    assert_eq!(app.count::<AloInstance>(), 1);
}
