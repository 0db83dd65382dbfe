//! Apps, scenes and measurements that tests, benchmarks, examples and tools share.
//!
//! This crate is not published. It depends on Bevy with all features that any of them needs, so that every package of
//! the workspace builds the same Bevy, alone and together.

use std::path::PathBuf;

pub mod bench_models;
pub mod capture;
pub mod comparison;
pub mod controls;
pub mod dice;
pub mod draws;
pub mod example;
mod gif;
pub mod gpuless;
pub mod grid;
pub mod headless;
pub mod images;
pub mod names;
pub mod options;
pub mod stage;
pub mod studio;
pub mod world_vertices;

/// The folder of the bundled samples: `assets` in the root of the repository.
pub fn samples() -> PathBuf {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    root.ancestors().nth(2).unwrap_or(root).join("assets")
}
