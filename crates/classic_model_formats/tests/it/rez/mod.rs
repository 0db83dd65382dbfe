//! Tests of LithTech archives.

mod heap;
mod malformed;
mod parse;
