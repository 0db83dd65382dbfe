//! Tests of Quake archives.

mod heap;
mod malformed;
mod parse;
