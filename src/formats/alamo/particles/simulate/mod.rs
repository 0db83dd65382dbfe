//! Runs spawned particle systems: adds births to their records, and removes them when they are over.
//!
//! What is drawn follows from the records alone, so nothing here computes positions of living particles, but those that
//! carry emitters.

// For maintainers: the formulas of motion are in `classic_model_formats::particles`.

pub(crate) mod advance;
pub(crate) mod births;
pub(crate) mod budget;
pub(crate) mod control;
pub(crate) mod environment;
pub(crate) mod instance;
pub(crate) mod mesh;
pub(crate) mod plugin;
pub(crate) mod proxies;
pub(crate) mod stage;
pub(crate) mod systems;
