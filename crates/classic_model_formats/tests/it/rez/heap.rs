//! Heap use and time of opening LithTech archives that are made to maximize them.

use crate::archives::{Adversarial, assert_opening_time, measure_opening};
use classic_model_formats::rez::open;
use classic_models_fixtures::archives::RezNode::{self, File, Folder};
use classic_models_fixtures::archives::{rez, with_u32};
use classic_models_fixtures::heap::Outcome::{Accepted, Rejected};
use classic_models_fixtures::heap::run_in_own_process;

#[test]
fn opening_heap_is_limited_by_file_size() {
    run_in_own_process("rez::heap::opening_measured_alone");
}

/// Archives with many entries in few bytes.
fn adversarial_files(factor: usize) -> Vec<Adversarial> {
    let count = 5000 * factor;
    let long: &'static str = Box::leak("\u{fc}".repeat(50_000 * factor).into_boxed_str());
    // The character € of one byte takes three in memory.
    let euros: &'static [u8] = vec![0x80; 100_000 * factor].leak();
    let files = |content| -> Vec<RezNode> { vec![File(b"A", "", content); count] };
    let folders = || -> Vec<RezNode> { vec![Folder("A", vec![]); count] };
    let nested =
        |nodes: Vec<RezNode>| (0..63).fold(nodes, |nodes, _| vec![Folder("LONGER", nodes)]);
    let build = |nodes: &[RezNode]| rez(nodes).bytes;
    let many = build(&files(b""));
    let huge = with_u32(&many, 135, u32::MAX);
    vec![
        ("equal files", many, Accepted),
        ("files with content", build(&files(b"x")), Accepted),
        ("equal folders", build(&folders()), Accepted),
        ("deep files", build(&nested(files(b""))), Accepted),
        ("deep folders", build(&nested(folders())), Accepted),
        (
            "files in a long folder",
            build(&[Folder(long, files(b""))]),
            Accepted,
        ),
        (
            "folders in a long folder",
            build(&[Folder(long, folders())]),
            Accepted,
        ),
        (
            "longest characters",
            build(&[File(euros, "", b"")]),
            Accepted,
        ),
        ("root of 4 GiB", huge, Rejected),
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
