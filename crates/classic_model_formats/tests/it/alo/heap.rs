//! The heap that parsing an Alamo model takes, on files made to cost as much of it as they can.

use classic_model_formats::alo::parse;
use classic_models_fixtures::alo::corpus_alo;
use classic_models_fixtures::alo_adverse::adversaries;
use classic_models_fixtures::heap::{Measured, alone};

/// So many times the file, itself counted, leaves as much again to what is made of the model.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;

#[test]
fn parsing_takes_little_heap() {
    alone("alo::heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut files = adversaries();
    files.extend(corpus_alo("parsing_takes_little_heap"));
    let mut measured = Measured::new(FACTOR, CONSTANT);
    for (name, bytes) in files {
        measured.take(&name, bytes.len(), || {
            // A file is in memory while it is parsed.
            let bytes = bytes.clone();
            let _ = parse(&bytes);
        });
    }
    measured.finish();
}
