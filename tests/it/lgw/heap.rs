//! The heap use of loading LGW models, on texts with the highest heap use for each byte.

use crate::support::heap::{HeapBudget, Loadable, measure_load, run_in_own_process};
use crate::support::lgw_adversarial::adversarial_files;
use bevy_classic_models::lgw::{Lgw, LgwLoaderSettings};

/// The documented limit: `FACTOR` × the file size + `CONSTANT` bytes.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

impl Loadable for Lgw {
    type Settings = LgwLoaderSettings;
}

#[test]
fn heap_use_stays_below_the_documented_limit() {
    run_in_own_process("lgw::heap::measured_in_own_process");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn measured_in_own_process() {
    let mut measured = HeapBudget::new(FACTOR, CONSTANT);
    for (name, bytes) in adversarial_files() {
        measure_load::<Lgw>(&mut measured, &format!("{name}.lgw"), bytes, |_| {});
    }
    measured.finish();
}
