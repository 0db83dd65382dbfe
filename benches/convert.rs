//! Compares converting glTF files to models of games with the way out, and measures `classic-models validate`.
//!
//! Each sample is copied, and the tool converts all copies in one process with one job, to glTF with their textures and back,
//! alternately. Prints milliseconds per model and their ratio; limit: [`LIMIT`]. Then the tool validates all copies of all samples
//! in one process, and the bench prints bytes of models per second; limit: [`VALIDATE_LIMIT`].
//!
//! `--tool=PATH` is a built `classic-models`; otherwise it is built first.

use classic_models_support::bench_models::tool_command;
use classic_models_support::samples;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Maximum time of the way back, relative to the way out.
const LIMIT: f64 = 2.0;

/// Minimum MB per second.
const VALIDATE_LIMIT: f64 = 200.0;

/// Copies of each sample.
const COPIES: usize = 50;

/// Rounds of which the fastest is printed.
const ROUNDS: usize = 5;

const SAMPLES: [&str; 7] = [
    "brazier.mdl",
    "courier.lgw",
    "crate.alo",
    "crystal.mdl",
    "sentry.mdl",
    "walker.alo",
    "warden.abc",
];

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder is created");
    let tool = std::env::args().find_map(|it| Some(it.strip_prefix("--tool=")?.to_owned()));
    let tool = || tool_command(tool.as_deref());
    seconds(tool().arg("--version"));
    println!(
        "{:12} {:>9} {:>9} {:>7}",
        "file", "out ms", "back ms", "ratio"
    );
    for sample in SAMPLES {
        let (stem, extension) = sample.split_once('.').expect("samples have extensions");
        let [models, glb, back] =
            ["models", "glb", "back"].map(|name| folder.path().join(name).join(stem));
        copy(sample, &models);
        let mut fastest = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            for (time, from, to, format) in [(0, &models, &glb, "glb"), (1, &glb, &back, extension)]
            {
                let mut command = tool();
                command.args(["convert", "--force", "--jobs", "1", "--format", format]);
                command.arg("--textures").arg(samples().join("textures"));
                command
                    .arg("--skin")
                    .arg(samples().join("skins/warden.dtx"));
                let seconds = seconds(command.args([from, to]));
                fastest[time] = fastest[time].min(seconds * 1e3 / COPIES as f64);
            }
        }
        let [out, back] = fastest;
        println!("{sample:12} {out:9.2} {back:9.2} {:7.2}", back / out);
    }
    println!("limit of the ratio: {LIMIT}");

    let models = folder.path().join("models");
    let bytes: u64 = SAMPLES
        .iter()
        .map(|sample| COPIES as u64 * size(sample))
        .sum();
    let validate = || seconds(tool().arg("validate").arg(&models));
    let fastest = (0..ROUNDS)
        .map(|_| validate())
        .fold(f64::INFINITY, f64::min);
    println!(
        "validate: {} models, {:.0} MB/s, limit {VALIDATE_LIMIT}",
        COPIES * SAMPLES.len(),
        bytes as f64 / fastest / 1e6
    );
}

fn size(sample: &str) -> u64 {
    let file = samples().join("models").join(sample);
    file.metadata().expect("the sample exists").len()
}

fn copy(sample: &str, folder: &Path) {
    std::fs::create_dir_all(folder).expect("a folder is created");
    for index in 0..COPIES {
        let to = folder.join(format!("{index}_{sample}"));
        std::fs::copy(samples().join("models").join(sample), to).expect("a file is copied");
    }
}

/// The time that a command takes. Warnings, such as missing textures, are no failure.
fn seconds(command: &mut Command) -> f64 {
    let start = Instant::now();
    let output = command.output().expect("the tool can be started");
    let seconds = start.elapsed().as_secs_f64();
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    seconds
}
