//! Heap use of parsing Alamo animations, including files made to maximize it.

use classic_model_formats::ala::parse;
use classic_models_fixtures::ala_adversarial::{adversarial_files, parse_outcome};
use classic_models_fixtures::corpus::{corpus, files_of};
use classic_models_fixtures::heap::{HeapBudget, run_in_own_process};

/// Limit of the heap, including the file's bytes: `FACTOR` times the file's size plus `CONSTANT` bytes.
///
/// The limit for loading is twice this factor, so the other half is for the values converted from the animation.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;

#[test]
fn parsing_heap_is_limited_by_file_size() {
    run_in_own_process("ala::heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above in a process of its own"]
fn parsing_measured_alone() {
    let mut files = adversarial_files();
    if let Some(folder) = corpus("parsing_heap_is_limited_by_file_size") {
        files.extend(files_of(&folder, "ala"));
    }
    let mut measured = HeapBudget::new(FACTOR, CONSTANT);
    for (name, bytes) in files {
        measured.take(&name, bytes.len(), parse_outcome(&name), || {
            // The file's bytes count too, because they are in memory while it is parsed.
            let bytes = bytes.clone();
            let parsed = parse(&bytes);
            parsed.map(drop).map_err(|error| error.to_string())
        });
    }
    measured.finish();
}
