//! Clips of LithTech models, and the component that plays them.

pub(crate) mod clip;
pub(crate) mod player;
pub(crate) mod tracks;
