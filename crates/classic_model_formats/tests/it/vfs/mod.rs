//! Tests of archives of UFO: Aftermath.

mod heap;
mod malformed;
mod parse;
