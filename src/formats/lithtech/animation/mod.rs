//! Clips of LithTech models, and what playback needs to know about them.

pub(crate) mod rig;
pub(crate) mod sampler;
pub(crate) mod tracks;
