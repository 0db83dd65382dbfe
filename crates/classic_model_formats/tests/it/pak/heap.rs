//! Heap use of opening Quake archives that are made to maximize it.

use classic_model_formats::pak::open;
use classic_models_fixtures::archives::{pak, with_u32};
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};

/// The names of archives that are rejected as a whole.
const REJECTED: &[&str] = &["directory of 4 GiB"];

#[test]
fn opening_heap_is_limited_by_file_size() {
    run_in_own_process("pak::heap::opening_measured_alone");
}

#[test]
#[ignore = "run by the test above in a process of its own"]
fn opening_measured_alone() {
    let names: Vec<Vec<u8>> = (0..20_000)
        .map(|index| format!("\u{fc}{index:x}/").into_bytes())
        .collect();
    let deep = b"a/".repeat(28);
    let with_names = |names: &mut dyn Iterator<Item = &Vec<u8>>| {
        let files: Vec<(&[u8], &[u8])> = names.map(|name| (&name[..], &b"x"[..])).collect();
        pak(&files, b'/').bytes
    };
    let many = with_names(&mut names.iter());
    let files = [
        ("many names", many.clone()),
        (
            "deep paths",
            with_names(&mut std::iter::repeat_n(&deep, 20_000)),
        ),
        ("directory of 4 GiB", with_u32(&many, 8, u32::MAX)),
        ("file of 4 GiB", with_u32(&many, many.len() - 4, u32::MAX)),
    ];
    let mut measured = HeapBudget::new(16, 1 << 20);
    for (name, bytes) in files {
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
