//! LithTech archives that are made to maximize the heap or the time of opening them.

use crate::prelude::*;
use classic_models_fixtures::archives::RezNode::{File, Folder};
use classic_models_fixtures::archives::rez;

/// Archives with many entries in few bytes.
pub fn files(factor: usize) -> Vec<(String, Vec<u8>)> {
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
    let files = [
        ("equal files", many),
        ("files with content", build(&files(b"x"))),
        ("equal folders", build(&folders())),
        ("deep files", build(&nested(files(b"")))),
        ("deep folders", build(&nested(folders()))),
        ("files in a long folder", build(&[Folder(long, files(b""))])),
        (
            "folders in a long folder",
            build(&[Folder(long, folders())]),
        ),
        ("longest characters", build(&[File(euros, "", b"")])),
        ("root of 4 GiB", huge),
    ];
    files.map(|(name, bytes)| (name.to_owned(), bytes)).into()
}
