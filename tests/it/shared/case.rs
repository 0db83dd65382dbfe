//! The same model finds the same files on every disk: one that knows names exactly, as Linux's; one that knows
//! them in any case, as Windows' and macOS's; one that lists nothing, as the web.

use crate::gpuless;
use crate::support::alo_stage::{quarters, tga};
use crate::support::app::TestApp;
use crate::support::disk::{Disk, Rules};
use crate::support::kit::{self, MODELS, NAMED, clip, spawn_all, unit};
use crate::support::log;
use bevy::asset::LoadState;
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloMaterial;
use bevy_classic_models::alamo::{Alo, AloInstance, AloLoaderSettings};
use bevy_classic_models::prelude::*;
use bevy_classic_models::texture::PLACEHOLDER_IMAGE;
use std::path::Path;

/// The rules of disks that list their files.
const LISTED: [Rules; 2] = [Rules::Exact, Rules::AnyCase];

fn app(rules: Rules, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> TestApp {
    log::listen();
    let mut app = App::new();
    let disk = Disk::new(rules, files);
    let reader = move || Box::new(disk.clone()) as Box<_>;
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
    TestApp::with_sources(app, gpuless::plugins(Path::new("unused"), false))
}

/// An app with a model that names a texture, and with textures.
fn textured(rules: Rules, name: &str, textures: &[&str]) -> TestApp {
    let model = ("art/Models/Unit.alo".to_owned(), unit(name, "none"));
    let picture = tga(&quarters([255; 4]));
    let textures = textures.iter();
    let textures = textures.map(|path| ((*path).to_owned(), picture.clone()));
    app(rules, textures.chain([model]))
}

fn load(app: &mut TestApp, path: &str) -> Alo {
    let server = app.world().resource::<AssetServer>();
    let set = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let alo: Handle<Alo> = server
        .load_builder()
        .with_settings(set)
        .load(path.to_owned());
    let state = app.finish_load(&alo);
    assert!(matches!(state, LoadState::Loaded), "{state:?}");
    app.world()
        .resource::<Assets<Alo>>()
        .get(&alo)
        .unwrap()
        .clone()
}

/// The path of the texture that a model wears; none if it wears a placeholder.
fn texture(app: &mut TestApp, path: &str) -> Option<String> {
    let alo = load(app, path);
    let material = alo.meshes[0].submeshes[0].material.clone().unwrap();
    let materials = app.world().resource::<Assets<AloMaterial>>();
    let base = &materials.get(&material).unwrap().base;
    let image = base.base_color_texture.as_ref()?;
    (*image != PLACEHOLDER_IMAGE).then(|| image.path().unwrap().to_string())
}

#[test]
fn all_formats_find_the_same_on_every_disk() {
    for rules in LISTED {
        let mut app = app(rules, kit::files());
        assert_eq!(spawn_all(&mut app, ""), kit::expected(), "{rules:?}");
    }
}

#[test]
fn what_is_found_is_told_as_the_disk_has_it_however_the_model_is_spelled() {
    // Only a disk that knows any case finds such a model at all.
    let mut app = app(Rules::AnyCase, kit::files());
    let alo = load(&mut app, "ART/models/UNIT.ALO");
    let path = |index: usize| Some(NAMED[index].1.to_owned());
    assert_eq!(texture(&mut app, "ART/models/UNIT.ALO"), path(0));
    assert_eq!(
        alo.animations[0].ala.path().map(ToString::to_string),
        path(1)
    );
    let turret = alo.proxies[0].model.as_ref();
    assert_eq!(turret.map(ToString::to_string), path(2));
}

#[test]
fn names_are_read_as_windows_reads_them() {
    let cases = [
        // Folders, drives and ways up lead nowhere else.
        (r"..\..\..\HULL.TGA", "art/Textures/hull.tga"),
        (r"C:\Work\Hull.tga", "art/Textures/hull.tga"),
        ("C:hull.tga", "art/Textures/hull.tga"),
        (r"\\server\share\hull.tga", "art/Textures/hull.tga"),
        ("/hull.tga", "art/Textures/hull.tga"),
        (r"Sub Folder/.\HULL.tga", "art/Textures/Sub Folder/hull.tga"),
        // Dots and spaces at ends are nothing, those within are.
        ("hull.tga. ", "art/Textures/hull.tga"),
        (r"sub folder. \hull.tga", "art/Textures/Sub Folder/hull.tga"),
        ("HULL.V2", "art/Textures/Hull.v2.tga"),
        ("hull.v2.DDS", "art/Textures/Hull.v2.tga"),
        ("hull", "art/Textures/hull.tga"),
        // Letters of all alphabets.
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
            assert_eq!(found.as_deref(), Some(path), "{name} where {rules:?}");
        }
        let mut app = textured(rules, "strasse.tga", &textures);
        assert_eq!(texture(&mut app, MODELS[0]), None, "{rules:?}");
    }
}

#[test]
fn a_disk_may_have_names_that_windows_has_not() {
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
fn of_several_spellings_the_exact_one_counts_else_the_first() {
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
fn proxies_and_clips_of_several_spellings() {
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
fn clips_are_a_models_in_every_alphabet() {
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
fn a_source_that_lists_nothing_is_asked_for_each_spelling() {
    for (name, stored) in [
        ("Hull.tga", "art/Models/Hull.tga"),
        ("HULL.TGA", "art/Models/hull.tga"),
        (r"Paint\HULL.dds", "art/Models/Paint/hull.tga"),
        ("Hull.dds", "art/Textures/Hull.tga"),
        ("HULL.dds", "art/textures/hull.tga"),
    ] {
        let model = match stored.starts_with("art/textures") {
            // Where all is in lower case, the model is.
            true => "art/models/unit.alo",
            false => MODELS[0],
        };
        let picture = tga(&quarters([255; 4]));
        let files = [
            (model.to_owned(), unit(name, "TURRET")),
            (stored.to_owned(), picture),
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
        // Nobody can say which files there are.
        assert!(alo.animations.is_empty());
    }
    let mut app = textured(Rules::Unlisted, "Hull.tga", &["art/Models/HULL.TGA"]);
    assert_eq!(texture(&mut app, MODELS[0]), None);
}

#[test]
fn a_model_whose_proxy_names_it_in_another_case_is_not_within_itself() {
    let files = [("ring.alo".to_owned(), unit("none", "RING"))];
    let mut app = app(Rules::AnyCase, files);
    let alo = load(&mut app, "Ring.alo");
    let root = app.world().spawn(WorldAssetRoot(alo.scene)).id();
    app.wait_for(&[root]);
    let warned =
        || !log::warnings_with("has a proxy that names ring.alo, which contains it").is_empty();
    assert!(gpuless::wait_until(&mut app.app, |_| warned()));
    let mut instances = app.world().query::<&AloInstance>();
    assert_eq!(instances.iter(app.world()).count(), 1);
}
