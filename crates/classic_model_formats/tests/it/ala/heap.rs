//! The heap that parsing an Alamo animation takes, on files made to cost as much of it as they can.

use classic_model_formats::ala::parse;
use classic_models_fixtures::ala_adverse::adversaries;
use classic_models_fixtures::corpus::{corpus, files_of};
use classic_models_fixtures::heap::{Measured, alone};

/// So many times the file, itself counted, leaves as much again to what is made of the animation.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;

#[test]
fn parsing_takes_little_heap() {
    alone("ala::heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut files = adversaries();
    if let Some(folder) = corpus("parsing_takes_little_heap") {
        files.extend(files_of(&folder, "ala"));
    }
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
