//! Limits on the peak heap and the time of parsing UFO: Aftermath models, measured with adversarial texts.

use classic_model_formats::lgw::{Tolerance, parse};
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};
use classic_models_fixtures::lgw_adversarial::{
    adversarial_files, parse_outcome, repetitive_texts,
};
use std::time::Instant;

// The documented limit of a load: `FACTOR × file length + CONSTANT` bytes. Parsing may take half of the first term.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

#[test]
fn parsing_stays_within_the_heap_limit() {
    run_in_own_process("lgw::heap::measure_parsing");
}

#[test]
#[ignore = "run by `parsing_stays_within_the_heap_limit` in a process of its own"]
fn measure_parsing() {
    let mut measured = HeapBudget::new(FACTOR / 2, CONSTANT);
    let files = adversarial_files().into_iter();
    let files = files.map(|(name, bytes)| (parse_outcome(&name), name, bytes));
    let repetitive = repetitive_texts(1 << 20);
    let repetitive = repetitive.map(|(name, bytes)| (Outcome::Rejected, name, bytes));
    for (expected, name, bytes) in files.chain(repetitive) {
        measured.take(&name, bytes.len(), expected, || {
            // The file's bytes are in memory while it is parsed.
            let bytes = bytes.clone();
            let parsed = parse(&bytes, Tolerance::Lenient);
            parsed.map(drop).map_err(|error| error.to_string())
        });
    }
    measured.finish();
}

#[test]
fn repetitive_texts_are_rejected_in_linear_time() {
    // With quadratic time, this test would take hours.
    for (name, bytes) in repetitive_texts(8 << 20) {
        let error = parse(&bytes, Tolerance::Lenient).expect_err(&name);
        assert!(error.offset <= bytes.len() as u64, "{name}: {error}");
        assert!(error.to_string().len() < 1000, "{name}: {error}");
    }
}

/// Run it with `cargo test print_times_of_repetitive_texts -- --ignored --nocapture`.
#[test]
#[ignore = "only prints, and takes half a minute"]
fn print_times_of_repetitive_texts() {
    for (name, bytes) in repetitive_texts(100_000_000) {
        let start = Instant::now();
        let _ = parse(&bytes, Tolerance::Lenient);
        println!("{name:24} {:10.2?}", start.elapsed());
    }
}
