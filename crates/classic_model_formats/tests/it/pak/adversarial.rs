//! Quake archives that are made to maximize the heap or the time of opening them.

use crate::prelude::*;
use classic_models_fixtures::archives::pak;

/// Archives with many entries in few bytes.
pub fn files(factor: usize) -> Vec<(String, Vec<u8>)> {
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
    let files = [
        ("many names", many),
        ("equal names", with_names(&|_| b"a".to_vec())),
        ("names in all cases", cases),
        ("deep paths", with_names(&|_| b"a/".repeat(28))),
        ("longest characters", with_names(&|_| vec![0x80; 56])),
        ("directory of 4 GiB", huge),
        ("file of 4 GiB", far),
    ];
    files.map(|(name, bytes)| (name.to_owned(), bytes)).into()
}
