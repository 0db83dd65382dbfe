//! Measures rendering 10,000 instances of Quake models and 1,000 of a LithTech model, without a window.
//!
//! Limits: this crate's systems take at most 0.5 µs per instance and frame, and each distinct pair of mesh and material
//! takes one draw call.

#[path = "support/crowd/mod.rs"]
mod crowd;

use classic_models_support as support;
use crowd::headless;
use crowd::population::{Crowd, bundled_models};
use std::path::Path;

const INSTANCES: usize = 10_000;
const FRAMES: usize = 60;

const WARDENS: usize = 1000;
const WARDEN_FRAMES: usize = 10;

/// Quake models of the crowd if `CLASSIC_MODELS_CORPUS` is set.
const FROM_CORPUS: [&str; 6] = ["ogre", "player", "dog", "knight", "soldier", "shambler"];

fn main() {
    let models = match std::env::var_os("CLASSIC_MODELS_CORPUS") {
        Some(corpus) => FROM_CORPUS
            .map(|name| Path::new(&corpus).join(format!("quake/{name}.mdl")))
            .to_vec(),
        None => bundled_models(),
    };
    if models.is_empty() {
        println!("skipped: no .mdl files in assets/models");
        return;
    }
    print!(
        "{}",
        headless::measure(Crowd::new(INSTANCES, models), FRAMES)
    );
    println!("limits: 0.5 µs per instance, and one draw call per pair of mesh and material\n");
    let warden = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/warden.abc");
    let wardens = Crowd::new(WARDENS, vec![warden]);
    print!("{}", headless::measure(wardens, WARDEN_FRAMES));
}
