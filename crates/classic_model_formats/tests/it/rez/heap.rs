//! Heap use and time of opening LithTech archives that are made to maximize them.

use classic_model_formats::rez::open;
use classic_models_fixtures::archives::RezNode::{self, File, Folder};
use classic_models_fixtures::archives::{rez, with_u32};
use classic_models_fixtures::cpu_time::assert_cpu_time_below;
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};
use std::time::Duration;

/// The names of archives that are rejected as a whole.
const REJECTED: &[&str] = &["root of 4 GiB"];

#[test]
fn opening_heap_is_limited_by_file_size() {
    run_in_own_process("rez::heap::opening_measured_alone");
}

/// Archives with many entries in few bytes.
fn adversarial_files() -> Vec<(&'static str, Vec<u8>)> {
    let long: &'static str = Box::leak("\u{fc}".repeat(50_000).into_boxed_str());
    let files = |count: usize| -> Vec<RezNode> { vec![File(b"A", "", b""); count] };
    let folders = |count: usize| -> Vec<RezNode> { vec![Folder("A", vec![]); count] };
    let nested =
        |nodes: Vec<RezNode>| (0..63).fold(nodes, |nodes, _| vec![Folder("LONGER", nodes)]);
    let many = rez(&files(20_000)).bytes;
    vec![
        ("equal files", many.clone()),
        ("equal folders", rez(&folders(20_000)).bytes),
        ("deep files", rez(&nested(files(20_000))).bytes),
        ("deep folders", rez(&nested(folders(20_000))).bytes),
        (
            "files in a long folder",
            rez(&[Folder(long, files(20_000))]).bytes,
        ),
        (
            "folders in a long folder",
            rez(&[Folder(long, folders(20_000))]).bytes,
        ),
        ("root of 4 GiB", with_u32(&many, 135, u32::MAX)),
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
        assert_cpu_time_below(Duration::from_secs(5), name, || {
            let _ = open(&bytes[..]);
        });
    }
}
