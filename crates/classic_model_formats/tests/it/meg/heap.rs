//! Heap use and time of opening Petroglyph archives that are made to maximize them.

use classic_model_formats::meg::open;
use classic_models_fixtures::archives::{meg, patched, with_u32};
use classic_models_fixtures::cpu_time::assert_cpu_time_below;
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};
use std::time::Duration;

/// The names of archives that are rejected as a whole.
const REJECTED: &[&str] = &["four billion files"];

#[test]
fn opening_heap_is_limited_by_file_size() {
    run_in_own_process("meg::heap::opening_measured_alone");
}

/// Archives with many entries in few bytes.
fn adversarial_files() -> Vec<(&'static str, Vec<u8>)> {
    let count = 20_000;
    let same = meg(1, &vec![(&b"A"[..], &b""[..]); count]);
    let names: Vec<Vec<u8>> = (0..count)
        .map(|index| format!("{index:x}").into_bytes())
        .collect();
    let different: Vec<(&[u8], &[u8])> = names.iter().map(|name| (&name[..], &b""[..])).collect();
    let different = meg(1, &different);
    // All records use two long names, which differ only in case.
    let long = [vec![0xDC; 60_000], vec![0xFC; 60_000]];
    let mut entries: Vec<(&[u8], &[u8])> = vec![(b"", b""); count];
    (entries[0].0, entries[1].0) = (&long[0], &long[1]);
    let mut shared = meg(1, &entries);
    for index in 0..count {
        let at = shared.records + 20 * index + 16;
        shared.bytes[at..at + 4].copy_from_slice(&(index as u32 % 2).to_le_bytes());
    }
    // One name with a folder for every two bytes.
    let deep = b"A\\".repeat(32_000);
    let deep: Vec<(&[u8], &[u8])> = vec![(&deep, b""); 40];
    let huge = patched(&same.bytes, 0, &[u32::MAX.to_le_bytes(); 2].concat());
    vec![
        ("equal names", same.bytes.clone()),
        ("different names", different.bytes),
        ("shared long names", shared.bytes),
        ("deep paths", meg(1, &deep).bytes),
        ("four billion files", huge),
        (
            "four billion bytes",
            with_u32(&same.bytes, same.records + 8, u32::MAX),
        ),
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
            for entry in archive.entries() {
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
        // Far more than needed. Comparing the long names of all entries would take minutes.
        assert_cpu_time_below(Duration::from_secs(5), name, || {
            let _ = open(&bytes[..]);
        });
    }
}
