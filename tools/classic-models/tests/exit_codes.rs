//! The exit status of the program and its standard error output.

use classic_models_fixtures::archives::sample_pak;
use classic_models_fixtures::mdl::tetrahedron;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Runs the program in a folder.
fn run(folder: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    program.current_dir(folder).args(args).output().unwrap()
}

/// Asserts the exit status, and that standard error contains `error`, or is empty if `error` is empty.
#[track_caller]
fn assert_exit(folder: &Path, args: &[&str], code: i32, error: &str) {
    let output = run(folder, args);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    assert!(text.contains(error), "{args:?}: {text}");
    assert_eq!(text.is_empty(), error.is_empty(), "{args:?}: {text}");
}

/// A folder with a model, a broken model, a texture and an animation without its model.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let model = tetrahedron().to_bytes();
    let archive = sample_pak().bytes;
    let files = [
        ("a.pak", &archive[..]),
        ("good.mdl", &model),
        ("bad.mdl", &model[..200]),
        ("skin.dtx", &[]),
        ("skin.tga", &[]),
        ("unit_MOVE_00.ala", &[]),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

#[test]
fn inspect_exits_with_1_if_any_file_fails() {
    let folder = folder();
    let folder = folder.path();
    assert_exit(folder, &["inspect", "good.mdl"], 0, "");
    for file in ["bad.mdl", "missing.mdl"] {
        let output = run(folder, &["inspect", file, "good.mdl"]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        // Failures are part of the description, and the other files are described too.
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(file) && text.contains("good.mdl"), "{text}");
    }
}

#[test]
fn wrong_arguments_exit_with_2() {
    let folder = folder();
    for (args, error) in [
        (&[][..], "Usage"),
        (&["show"], "show"),
        (&["inspect"], "FILE"),
        (&["inspect", "--colour", "good.mdl"], "--colour"),
        (&["inspect", "--time", "soon", "good.mdl"], "soon"),
        (&["inspect", "--simulate", "1,soon", "good.mdl"], "soon"),
        (&["inspect", "--list", "--time", "1", "good.mdl"], "--time"),
        (&["list"], "ARCHIVE"),
        (&["list", "a.pak", "[z-"], "[z-"),
        (&["extract", "a.pak"], "--to"),
        (&["extract", "--to", "out"], "ARCHIVE"),
        (&["pack", "."], "OUT"),
        (&["pack", ".", "a.zip"], "a.zip: OUT must end in"),
        (&["pack", ".", "b.pak", "[z-"], "[z-"),
        (&["view", "--colour", "good.mdl"], "--colour"),
        (&["view", "--size", "0x0", "good.mdl"], "0x0"),
        (
            &["view", "--turntable", "0", "out"],
            "Usage: classic-models view",
        ),
        (&["view", "--force", "good.mdl"], "--save-manifest"),
    ] {
        assert_exit(folder.path(), args, 2, error);
    }
}

#[test]
fn view_exits_with_1_if_it_cannot_show_the_files() {
    let folder = folder();
    let folder = folder.path();
    let capture = ["--capture", "out.png"];
    for further in [&[][..], &capture] {
        for (files, error) in [
            (&["missing.mdl"][..], "missing.mdl: "),
            (&["good.mdl", "missing.mdl"], "missing.mdl: "),
            (&["skin.dtx"], "skin.dtx: a texture cannot be shown alone"),
            (
                &["skin.tga", "good.mdl"],
                "skin.tga: a texture cannot be shown alone",
            ),
            (&["unit_MOVE_00.ala"], "unit_MOVE_00.ala: no .alo file"),
            (&["*.abc"], "*.abc: no file matches the pattern"),
        ] {
            let args = [&["view"], files, further].concat();
            assert_exit(folder, &args, 1, error);
        }
    }
    assert!(!folder.join("out.png").exists());
}

/// No shell expands the patterns here, as on Windows.
#[test]
fn patterns_that_match_nothing_are_one_error_of_every_subcommand() {
    let folder = folder();
    for args in [
        &["convert", "no/*.mdl", "out"][..],
        &["convert", "*.abc", "out.glb"],
        &["view", "no/*.mdl", "--capture", "out.png"],
        &["view", "*.abc"],
        &["list", "no/*.pak"],
        &["extract", "*.meg", "--to", "out"],
    ] {
        let error = format!("{}: no file matches the pattern\n", args[1]);
        assert_exit(folder.path(), args, 1, &error);
    }
    for args in [["inspect", "*.abc"], ["validate", "*.model.ron"]] {
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let lines = text.trim_end().replace("\n  error", "");
        assert_eq!(lines, format!("{}: no file matches the pattern", args[1]));
    }
    assert!(!folder.path().join("out").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_window_without_a_display_is_an_error_and_no_panic() {
    for (display, expected) in [
        (None, "DISPLAY is not set"),
        (Some(""), "DISPLAY is not set"),
        (Some(":4242"), "cannot open the display :4242"),
        (Some("no display"), "cannot open the display no display"),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
        match display {
            Some(display) => program.env("DISPLAY", display),
            None => program.env_remove("DISPLAY"),
        };
        let output = program.arg("view").output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("--capture OUT.png"), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

/// As `scripts/package` packs it.
#[test]
fn the_samples_are_those_beside_the_program() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("assets")).unwrap();
    let program = folder.path().join("classic-models");
    // A copy that another process could inherit while it is written would be "busy".
    let built = env!("CARGO_BIN_EXE_classic-models");
    std::fs::hard_link(built, &program)
        .or_else(|_| std::fs::copy(built, &program).map(drop))
        .unwrap();
    let args = ["view", "--capture", "samples.png"];
    let output = Command::new(program).args(args).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("there are no samples"), "{text}");
}
