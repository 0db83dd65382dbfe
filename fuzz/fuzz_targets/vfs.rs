//! Opens arbitrary bytes as an archive of UFO: Aftermath, reads and finds all entries, and writes them. The writer reads the result.
//!
//! Run `cargo +nightly fuzz run --no-default-features vfs -- -max_len=65536` with a seed corpus of small files in
//! `fuzz/corpus/vfs`. Add inputs that crash to `tests/regressions/vfs`: `cargo test` runs them.

#![no_main]

#[path = "../archive_files.rs"]
mod archive_files;

use archive_files::archive_files;
use classic_model_formats::vfs::open;
use classic_model_formats::vfs::write::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(archive) = open(bytes) else { return };
    let _ = write(&archive_files(&archive), |file| file.bytes.len() > 20);
});
