//! Heap use of parsing Alamo models, including files made to maximize it.

use classic_model_formats::alo::parse;
use classic_models_fixtures::alo::corpus_alo;
use classic_models_fixtures::alo_adversarial::{adversarial_files, parse_outcome};
use classic_models_fixtures::heap::{HeapBudget, run_in_own_process};

/// Limit of the heap, including the file's bytes: `FACTOR` times the file's size plus `CONSTANT` bytes.
///
/// The limit for loading is twice this factor, so the other half is for the values converted from the model.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;

#[test]
fn parsing_heap_is_limited_by_file_size() {
    run_in_own_process("alo::heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above in a process of its own"]
fn parsing_measured_alone() {
    let mut files = adversarial_files();
    files.extend(corpus_alo("parsing_heap_is_limited_by_file_size"));
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
