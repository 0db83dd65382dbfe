//! Petroglyph archives that are made to maximize the heap or the time of opening them.

use crate::prelude::*;
use classic_models_fixtures::archives::{meg, patched};

/// Archives with many entries in few bytes. `factor` is at most 4, because names are shorter than 64 KiB.
pub fn files(factor: usize) -> Vec<(String, Vec<u8>)> {
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
    let files = [
        ("equal names", same),
        ("files with content", with_content),
        ("different names", different),
        ("shared long names", shared.bytes),
        ("deep paths", meg(1, &deep).bytes),
        ("longest characters", meg(1, &euros).bytes),
        ("four billion files", huge),
        ("four billion bytes", far),
    ];
    files.map(|(name, bytes)| (name.to_owned(), bytes)).into()
}
