//! The subcommand `list`.

use crate::{SAMPLES, run, sample, samples, save, stderr, stdout};
use classic_models_fixtures::archives::{RezNode, meg, pak, rez, sample_pak, sample_vfs, with_u32};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn samples_are_listed_with_the_sizes_of_their_files() {
    for (archive, files) in SAMPLES {
        let output = run(&["list", &sample(archive)]);
        let mut lines: Vec<String> = stdout(&output, 0).lines().map(str::to_owned).collect();
        let mut expected: Vec<String> = files
            .iter()
            .map(|(path, copy)| {
                let size = samples().join(copy).metadata().unwrap().len();
                format!("{size:>10}  {path}")
            })
            .collect();
        // The order is that of the archive.
        lines.sort();
        expected.sort();
        assert_eq!(lines, expected, "{archive}");
        assert_eq!(stderr(&output), "", "{archive}");
    }
}

#[test]
fn patterns_select_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "pak0.pak", &sample_pak().bytes);
    let output = run(&["list", &path, "*.BSP"]);
    assert_eq!(stdout(&output, 0), "         7  maps/e1m1.bsp\n");
    let output = run(&["list", &path, "progs"]);
    assert_eq!(stdout(&output, 0), "        13  progs/player.mdl\n");
    let output = run(&["list", &path, "*.alo"]);
    assert_eq!(stdout(&output, 1), "");
    assert!(stderr(&output).contains("no entry matches"));
    let output = run(&["list", &path, "["]);
    assert_eq!(stdout(&output, 2), "");
}

#[test]
fn literal_names_precede_patterns() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&[u8], &[u8]); 3] = [
        (b"skins/[clan]player.pcx", b"1"),
        (b"skins/cplayer.pcx", b"22"),
        (b"open[.mdl", b"333"),
    ];
    let path = save(folder.path(), "[names].pak", &pak(&files, 0).bytes);
    for (pattern, expected) in [
        (
            "skins/[clan]player.pcx",
            "         1  skins/[clan]player.pcx\n",
        ),
        ("[CLAN]player.pcx", "         1  skins/[clan]player.pcx\n"),
        ("[abc]player.pcx", "         2  skins/cplayer.pcx\n"),
        ("open[.mdl", "         3  open[.mdl\n"),
    ] {
        assert_eq!(
            stdout(&run(&["list", &path, pattern]), 0),
            expected,
            "{pattern}"
        );
        let to = folder.path().join(pattern).join("out");
        let extracted = run(&["extract", &path, pattern, "--to", to.to_str().unwrap()]);
        assert!(
            stdout(&extracted, 0).starts_with("1 file extracted"),
            "{pattern}"
        );
    }
}

/// No shell expands the patterns here, as on Windows.
#[test]
fn several_archives_are_listed_with_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let first = save(
        folder.path(),
        "pak0.pak",
        &pak(&[(b"a.mdl", b"1"), (b"b", b"1")], 0).bytes,
    );
    let second = save(
        folder.path(),
        "pak1.pak",
        &pak(&[(b"a.mdl", b"22")], 0).bytes,
    );
    save(folder.path(), "notes.txt", b"text");
    let expected = format!("         1  {first}/a.mdl\n         2  {second}/a.mdl\n");
    let whole = folder.path().display().to_string();
    let pattern = folder.path().join("*.PAK").display().to_string();
    for archives in [&whole, &pattern] {
        let output = run(&["list", archives, "*.mdl"]);
        assert_eq!(stdout(&output, 0), expected, "{archives}");
        let output = run(&["list", archives, "*.abc"]);
        assert_eq!(stdout(&output, 1), "", "{archives}");
        assert_eq!(
            stderr(&output),
            format!("classic-models: {archives}: no entry matches\n")
        );
    }
    // The later archive replaces files only with --force.
    let to = folder.path().join("out").display().to_string();
    let output = run(&["extract", &whole, "--to", &to]);
    assert_eq!(
        stdout(&output, 1),
        format!("2 files extracted to {to}, 1 failed\n")
    );
    assert_eq!(
        std::fs::read(folder.path().join("out/a.mdl")).unwrap(),
        b"1"
    );
    let output = run(&["extract", &whole, "--to", &to, "--force"]);
    assert_eq!(stdout(&output, 0), format!("3 files extracted to {to}\n"));
    assert_eq!(
        std::fs::read(folder.path().join("out/a.mdl")).unwrap(),
        b"22"
    );
}

#[test]
fn warnings_and_shadowed_entries_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = pak(&[(b"a", b"one"), (b"a", b"other"), (b"../b", b"")], 0).bytes;
    let path = save(folder.path(), "pak0.pak", &bytes);
    let output = run(&["list", &path]);
    assert_eq!(
        stdout(&output, 0),
        "         3  a\n         5  a  (an earlier entry of the same name is used)\n"
    );
    let error = stderr(&output);
    assert!(error.contains("appears twice"), "{error}");
    assert!(error.contains("contains a parent folder"), "{error}");
    assert_eq!(error.lines().count(), 2, "{error}");
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let vfs = with_u32(&sample_vfs().build(), 20, 63);
    let directory = folder.path().join("empty").display().to_string();
    std::fs::create_dir(&directory).unwrap();
    for (path, expected) in [
        (
            save(folder.path(), "a.vfs", &vfs),
            "VFS: size of a name at offset 20",
        ),
        (
            save(folder.path(), "b.pak", b"PK\x03\x04 and more"),
            "PK3: file at offset 0 needs 22 bytes",
        ),
        (save(folder.path(), "c.meg", b"\x01\0\0\0"), "MEG: "),
        (
            save(folder.path(), "d.mdl", b"IDPO and more"),
            "not an archive",
        ),
        (save(folder.path(), "e", b""), "not an archive"),
        (directory, "the folder has no archives"),
        ("missing.pak".to_owned(), "missing.pak: "),
    ] {
        let output = run(&["list", &path]);
        assert_eq!(stdout(&output, 1), "", "{path}");
        let error = stderr(&output);
        assert!(error.contains(expected), "{path}: {error}");
        assert!(error.contains(&path), "{path}: {error}");
    }
}

#[test]
fn paths_in_archives_are_errors_that_name_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "pak0.pak", &sample_pak().bytes);
    let entry = format!("{path}/progs/player.mdl");
    let to = folder.path().join("out").display().to_string();
    for args in [&["list", &entry][..], &["extract", &entry, "--to", &to]] {
        let output = run(args);
        assert_eq!(stdout(&output, 1), "", "{args:?}");
        let error = stderr(&output);
        let expected = format!("{entry}: a path in the archive {path}: give {path} alone");
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn archives_whose_paths_are_far_longer_than_themselves_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let name: &'static str = Box::leak("x".repeat(50_000).into_boxed_str());
    let files = vec![RezNode::File(b"A", "", b""); 2000];
    let bytes = rez(&[RezNode::Folder(name, files)]).bytes;
    let path = save(folder.path(), "a.rez", &bytes);
    let to = folder.path().join("out").display().to_string();
    for args in [&["list", &path][..], &["extract", &path, "--to", &to]] {
        let output = run(args);
        assert_eq!(stdout(&output, 1), "", "{args:?}");
        let error = stderr(&output);
        assert!(error.contains("far more than the archive"), "{error}");
    }
    let output = run(&["inspect", "--json", &path]);
    let text = stdout(&output, 1);
    assert!(
        text.contains("far more than the archive") && text.len() < 1000,
        "{text}"
    );
}

#[test]
fn control_characters_in_names_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let pak = pak(&[(b"\xC2\x9b31m", b"")], 0).bytes;
    let meg = meg(1, &[(b"A\x9D", b"")]).bytes;
    for (name, bytes) in [("a.pak", &pak), ("b.meg", &meg)] {
        let path = save(folder.path(), name, bytes);
        for command in ["list", "inspect"] {
            let text = stdout(&run(&[command, &path]), 0);
            assert!(text.contains("\\u{9"), "{text}");
            let is_raw = |letter: char| letter.is_control() && letter != '\n';
            assert!(!text.contains(is_raw), "{text:?}");
        }
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    let names: Vec<String> = (0..20_000).map(|index| format!("FILE{index:08}")).collect();
    let files: Vec<(&[u8], &[u8])> = names.iter().map(|it| (it.as_bytes(), &b""[..])).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "many.meg", &meg(1, &files).bytes);
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    let program = program.args(["list", &path]);
    let mut child = program
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "         0  FILE00000000\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
}
