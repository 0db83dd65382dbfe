//! Every subcommand on files that are missing, empty, cut off, folders, or named wrongly, and with outputs that cannot be
//! written: each is an error with the name of the file, and never a panic.

use classic_models_fixtures::archives::sample_pak;
use classic_models_fixtures::mdl::tetrahedron;
use classic_models_fixtures::pk3::sample_pk3;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");

/// A run of the program.
struct Run {
    code: Option<i32>,
    out: String,
    error: String,
}

/// Runs the program in a folder.
fn run(folder: &Path, args: &[&OsStr]) -> Run {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    let output = program.current_dir(folder).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let run = Run {
        code: output.status.code(),
        out: text(&output.stdout),
        error: text(&output.stderr),
    };
    assert!(!run.error.contains("panicked"), "{args:?}: {}", run.error);
    run
}

/// Asserts that a run fails with this exit status, and that what it prints contains all of `expected`.
#[track_caller]
fn assert_fails(folder: &Path, args: &[&str], code: i32, expected: &[&str]) {
    let os: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let run = run(folder, &os);
    let text = run.out + &run.error;
    assert_eq!(run.code, Some(code), "{args:?}: {text}");
    for expected in expected {
        assert!(text.contains(expected), "{args:?}: {text}");
    }
}

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(SAMPLES).join(path)).unwrap()
}

/// A folder with bad files of all formats. Returns their names too.
fn bad_files() -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for (extension, bytes) in [
        ("mdl", tetrahedron().to_bytes()),
        ("alo", sample("models/crate.alo")),
        ("ala", sample("models/walker_MOVE_00.ala")),
        ("abc", sample("models/warden.abc")),
        ("lgw", sample("models/courier.lgw")),
        ("dtx", sample("skins/warden.dtx")),
        ("dds", sample("textures/crate.dds")),
        ("tga", sample("textures/courier_wire.tga")),
        ("pak", sample_pak().bytes),
        ("meg", sample("archives/supply.meg")),
        ("pk3", sample_pk3().bytes),
        ("rez", sample("archives/warden.rez")),
        ("vfs", sample("archives/gamedata.vfs")),
    ] {
        // No format is valid with so few bytes.
        for (name, content) in [("empty", &[][..]), ("cut", &bytes[..40])] {
            let name = format!("{name}.{extension}");
            std::fs::write(folder.path().join(&name), content).unwrap();
            names.push(name);
        }
        let name = format!("folder.{extension}");
        std::fs::create_dir(folder.path().join(&name)).unwrap();
        names.push(name);
        names.push(format!("missing.{extension}"));
    }
    (folder, names)
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let extension = name.rsplit('.').next().unwrap_or_default();
    extensions.contains(&extension)
}

const ARCHIVES: [&str; 5] = ["pak", "pk3", "meg", "rez", "vfs"];

#[test]
fn bad_files_are_errors_of_every_subcommand() {
    let (folder, names) = bad_files();
    let folder = folder.path();
    let named = |command: &'static [&'static str], wanted: &dyn Fn(&str) -> bool| {
        let files = names.iter().map(String::as_str).filter(|name| wanted(name));
        let files: Vec<&str> = files.collect();
        (command, files)
    };
    // Textures can only be converted.
    let (inspect, files) = named(&["inspect"], &|name| !has_extension(name, &["dds", "tga"]));
    assert_fails(folder, &[inspect, &files].concat(), 1, &files);
    let run = run(
        folder,
        &[&["inspect", "--json"], &files[..]].concat().map_os(),
    );
    let failed = run.out.lines().filter(|line| line.contains("\"ok\":false"));
    assert_eq!(failed.count(), files.len(), "{}", run.out);
    let (convert, files) = named(&["convert"], &|_| true);
    let summary = format!("0 files converted to out, {} failed", files.len());
    let expected: Vec<&str> = files.iter().copied().chain([&*summary]).collect();
    assert_fails(folder, &[convert, &files, &["out"]].concat(), 1, &expected);
    let (_, archives) = named(&[], &|name| has_extension(name, &ARCHIVES));
    for file in archives {
        assert_fails(folder, &["list", file], 1, &[file]);
        assert_fails(folder, &["extract", file, "--to", "out"], 1, &[file]);
        assert_fails(folder, &["inspect", "--list", file], 1, &[file, "error"]);
        assert_fails(folder, &["inspect", "--diff", file, file], 2, &[file]);
        assert_fails(folder, &["view", file, "--capture", "a.png"], 1, &[file]);
    }
    assert!(!folder.join("out").exists(), "no empty folder is left");
}

trait MapOs {
    fn map_os(&self) -> Vec<&OsStr>;
}

impl MapOs for Vec<&str> {
    fn map_os(&self) -> Vec<&OsStr> {
        self.iter().map(OsStr::new).collect()
    }
}

#[test]
fn view_reports_each_bad_file() {
    let (folder, names) = bad_files();
    let is_shown = |name: &&String| {
        let is_bad_content = name.starts_with("cut") || name.starts_with("empty");
        is_bad_content && has_extension(name, &["mdl", "alo", "lgw", "dds", "tga"])
    };
    let files: Vec<&str> = names.iter().filter(is_shown).map(String::as_str).collect();
    let failed = format!("{0} of {0} files could not be loaded", files.len());
    let expected: Vec<&str> = files.iter().copied().chain([&*failed]).collect();
    let args = [&["view", "--sheet", "a.png", "--size", "64x48"], &files[..]].concat();
    assert_fails(folder.path(), &args, 1, &expected);
    assert!(folder.path().join("a.png").exists(), "the names are drawn");
}

#[test]
fn manifests_that_cannot_be_read_are_problems() {
    let (folder, _) = bad_files();
    let folder = folder.path();
    std::fs::create_dir(folder.join("folder.model.ron")).unwrap();
    for (name, content, problem) in [
        ("missing.model.ron", None, "missing.model.ron: "),
        (
            "folder.model.ron",
            None,
            "folder.model.ron: the folder has no models, animations, textures or manifests",
        ),
        ("empty.model.ron", Some(""), "empty.model.ron:1:1: "),
        (
            "cut.model.ron",
            Some("(model: \"a.mdl\""),
            "cut.model.ron:1:",
        ),
        ("cut.mdl", None, "cut.mdl: is not a manifest"),
        (
            "broken.model.ron",
            Some("(model: \"cut.mdl\")"),
            "broken.model.ron:1:9: ",
        ),
    ] {
        if let Some(content) = content {
            std::fs::write(folder.join(name), content).unwrap();
        }
        assert_fails(folder, &["validate", name], 1, &[problem]);
    }
}

#[test]
fn the_content_decides_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, bytes) in [
        ("model.abc", tetrahedron().to_bytes()),
        ("model.mdl", sample("models/warden.abc")),
        ("model.txt", sample("models/crate.alo")),
        ("archive.mdl", sample("archives/pak0.pak")),
    ] {
        std::fs::write(folder.join(name), bytes).unwrap();
        let inspected = run(folder, &["inspect", name].map(OsStr::new));
        assert_eq!(inspected.code, Some(0), "{name}: {}", inspected.out);
        let out = format!("{name}.glb");
        let converted = run(folder, &["convert", name, &out].map(OsStr::new));
        assert_eq!(converted.code, Some(0), "{name}: {}", converted.error);
    }
    let listed = run(folder, &["list", "archive.mdl"].map(OsStr::new));
    assert!(listed.out.contains("progs/crystal.mdl"), "{}", listed.out);
}

#[test]
fn outputs_that_cannot_be_written_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("a.mdl"), tetrahedron().to_bytes()).unwrap();
    std::fs::write(folder.join("a.pak"), sample_pak().bytes).unwrap();
    std::fs::create_dir(folder.join("a.png")).unwrap();
    std::fs::create_dir(folder.join("a.model.ron")).unwrap();
    let small = ["--size", "64x48"];
    for (args, expected) in [
        (&["convert", "a.mdl", "a.mdl/b.glb"][..], "a.mdl/b.glb"),
        (&["convert", "a.mdl", "a.mdl/out"], "a.mdl/out"),
        (&["extract", "a.pak", "--to", "a.mdl"], "a.mdl"),
        (&["pack", ".", "a.mdl/a.pak"], "a.mdl/a.pak"),
        (&["view", "a.mdl", "--capture", "a.png"], "a.png"),
        (&["view", "a.mdl", "--sheet", "a.mdl/a.png"], "a.mdl/a.png"),
        (&["view", "a.mdl", "--turntable", "1", "a.mdl"], "a.mdl"),
        (
            &["view", "a.mdl", "--save-manifest", "a.model.ron", "--force"],
            "a.model.ron",
        ),
    ] {
        let more: &[&str] = if args[0] == "view" { &small } else { &[] };
        assert_fails(folder, &[args, more].concat(), 1, &[expected]);
    }
}

/// Names of files need not be text on Linux.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_no_panic() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let name =
        |extension: &[u8]| PathBuf::from(OsStr::from_bytes(&[b"m\xff.", extension].concat()));
    let (model, archive) = (name(b"mdl"), name(b"pak"));
    std::fs::write(folder.join(&model), tetrahedron().to_bytes()).unwrap();
    std::fs::write(folder.join(&archive), sample_pak().bytes).unwrap();
    let manifest = name(b"model.ron");
    std::fs::write(folder.join(&manifest), "(model: \"none.mdl\")").unwrap();
    let out = PathBuf::from(OsStr::from_bytes(b"m\xff_out"));
    let (model, archive) = (model.as_os_str(), archive.as_os_str());
    let text = OsStr::new;
    for (args, code) in [
        (&[text("inspect"), model][..], 0),
        (&[text("inspect"), text("--time"), text("0"), model], 0),
        (&[text("convert"), model, out.as_os_str()], 0),
        (&[text("list"), archive], 0),
        (
            &[text("extract"), archive, text("--to"), out.as_os_str()],
            0,
        ),
        (&[text("validate"), manifest.as_os_str()], 1),
        (
            &[
                text("view"),
                model,
                text("--capture"),
                text("a.png"),
                text("--size"),
                text("64x48"),
            ],
            0,
        ),
    ] {
        let run = run(folder, args);
        assert_eq!(run.code, Some(code), "{args:?}: {}{}", run.out, run.error);
    }
    assert!(folder.join(&out).join(name(b"glb")).exists());
}

#[test]
fn damaged_archives_are_no_request_for_a_path() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text.pak"), "no archive, but a text").unwrap();
    for args in [
        &["convert", "text.pak", "out"][..],
        &["view", "text.pak", "--capture", "a.png"],
    ] {
        assert_fails(folder.path(), args, 1, &["text.pak: ", "PAK: "]);
    }
}
