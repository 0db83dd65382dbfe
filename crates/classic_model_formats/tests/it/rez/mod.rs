//! Tests of LithTech archives.

pub mod adversarial;
mod malformed;
mod parse;
