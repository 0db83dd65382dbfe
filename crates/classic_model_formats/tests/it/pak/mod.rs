//! Tests of Quake archives.

pub mod adversarial;
mod malformed;
mod parse;
