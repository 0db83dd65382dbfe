//! Opens arbitrary bytes as a Quake archive in a ZIP file, reads and finds all entries, and writes them. The writer reads the result.

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
