//! The heap use of loading LGW models, on texts with the highest heap use for each byte.

use crate::support::heap::{HeapBudget, Loadable, Outcome, measure_load, run_in_own_process};
use crate::support::lgw_adversarial::{adversarial_files, parse_outcome};
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
        let path = format!("{name}.lgw");
        measure_load::<Lgw>(&mut measured, &path, bytes, load_outcome(&name), |_| {});
    }
    measured.finish();
}

/// The outcome of loading an adversarial text.
fn load_outcome(name: &str) -> Outcome {
    // Exceed the limits of the loader, in at least these counts.
    let exceeds_limits = [
        ("empty-meshes-", 400),
        ("padded-meshes-", 3000),
        ("named-meshes-", 3000),
        ("lost-meshes-", 3000),
        ("triangles-", 3000),
        ("groups-of-meshes-", 3000),
        ("hollow-groups-", 400),
        ("materials-", 400),
    ];
    let is_over = exceeds_limits.iter().any(|(kind, least)| {
        let count = name.strip_prefix(kind).and_then(|count| count.parse().ok());
        count.is_some_and(|count: usize| count >= *least)
    });
    match is_over {
        true => Outcome::Rejected,
        false => parse_outcome(name),
    }
}
