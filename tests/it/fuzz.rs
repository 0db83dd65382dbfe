//! What the fuzz target does, on files that are kept and on files made at random.

use crate::support::fixtures::{figure, tetrahedron, wide_tetrahedron};
use bevy_classic_models::quake::mdl::Precision;
use bevy_classic_models::quake::{MdlContents, MdlLoaderSettings, Palette, PoseBlend};
use std::path::Path;

/// As in `fuzz/fuzz_targets/mdl.rs`.
fn target(bytes: &[u8]) {
    let settings = MdlLoaderSettings::default();
    if let Ok(contents) = MdlContents::load(bytes, &settings, &Palette::default()) {
        let last = contents.poses.pose_count() - 1;
        let mut places = contents.poses.blend(PoseBlend::from(last));
        assert!(places.all(|(place, _)| place.is_finite()));
    }
}

#[test]
fn regressions_stay_fixed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions/mdl");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        target(&std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files > 0);
}

/// A generator of Marsaglia's, so that every run is the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn mutations_of_good_files_do_no_harm() {
    let seeds = [
        tetrahedron().to_bytes(),
        wide_tetrahedron().to_bytes(),
        figure(Precision::Bits8).to_bytes(),
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..20_000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => {
                    let value = [0, 1, -1, i32::MAX, i32::MIN, 255][random.below(6)];
                    let at = at.min(bytes.len().saturating_sub(4));
                    let end = bytes.len().min(at + 4);
                    bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
                }
                3 => {
                    let piece = bytes[at..].to_vec();
                    bytes.splice(at..at, piece);
                }
                // The header is where small changes go far.
                _ => bytes[random.below(84).min(at)] ^= 1 << random.below(8),
            }
        }
        target(&bytes);
    }
}
