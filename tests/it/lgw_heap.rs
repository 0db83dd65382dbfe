//! The heap and the time that models of UFO: Aftermath take while they are parsed and loaded, on texts made to
//! cost as much of both as they can.

use crate::heap::{Loadable, Measured, alone};
use crate::support::lgw_adverse::{adversaries, endless};
use bevy_classic_models::lgw::text::{Tolerance, parse};
use bevy_classic_models::prelude::*;
use std::time::{Duration, Instant};

/// The promise: so many times the file, and so much more.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

impl Loadable for Lgw {
    type Settings = LgwLoaderSettings;
}

#[test]
fn parsing_keeps_the_promise_on_heap() {
    alone("lgw_heap::parsing_measured_alone");
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
fn loading_keeps_the_promise_on_heap() {
    alone("lgw_heap::loading_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loading_measured_alone() {
    let mut measured = Measured::new(FACTOR, CONSTANT);
    for (name, bytes) in adversaries() {
        measured.load::<Lgw>(&format!("{name}.lgw"), bytes, |_| {});
    }
    measured.finish();
}

/// How long the parser takes.
fn time(bytes: &[u8]) -> Duration {
    let begun = Instant::now();
    let _ = parse(bytes, Tolerance::Lenient);
    begun.elapsed()
}

#[test]
fn time_grows_with_the_length_of_a_text() {
    const SHORT: usize = 1 << 20;
    const TIMES: u32 = 8;
    let long = endless(SHORT * TIMES as usize);
    for ((name, short), (_, long)) in endless(SHORT).zip(long) {
        let [short, long] = [time(&short), time(&long)];
        println!("{name:24} {short:10.2?} {long:10.2?}");
        // Twice as long as it should be is chance; what grows with the square takes eight times as long.
        let most = 4 * TIMES * short + Duration::from_secs(1);
        assert!(
            long < most,
            "{name}: {short:?}, and {long:?} for {TIMES} times the text"
        );
    }
}

/// A hundred megabytes of each, for whoever wants to know: `cargo test endless -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute, and only prints"]
fn endless_texts_are_timed() {
    for (name, bytes) in endless(100_000_000) {
        println!("{name:24} {:10.2?}", time(&bytes));
    }
}
