//! Heap use and time of opening Petroglyph archives that are made to maximize them.

use crate::archives::{Adversarial, assert_opening_time, measure_opening};
use classic_model_formats::meg::open;
use classic_models_fixtures::archives::{meg, patched, with_u32};
use classic_models_fixtures::heap::Outcome::{Accepted, Rejected};
use classic_models_fixtures::heap::run_in_own_process;

#[test]
fn opening_heap_is_limited_by_file_size() {
    run_in_own_process("meg::heap::opening_measured_alone");
}

/// Archives with many entries in few bytes. `factor` is at most 4, because names are shorter than 64 KiB.
fn adversarial_files(factor: usize) -> Vec<Adversarial> {
    let count = 5000 * factor;
    let same = meg(1, &vec![(&b"A"[..], &b""[..]); count]).bytes;
    let records = same.len() - 20 * count;
    let with_content = meg(1, &vec![(&b"A"[..], &b"x"[..]); count]).bytes;
    let names: Vec<Vec<u8>> = (0..count)
        .map(|index| format!("{index:x}").into_bytes())
        .collect();
    let different: Vec<(&[u8], &[u8])> = names.iter().map(|name| (&name[..], &b""[..])).collect();
    let different = meg(1, &different).bytes;
    // All records use two long names, which differ only in case.
    let long = [0xDC, 0xFC].map(|letter| vec![letter; 15_000 * factor]);
    let mut entries: Vec<(&[u8], &[u8])> = vec![(b"", b""); count];
    (entries[0].0, entries[1].0) = (&long[0], &long[1]);
    let mut shared = meg(1, &entries);
    for index in 0..count {
        let at = shared.records + 20 * index + 16;
        shared.bytes[at..at + 4].copy_from_slice(&(index as u32 % 2).to_le_bytes());
    }
    // One name with a folder for every two bytes.
    let deep = b"A\\".repeat(32_000);
    let deep: Vec<(&[u8], &[u8])> = vec![(&deep, b""); 10 * factor];
    // The character € of one byte takes three in memory.
    let euros = vec![0x80; 60_000];
    let euros: Vec<(&[u8], &[u8])> = vec![(&euros, b""); 10 * factor];
    let huge = patched(&same, 0, &[u32::MAX.to_le_bytes(); 2].concat());
    let far = with_u32(&same, records + 8, u32::MAX);
    vec![
        ("equal names", same, Accepted),
        ("files with content", with_content, Accepted),
        ("different names", different, Accepted),
        ("shared long names", shared.bytes, Accepted),
        ("deep paths", meg(1, &deep).bytes, Accepted),
        ("longest characters", meg(1, &euros).bytes, Accepted),
        ("four billion files", huge, Rejected),
        ("four billion bytes", far, Accepted),
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
