//! Particle systems: the asset, running systems, proxies, and rendered images.

mod asset;
mod blend;
mod emission;
mod plugins;
pub mod proxies;
mod render;
mod shader;
mod stage;
mod world;
