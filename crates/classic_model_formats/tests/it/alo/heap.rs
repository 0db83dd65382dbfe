//! The heap that parsing an Alamo model takes, on files made to cost as much of it as they can.

use classic_model_formats::alo::parse;
use classic_models_fixtures::alo::corpus_alo;
use classic_models_fixtures::alo_adverse::adversaries;
use classic_models_fixtures::heap::{alone, peak};

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
    println!("{:32} {:>10} {:>8}", "file", "bytes", "× parsed");
    for (name, bytes) in files {
        let taken = peak(|| {
            // A file is in memory while it is parsed.
            let bytes = bytes.clone();
            let _ = parse(&bytes);
        });
        let factor = taken as f64 / bytes.len() as f64;
        println!("{name:32} {:10} {factor:8.2}", bytes.len());
        let allowed = FACTOR * bytes.len() + CONSTANT;
        assert!(taken <= allowed, "{name}: {taken} of {allowed} bytes");
    }
}
