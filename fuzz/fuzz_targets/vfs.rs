//! Opens arbitrary bytes as an archive of UFO: Aftermath, reads and finds all entries, and writes them. The writer reads the result.
//!
//! Run `cargo +nightly fuzz run --no-default-features vfs -- -max_len=65536` with a seed corpus of small files in
//! `fuzz/corpus/vfs`. Add inputs that crash to `tests/regressions/vfs`: `cargo test` runs them.

#![no_main]

use classic_model_formats::archive::ArchiveFile;
use classic_model_formats::vfs::open;
use classic_model_formats::vfs::write::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(archive) = open(bytes) else { return };
    let mut files = Vec::new();
    for entry in archive.entries() {
        let path = entry.path();
        let found = archive.find_any_case(&path).unwrap();
        archive.find(&path);
        if entry.is_shadowed() {
            continue;
        }
        assert_eq!(found.record_offset(), entry.record_offset());
        if let Ok(bytes) = archive.read(entry) {
            assert_eq!(bytes.len() as u64, entry.size());
            files.push(ArchiveFile::new(path, bytes));
        }
    }
    let _ = write(&files, |file| file.bytes.len() > 20);
});
