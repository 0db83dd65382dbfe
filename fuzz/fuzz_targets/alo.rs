//! Any bytes as an Alamo model: parsed, written, and parsed again.
//!
//! `cargo +nightly fuzz run --no-default-features alo -- -max_len=65536`, begun with a corpus of small files in
//! `fuzz/corpus/alo`. What it finds goes to `tests/regressions/alo`, which `cargo test` replays.

#![no_main]

use classic_model_formats::alo::parse;
use classic_model_formats::alo::write::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut file) = parse(bytes) else { return };
    file.warnings.clear();
    let submeshes = file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    for tree in submeshes.filter_map(|submesh| submesh.tree.as_ref()) {
        assert_eq!(tree.boxes().len(), tree.nodes.len());
    }
    // Texts may be too long to be written once they are made UTF-8.
    if let Ok(written) = write(&file) {
        let mut read = parse(&written).unwrap();
        read.warnings.clear();
        assert_eq!(format!("{read:?}"), format!("{file:?}"));
    }
});
