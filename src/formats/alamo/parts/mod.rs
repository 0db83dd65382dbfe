//! Parts that are not meshes: dazzles, lights, proxies and billboard bones.

pub(crate) mod billboard;
pub(crate) mod dazzle;
pub(crate) mod lights;
pub(crate) mod proxies;
