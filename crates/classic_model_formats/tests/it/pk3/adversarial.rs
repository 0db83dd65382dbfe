//! ZIP archives that are made to maximize the heap or the time of opening them.

use crate::prelude::*;
use miniz_oxide::deflate::compress_to_vec;

/// Archives with many entries in few bytes, and entries whose sizes are wrong.
pub fn files(factor: usize) -> Vec<(String, Vec<u8>)> {
    let count = 2500 * factor;
    let with_names = |name: &dyn Fn(usize) -> Vec<u8>| {
        let files: Vec<Pk3File> = (0..count)
            .map(|index| Pk3File::stored(&name(index), b"x"))
            .collect();
        build_pk3(&files).bytes
    };
    let many = with_names(&|index| format!("\u{fc}{index:x}").into_bytes());
    // The same name in another case for each bit of the index.
    let case = |index: usize, bit: u32| if index >> bit & 1 == 0 { b'a' } else { b'A' };
    let cases = with_names(&|index| (0..32).map(|bit| case(index, bit)).collect());
    let zeros = compress_to_vec(&vec![0; 16 << 20], 9);
    let bomb = |size: usize| {
        let file = Pk3File {
            stored: zeros.clone(),
            size: size as u32,
            ..Pk3File::deflated(b"bomb", b"")
        };
        build_pk3(&[file]).bytes
    };
    // All records have the same header.
    let sample = build_pk3(&vec![Pk3File::deflated(b"a", &[7; 100]); count]);
    let mut shared = sample.bytes.clone();
    for record in &sample.records {
        shared = with_u32(&shared, record + 42, 0);
    }
    let files = [
        ("many names", many),
        ("equal names", with_names(&|_| b"a".to_vec())),
        ("names in all cases", cases),
        ("deep paths", with_names(&|_| b"a/".repeat(28))),
        ("longest characters", with_names(&|_| vec![0x80; 56])),
        (
            "a long name",
            build_pk3(&[Pk3File::stored(&vec![b'a'; 65_535], b"")]).bytes,
        ),
        ("inflates past its size", bomb(100)),
        ("one header for all", shared),
    ];
    files.map(|(name, bytes)| (name.to_owned(), bytes)).into()
}
