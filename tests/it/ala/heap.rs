//! Peak heap while an Alamo animation loads, and the heap that its clip keeps, on files built to maximize both.

use crate::support::ala::{all_tracks, clean, every_track};
use crate::support::ala_adversarial::{adversarial_files, parse_outcome};
use crate::support::heap::{HeapBudget, Loadable, kept, measure_load, run_in_own_process};
use crate::support::{corpus, files_of};
use bevy_classic_models::alamo::ala::parse;
use bevy_classic_models::alamo::{Ala, clip};

/// The heap limit of a load in bytes: `LOAD_FACTOR` × the file's size + `LOAD_CONSTANT`.
const LOAD_FACTOR: usize = 16;
const LOAD_CONSTANT: usize = 1 << 20;

#[test]
fn animation_loads_stay_within_the_heap_limit() {
    run_in_own_process("ala::heap::animation_loads_in_own_process");
}

#[test]
#[ignore = "run by the test above in its own process"]
fn animation_loads_in_own_process() {
    let mut budget = HeapBudget::new(LOAD_FACTOR, LOAD_CONSTANT);
    let mut files = adversarial_files();
    for version in [1, 2] {
        let bytes = all_tracks(version, 200, 300);
        files.push((format!("large-format-{version}"), bytes));
    }
    for (name, bytes) in files {
        let path = format!("{name}.ala");
        measure_load::<Ala>(&mut budget, &path, bytes, parse_outcome(&name), |_| {});
    }
    budget.finish();
}

impl Loadable for Ala {
    type Settings = ();
}

/// The limit on the heap that a clip keeps, as a factor of the file's size. Tracks stay packed as in the file.
const KEPT_FACTOR: f64 = 1.2;
/// Files up to this size in bytes are exempt from the limit.
const LARGE: usize = 2048;

#[test]
fn clips_keep_little_more_heap_than_their_files() {
    run_in_own_process("ala::heap::kept_clips_in_own_process");
}

#[test]
#[ignore = "run by the test above in its own process"]
fn kept_clips_in_own_process() {
    // Make the allocations that all clips share.
    let _ = clip(&parse(&clean(2)).unwrap());
    let mut files = Vec::new();
    for version in [1, 2] {
        // With fewer frames than in real clips, the fixed size of a bone dominates.
        for (bones, frames) in [(40, 2), (1, 60), (40, 60), (200, 30), (5, 1000)] {
            let name = format!("{bones} bones, {frames} frames, format {version}");
            files.push((name, all_tracks(version, bones, frames)));
        }
        let name = format!("32 kinds of bones, 60 frames, format {version}");
        files.push((name, every_track(version, 60)));
    }
    if let Some(folder) = corpus("clips_keep_little_more_heap_than_their_files") {
        files.extend(files_of(&folder, "ala"));
    }
    println!("{:44} {:>8} {:>8} {:>6}", "file", "bytes", "kept", "×");
    let mut failures = Vec::new();
    for (name, bytes) in files {
        let kept = kept(|| clip(&parse(&bytes).unwrap()));
        let factor = kept as f64 / bytes.len() as f64;
        let row = format!("{name:44} {:8} {kept:8} {factor:6.2}", bytes.len());
        println!("{row}");
        let limit = match name.contains(" 2 frames") {
            true => 2.0,
            false => KEPT_FACTOR,
        };
        if bytes.len() > LARGE && factor > limit {
            failures.push(row);
        }
    }
    assert!(
        failures.is_empty(),
        "over the limit:\n{}",
        failures.join("\n")
    );
}
