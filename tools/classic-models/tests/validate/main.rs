//! The subcommand `validate`: the problems of manifests, with their positions, and the exit status.

mod game;
mod values;

use classic_models_fixtures::mdl::tetrahedron;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use values::TGA;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets")
}

/// A folder `game/assets` with the bundled models in `models`, their skins and textures, and other files.
fn game(files: &[(&str, &str)]) -> TempDir {
    let game = tempfile::tempdir().unwrap();
    let assets = game.path().join("assets");
    for folder in ["models", "skins", "textures"] {
        std::fs::create_dir_all(assets.join(folder)).unwrap();
        for file in std::fs::read_dir(samples().join(folder)).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), assets.join(folder).join(file.file_name())).unwrap();
        }
    }
    for (path, text) in files {
        let path = assets.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    game
}

/// The exit status, the lines of standard output, and standard error.
fn validate(folder: &Path, args: &[&str]) -> (i32, Vec<String>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    let output = program
        .current_dir(folder)
        .arg("validate")
        .args(args)
        .output();
    let output = output.unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = lines.lines().map(str::to_owned).collect();
    (output.status.code().unwrap(), lines, errors)
}

/// Asserts that a manifest has exactly these problems, each beginning with one of the texts, in this order.
#[track_caller]
fn assert_problems(files: &[(&str, &str)], manifest: &str, expected: &[&str]) {
    let game = game(files);
    let file = format!("assets/{manifest}");
    let (code, lines, errors) = validate(game.path(), &[&file]);
    let are_expected = lines.len() == expected.len()
        && lines
            .iter()
            .zip(expected)
            .all(|(line, start)| line.starts_with(start));
    assert!(are_expected, "expected {expected:#?}\nfound {lines:#?}");
    assert_eq!(code, i32::from(!expected.is_empty()), "{lines:?}");
    // For people who write no Rust.
    let rust = |line: &&String| {
        line.contains("entit") || line.split('`').skip(1).step_by(2).any(is_rust_name)
    };
    assert_eq!(lines.iter().find(rust), None);
    let success = "checked 1 manifest: no problems\n";
    let expected = if code == 0 { success } else { "" };
    assert_eq!(without_limits(&errors), expected);
}

/// Standard error without the limits of engines that the bundled crystal exceeds.
fn without_limits(errors: &str) -> String {
    let lines = errors.split_inclusive('\n');
    lines.filter(|line| !line.contains("MD16")).collect()
}

/// Whether a quoted name is that of a Rust type.
fn is_rust_name(name: &str) -> bool {
    name.contains("::") || name.starts_with(|letter: char| letter.is_ascii_uppercase())
}

#[test]
fn valid_manifests_of_all_formats_have_no_problems() {
    let text = |model: &str| format!("(model: {model:?}, scale: 2, events: [])");
    for model in ["walker.alo", "warden.abc", "sentry.mdl", "courier.lgw"] {
        assert_problems(
            &[("models/a.model.ron", &text(model))],
            "models/a.model.ron",
            &[],
        );
    }
    for name in ["patrol.model.ron", "frost_warden.model.ron"] {
        let file = samples().join("models").join(name);
        let (code, lines, _) = validate(&samples(), &[file.to_str().unwrap()]);
        assert_eq!((code, lines), (0, Vec::new()), "{name}");
    }
}

#[test]
fn invalid_values_have_positions() {
    let a = "models/a.model.ron";
    for (text, expected) in [
        (
            "(model: \"walker.alo\",\n scale: 0)",
            "2:9: scale is 0, but must be",
        ),
        (
            "(model: \"walker.alo\",\n colour: 0)",
            "2:2: Unexpected field named `colour`",
        ),
        ("(model: \"no.alo\")", "1:9: model \"no.alo\" was not found"),
        ("(model: \"walker.alo\"", "1:21: Expected comma"),
        (
            "(extends: \"b.model.ron\")",
            "1:11: extends \"b.model.ron\" was not found",
        ),
        (
            "(model: \"walker.alo\", clips: [\n (name: \"x\", file: \"no.ala\")])",
            "2:20: clips[0].file \"no.ala\" was not found",
        ),
    ] {
        assert_problems(&[(a, text)], a, &[&format!("assets/{a}:{expected}")]);
    }
}

#[test]
fn values_of_attachments_have_positions() {
    let a = "models/a.model.ron";
    let text = "(model: \"walker.alo\", attachments: [
 (model: \"sentry.mdl\", play: \"no\", skin: 99),
 (model: \"missing.mdl\", play: \"no\"),
 (model: \"b.model.ron\",
  play: \"part\", skin: \"blue\"),
 (model: \"b.model.ron\",
  play: \"none\", skin: \"red\"),
 (model: \"warden.abc\", skin: \"no\"),
 (model: \"courier.lgw\",
  play: 0),
 (model: \"walker.alo\", play: \"MOVE_00\",
  skin: 0),
 (model: \"broken.mdl\", play: \"no\")])";
    let b = "(model: \"sentry.mdl\", clips: [(name: \"part\", frames: (0, 1))], skins: {\"red\": \"x.tga\"})";
    let files = [
        (a, text),
        ("models/b.model.ron", b),
        ("models/x.tga", TGA),
        ("models/broken.mdl", "no model"),
    ];
    let expected = [
        "2:30: attachments[0].play: models/sentry.mdl has no clip \"no\"",
        "2:42: attachments[0].skin: models/sentry.mdl has ",
        "3:10: attachments[1].model \"missing.mdl\" was not found",
        "5:23: attachments[2].skin: models/sentry.mdl keeps its skin: `skins` has no entry named \"blue\"",
        "7:9: attachments[3].play: models/sentry.mdl has no clip \"none\"",
        "8:30: attachments[4].skin: models/warden.abc keeps its skin: the name \"no\"",
        "10:9: attachments[5].play: models/courier.lgw is in the format of UFO: Aftermath",
        "12:9: attachments[6].skin: models/walker.alo is in Alamo's format",
        "13:10: attachments[7].model: models/broken.mdl",
    ];
    // A file that is not found is a warning of the loader, which follows the others.
    let (missing, others): (Vec<&str>, Vec<&str>) = expected
        .into_iter()
        .partition(|it| it.contains("not found"));
    let expected = others.into_iter().chain(missing);
    let expected: Vec<String> = expected.map(|of| format!("assets/{a}:{of}")).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    assert_problems(&files, a, &expected);
}

#[test]
fn attachment_cycles_have_positions() {
    let a = "models/a.model.ron";
    let of = |model: &str, attached: &str| {
        format!("(model: {model:?},\n attachments: [\n  (model: {attached:?})])")
    };
    let own = of("sentry.mdl", "a.model.ron");
    let expected = "assets/models/a.model.ron:3:11: attachments[0].model: models/a.model.ron is attached to itself";
    assert_problems(&[(a, &own)], a, &[expected]);
    let (first, second) = (
        of("sentry.mdl", "b.model.ron"),
        of("crystal.mdl", "a.model.ron"),
    );
    let expected = "assets/models/b.model.ron:3:11: attachments[0].model: models/a.model.ron is attached to itself";
    assert_problems(
        &[(a, &first), ("models/b.model.ron", &second)],
        a,
        &[expected],
    );
}

#[test]
fn files_that_are_the_model_are_problems_of_their_entries() {
    let a = "models/a.model.ron";
    let text = "(model: \"walker.alo\",
 clips: [(name: \"x\",
  file: \"walker.alo\")],
 skins: {\"a\": \"walker.alo\"})";
    let expected = [
        "assets/models/a.model.ron:4:9: skins: models/walker.alo is in Alamo's format",
        "assets/models/a.model.ron:4:15: skins[\"a\"]: models/walker.alo",
        "assets/models/a.model.ron:3:9: clips[0].file models/walker.alo is not a file of clips",
    ];
    assert_problems(&[(a, text)], a, &expected);
}

#[test]
fn manifests_without_a_model_are_checked_as_far_as_possible() {
    let base = "models/base.model.ron";
    let validate_base = |text: &str, more: &[(&str, &str)]| {
        let files: Vec<_> = [(base, text)]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        let game = game(&files);
        let (code, lines, errors) = validate(game.path(), &[&format!("assets/{base}")]);
        let errors = without_limits(&errors);
        let note = format!("assets/{base}: has no `model`, so it is checked as");
        assert!(errors.starts_with(&note), "{errors}");
        assert_eq!(errors.lines().count(), 2 - code as usize, "{errors}");
        assert_eq!(code, i32::from(!lines.is_empty()), "{lines:?}");
        lines
    };
    // The model may have the clip, the bone and the skin.
    let fits = "(play: \"MOVE_00\", skin: 7, masks: {\"a\": [\"Turret\"]}, attachments: [(bone: \"x\", model: \"crystal.mdl\")])";
    assert_eq!(validate_base(fits, &[]), [""; 0]);
    let above = ("models/above.model.ron", "(scale: 2)");
    assert_eq!(
        validate_base("(extends: \"above.model.ron\")", &[above]),
        [""; 0]
    );
    let text = "(\n clips: [(file: \"no.ala\")],\n attachments: [(model: \"bad.mdl\")])";
    let lines = validate_base(text, &[("models/bad.mdl", "no model")]);
    for (line, expected) in lines.iter().zip([
        "assets/models/base.model.ron:3:24: attachments[0].model: models/bad.mdl",
        "assets/models/base.model.ron:2:17: clips[0].file \"no.ala\" was not found",
    ]) {
        assert!(line.starts_with(expected), "{lines:?}");
    }
    assert_eq!(lines.len(), 2, "{lines:?}");

    // Invalid values are errors, as in other manifests.
    let invalid = [(base, "(\n scale: 0)")];
    assert_problems(
        &invalid,
        base,
        &["assets/models/base.model.ron:2:9: scale is 0"],
    );
}

#[test]
fn broken_files_have_the_position_of_their_names() {
    let a = "models/a.model.ron";
    let files = [
        (
            a,
            "(model: \"walker.alo\", clips: [\n (file: \"bad.ala\")],\n attachments: [(model: \"bad.mdl\")])",
        ),
        ("models/bad.ala", "no animation"),
        ("models/bad.mdl", "no model"),
    ];
    let expected = [
        "assets/models/a.model.ron:2:9: clips[0].file: models/bad.ala",
        "assets/models/a.model.ron:3:24: attachments[0].model: models/bad.mdl",
    ];
    assert_problems(&files, a, &expected);
    let files = [
        (a, "(\n model: \"bad.alo\", play: \"x\")"),
        ("models/bad.alo", "no model"),
    ];
    let expected = ["assets/models/a.model.ron:2:9: model: models/bad.alo"];
    assert_problems(&files, a, &expected);
}

#[test]
fn problems_are_in_the_file_that_sets_the_value() {
    let files = [
        (
            "units/a.model.ron",
            "(extends: \"shared/base.model.ron\",\n model: \"models/walker.alo\")",
        ),
        (
            "shared/base.model.ron",
            "(\n play: \"NO_00\",\n skins: {\"x\": \"no.tga\"},\n attachments: [(model: \"gun.model.ron\")])",
        ),
        (
            "shared/gun.model.ron",
            "(model: \"models/crystal.mdl\",\n play: \"no\")",
        ),
    ];
    let expected = [
        "assets/shared/base.model.ron:2:8: play: models/walker.alo has no clip \"NO_00\"",
        "assets/shared/base.model.ron:3:9: skins: models/walker.alo is in Alamo's format",
        "assets/shared/gun.model.ron:2:8: play: models/crystal.mdl has no clip \"no\"",
        "assets/shared/base.model.ron:3:15: skins[\"x\"] \"no.tga\" was not found",
    ];
    assert_problems(&files, "units/a.model.ron", &expected);
    let files = [
        (
            "units/a.model.ron",
            "(extends: \"shared/base.model.ron\", model: \"models/walker.alo\")",
        ),
        ("shared/base.model.ron", "(\n scale: -1)"),
    ];
    let expected = ["assets/shared/base.model.ron:2:9: scale is -1"];
    assert_problems(&files, "units/a.model.ron", &expected);
    let files = [
        (
            "units/a.model.ron",
            "(model: \"models/walker.alo\",\n attachments: [(model: \"b.model.ron\")])",
        ),
        (
            "units/b.model.ron",
            "(model: \"models/walker.alo\",\n scale: -1)",
        ),
    ];
    let expected =
        ["assets/units/a.model.ron:2:24: attachments[0].model: units/b.model.ron:2:9: scale is -1"];
    assert_problems(&files, "units/a.model.ron", &expected);
}

#[test]
fn paths_may_contain_parent_folders() {
    let game = game(&[("models/a.model.ron", "(model: \"walker.alo\", scale: 0)")]);
    let (code, lines, errors) = validate(
        &game.path().join("assets/skins"),
        &["../models/a.model.ron", "../../assets/models/a.model.ron"],
    );
    assert_eq!((code, lines.len(), &*errors), (1, 2, ""), "{lines:?}");
    assert!(
        lines[0].starts_with("../models/a.model.ron:1:30: scale is 0"),
        "{lines:?}"
    );
}

#[test]
fn several_files_are_checked_from_one_root() {
    let game = game(&[
        ("a.model.ron", "(model: \"deep/models/no.alo\")"),
        ("deep/b.model.ron", "(model: \"models/walker.alo\")"),
    ]);
    let files = ["assets/a.model.ron", "assets/deep/b.model.ron"];
    let (code, lines, _) = validate(game.path(), &files);
    assert_eq!((code, lines.len()), (1, 1), "{lines:?}");
    // Below another root, the model is not found.
    let (code, lines, _) = validate(game.path(), &["--assets", "assets/deep", files[1]]);
    assert_eq!((code, lines.len()), (1, 1), "{lines:?}");
    let expected = "assets/deep/b.model.ron:1:9: model \"models/walker.alo\" was not found";
    assert!(lines[0].starts_with(expected), "{lines:?}");
    let (code, lines, _) = validate(game.path(), &["--assets", "other", files[0]]);
    assert_eq!(code, 1);
    assert!(
        lines[0].starts_with("assets/a.model.ron: is not in "),
        "{lines:?}"
    );
}

/// No shell expands the patterns here, as on Windows.
#[test]
fn patterns_and_folders_are_expanded() {
    let game = game(&[
        ("a.model.ron", "(model: \"models/walker.alo\", scale: -1)"),
        (
            "deep/[b].model.ron",
            "(model: \"models/walker.alo\", scale: 0)",
        ),
    ]);
    let a = "assets/a.model.ron:1:";
    let b = "assets/deep/[b].model.ron:1:";
    for (arg, expected) in [
        ("assets/*.model.ron", &[a][..]),
        ("assets\\*\\*b*.model.ron", &[b]),
        ("assets/deep/[b].model.ron", &[b]),
        ("assets/*", &[a, b]),
    ] {
        let (code, lines, errors) = validate(game.path(), &[arg]);
        assert_eq!(
            (code, lines.len()),
            (1, expected.len()),
            "{arg}: {lines:?} {errors}"
        );
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.starts_with(expected), "{arg}: {line}");
        }
    }
}

#[test]
fn files_that_are_no_manifests_are_problems() {
    let game = game(&[]);
    let files = ["missing.model.ron", "assets/models/walker.alo"];
    let (code, lines, _) = validate(game.path(), &files);
    assert_eq!(code, 1);
    assert!(lines[0].starts_with("missing.model.ron: "), "{lines:?}");
    assert_eq!(
        lines[1],
        "assets/models/walker.alo: is not a manifest, `*.model.ron`"
    );
    assert_eq!(lines.len(), 2);
}

#[test]
fn help_describes_the_output_and_wrong_arguments_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let (code, lines, _) = validate(folder.path(), &["--help"]);
    let help = lines.join("\n");
    assert_eq!(code, 0);
    for text in [
        "FILE:LINE:COLUMN: MESSAGE",
        "Exit status",
        "--assets <FOLDER>",
    ] {
        assert!(help.contains(text), "{help}");
    }
    for args in [&[][..], &["--colour", "a.model.ron"]] {
        let (code, _, errors) = validate(folder.path(), args);
        assert_eq!(code, 2);
        assert!(errors.contains("--help"), "{errors}");
    }
}

#[test]
fn limits_of_engines_are_problems_if_the_engine_is_given() {
    let game = game(&[("models/a.model.ron", "(model: \"big.mdl\")")]);
    let mut model = tetrahedron();
    model.triangles.resize(4097, model.triangles[0]);
    std::fs::write(game.path().join("assets/models/big.mdl"), model.to_bytes()).unwrap();
    let limit = "assets/models/big.mdl: QuakeSpasm quits: 4097 triangles, at most 4096";
    let file = "assets/models/a.model.ron";
    let (code, lines, errors) = validate(game.path(), &[file]);
    assert_eq!((code, lines), (0, Vec::new()));
    let success = "checked 1 manifest: no problems\n";
    assert_eq!(errors, format!("{limit}\n{success}"));
    let (code, lines, errors) = validate(game.path(), &[file, "--engine", "ezquake,quakespasm"]);
    assert_eq!(
        (code, lines, errors.as_str()),
        (1, vec![limit.to_owned()], "")
    );
    let (code, lines, errors) = validate(game.path(), &[file, "--engine", "darkplaces"]);
    assert_eq!((code, lines, errors.as_str()), (0, Vec::new(), success));
}
