//! Runs the subcommand `convert` of the compiled program, reads its results with another library, and compares them with
//! the parsers' reference implementations.

mod abc;
mod abc_back;
mod alo;
mod alo_pose;
mod alo_visibility;
mod back;
mod batch;
mod bevy;
mod browser;
mod game;
mod html;
mod images;
mod lgw;
mod mdl;
mod particles;
mod pictures;
mod reader;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The folder of the bundled samples.
fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets")
}

/// A folder for the files of a test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and its folders if they do not exist.
    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs `classic-models convert` in this folder.
    fn run(&self, args: &[&str]) -> Output {
        self.run_in("", args)
    }

    /// Runs `classic-models convert` in a folder of this folder.
    fn run_in(&self, name: &str, args: &[&str]) -> Output {
        let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
        let program = program.current_dir(self.path(name)).arg("convert");
        program.args(args).output().unwrap()
    }

    /// Converts files without errors, and returns the warnings.
    #[track_caller]
    fn convert(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {text}");
        text
    }

    /// Converts one model without errors, and reads the result.
    #[track_caller]
    fn model(&self, input: &Path, options: &[&str]) -> reader::Model {
        let input = input.display().to_string();
        let args = [&[&*input, "result.glb", "--force"], options].concat();
        self.convert(&args);
        reader::Model::read(&self.path("result.glb"))
    }
}
