//! Parsed files to meshes, bounds and collision trees: plain conversion without assets or entities.

pub(crate) mod file;
pub(crate) mod vertices;
