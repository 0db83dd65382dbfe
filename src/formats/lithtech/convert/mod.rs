//! Parsed files to meshes, levels of detail and skeletons: plain conversion without assets or entities.

pub(crate) mod file;
pub(crate) mod handedness;
pub(crate) mod lods;
pub(crate) mod meshes;
pub(crate) mod vertices;
