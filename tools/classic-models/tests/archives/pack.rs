//! The subcommand `pack`.

use crate::extract::{expected, files_below};
use crate::{SAMPLES, run, sample, save, stderr, stdout};
use std::fs::{create_dir_all, read, write};
use std::path::Path;
use tempfile::TempDir;

/// A folder with a folder `mod` that has files of one byte each.
fn folder(paths: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    create_dir_all(folder.path().join("mod")).unwrap();
    for path in paths {
        let path = folder.path().join("mod").join(path);
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, "x").unwrap();
    }
    folder
}

/// Packs the folder `mod`, and returns the exit status and the standard error output.
fn pack(folder: &Path, out: &str, further: &[&str]) -> (i32, String) {
    let (from, out) = (folder.join("mod"), folder.join(out));
    let args = ["pack", from.to_str().unwrap(), out.to_str().unwrap()];
    let output = run(&[&args, further].concat());
    (output.status.code().unwrap(), stderr(&output))
}

/// The names in an archive.
#[track_caller]
fn names(folder: &Path, archive: &str) -> Vec<String> {
    let output = run(&["list", folder.join(archive).to_str().unwrap()]);
    let lines = stdout(&output, 0);
    lines.lines().map(|line| line[12..].to_owned()).collect()
}

/// The lines of `list`, sorted.
#[track_caller]
fn listed(archive: &str) -> Vec<String> {
    let output = run(&["list", archive]);
    let mut lines: Vec<String> = stdout(&output, 0).lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[track_caller]
fn assert_fails(folder: &Path, out: &str, further: &[&str], errors: &[&str]) {
    let (code, text) = pack(folder, out, further);
    assert_eq!(code, 1, "{text}");
    assert_eq!(text.lines().count(), errors.len(), "{text}");
    for error in errors {
        assert!(text.contains(error), "{error}: {text}");
    }
    assert!(!folder.join(out).is_file());
}

#[test]
fn extracted_archives_are_packed_with_the_same_files() {
    for (archive, files) in SAMPLES {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let extract = |archive: &str, to: &str| {
            stdout(&run(&["extract", archive, "--to", &path(to)]), 0);
            files_below(Path::new(&path(to)))
        };
        let original = sample(archive);
        let extracted = extract(&original, "files");
        let out = path(&format!("new/{archive}"));
        let output = run(&["pack", &path("files"), &out]);
        let (count, s) = (files.len(), if files.len() == 1 { "" } else { "s" });
        assert_eq!(
            stdout(&output, 0),
            format!("{count} file{s} packed into {out}\n")
        );
        assert_eq!(stderr(&output), "", "{archive}");
        assert_eq!(listed(&out), listed(&original), "{archive}");
        assert!(extract(&out, "again") == extracted, "{archive}");
        assert_eq!(files_below(&folder.path().join("new")).len(), 1);
    }
}

#[test]
fn the_order_of_entries_is_that_of_their_names() {
    let paths = ["b", "a/b.mdl", "a-1", "a/a/c.mdl", "c"];
    let reversed: Vec<&str> = paths.iter().rev().copied().collect();
    let folders = [folder(&paths), folder(&reversed)];
    for format in ["meg", "pak", "pk3", "rez", "vfs"] {
        let out = format!("out.{format}");
        let archives = folders.each_ref().map(|folder| {
            assert_eq!(pack(folder.path(), &out, &[]), (0, String::new()));
            read(folder.path().join(&out)).unwrap()
        });
        assert!(archives[0] == archives[1], "{format}");
    }
    let sorted = ["a-1", "a/a/c.mdl", "a/b.mdl", "b", "c"];
    assert_eq!(names(folders[0].path(), "out.pak"), sorted);
}

#[test]
fn names_are_stored_as_the_games_need_them() {
    let folder = folder(&["Art/Tank.alo", "art2/a.html5", "empty/none"]);
    let folder = folder.path();
    write(folder.join("mod/empty/none"), "").unwrap();
    let upper = ["ART/TANK.ALO", "ART2/A.HTML5", "EMPTY/NONE"];
    let kept = ["Art/Tank.alo", "art2/a.html5", "empty/none"];
    for (out, expected) in [
        ("a.MEG", upper),
        ("a.rez", upper),
        ("a.pk3", kept),
        ("a.vfs", kept),
    ] {
        assert_eq!(pack(folder, out, &[]), (0, String::new()));
        let mut names = names(folder, out);
        names.sort();
        assert_eq!(names, expected, "{out}");
    }
    let (code, warning) = pack(folder, "a.pak", &[]);
    assert_eq!((code, warning.lines().count()), (0, 1), "{warning}");
    let warned = "a.pak: warning: \"Art/Tank.alo\" has upper-case letters";
    assert!(warning.contains(warned), "{warning}");
    assert_eq!(names(folder, "a.pak"), kept);
}

#[test]
fn patterns_select_files() {
    let folder = folder(&[
        "progs/a.mdl",
        "progs/b.MDL",
        "sound/a.wav",
        "maps/[e1].bsp",
        "maps/e.bsp",
    ]);
    let folder = folder.path();
    for (patterns, expected) in [
        (&["*.mdl"][..], &["progs/a.mdl", "progs/b.MDL"][..]),
        (&["sound", "progs/a*"], &["progs/a.mdl", "sound/a.wav"]),
        (&["maps/[e1].bsp"], &["maps/[e1].bsp"]),
        (&["**/a.*"], &["progs/a.mdl", "sound/a.wav"]),
    ] {
        let (code, text) = pack(folder, "a.pak", &[patterns, &["--force"]].concat());
        assert_eq!(code, 0, "{text}");
        assert_eq!(names(folder, "a.pak"), expected);
    }
    assert_fails(
        folder,
        "b.pak",
        &["*.mdl", "*.abc"],
        &["no file matches *.abc"],
    );
}

#[test]
fn names_that_games_do_not_find_are_errors_and_no_archive_is_written() {
    let (long, too_long) = (
        "p/".to_owned() + &"a".repeat(53),
        "p/".to_owned() + &"b".repeat(54),
    );
    let deep = "d/".repeat(100) + &"c".repeat(59);
    let too_deep = "d/".repeat(100) + &"c".repeat(60);
    for (paths, out, errors) in [
        (
            &[&*long, &too_long, "é.mdl"][..],
            "a.pak",
            &["the path has 56 bytes", "mod/é.mdl: "][..],
        ),
        (
            &[&deep, &too_deep, "ü"],
            "a.meg",
            &["the path has 260 bytes", "mod/ü: "],
        ),
        (
            &["é.abc", "日.abc"],
            "a.rez",
            &["\"日.abc\" cannot be stored"],
        ),
        (
            &["č", &"n".repeat(64)],
            "a.vfs",
            &["a name has at most 63 bytes"],
        ),
        (
            &["ü.tga", &"p".repeat(128)],
            "a.pk3",
            &["the path has 128 bytes", "mod/ü.tga: the games do not find"],
        ),
        (
            &["good", "aux.wav", "dot."],
            "a.vfs",
            &["aux.wav: the name", "dot.: the name"],
        ),
    ] {
        // Windows has no such names.
        if cfg!(windows) && paths.contains(&"aux.wav") {
            continue;
        }
        let folder = folder(paths);
        let errors: Vec<String> = errors
            .iter()
            .map(|it| it.replace('/', std::path::MAIN_SEPARATOR_STR))
            .collect();
        let errors: Vec<&str> = errors.iter().map(String::as_str).collect();
        assert_fails(folder.path(), out, &[], &errors);
    }
    // The longest names, and those in the encoding of the format.
    for (path, out) in [
        (&*long, "a.pak"),
        (&"p".repeat(127), "a.pk3"),
        (&deep, "a.meg"),
        ("é.abc", "a.rez"),
        ("č", "a.vfs"),
    ] {
        let folder = folder(&[path]);
        assert_eq!(pack(folder.path(), out, &[]), (0, String::new()), "{path}");
        assert_eq!(names(folder.path(), out).len(), 1);
    }
}

/// On other systems these are the same file.
#[cfg(target_os = "linux")]
#[test]
fn names_that_differ_only_in_case_are_errors() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&["a/B.mdl", "A/b.mdl", "a/b.md", "back\\slash"]);
    let name = std::ffi::OsStr::from_bytes(b"m\xff");
    write(folder.path().join("mod").join(name), "x").unwrap();
    let error = "the name is not valid UTF-8";
    assert_fails(folder.path(), "a.pak", &[], &[error]);
    std::fs::remove_file(folder.path().join("mod").join(name)).unwrap();
    for format in ["meg", "pak", "pk3", "rez", "vfs"] {
        let out = format!("a.{format}");
        let errors = [
            "mod/a/B.mdl: differs only in case from \"A/b.mdl\"",
            "has '\\\\'",
        ];
        assert_fails(folder.path(), &out, &[], &errors);
    }
}

#[test]
fn names_with_blanks_in_a_meg_are_a_warning() {
    let folder = folder(&["Data/a b.alo", "Data/a.alo", "c d.alo"]);
    let (code, warning) = pack(folder.path(), "a.meg", &[]);
    assert_eq!((code, warning.lines().count()), (0, 1), "{warning}");
    let expected = "a.meg: warning: \"c d.alo\" and 1 more have blanks";
    assert!(warning.contains(expected), "{warning}");
    assert_eq!(pack(folder.path(), "a.pak", &["*.alo"]).0, 0);
}

#[test]
fn limits_of_engines_are_warnings() {
    let folder = folder(&[]);
    for index in 0..2049 {
        write(folder.path().join(format!("mod/{index}")), "").unwrap();
    }
    let (code, warning) = pack(folder.path(), "a.pak", &[]);
    assert_eq!((code, warning.lines().count()), (0, 1), "{warning}");
    let expected = "a.pak: warning: QuakeSpasm quits: 2049 files, at most 2048";
    assert!(warning.contains(expected), "{warning}");
    assert_eq!(pack(folder.path(), "a.meg", &[]), (0, String::new()));
}

#[test]
fn archives_are_replaced_only_with_force_and_are_not_packed() {
    let folder = folder(&["a", "b"]);
    let folder = folder.path();
    assert_eq!(pack(folder, "mod/sub/x.pak", &[]), (0, String::new()));
    let first = read(folder.join("mod/sub/x.pak")).unwrap();
    let (code, error) = pack(folder, "mod/sub/x.pak", &[]);
    assert_eq!(code, 1);
    assert!(error.contains("--force"), "{error}");
    assert_eq!(
        pack(folder, "mod/sub/x.pak", &["--force"]),
        (0, String::new())
    );
    assert!(read(folder.join("mod/sub/x.pak")).unwrap() == first);
    // Nothing else is left.
    assert_eq!(files_below(&folder.join("mod")).len(), 3);
    // A failure keeps the old archive.
    assert_eq!(pack(folder, "mod/sub/x.pak", &["--force", "*.mdl"]).0, 1);
    assert!(read(folder.join("mod/sub/x.pak")).unwrap() == first);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_and_to_folders_are_left_out() {
    use std::os::unix::fs::symlink;
    let folder = folder(&["a", "deep/b", ".git/config", "deep/.DS_Store"]);
    let folder = folder.path();
    let secret = save(folder, "secret", b"secret");
    let link = |target: &Path, name: &str| symlink(target, folder.join("mod").join(name)).unwrap();
    link(Path::new(&secret), "out");
    link(Path::new("../../secret"), "deep/out");
    link(Path::new("deep/b"), "in");
    link(Path::new(".."), "deep/up");
    link(folder, "parent");
    let (code, warnings) = pack(folder, "a.pak", &[]);
    assert_eq!((code, warnings.lines().count()), (0, 6), "{warnings}");
    for warning in [
        "mod/.git: warning: left out: it is hidden",
        "mod/deep/.DS_Store: warning: left out: it is hidden",
        "mod/out: warning: left out: it is a symbolic link out of the folder",
        "mod/deep/out: warning: left out: it is a symbolic link out of the folder",
        "mod/deep/up: warning: left out: it is a symbolic link to a folder",
        "mod/parent: warning: left out: it is a symbolic link to a folder",
    ] {
        assert!(warnings.contains(warning), "{warning}: {warnings}");
    }
    assert_eq!(names(folder, "a.pak"), ["a", "deep/b", "in"]);
    // Only what a pattern matches is a warning or an error.
    link(Path::new("missing"), "broken");
    assert_eq!(pack(folder, "b.pak", &["a"]), (0, String::new()));
    let args = ["b*"];
    assert_fails(folder, "c.pak", &args, &["mod/broken: No such file"]);
}

/// Only the size of the file is read.
#[cfg(unix)]
#[test]
fn more_than_4_gib_are_an_error() {
    let folder = folder(&["a"]);
    let large = std::fs::File::create(folder.path().join("mod/b")).unwrap();
    large.set_len(1 << 32).unwrap();
    for format in ["meg", "pak", "pk3", "rez", "vfs"] {
        let error = "the files have 4294967297 bytes, but an archive has at most 4294967295";
        assert_fails(folder.path(), &format!("a.{format}"), &[], &[error]);
    }
}

#[test]
fn folders_without_files_and_files_are_errors() {
    let parent = folder(&[]);
    let folder = parent.path();
    assert_fails(folder, "a.pak", &[], &["mod: the folder has no files"]);
    std::fs::remove_dir(folder.join("mod")).unwrap();
    assert_fails(folder, "a.pak", &[], &["mod: "]);
    save(folder, "mod", b"a file");
    assert_fails(folder, "a.pak", &[], &["mod: "]);
    std::fs::create_dir(folder.join("a.pak")).unwrap();
    assert_fails(
        folder,
        "a.pak",
        &["--force"],
        &["a.pak exists and is not a regular file"],
    );
    assert_eq!(files_below(folder), expected(&[("mod", "a file")]));
}
