//! Opens arbitrary bytes as a Quake archive in a ZIP file, reads and finds all entries, and writes them. The writer reads the result.
//!
//! Run `cargo +nightly fuzz run --no-default-features pk3 -- -max_len=65536` with a seed corpus of small files in
//! `fuzz/corpus/pk3`. Add inputs that crash to `tests/regressions/pk3`: `cargo test` runs them.

#![no_main]

#[path = "../archive_files.rs"]
mod archive_files;

use archive_files::archive_files;
use classic_model_formats::pk3::open;
use classic_model_formats::pk3::write::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(archive) = open(bytes) else { return };
    let _ = write(&archive_files(&archive));
});
