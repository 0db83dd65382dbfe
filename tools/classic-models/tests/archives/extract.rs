//! The subcommand `extract`.

use crate::{SAMPLES, run, sample, samples, save, stderr, stdout};
use classic_models_fixtures::archives::{Rez, RezNode, meg, pak, rez, sample_pak, with_u32};
use std::collections::BTreeMap;
use std::fs::read;
use std::path::Path;

/// The files below a folder: their paths with `/`, and their bytes.
pub fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let below = files_below(&path).into_iter();
            files.extend(below.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else {
            files.insert(name, read(&path).unwrap());
        }
    }
    files
}

/// Files with their bytes as text.
pub fn expected(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    let files = files.iter();
    files
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
        .collect()
}

#[test]
fn samples_are_extracted_with_the_bytes_of_their_files() {
    for (archive, files) in SAMPLES {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("new/folder");
        let output = run(&["extract", &sample(archive), "--to", to.to_str().unwrap()]);
        let text = stdout(&output, 0);
        assert!(text.starts_with(&format!("{} file", files.len())), "{text}");
        assert_eq!(stderr(&output), "", "{archive}");
        let copies = files
            .iter()
            .map(|(path, copy)| ((*path).to_owned(), read(samples().join(copy)).unwrap()));
        assert!(files_below(&to) == copies.collect(), "{archive}");
    }
}

#[test]
fn patterns_select_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "pak0.pak", &sample_pak().bytes);
    let to = folder.path().join("out");
    let out = to.to_str().unwrap();
    let output = run(&["extract", &path, "**/E*.*", "--to", out]);
    assert_eq!(stdout(&output, 0), format!("2 files extracted to {out}\n"));
    let files = [("maps/e1m1.bsp", "a level"), ("sound/empty.wav", "")];
    assert_eq!(files_below(&to), expected(&files));
    let output = run(&["extract", &path, "*.alo", "--to", out]);
    assert_eq!(stdout(&output, 1), "");
    assert!(stderr(&output).contains("no entry matches"));
}

#[test]
fn nothing_is_written_outside_of_the_folder() {
    let bad = [
        "../evil",
        "..\\evil",
        "a/../../evil",
        "a\\..\\..\\..\\evil",
        "CON",
        "nul.txt",
        "com1.alo",
        "LPT\u{b3}",
        "ab:c",
        "a/C:evil",
        "x/C:/evil",
        "dot.",
        "space ",
        "dots../evil",
        "a/ /evil",
        "what?",
        "star*",
        "<",
        "a|b",
        "\"",
    ];
    // The drives and the leading separators are removed: these become paths in the folder.
    let cleaned = [
        "C:\\evil1",
        "/evil2",
        "//evil3",
        "\\\\host\\evil4",
        "./evil5",
    ];
    let names: Vec<Vec<u8>> = bad
        .iter()
        .chain(&cleaned)
        .map(|name| name.chars().map(|letter| letter as u8).collect())
        .collect();
    let files = || names.iter().map(|name| (name.as_slice(), &b"evil"[..]));
    let good: [(&[u8], &[u8]); 2] = [(b"first", b"good"), (b"deep/last", b"good")];
    let all: Vec<(&[u8], &[u8])> = good[..1]
        .iter()
        .copied()
        .chain(files())
        .chain(good[1..].iter().copied())
        .collect();
    let names: Vec<&'static [u8]> = names.iter().map(|name| &*name.clone().leak()).collect();
    let nodes = names.iter().map(|name| RezNode::File(name, "", b"evil"));
    let good = [
        RezNode::File(b"FIRST", "", b"good"),
        RezNode::Folder("..", vec![RezNode::File(b"EVIL", "", b"evil")]),
    ];
    let Rez { bytes: in_rez, .. } = rez(&good.into_iter().chain(nodes).collect::<Vec<_>>());
    for (name, bytes) in [
        ("a.meg", meg(1, &all).bytes),
        ("a.pak", pak(&all, 0).bytes),
        ("a.rez", in_rez),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = save(folder.path(), name, &bytes);
        let to = folder.path().join("deep/er/out");
        let output = run(&["extract", &path, "--to", to.to_str().unwrap()]);
        let text = stdout(&output, 1);
        let error = stderr(&output);
        let all = files_below(folder.path());
        for path in all.keys() {
            let is_inside = path.starts_with("deep/er/out/") || path == name;
            assert!(is_inside, "{name}: {path} is outside");
        }
        let extracted = files_below(&to);
        let find = |path: &str| {
            extracted
                .iter()
                .find(|(file, _)| file.eq_ignore_ascii_case(path))
        };
        assert_eq!(find("first").unwrap().1, b"good", "{name}: {error}");
        let evil = extracted.iter().filter(|(_, bytes)| **bytes == b"evil");
        let mut evil: Vec<String> = evil.map(|(path, _)| path.to_lowercase()).collect();
        evil.sort();
        let mut paths = vec!["evil1", "evil2", "evil3", "evil5", "host/evil4"];
        if name == "a.rez" {
            // Names with separators are left out.
            paths.retain(|path| *path != "host/evil4");
        }
        assert_eq!(evil, paths, "{name}: {error}");
        let count = extracted.len();
        assert!(
            text.starts_with(&format!("{count} files extracted")),
            "{text}"
        );
        // An error for each entry whose name is not valid on Windows.
        for part in ["CON", "nul.txt", "com1.alo", "ab:c", "dot.", "what?"] {
            let is_reported = error.lines().any(|line| {
                line.to_lowercase()
                    .contains(&format!("/{}: the name", part.to_lowercase()))
            });
            assert!(is_reported, "{name}: {part}: {error}");
        }
        assert!(
            error.contains("entries have no valid name or type"),
            "{name}: {error}"
        );
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let files: [(&[u8], &[u8]); 4] = [
        (b"link/evil", b"evil"),
        (b"file", b"evil"),
        (b"dangling", b"evil"),
        (b"good", b"good"),
    ];
    let path = save(folder.path(), "a.pak", &pak(&files, 0).bytes);
    let (to, outside) = (folder.path().join("out"), folder.path().join("outside"));
    std::fs::create_dir(&to).unwrap();
    std::fs::create_dir(&outside).unwrap();
    let kept = save(&outside, "kept", b"kept");
    symlink(&outside, to.join("link")).unwrap();
    symlink(&kept, to.join("file")).unwrap();
    symlink(outside.join("new"), to.join("dangling")).unwrap();
    for (further, written) in [(&[][..], "1 file "), (&["--force"], "1 file ")] {
        let args = [&["extract", &path, "--to", to.to_str().unwrap()], further].concat();
        let output = run(&args);
        let text = stdout(&output, 1);
        assert!(text.starts_with(written), "{text}");
        assert_eq!(stderr(&output).lines().count(), 3, "{}", stderr(&output));
        assert_eq!(files_below(&outside), expected(&[("kept", "kept")]));
        assert_eq!(read(to.join("good")).unwrap(), b"good");
        std::fs::remove_file(to.join("good")).unwrap();
    }
}

#[test]
fn existing_files_are_replaced_only_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&[u8], &[u8]); 3] = [(b"a", b"new"), (b"b/c", b"new"), (b"d", b"new")];
    let path = save(folder.path(), "a.pak", &pak(&files, 0).bytes);
    let to = folder.path().join("out");
    std::fs::create_dir_all(to.join("b")).unwrap();
    save(&to, "a", b"old and longer");
    save(&to, "b/c", b"old");
    let out = to.to_str().unwrap();
    let output = run(&["extract", &path, "--to", out]);
    let summary = format!("1 file extracted to {out}, 2 failed\n");
    assert_eq!(stdout(&output, 1), summary);
    let error = stderr(&output);
    assert_eq!(error.lines().count(), 2, "{error}");
    assert!(error.contains("--force"), "{error}");
    let kept = [("a", "old and longer"), ("b/c", "old"), ("d", "new")];
    assert_eq!(files_below(&to), expected(&kept));
    let output = run(&["extract", &path, "--to", out, "--force"]);
    assert_eq!(stdout(&output, 0), format!("3 files extracted to {out}\n"));
    assert_eq!(
        files_below(&to),
        expected(&[("a", "new"), ("b/c", "new"), ("d", "new")])
    );
}

#[test]
fn a_folder_that_cannot_be_created_is_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "pak0.pak", &sample_pak().bytes);
    let file = save(folder.path(), "file", b"kept");
    let below = folder.path().join("file/below").display().to_string();
    for to in [&file, &below] {
        let output = run(&["extract", &path, "--to", to]);
        assert_eq!(stdout(&output, 1), "", "{to}");
        let error = stderr(&output);
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(
            error.starts_with(&format!("classic-models: {to}: ")),
            "{error}"
        );
    }
    assert_eq!(read(&file).unwrap(), b"kept");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_full_or_closed_is_no_panic() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "a.pak", &pak(&[(b"a", b"a")], 0).bytes);
    let full = || {
        Stdio::from(
            std::fs::File::options()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        )
    };
    let closed = || Stdio::from(std::io::pipe().unwrap().1);
    let code = |to: &str, out: Stdio, error: Stdio| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
        let to = folder.path().join(to);
        let program = program.args(["extract", &path, "--to", to.to_str().unwrap()]);
        program.stdout(out).stderr(error).status().unwrap().code()
    };
    assert_eq!(code("1", closed(), Stdio::null()), Some(0));
    assert_eq!(code("2", full(), Stdio::null()), Some(1));
    // The file exists: an error is printed.
    assert_eq!(code("2", Stdio::null(), full()), Some(1));
    assert_eq!(code("2", Stdio::null(), closed()), Some(1));
}

#[test]
fn entries_that_cannot_be_read_are_errors_and_others_are_extracted() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&[u8], &[u8]); 5] = [
        (b"a", b"one"),
        (b"b", b"cut"),
        (b"a", b"shadowed"),
        (b"c/d", b"two"),
        (b"c", b"file"),
    ];
    let sample = pak(&files, 0);
    let bytes = with_u32(&sample.bytes, sample.directory + 64 + 60, 1 << 20);
    let path = save(folder.path(), "a.pak", &bytes);
    let to = folder.path().join("out");
    let output = run(&["extract", &path, "--to", to.to_str().unwrap()]);
    let text = stdout(&output, 1);
    assert!(text.starts_with("2 files "), "{text}");
    let error = stderr(&output);
    assert!(
        error.contains("a.pak/b: PAK: entry \"b\" at offset 15 needs 1048576 bytes"),
        "{error}"
    );
    assert!(error.contains("a.pak/c: "), "{error}");
    assert_eq!(files_below(&to), expected(&[("a", "one"), ("c/d", "two")]));
    for bytes in [&b"PACK"[..], b"text"] {
        let path = save(folder.path(), "broken", bytes);
        let to = folder.path().join("unused");
        let output = run(&["extract", &path, "--to", to.to_str().unwrap()]);
        assert_eq!(stdout(&output, 1), "");
        assert!(!to.exists());
    }
}
