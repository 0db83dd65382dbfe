//! The heap that LithTech models and pictures take while they are parsed, on files made to cost as much of it as they can.

use classic_model_formats::abc::parse;
use classic_model_formats::dtx as pictures;
use classic_models_fixtures::abc_adverse::{adversaries, adverse_pictures};
use classic_models_fixtures::corpus::{corpus, files_of};
use classic_models_fixtures::heap::{Measured, alone};

/// Half of what a load may take leaves as much again to what is made of the model.
const PARSE_FACTOR: usize = 8;
const PARSE_CONSTANT: usize = 1 << 16;

#[test]
fn parsing_takes_little_heap() {
    alone("abc::heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut measured = Measured::new(PARSE_FACTOR, PARSE_CONSTANT);
    let folder = corpus("parsing_takes_little_heap");
    let real = |extension: &str| folder.as_deref().map(|it| files_of(it, extension));
    for (name, bytes) in adversaries()
        .into_iter()
        .chain(real("abc").unwrap_or_default())
    {
        measured.take(&name, bytes.len(), || {
            // A file is in memory while it is parsed.
            let bytes = bytes.clone();
            let _ = parse(&bytes);
        });
    }
    for (name, bytes) in adverse_pictures()
        .into_iter()
        .chain(real("dtx").unwrap_or_default())
    {
        measured.take(&name, bytes.len(), || {
            let bytes = bytes.clone();
            let _ = pictures::parse(&bytes);
        });
    }
    measured.finish();
}
