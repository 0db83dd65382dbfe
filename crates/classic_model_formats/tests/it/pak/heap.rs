//! Heap use and time of opening Quake archives that are made to maximize them.

use crate::archives::{Adversarial, assert_opening_time, measure_opening};
use classic_model_formats::pak::open;
use classic_models_fixtures::archives::{pak, with_u32};
use classic_models_fixtures::heap::Outcome::{Accepted, Rejected};
use classic_models_fixtures::heap::run_in_own_process;

#[test]
fn opening_heap_is_limited_by_file_size() {
    run_in_own_process("pak::heap::opening_measured_alone");
}

/// Archives with many entries in few bytes.
fn adversarial_files(factor: usize) -> Vec<Adversarial> {
    let count = 5000 * factor;
    let with_names = |name: &dyn Fn(usize) -> Vec<u8>| {
        let names: Vec<Vec<u8>> = (0..count).map(name).collect();
        let files: Vec<(&[u8], &[u8])> = names.iter().map(|name| (&name[..], &b"x"[..])).collect();
        pak(&files, b'/').bytes
    };
    let many = with_names(&|index| format!("\u{fc}{index:x}/").into_bytes());
    // The same name in another case for each bit of the index.
    let case = |index: usize, bit: u32| if index >> bit & 1 == 0 { b'a' } else { b'A' };
    let cases = with_names(&|index| (0..32).map(|bit| case(index, bit)).collect());
    let far = with_u32(&many, many.len() - 4, u32::MAX);
    let huge = with_u32(&many, 8, u32::MAX);
    vec![
        ("many names", many, Accepted),
        ("equal names", with_names(&|_| b"a".to_vec()), Accepted),
        ("names in all cases", cases, Accepted),
        ("deep paths", with_names(&|_| b"a/".repeat(28)), Accepted),
        (
            "longest characters",
            with_names(&|_| vec![0x80; 56]),
            Accepted,
        ),
        ("directory of 4 GiB", huge, Rejected),
        ("file of 4 GiB", far, Accepted),
    ]
}

#[test]
#[ignore = "run by the test above in a process of its own"]
fn opening_measured_alone() {
    measure_opening(&adversarial_files(4), usize::MAX, |bytes| open(bytes));
}

#[test]
fn opening_time_grows_with_the_file() {
    assert_opening_time(adversarial_files, |bytes| open(bytes));
}
