//! Opens arbitrary bytes as a Petroglyph archive, reads and finds all entries, and writes them. The writer reads the result.
//!
//! Run `cargo +nightly fuzz run --no-default-features meg -- -max_len=65536` with a seed corpus of small files in
//! `fuzz/corpus/meg`. Add inputs that crash to `tests/regressions/meg`: `cargo test` runs them.

#![no_main]

#[path = "../archive_files.rs"]
mod archive_files;

use archive_files::archive_files;
use classic_model_formats::meg::open;
use classic_model_formats::meg::write::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(archive) = open(bytes) else { return };
    let _ = write(1, &archive_files(&archive));
});
