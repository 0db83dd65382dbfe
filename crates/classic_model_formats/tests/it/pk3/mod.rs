//! Tests of Quake archives as ZIP files.

pub mod adversarial;
mod malformed;
mod parse;
