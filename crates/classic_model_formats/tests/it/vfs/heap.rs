//! Heap use and time of opening archives of UFO: Aftermath that are made to maximize them.

use classic_model_formats::vfs::open;
use classic_models_fixtures::archives::{Vfs, VfsEntry, chunks, with_u32};
use classic_models_fixtures::cpu_time::assert_cpu_time_below;
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};
use std::time::Duration;

/// The names of archives that are rejected as a whole.
const REJECTED: &[&str] = &["four billion clusters"];

#[test]
fn opening_heap_is_limited_by_file_size() {
    run_in_own_process("vfs::heap::opening_measured_alone");
}

fn entry(name: &str, kind: u32, first: u32, stored: usize) -> VfsEntry {
    VfsEntry {
        name: name.into(),
        kind,
        first,
        stored: stored as u32,
        size: u32::MAX,
    }
}

/// Archives with many entries or clusters in few bytes.
fn adversarial_files() -> Vec<(&'static str, Vec<u8>)> {
    let count = 100_000_u32;
    // Clusters of one byte, linked backwards, in one folder.
    let mut bytes = Vfs::new(1);
    let record = entry("x", 1, 1, 0).record();
    let content = record.repeat(count as usize / 88);
    let first = bytes.add_clusters(&content, true);
    bytes.root = vec![entry("folder", 2, first, content.len())];
    // One long chain, entered by many files at different clusters.
    let mut shared = Vfs::new(1);
    let first = shared.add_clusters(&vec![0; count as usize], true);
    shared.root = (0..5000)
        .map(|index| entry("x", 1, first - index, 90_000))
        .collect();
    // A cycle of all clusters.
    let mut cycle = shared.clone();
    cycle.next[0] = count;
    let mut deep = Vfs::new(88);
    for depth in 1..=60 {
        deep.add_clusters(&entry(&"d".repeat(63), 2, depth + 1, 88).record(), false);
    }
    let files = entry("f", 1, 0, 0).record().repeat(5000);
    let first = deep.add_clusters(&files, false);
    deep.clusters[59] = entry("last", 2, first, files.len()).record();
    deep.root = vec![entry("root", 2, 1, 88)];
    let mut packed = Vfs::new(4096);
    let stored = chunks(&vec![vec![0; 100]; 1000]);
    let file = packed.add("packed", 9, &stored, u32::MAX as usize);
    packed.root = vec![file];
    let shared = shared.build();
    vec![
        ("folder in clusters of a byte", bytes.build()),
        ("cycle", cycle.build()),
        ("deep files", deep.build()),
        ("claims 4 GiB", packed.build()),
        ("four billion clusters", with_u32(&shared, 8, u32::MAX)),
        ("shared chain", shared),
    ]
}

#[test]
#[ignore = "run by the test above in a process of its own"]
fn opening_measured_alone() {
    let mut measured = HeapBudget::new(16, 1 << 20);
    for (name, bytes) in adversarial_files() {
        let expected = Outcome::rejected_if(REJECTED.contains(&name));
        measured.take(name, bytes.len(), expected, || {
            let bytes = bytes.clone();
            let archive = open(&bytes[..]).map_err(|error| error.to_string())?;
            for entry in archive.entries().take(3) {
                let _ = archive.read(entry);
            }
            Ok(())
        });
    }
    measured.finish();
}

#[test]
fn opening_time_grows_with_the_file() {
    for (name, bytes) in adversarial_files() {
        // Far more than needed. Following the chain of each file would take a hundred times that.
        assert_cpu_time_below(Duration::from_secs(5), name, || {
            let _ = open(&bytes[..]);
        });
    }
}
