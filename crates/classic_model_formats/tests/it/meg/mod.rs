//! Tests of Petroglyph archives.

mod heap;
mod malformed;
mod parse;
