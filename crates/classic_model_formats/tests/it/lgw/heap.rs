//! The heap and the time that texts of UFO: Aftermath models take while they are parsed, on texts made to cost as much of
//! both as they can.

use classic_model_formats::lgw::{Tolerance, parse};
use classic_models_fixtures::heap::{Measured, alone};
use classic_models_fixtures::lgw_adverse::{adversaries, endless};
use std::time::Instant;

/// The promise: so many times the file, and so much more.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

#[test]
fn parsing_keeps_the_promise_on_heap() {
    alone("lgw::heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut measured = Measured::new(FACTOR / 2, CONSTANT);
    for (name, bytes) in adversaries().into_iter().chain(endless(1 << 20)) {
        measured.take(&name, bytes.len(), || {
            // A file is in memory while it is parsed.
            let bytes = bytes.clone();
            let _ = parse(&bytes, Tolerance::Lenient);
        });
    }
    measured.finish();
}

#[test]
fn endless_texts_are_refused() {
    // What takes time by the square of the length would not end.
    for (name, bytes) in endless(8 << 20) {
        let error = parse(&bytes, Tolerance::Lenient).expect_err(&name);
        assert!(error.offset <= bytes.len() as u64, "{name}: {error}");
        assert!(error.to_string().len() < 1000, "{name}: {error}");
    }
}

/// For whoever wants to know: `cargo test endless_texts_are_timed -- --ignored --nocapture`.
#[test]
#[ignore = "only prints, and takes half a minute"]
fn endless_texts_are_timed() {
    for (name, bytes) in endless(100_000_000) {
        let begun = Instant::now();
        let _ = parse(&bytes, Tolerance::Lenient);
        println!("{name:24} {:10.2?}", begun.elapsed());
    }
}
