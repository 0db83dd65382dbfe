//! Runs the subcommands `list`, `extract` and `pack` of the compiled program, and `inspect` and `view` on archives.

mod extract;
mod inspect;
mod list;
mod pack;
mod view;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the program.
fn run(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    program.args(args).output().unwrap()
}

/// The standard output of a run with this exit status.
#[track_caller]
fn stdout(output: &Output, code: i32) -> String {
    let error = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The standard error output.
fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Writes a file, and returns its path as an argument.
fn save(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// The folder with the samples.
fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets")
}

/// The path of a sample archive.
fn sample(name: &str) -> String {
    samples().join("archives").join(name).display().to_string()
}

/// The sample archives with the samples that each has a copy of.
const SAMPLES: [(&str, &[(&str, &str)]); 4] = [
    (
        "supply.meg",
        &[
            ("DATA/ART/MODELS/CRATE.ALO", "models/crate.alo"),
            ("DATA/ART/TEXTURES/CRATE.DDS", "textures/crate.dds"),
        ],
    ),
    ("pak0.pak", &[("progs/crystal.mdl", "models/crystal.mdl")]),
    (
        "warden.rez",
        &[
            ("MODELS/WARDEN.ABC", "models/warden.abc"),
            ("SKINS/WARDEN.DTX", "skins/warden.dtx"),
        ],
    ),
    (
        "gamedata.vfs",
        &[
            ("models/courier.lgw", "models/courier.lgw"),
            ("textures/courier_glass.tga", "textures/courier_glass.tga"),
            ("textures/courier_lens.tga", "textures/courier_lens.tga"),
            ("textures/courier_load.dds", "textures/courier_load.dds"),
            ("textures/courier_paint.dds", "textures/courier_paint.dds"),
            ("textures/courier_planks.tga", "textures/courier_planks.tga"),
            ("textures/courier_rope.tga", "textures/courier_rope.tga"),
            ("textures/courier_sky.dds", "textures/courier_sky.dds"),
            ("textures/courier_tyre.tga", "textures/courier_tyre.tga"),
            ("textures/courier_wire.tga", "textures/courier_wire.tga"),
        ],
    ),
];
