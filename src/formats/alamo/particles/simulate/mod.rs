//! Runs spawned particle systems: adds births to their records, and removes them when they are over.
//!
//! What is drawn follows from the records alone, so nothing here computes positions of living particles, but those that
//! carry emitters.

// For maintainers:
// - `control` has the components of the game, `environment` its resources.
// - `instance` is the state of a system: its clock and its simulations. `stage` is what surrounds it in a frame, and
//   `births` adds the births of a frame to the records.
// - `systems` starts systems when their file is loaded, and `advance` advances them in each frame; `budget` decides which
//   births are dropped.
// - `mesh` makes the meshes on which particles are born.
// - `proxies` creates and stops the systems that a model's proxies name.

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
