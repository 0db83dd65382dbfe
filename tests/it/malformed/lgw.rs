//! Malformed LGW files in the asset loader: every class of defect with its error or its warning, logged once with line and
//! column. A failed load leaves no assets behind.

use super::suite::{Suite, loader_error, model_error};
use crate::support::lgw::FLAWED;
use crate::support::prelude::*;
use crate::support::random::Random;
use bevy_classic_models::lgw::lgw::parse;
use classic_models_fixtures::{lgw_malformed, malformed};

/// A table row: a part of the message, and `line:column`.
type Case = malformed::Case<&'static str, &'static str>;

/// A model of one triangle, one group, and a material without a texture.
const WHOLE: &str = r#"MODEL "bike"
EXPORT_VERSION 4
MATERIAL_LIST
MATERIAL 0 "skin"
DIFFUSE_COLOR 1 1 1
END_OF_MATERIAL
END_OF_MATERIAL_LIST
MESH "Hull"
MATERIAL_REF 0
VERTS 3
0 0 0 0 0 0 0 1
1 0 0 1 0 0 0 1
0 1 0 0 1 0 0 1
PRIMITIVE_GEOMETRY_GROUPS 1
GROUP 0 TYPE_LIST
COUNT 3
0 1 2
END_OF_GROUP 0
END_OF_MESH "Hull"
END_OF_MODEL
"#;

/// [`WHOLE`] with a replaced text, which occurs once.
#[track_caller]
fn with(text: &str, other: &str) -> Vec<u8> {
    assert_eq!(WHOLE.matches(text).count(), 1, "{text}");
    WHOLE.replace(text, other).into()
}

/// [`WHOLE`] with a texture in its material.
fn textured(file: &str) -> Vec<u8> {
    let texture = format!("TEXTURE 0\nFILE_NAME \"{file}\"\nEND_OF_TEXTURE");
    with("DIFFUSE_COLOR 1 1 1", &texture)
}

/// The texts of the parser's tables, and texts that are accepted without a warning. The reason of an error is its message.
fn cases() -> Vec<Case> {
    let cp_1250 = WHOLE.as_bytes().iter().map(|byte| match byte {
        b'k' => 0xE8,
        other => *other,
    });
    let silent = [
        cp_1250.collect(),
        WHOLE.replace('\n', "\r\n").into(),
        WHOLE.replace('\n', "\r").into(),
        WHOLE.replace('\n', " ").into(),
        format!("\u{feff}{WHOLE}").into(),
        textured("missing.tga"),
    ];
    let silent = silent.map(|bytes| Case::logged(1, bytes, Silent));
    let texts = lgw_malformed::texts().into_iter().map(|text| {
        let (message, is_error) = match parse(text.as_bytes(), Tolerance::Normal) {
            Err(error) => (error.to_string().replace("LGW: ", ""), true),
            Ok(file) => (file.warnings[0].to_string(), false),
        };
        let (position, message) = message.leak().split_once(": ").unwrap();
        let expect = match is_error {
            true => Reject(message, position),
            false => Warn(message, position),
        };
        Case::logged(2, text, expect)
    });
    texts.chain(silent).collect()
}

fn load(
    app: &mut TestApp,
    path: &'static str,
    settings: &LgwLoaderSettings,
) -> (Handle<Lgw>, LoadState) {
    let server = app.server();
    let settings = settings.clone();
    let set = move |to: &mut LgwLoaderSettings| *to = settings.clone();
    let model: Handle<Lgw> = server.load_builder().with_settings(set).load(path);
    let state = app.finish_load(&model);
    (model, state)
}

/// The text of the loader's error; `None` if the model loaded.
fn error_text(state: &LoadState) -> Option<String> {
    let is_failed = matches!(state, LoadState::Failed(_));
    is_failed.then(|| loader_error(state).expect("a `ModelLoadError`").to_string())
}

const SUITE: Suite<Lgw> = Suite {
    extension: "lgw",
    load: |app, path| {
        let set = |settings: &mut LgwLoaderSettings| settings.load_textures = false;
        app.server().load_builder().with_settings(set).load(path)
    },
    is_located: |path, error| {
        let error = model_error(error).expect("a `ModelLoadError`");
        error.to_string().starts_with(&format!("{path}:"))
    },
    // Of many models, the last one is representative.
    check: |app, models| {
        if let Some(model) = models.last() {
            assert_spawns_valid(app, model);
        }
    },
};

#[test]
fn every_class_is_an_error_or_a_warning_of_the_loader() {
    SUITE.assert_classes(cases(), |path, location| LocationText {
        error: format!("{path}:{location}: LGW: "),
        warning: format!("{path}:{location}: "),
    });
}

/// Spawns a model, and asserts that all meshes are valid.
fn assert_spawns_valid(app: &mut TestApp, model: &Handle<Lgw>) {
    let lgws = app.assets::<Lgw>();
    let scene = lgws.get(model).unwrap().scene.clone();
    let root = app.spawn_entity(WorldAssetRoot(scene));
    let is_spawned = |world: &mut World| world.get::<LgwInstance>(root).is_some();
    app.wait_until(is_spawned);
    app.step(0.01);
    let meshes = app.assets::<Mesh>();
    for (_, mesh) in meshes.iter() {
        let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).unwrap();
        let positions = positions.as_float3().unwrap();
        assert!(
            positions
                .as_flattened()
                .iter()
                .all(|value| value.is_finite())
        );
        let indices = mesh.indices().unwrap();
        assert!(indices.iter().all(|index| index < positions.len()));
        assert!(indices.len().is_multiple_of(3));
    }
    app.despawn(root);
    app.step(0.0);
}

#[test]
fn the_tolerance_setting_selects_errors_or_warnings() {
    log::listen();
    let outcome = |name: &str, bytes: Vec<u8>, tolerance| {
        let path: &'static str = format!("{name}-{tolerance:?}.lgw").leak();
        let settings = LgwLoaderSettings {
            tolerance,
            ..LgwLoaderSettings::default()
        };
        let mut app = TestApp::new(&[(path, bytes)]);
        let (_, state) = load(&mut app, path, &settings);
        (error_text(&state), log::warnings_with(path).len())
    };
    let unknown = with("COUNT 3\n", "BONES 1 2\nCOUNT 3\n");
    let (error, warnings) = outcome("unknown", unknown.clone(), Tolerance::Strict);
    assert!(error.unwrap().starts_with("unknown-Strict.lgw:16:1: LGW: "));
    assert_eq!(warnings, 0);
    assert_eq!(outcome("unknown", unknown, Tolerance::Lenient), (None, 1));
    let out_of_range = with("0 1 2\n", "0 1 3\n");
    assert!(
        outcome("range", out_of_range.clone(), Tolerance::Strict)
            .0
            .is_some()
    );
    assert_eq!(
        outcome("range", out_of_range, Tolerance::Lenient),
        (None, 1)
    );
}

#[test]
fn errors_about_limits_have_line_and_column() {
    let path = "limits.lgw";
    let meshes = "MESH \"\" END_OF_MESH \"\" ".repeat(1000);
    let mut app = TestApp::new(&[(path, format!("MODEL \"\" {meshes} END_OF_MODEL").into())]);
    let (_, state) = load(&mut app, path, &LgwLoaderSettings::default());
    let error = error_text(&state).unwrap();
    assert!(error.starts_with("limits.lgw:1:1: LGW: "), "{error}");
}

/// A TGA file of one texel.
fn image_file() -> Vec<u8> {
    let mut tga = vec![0; 18];
    tga[2] = 2;
    tga[12] = 1;
    tga[14] = 1;
    tga[16] = 32;
    tga.extend([1, 2, 3, 255]);
    tga
}

/// The path of a model's texture; none for a placeholder.
fn texture_path(app: &mut TestApp, model: &Handle<Lgw>) -> Option<String> {
    let world = app.world();
    let lgw = world.resource::<Assets<Lgw>>().get(model).unwrap();
    let material = lgw.materials[0].material.clone();
    let materials = world.resource::<Assets<LgwMaterial>>();
    let texture = materials.get(&material).unwrap().textures[0]
        .clone()
        .unwrap();
    texture.path().map(|path| path.to_string())
}

#[test]
fn models_with_missing_or_broken_textures_load_with_one_warning() {
    log::listen();
    let twice = "TEXTURE 0 FILE_NAME \"Gone.tga\" END_OF_TEXTURE END_OF_MATERIAL\n\
                 MATERIAL 1 \"b\" TEXTURE 0 FILE_NAME \"Gone.tga\" END_OF_TEXTURE";
    for (path, bytes, count) in [
        ("gone.lgw", with("DIFFUSE_COLOR 1 1 1", twice), 1),
        ("empty-name.lgw", textured(""), 1),
        (
            "nameless.lgw",
            with("DIFFUSE_COLOR 1 1 1", "TEXTURE 0 END_OF_TEXTURE"),
            1,
        ),
        (
            "raw.lgw",
            with(
                "DIFFUSE_COLOR 1 1 1",
                "TEXTURE 0 RAW_IMAGE 1 END_OF_TEXTURE",
            ),
            1,
        ),
    ] {
        let mut app = TestApp::new(&[(path, bytes)]);
        let (model, state) = load(&mut app, path, &LgwLoaderSettings::default());
        assert_eq!(error_text(&state), None);
        log::expect_warnings(path, count);
        assert_eq!(texture_path(&mut app, &model), None);
        assert_spawns_valid(&mut app, &model);
    }
    let broken = ("broken.tga", b"not an image at all".to_vec());
    let mut app = TestApp::new(&[("broken-texture.lgw", textured("broken.tga")), broken]);
    let (model, state) = load(
        &mut app,
        "broken-texture.lgw",
        &LgwLoaderSettings::default(),
    );
    assert_eq!(error_text(&state), None);
    let path = texture_path(&mut app, &model).unwrap();
    assert!(path.starts_with("broken.tga"), "{path}");
    assert_spawns_valid(&mut app, &model);
}

#[test]
fn warnings_about_many_missing_textures_are_limited() {
    log::listen();
    let material = |index: usize| {
        format!(
            "MATERIAL {index} \"\" TEXTURE 0\n FILE_NAME \"Lost{index}.tga\" END_OF_TEXTURE END_OF_MATERIAL\n"
        )
    };
    let list: String = (0..20).map(material).collect();
    let text = format!(
        "MODEL \"m\"\nEXPORT_VERSION 4 MATERIAL_LIST\n{list}END_OF_MATERIAL_LIST END_OF_MODEL"
    );
    let mut app = TestApp::new(&[("lost.lgw", text.into_bytes())]);
    let (_, state) = load(&mut app, "lost.lgw", &LgwLoaderSettings::default());
    assert_eq!(error_text(&state), None);
    let warnings = log::expect_warnings("lost.lgw", 9);
    assert!(
        warnings[1].contains("lost.lgw:6:12: material \"\": texture \"Lost1.tga\""),
        "{}",
        warnings[1]
    );
    assert!(warnings[8].contains("12 more"), "{}", warnings[8]);
}

#[test]
fn textures_are_searched_only_below_the_asset_root() {
    log::listen();
    let names = [
        (r"..\..\..\a.tga", true),
        ("../../a.tga", true),
        (r"C:\game\a.tga", true),
        ("C:a.tga", true),
        ("/a.tga", true),
        (r"\\server\share\a.tga", true),
        (r"TEXTURES\A.TGA", false),
        (r"game\..\..\secret.tga", true),
        ("other://a.tga", true),
        ("a.tga#Label", false),
    ];
    for (index, (name, leads_out)) in names.into_iter().enumerate() {
        let path: &'static str = format!("models/escape-{index}.lgw").leak();
        let files = [
            (path, textured(name)),
            ("models/a.tga", image_file()),
            ("a.tga", image_file()),
            ("textures/a.tga", image_file()),
        ];
        let mut app = TestApp::new(&files);
        let (model, state) = load(&mut app, path, &LgwLoaderSettings::default());
        assert_eq!(error_text(&state), None);
        let found = texture_path(&mut app, &model);
        println!("{name:30} {found:?}");
        let allowed = ["models/a.tga", "a.tga", "textures/a.tga"];
        let is_allowed =
            |found: &String| allowed.iter().any(|it| found.split('#').next() == Some(it));
        assert!(found.as_ref().is_none_or(is_allowed), "{name}: {found:?}");
        let warnings = log::warnings_with(path);
        assert_eq!(
            warnings.len(),
            usize::from(found.is_none()) + usize::from(leads_out),
            "{name}: {warnings:?}"
        );
        let is_warned = warnings
            .iter()
            .any(|text| text.contains("is not inside the game"));
        assert_eq!(is_warned, leads_out, "{name}");
    }
}

#[test]
fn truncated_files_are_errors() {
    for (index, text) in [WHOLE, EVERYTHING].into_iter().enumerate() {
        let whole = text.find("END_OF_MODEL").unwrap() + "END_OF_MODEL".len();
        let ends = (0..whole).map(|end| text.as_bytes()[..end].to_vec());
        assert_eq!(SUITE.run(&format!("ends-{index}"), ends), 0);
    }
}

#[test]
fn flipped_bits_do_not_panic() {
    let flipped = |bit: usize| {
        let mut bytes = WHOLE.as_bytes().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    let bits = 8 * WHOLE.len();
    let loaded = SUITE.run("bits", (0..bits).map(flipped));
    assert!((bits / 10..bits).contains(&loaded), "{loaded} of {bits}");
}

#[test]
fn mutated_texts_do_not_panic() {
    let texts = [BICYCLE, EVERYTHING, FLAWED, WHOLE];
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let damaged = (0..1200).map(|round| {
        classic_models_fixtures::mutations::mutated_text(texts[round % 4], &mut random)
    });
    let loaded = SUITE.run("damaged", damaged);
    assert!((100..1100).contains(&loaded), "{loaded}");
}
