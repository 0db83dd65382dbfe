//! Errors of the subcommand `view` on archives and games, which it reports before anything is drawn.

use crate::{run, sample, samples, save, stderr, stdout};
use classic_models_fixtures::archives::{pak, sample_pak};

/// Asserts that `view` fails with this exit status and an error that contains `expected`, and writes nothing.
#[track_caller]
fn assert_fails(args: &[&str], code: i32, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("out.png");
    let args = [&["view"], args, &["--capture", image.to_str().unwrap()]].concat();
    let output = run(&args);
    assert_eq!(stdout(&output, code), "", "{args:?}");
    let error = stderr(&output);
    assert!(error.contains(expected), "{args:?}: {error}");
    assert!(!image.exists(), "{args:?}");
}

#[test]
fn entries_that_do_not_exist_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "a.pak", &sample_pak().bytes);
    let broken = save(folder.path(), "b.pak", b"PACK");
    let missing = format!("{path}/progs/missing.mdl");
    assert_fails(
        &[&missing],
        1,
        "the archive has no entry \"progs/missing.mdl\"",
    );
    assert_fails(&[&format!("{broken}/a.mdl")], 1, "PAK: ");
    assert_fails(
        &[&format!("{path}/progs/player.mdl"), &missing],
        1,
        "missing.mdl: ",
    );
    // An archive alone is no model.
    assert_fails(&[&format!("{path}/maps/e1m1.dtx")], 1, "no entry");
    assert_fails(
        &[folder.path().to_str().unwrap()],
        1,
        "the folder has no models",
    );
}

#[test]
fn animations_and_textures_of_archives_need_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = pak(
        &[
            (b"a_MOVE_00.ala", b""),
            (b"other/a.alo", b""),
            (b"a.dtx", b""),
        ],
        0,
    )
    .bytes;
    let path = save(folder.path(), "a.pak", &bytes);
    assert_fails(
        &[&format!("{path}/a_MOVE_00.ala")],
        1,
        "also give the .alo file",
    );
    assert_fails(&[&format!("{path}/a.dtx")], 1, "also give the .abc file");
}

#[test]
fn skipped_archives_are_reported_with_missing_models() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("id1")).unwrap();
    save(folder.path(), "id1/pak0.pak", b"PACK");
    let game = folder.path().to_str().unwrap();
    let args = ["--game", "quake", game, "--model", "progs/a.mdl"];
    assert_fails(&args, 1, "warning: ");
    assert_fails(&args, 1, "has no model");
}

#[test]
fn a_folder_in_place_of_the_list_of_archives_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("Data").join("megafiles.XML");
    std::fs::create_dir_all(&list).unwrap();
    let game = folder.path().to_str().unwrap();
    let args = ["--game", "empire-at-war", game, "--model", "a"];
    assert_fails(&args, 1, list.to_str().unwrap());
    assert_fails(&args, 1, "is a directory");
}

#[test]
fn games_that_cannot_be_opened_are_errors() {
    let archives = samples().join("archives").display().to_string();
    let meg = sample("supply.meg");
    let other = sample("../models");
    for (args, code, expected) in [
        (
            &["--game", "quake"][..],
            1,
            "--game needs the folder of the game",
        ),
        (&["--game", "quake", &other], 1, "no folder id1 or lq1"),
        (&["--game", "empire-at-war", &archives], 1, "MegaFiles.xml"),
        (
            &["--game", "forces-of-corruption", &archives],
            1,
            "Empire at War",
        ),
        (
            &["--game", "aftermath", &meg],
            1,
            "supply.meg: a file, but --game needs the folder",
        ),
        (
            &["--game", "aftermath", &archives],
            1,
            "--game needs --model",
        ),
        (
            &[
                "--game",
                "aftermath",
                &archives,
                "--model",
                "models/none.lgw",
            ],
            1,
            "has no model \"models/none.lgw\"",
        ),
        (
            &[
                "--game",
                "aftermath",
                &archives,
                "--mod",
                "x",
                "--model",
                "a",
            ],
            1,
            "--mod is for",
        ),
        (
            &["--game", "aftermath", &archives, &archives, "--model", "a"],
            1,
            "has no model",
        ),
        (
            &["--game", "aftermath", &archives, "models/none.lgw"],
            1,
            "has no model \"models/none.lgw\"",
        ),
        (
            &["--game", "lithtech", &archives, "missing.rez"],
            1,
            "has no model \"missing.rez\"",
        ),
        (&["--game", "doom", &archives], 2, "doom"),
        (&["--model", "a.mdl", &archives], 2, "--game"),
    ] {
        assert_fails(args, code, expected);
    }
}
