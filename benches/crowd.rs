//! 10,000 instances of Quake models, and a thousand of a LithTech model, drawn without a window.
//!
//! This crate's systems should take at most 0.5 µs per instance and frame, and every distinct pair of
//! mesh and material should be one draw.

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

/// Models of the corpus that the crowd is made of if there is one.
const FROM_CORPUS: [&str; 6] = ["ogre", "player", "dog", "knight", "soldier", "shambler"];

fn main() {
    let models = match std::env::var_os("CLASSIC_MODELS_CORPUS") {
        Some(corpus) => FROM_CORPUS
            .map(|name| Path::new(&corpus).join(format!("quake/{name}.mdl")))
            .to_vec(),
        None => bundled_models(),
    };
    if models.is_empty() {
        println!("there are no models to make a crowd of");
        return;
    }
    print!(
        "{}",
        headless::measure(Crowd::new(INSTANCES, models), FRAMES)
    );
    println!("limits: 0.5 µs per instance, and as many draws as pairs\n");
    let warden = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/warden.abc");
    let wardens = Crowd::new(WARDENS, vec![warden]);
    print!("{}", headless::measure(wardens, WARDEN_FRAMES));
}
