//! Archives of UFO: Aftermath that are made to maximize the heap or the time of opening them.

use crate::prelude::*;
use classic_models_fixtures::archives::chunks;
use miniz_oxide::deflate::compress_to_vec_zlib;

fn entry(name: &str, kind: u32, first: u32, stored: usize) -> VfsEntry {
    VfsEntry {
        name: name.into(),
        kind,
        first,
        stored: stored as u32,
        size: u32::MAX,
    }
}

/// Archives with many entries or clusters in few bytes.
pub fn files(factor: usize) -> Vec<(String, Vec<u8>)> {
    let count = 25_000 * factor as u32;
    // Clusters of one byte, linked backwards, in one folder.
    let mut bytes = Vfs::new(1);
    let record = entry("x", 1, 1, 0).record();
    let content = record.repeat(count as usize / 88);
    let first = bytes.add_clusters(&content, true);
    bytes.root = vec![entry("folder", 2, first, content.len())];
    // One long chain, entered by many files at different clusters.
    let mut shared = Vfs::new(1);
    let first = shared.add_clusters(&vec![0; count as usize], true);
    shared.root = (0..1250 * factor as u32)
        .map(|index| entry("x", 1, first - index, 22_500 * factor))
        .collect();
    // A cycle of all clusters.
    let mut cycle = shared.clone();
    cycle.next[0] = count;
    let mut deep = Vfs::new(88);
    for depth in 1..=60 {
        deep.add_clusters(&entry(&"d".repeat(63), 2, depth + 1, 88).record(), false);
    }
    let files = entry("f", 1, 0, 0).record().repeat(1250 * factor);
    let first = deep.add_clusters(&files, false);
    deep.clusters[59] = entry("last", 2, first, files.len()).record();
    deep.root = vec![entry("root", 2, 1, 88)];
    let mut packed = Vfs::new(4096);
    let stored = chunks(&vec![zlib(&[0; 100]); 250 * factor]);
    let file = packed.add("packed", 9, &stored, u32::MAX as usize);
    packed.root = vec![file];
    // A chunk that inflates to far more than a chunk may.
    let mut bomb = Vfs::new(4096);
    let stored = chunks(&[compress_to_vec_zlib(&vec![0; 16 << 20], 9)]);
    let file = bomb.add("bomb", 9, &stored, 16 << 20);
    bomb.root = vec![file];
    let shared = shared.build();
    let huge = with_u32(&shared, 8, u32::MAX);
    let files = [
        ("folder in clusters of a byte", bytes.build()),
        ("cycle", cycle.build()),
        ("deep files", deep.build()),
        ("claims 4 GiB", packed.build()),
        ("bomb", bomb.build()),
        ("four billion clusters", huge),
        ("shared chain", shared),
    ];
    files.map(|(name, bytes)| (name.to_owned(), bytes)).into()
}
