//! Malformed LGW files in the asset loader: every class of defect with its error or its warning, logged once with line and
//! column. A failed load leaves no assets behind.

use super::suite::{Suite, loader_error, model_error};
use crate::support::lgw::FLAWED;
use crate::support::prelude::*;
use crate::support::random::Random;
use classic_models_fixtures::malformed;

/// A table row: a part of the message, and `line:column`.
type Case = malformed::Case<&'static str, &'static str>;

fn case(class: u32, bytes: impl Into<Vec<u8>>, expect: Expect<&'static str, &'static str>) -> Case {
    Case::logged(class, bytes, expect)
}

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

/// Rows of replaced text: the class, a text of [`WHOLE`] that occurs once, its replacement, the location, and part of the
/// message. `\n` is the end of a line.
const REPLACEMENTS: &str = r#"
5  | EXPORT_VERSION 4          | EXPORT_VERSION 5       | warning | 2:16  | is 5, expected 4
5  | EXPORT_VERSION 4\n        |                        | warning | 1:1   | EXPORT_VERSION is missing
5  | COUNT 3\n                 | BONES 1 2\nCOUNT 3\n   | warning | 16:1  | "BONES" is not a key
5  | MATERIAL_REF 0            | MATERIAL_REF 0 VERTEX 1 | warning | 9:16 | "VERTEX"
45 | END_OF_GROUP 0\n          |                        | error   | 18:1  | group 0 lacks END_OF_GROUP
45 | END_OF_MESH "Hull"\n      |                        | error   | 19:1  | mesh 0 "Hull" lacks END_OF_MESH
45 | END_OF_MODEL              |                        | error   | 21:1  | model lacks END_OF_MODEL
45 | END_OF_MATERIAL\n         |                        | error   | 6:1   | material 0 "skin" lacks END_OF_MATERIAL
45 | END_OF_MATERIAL_LIST\n    |                        | error   | 7:1   | model lacks END_OF_MATERIAL_LIST
45 | VERTS 3                   | END_OF_GROUP 0         | error   | 10:1  | "END_OF_GROUP", but must be
45 | SH "Hull"\nEN             | SH "Hulk"\nEN          | warning | 19:13 | END_OF_MESH names "Hulk", expected "Hull"
45 | END_OF_GROUP 0            | END_OF_GROUP 2         | warning | 18:14 | has the number 2
45 | END_OF_GROUP 0            | END_OF_GROUP           | warning | 18:1  | has no number
48 | MODEL "bike"              | MODEL "bike            | error   | 1:7   | no closing quote
48 | MESH "Hull"\nM            | MESH "Hull\nM          | error   | 8:6   | no closing quote
48 | \n1 0 0                   | \n1 0 0,5              | error   | 12:5  | "0,5", but must be a number with a decimal point
48 | \n1 0 0                   | \n1 0 ...              | error   | 12:5  | "...", but must be a number
6  | \n1 0 0                   | \n1 1.#QNAN 0          | warning | 12:3  | not finite: 0 is used
6  | COLOR 1 1 1               | COLOR 1 inf 1          | warning | 5:17  | DIFFUSE_COLOR is not finite
46 | VERTS 3                   | VERTS 4                | error   | 14:1  | 24 numbers (8 for each vertex), expected 32
46 | VERTS 3                   | VERTS 2                | error   | 13:1  | 24 numbers (8 for each vertex), expected 16
46 | VERTS 3                   | VERTS -3               | error   | 10:7  | VERTS is -3
46 | VERTS 3                   | VERTS 1000000000000    | error   | 10:7  | VERTS is 1000000000000
46 | VERTS 3                   | VERTS 4294967295       | error   | 14:1  | 24 numbers
46 | COUNT 3                   | COUNT 4                | error   | 18:1  | 3 indices, expected 4
46 | COUNT 3                   | COUNT 2                | error   | 17:5  | 3 indices, expected 2
46 | COUNT 3                   | COUNT -1               | error   | 16:7  | COUNT is -1
46 | COUNT 3                   | COUNT 1000000000000    | error   | 16:7  | COUNT is 1000000000000
46 | GROUPS 1                  | GROUPS 2               | warning | 14:27 | GROUPS is 2, but the count of groups is 1
46 | GROUPS 1                  | GROUPS 1000000000000   | error   | 14:27 | GROUPS is 1000000000000
47 | 0 1 2\n                   | 0 1 3\n                | error   | 17:5  | index 2 uses vertex 3, but only 3 exist
47 | 0 1 2\n                   | 0 -1 2\n               | error   | 17:3  | index 1 uses vertex -1, but only 3 exist
47 | COUNT 3\n0 1 2            | COUNT 5 0 1 2 0 1      | warning | 16:7  | the last 2 are ignored
47 | LIST\nCOUNT 3\n0 1 2      | STRIP\nCOUNT 2\n0 1    | warning | 16:7  | 2 indices form no triangle, at least 3 are needed
47 | LIST\nCOUNT 3\n0 1 2      | FAN\nCOUNT 1\n0        | warning | 16:7  | 1 indices form no triangle, at least 3 are needed
49 | COLOR 1 1 1               | COLOR 1 1 1 END_OF_MATERIAL\nMATERIAL 0 "again" | warning | 6:1 | material 0 is defined more than once
49 | MATERIAL_REF 0            | MATERIAL_REF 1         | warning | 9:14  | refers to material 1, which
49 | MATERIAL_REF 0\n          |                        | warning | 18:1  | has no MATERIAL_REF
"#;

fn cases() -> Vec<Case> {
    let mut cases = file_cases();
    for row in REPLACEMENTS.trim().lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [class, text, other, kind, location, message] = cells[..] else {
            panic!("{row}");
        };
        let [text, other] = [text, other].map(|cell| cell.replace("\\n", "\n"));
        let expect = match kind {
            "error" => Reject(message, location),
            _ => Warn(message, location),
        };
        cases.push(case(class.parse().unwrap(), with(&text, &other), expect));
    }
    cases
}

fn file_cases() -> Vec<Case> {
    let no_model = "lacks the key MODEL";
    let trailing = format!("{WHOLE}MODEL \"\"");
    let cp_1250 = WHOLE.replace("bike", "~").into_bytes();
    let cp_1250: Vec<u8> = cp_1250
        .iter()
        .map(|byte| if *byte == b'~' { 0xE8 } else { *byte })
        .collect();
    vec![
        case(1, "", Reject(no_model, "1:1")),
        case(1, "\r\n \n", Reject(no_model, "3:1")),
        case(1, "MODEL", Reject("end of the file", "1:6")),
        case(1, "MODEL \"\"", Reject("lacks END_OF_MODEL", "1:9")),
        case(
            2,
            "# cube\nv 0 0 0\n",
            Reject("does not start with the key MODEL", "1:1"),
        ),
        case(2, b"IDPO\x06\0\0\0", Reject("Quake", "1:1")),
        case(2, b"IDST\x0a\0\0\0", Reject("Half-Life", "1:1")),
        case(2, b"PulseWavesPulse\0", Reject("laser scanner", "1:1")),
        case(2, b"\xFF\xFEM\0O\0D\0", Reject("UTF-16", "1:1")),
        case(50, b"\x01\0\0\0bike\0", Reject("UFObintxt", "1:1")),
        case(50, b"MODEL\0\x04\0\0\0", Reject("UFObintxt", "1:1")),
        case(4, trailing, Warn("8 bytes after END_OF_MODEL", "21:1")),
        case(7, cp_1250, Silent),
        case(48, WHOLE.replace('\n', "\r\n"), Silent),
        case(48, WHOLE.replace('\n', "\r"), Silent),
        case(48, WHOLE.replace('\n', " "), Silent),
        case(48, format!("\u{feff}{WHOLE}"), Silent),
        case(8, textured("missing.tga"), Silent),
    ]
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
