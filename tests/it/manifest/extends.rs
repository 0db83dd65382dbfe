//! Manifests that extend others: which values apply, where files are searched, and the positions of errors.

use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;
use bevy_classic_models::manifest::parse;

fn app_of(files: &[(&str, &str)]) -> TestApp {
    let texts = files.iter().map(|(path, manifest)| (*path, text(manifest)));
    let image = tga(&[[9, 9, 9, 255]; 64]);
    let others = [
        ("a.mdl", mdl()),
        ("b.mdl", mdl()),
        ("shared/a.mdl", mdl()),
        ("shared/red.tga", image.clone()),
        ("units/a.mdl", mdl()),
        ("units/red.tga", image),
        ("gfx.lmp", vec![0; 768]),
    ];
    TestApp::new(&texts.chain(others).collect::<Vec<_>>())
}

/// The value of a manifest, after it and its dependencies are loaded.
#[track_caller]
fn load(app: &mut TestApp, path: &'static str) -> ModelManifest {
    let manifest: Handle<ModelManifest> = app.load(path);
    app.wait_loaded(&manifest);
    app.asset(&manifest).clone()
}

/// The values of a text, as if it had been loaded.
fn value(text: &str, loaded: &ModelManifest) -> ModelManifest {
    ModelManifest {
        files: loaded.files.clone(),
        ..parse(text.as_bytes()).unwrap()
    }
}

/// For each field: a value of the base, and another one.
const FIELDS: &[(&str, &str, &str)] = &[
    ("model", r#""a.mdl""#, r#""b.mdl""#),
    ("scale", "2", "1"),
    ("axes", "(up: Z, forward: NegY)", "None"),
    ("facing", "None", "X"),
    ("meters", "0.5", "None"),
    ("height", "None", "1.5"),
    ("texture_folders", r#"["a", "b"]"#, "[]"),
    ("palette", r#""gfx.lmp""#, "None"),
    ("hole_index", "0", "255"),
    ("external_skins", "true", "false"),
    ("load_lights", "false", "true"),
    ("hidden_bones_hide_children", "true", "false"),
    (
        "clips",
        r#"[(name: "walk", clip: "run"), (name: "go", clip: 0)]"#,
        r#"[(name: "x", clip: 0)]"#,
    ),
    ("events", r#"[(clip: "run", frame: 1, name: "step")]"#, "[]"),
    ("play", r#""walk""#, "0"),
    ("skin", r#""red""#, "0"),
    ("lod_distances", "[1, 2]", "[]"),
    ("team_color", r##""#ff8000""##, r##""#0080ff""##),
    ("player_colors", "(shirt: 1, pants: 2)", "None"),
    ("hidden", r#"["Shield"]"#, "[]"),
    ("shown", r#"["Gun"]"#, r#"["Other"]"#),
    ("damage_stage", "2", "0"),
    ("attachments", r#"[(bone: "Arm", model: "b.mdl")]"#, "[]"),
];

/// Fields of which a manifest can set only one: a value of one replaces that of the other.
const PAIRS: [[&str; 2]; 2] = [["axes", "facing"], ["meters", "height"]];

fn manifest(fields: &BTreeMap<&str, &str>) -> String {
    let fields = fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}, "));
    format!("({})", fields.collect::<String>())
}

#[test]
fn each_field_replaces_that_of_the_base() {
    let base: BTreeMap<&str, &str> = FIELDS
        .iter()
        .map(|(name, value, _)| (*name, *value))
        .collect();
    let base_text = manifest(&base);
    let mut app = app_of(&[
        ("base.model.ron", &base_text),
        ("same.model.ron", r#"(extends: "base.model.ron")"#),
    ]);
    let same = load(&mut app, "same.model.ron");
    assert_eq!(same, value(&base_text, &same));
    assert_eq!(same.extends, None);

    for (name, _, other) in FIELDS {
        let extending = format!(r#"(extends: "base.model.ron", {name}: {other})"#);
        let mut app = app_of(&[("base.model.ron", &base_text), ("a.model.ron", &extending)]);
        let loaded = load(&mut app, "a.model.ron");
        let mut expected = base.clone();
        for pair in PAIRS.iter().filter(|pair| pair.contains(name)) {
            expected.retain(|field, _| !pair.contains(field));
        }
        expected.insert(name, other);
        assert_eq!(loaded, value(&manifest(&expected), &loaded), "{name}");
        assert_ne!(loaded, value(&base_text, &loaded), "{name}");
    }
}

#[test]
fn entries_of_maps_are_combined_by_key() {
    let mut app = app_of(&[
        (
            "base.model.ron",
            r#"(model: "a.mdl", skins: {"Red": "shared/red.tga", "Blue": "units/red.tga"},
            masks: {"Upper": ["Turret"], "legs": ["Hips"]})"#,
        ),
        (
            "a.model.ron",
            r#"(extends: "base.model.ron", skins: {"red": "units/red.tga"}, masks: {"upper": ["Gun"]})"#,
        ),
    ]);
    let loaded = load(&mut app, "a.model.ron");
    let expected = r#"(model: "a.mdl", skins: {"red": "units/red.tga", "Blue": "units/red.tga"},
        masks: {"upper": ["Gun"], "legs": ["Hips"]})"#;
    assert_eq!(loaded, value(expected, &loaded));
}

#[test]
fn paths_are_relative_to_the_file_that_names_them() {
    let mut app = app_of(&[
        (
            "shared/base.model.ron",
            r#"(model: "a.mdl", skins: {"one": "red.tga"}, texture_folders: ["x"],
            attachments: [(model: "gun.model.ron")])"#,
        ),
        ("shared/gun.model.ron", r#"(model: "a.mdl")"#),
        (
            "units/a.model.ron",
            r#"(extends: "shared\\BASE.model.ron", skins: {"two": "red.tga"}, palette: "gfx.lmp")"#,
        ),
        ("units/gun.model.ron", "broken"),
    ]);
    let loaded = load(&mut app, "units/a.model.ron");
    let model = AssetPath::from("shared/a.mdl");
    assert_eq!(loaded.files.model(), Some(&model));
    assert_eq!(loaded.model, "shared/a.mdl");
    assert_eq!(loaded.skins["one"], "shared/red.tga");
    assert_eq!(loaded.skins["two"], "units/red.tga");
    assert_eq!(loaded.palette.as_deref(), Some("gfx.lmp"));
    assert_eq!(loaded.texture_folders, ["shared/x"]);
    assert_eq!(loaded.attachments[0].model, "shared/gun.model.ron");
    let root = app.spawn_model_ready("units/a.model.ron", ());
    assert_eq!(app.get::<ModelSkins>(root).names().count(), 2);
}

#[test]
fn bases_can_extend_others_and_lack_a_model() {
    let mut app = app_of(&[
        (
            "shared/one.model.ron",
            r#"(scale: 3, damage_stage: 1, play: "run")"#,
        ),
        (
            "shared/two.model.ron",
            r#"(extends: "one.model.ron", damage_stage: 2, skin: 1)"#,
        ),
        (
            "units/three.model.ron",
            r#"(extends: "shared/two.model.ron", model: "a.mdl", skin: 0)"#,
        ),
    ]);
    let loaded = load(&mut app, "units/three.model.ron");
    let expected = r#"(model: "units/a.mdl", scale: 3, damage_stage: 2, play: "run", skin: 0)"#;
    assert_eq!(loaded, value(expected, &loaded));
    let root = app.spawn_model_ready("units/three.model.ron", ());
    assert_eq!(app.find(root), Some(&DamageStage(2)));
    assert_eq!(app.find(root), Some(&PlayClip::from_manifest("run")));
}

/// Files, of which the first is loaded, with their texts, and the start of the error. Line breaks are escaped.
const INVALID: &str = r#"
units/a.model.ron (\n  extends: "no.model.ron")
=> units/a.model.ron:2:12: extends "no.model.ron" was not found; tried units/no.model.ron,
a.model.ron (extends: "a.mdl", model: "a.mdl")
=> a.model.ron:1:11: extends is a.mdl, but must be a manifest, `*.model.ron`
a.model.ron (extends: "")
=> a.model.ron:1:11: extends is empty, but must be the name of a file
a.model.ron (extends: "A.model.ron", model: "a.mdl")
=> a.model.ron:1:11: extends is a cycle: a.model.ron extends a.model.ron
a.model.ron (extends: "b.model.ron", model: "a.mdl")
b.model.ron (extends: "c.model.ron")
c.model.ron (\n  extends: "b.model.ron")
=> c.model.ron:2:12: extends is a cycle: b.model.ron extends c.model.ron extends b.model.ron
a.model.ron (extends: "shared/base.model.ron", model: "a.mdl")
shared/base.model.ron (\n  scale: 0)
=> shared/base.model.ron:2:10: scale is 0, but must be a finite number above 0
a.model.ron (extends: "base.model.ron", model: "a.mdl")
base.model.ron (\n  colour: 1)
=> base.model.ron:2:3: Unexpected field named `colour` in `ModelManifest`
a.model.ron (extends: "base.model.ron")
base.model.ron (scale: 2)
=> a.model.ron:1:1: the manifest lacks the field `model`
a.model.ron (extends: "base.model.ron")
base.model.ron (scale: 2,\n  model: "no.mdl")
=> base.model.ron:2:10: model "no.mdl" was not found
a.model.ron (extends: "base.model.ron")
base.model.ron (scale: 2,\n  model: "gfx.lmp")
=> base.model.ron:2:10: model gfx.lmp has no extension of a model format
"#;

#[track_caller]
fn load_error(app: &mut TestApp, path: &'static str) -> String {
    let manifest: Handle<ModelManifest> = app.load(path);
    app.load_error(&manifest)
}

#[test]
fn errors_have_the_position_in_the_file_that_is_wrong() {
    let mut files = Vec::new();
    for line in INVALID.trim().lines() {
        let (path, text) = line.split_once(' ').unwrap();
        if path != "=>" {
            files.push((path, text.replace(r"\n", "\n")));
            continue;
        }
        let texts: Vec<_> = files.iter().map(|(path, it)| (*path, &**it)).collect();
        let mut app = app_of(&texts);
        let error = load_error(&mut app, files[0].0);
        assert!(error.contains(text), "{text}: {error}");
        files.clear();
    }
}

#[test]
fn errors_of_combined_maps_are_in_the_extending_manifest() {
    let masks = |prefix: &str| {
        let masks = (0..600).map(|index| format!("\"{prefix}{index}\": [\"x\"],"));
        format!("masks: {{{}}}", masks.collect::<String>())
    };
    let base = format!("(\n\n{})", masks("a"));
    let own = format!(
        "(model: \"a.mdl\", extends: \"base.model.ron\",\n {})",
        masks("b")
    );
    let mut app = app_of(&[("own.model.ron", &own), ("base.model.ron", &base)]);
    let error = load_error(&mut app, "own.model.ron");
    let expected = "own.model.ron:2:9: masks has 1200 elements, but must have at most 1024";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn chains_of_bases_are_limited() {
    let name = |index: usize| format!("m{index}.model.ron");
    for (count, is_valid) in [(8, true), (9, false)] {
        let files: Vec<(String, String)> = (0..=count)
            .map(|index| {
                let manifest = match index == count {
                    true => "(model: \"a.mdl\")".to_owned(),
                    false => format!("(extends: {:?})", name(index + 1)),
                };
                (name(index), manifest)
            })
            .collect();
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (&**name, &**text))
            .collect();
        let mut app = app_of(&files);
        if is_valid {
            assert_eq!(load(&mut app, "m0.model.ron").model, "a.mdl");
        } else {
            let error = load_error(&mut app, "m0.model.ron");
            let expected = "m8.model.ron:1:11: extends is m9.model.ron, but at most 8 manifests can be extended";
            assert!(error.contains(expected), "{error}");
        }
    }
}

#[test]
fn warnings_have_the_position_in_the_base() {
    log::listen();
    let mut app = app_of(&[
        (
            "shared/extended_one.model.ron",
            "(model: \"a.mdl\",\n skins: {\n  \"red\": \"extended_no.tga\",\n  \"blue\": \"extended_replaced.tga\"},\
             \n clips: [(file: \"extended_*.ala\")], skin: \"red\")",
        ),
        (
            "units/extending.model.ron",
            "(extends: \"shared/extended_one.model.ron\", skins: {\"Blue\": \"red.tga\"})",
        ),
    ]);
    let loaded = load(&mut app, "units/extending.model.ron");
    assert_eq!(loaded.skins["red"], "shared/extended_no.tga");
    let warnings = log::warnings_with("extended_");
    let has = |start: &str| warnings.iter().any(|warning| warning.contains(start));
    assert!(
        has("shared/extended_one.model.ron:3:10: skins[\"red\"] \"extended_no.tga\" was not found"),
        "{warnings:?}"
    );
    assert!(
        has("shared/extended_one.model.ron:5:17: clips[0].file \"extended_*.ala\" matches no file"),
        "{warnings:?}"
    );
    assert!(!has("extended_replaced"), "{warnings:?}");
    // The selected skin is missing, which was reported. So no second warning follows.
    let root = app.spawn_model_ready("units/extending.model.ron", ());
    app.wait_until_idle();
    assert_eq!(app.find::<ModelSkin>(root), None);
}

#[test]
fn manifests_created_in_code_cannot_extend_others() {
    log::listen();
    let mut app = app_of(&[("base.model.ron", "(model: \"a.mdl\")")]);
    let manifest = ModelManifest {
        extends: Some("base.model.ron".into()),
        model: "b.mdl".into(),
        play: Some(NameOrIndex::from("extends_in_code")),
        ..default()
    };
    assert_eq!(
        parse(manifest.to_ron().unwrap().as_bytes()).unwrap(),
        manifest
    );
    let manifest = app.add_asset(manifest);
    let root = app.spawn_entity(ClassicModel::new(manifest));
    app.wait_until_idle();
    assert!(app.find::<ModelInstance>(root).is_none());
    let warnings =
        log::warnings_with("extends another manifest, which only manifests in files can");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn combined_names_are_paths_from_the_root_for_code() {
    let mut app = app_of(&[
        (
            "shared/base.model.ron",
            r#"(model: "a.mdl", skins: {"one": "red.tga"})"#,
        ),
        ("units/a.model.ron", r#"(extends: "shared/base.model.ron")"#),
    ]);
    let loaded = load(&mut app, "units/a.model.ron");
    let copy = ModelManifest {
        files: default(),
        ..loaded
    };
    let copy = app.add_asset(copy);
    let root = app.spawn_entity(ClassicModel::new(copy));
    app.wait_for_model(root);
    assert_eq!(app.model_path(root), "shared/a.mdl");
}
