//! Tests of archives of UFO: Aftermath.

pub mod adversarial;
mod malformed;
mod parse;
