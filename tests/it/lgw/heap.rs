//! The heap that models of UFO: Aftermath take while they are loaded, on texts made to cost as much of it as they can.

use crate::support::heap::{HeapBudget, Loadable, measure_load, run_in_own_process};
use crate::support::lgw_adversarial::adversarial_files;
use bevy_classic_models::lgw::{Lgw, LgwLoaderSettings};
use bevy_classic_models::prelude::*;

/// The promise: so many times the file, and so much more.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

impl Loadable for Lgw {
    type Settings = LgwLoaderSettings;
}

#[test]
fn loading_keeps_the_promise_on_heap() {
    run_in_own_process("lgw::heap::loading_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loading_measured_alone() {
    let mut measured = HeapBudget::new(FACTOR, CONSTANT);
    for (name, bytes) in adversarial_files() {
        measure_load::<Lgw>(&mut measured, &format!("{name}.lgw"), bytes, |_| {});
    }
    measured.finish();
}
