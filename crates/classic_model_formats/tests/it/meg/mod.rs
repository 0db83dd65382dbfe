//! Tests of Petroglyph archives.

pub mod adversarial;
mod malformed;
mod parse;
