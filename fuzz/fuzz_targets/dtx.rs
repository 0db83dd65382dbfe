//! Any bytes as a LithTech picture: parsed, decoded, written, and parsed again.
//!
//! `cargo +nightly fuzz run --no-default-features dtx -- -max_len=65536`, begun with a corpus of small files in
//! `fuzz/corpus/dtx`. What it finds goes to `tests/regressions/dtx`, which `cargo test` replays.

#![no_main]

use classic_model_formats::dtx::parse;
use classic_model_formats::dtx::write::{DtxDocument, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse(bytes) else { return };
    for (number, level) in file.levels.iter().enumerate() {
        let texels = level.width as usize * level.height as usize;
        for picture in [file.rgba(number), file.emissive(number)].iter().flatten() {
            assert_eq!(picture.len(), 4 * texels);
        }
    }
    let document = DtxDocument::from(&file);
    if let Ok(written) = write(&document) {
        assert_eq!(DtxDocument::from(&parse(&written).unwrap()), document);
    }
});
