//! What the fuzz target does, on files that are kept and on files made at random.

use crate::support::fixtures::{figure, tetrahedron, wide_tetrahedron};
use crate::support::{abc, ala, alo, lgw};
use bevy::math::{Quat, Vec3};
use bevy_classic_models::alamo::ala::write::{AlaDocument, write as write_ala};
use bevy_classic_models::alamo::ala::{AlaFile, parse as parse_ala};
use bevy_classic_models::alamo::alo::parse;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::clip;
use bevy_classic_models::lgw::LgwContents;
use bevy_classic_models::lgw::text::{LgwFile, Tolerance, parse as parse_lgw, write as write_lgw};
use bevy_classic_models::lithtech::abc::write::{AbcDocument, write as write_abc};
use bevy_classic_models::lithtech::dtx::write::{DtxDocument, write as write_dtx};
use bevy_classic_models::lithtech::{AbcContents, abc as abc_file, dtx};
use bevy_classic_models::prelude::{AbcLoaderSettings, LgwLoaderSettings};
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

/// As in `fuzz/fuzz_targets/alo.rs`.
fn alo_target(bytes: &[u8]) {
    let Ok(mut file) = parse(bytes) else { return };
    file.warnings.clear();
    let submeshes = file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    for tree in submeshes.filter_map(|submesh| submesh.tree.as_ref()) {
        assert_eq!(tree.boxes().len(), tree.nodes.len());
    }
    // Texts may be too long to be written once they are made UTF-8.
    if let Ok(written) = write(&file) {
        let mut read = parse(&written).unwrap();
        read.warnings.clear();
        assert_eq!(format!("{read:?}"), format!("{file:?}"));
    }
}

/// As in `fuzz/fuzz_targets/ala.rs`.
fn ala_target(bytes: &[u8]) {
    let Ok(file) = parse_ala(bytes) else { return };
    for bone in &file.bones {
        for time in [0.0, 0.5, file.frames as f32 - 1.25, f32::MAX] {
            let pose = file.sample(bone, time);
            let rotation = pose.rotation.unwrap_or_default();
            let mut numbers = pose.translation.iter().chain(&pose.scale).chain(&rotation);
            assert!(numbers.all(|value| value.is_finite()));
        }
    }
    sample_clip(&file);
    // As many frames as a file may have would be a lot of them once they are unpacked.
    if file.frames > 1 << 12 {
        return;
    }
    // Texts may be too long to be written once they are made UTF-8.
    let document = AlaDocument::from(&file);
    if let Ok(written) = write_ala(&document) {
        assert_eq!(AlaDocument::from(&parse_ala(&written).unwrap()), document);
    }
}

/// What Bevy would be told of each bone.
fn sample_clip(file: &AlaFile) {
    let clip = clip(file);
    let duration = clip.duration();
    assert!(duration > 0.0 && duration.is_finite());
    for curve in clip.curves().values().flatten() {
        for time in [0.0, 0.5 * duration, duration, f32::NAN, f32::MAX] {
            let sample = curve.0.sample_clamped(time);
            let vector = sample.downcast_ref::<Vec3>();
            let rotation = sample.downcast_ref::<Quat>();
            assert!(vector.is_none_or(|vector| vector.is_finite()));
            assert!(rotation.is_none_or(|rotation| rotation.is_normalized()));
        }
    }
}

/// As in `fuzz/fuzz_targets/abc.rs`.
fn abc_target(bytes: &[u8]) {
    let Ok(file) = abc_file::parse(bytes) else {
        return;
    };
    for level in [0, 1, file.geometry.lods] {
        let count = file.geometry.vertices.len() as u32;
        let vertices = file.geometry.lod(level).vertices();
        assert!(vertices.iter().all(|index| *index < count));
    }
    file.geometry.normals();
    for animation in [None, Some(0), file.animations.len().checked_sub(1)] {
        for seconds in [0.0, 0.05, f32::MAX] {
            let poses = file.node_poses(animation, seconds);
            let mut numbers = poses.iter().flat_map(|pose| pose.rotation);
            assert!(numbers.all(f32::is_finite));
            let positions = file.vertex_positions(animation, seconds);
            assert!(positions.as_flattened().iter().all(|it| it.is_finite()));
            file.vertex_positions_in_model(animation, seconds);
        }
    }
    let _ = AbcContents::load(bytes, &AbcLoaderSettings::default());
    // Texts may be too long to be written once they are made UTF-8.
    let document = AbcDocument::from(&file);
    if let Ok(written) = write_abc(&document) {
        assert_eq!(
            AbcDocument::from(&abc_file::parse(&written).unwrap()),
            document
        );
    }
}

/// As in `fuzz/fuzz_targets/dtx.rs`.
fn dtx_target(bytes: &[u8]) {
    let Ok(file) = dtx::parse(bytes) else { return };
    for (number, level) in file.levels.iter().enumerate() {
        let texels = level.width as usize * level.height as usize;
        for picture in [file.rgba(number), file.glow(number)].iter().flatten() {
            assert_eq!(picture.len(), 4 * texels);
        }
    }
    let document = DtxDocument::from(&file);
    if let Ok(written) = write_dtx(&document) {
        assert_eq!(DtxDocument::from(&dtx::parse(&written).unwrap()), document);
    }
}

/// As in `fuzz/fuzz_targets/lgw.rs`.
pub fn lgw_target(bytes: &[u8]) {
    for tolerance in [Tolerance::Strict, Tolerance::Normal, Tolerance::Lenient] {
        let Ok(mut file) = parse_lgw(bytes, tolerance) else {
            continue;
        };
        lgw::check_sound(&file);
        file.warnings.clear();
        // What lenient readers accept may have no text.
        if let Ok(written) = write_lgw(&file) {
            let read = parse_lgw(&written, Tolerance::Strict).unwrap();
            let warnings = Vec::new();
            assert_eq!(LgwFile { warnings, ..read }, file);
        }
    }
    let _ = LgwContents::load(bytes, &LgwLoaderSettings::default());
}

fn each_regression(folder: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        target(&std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files > 0);
}

#[test]
fn regressions_stay_fixed() {
    each_regression("tests/regressions/mdl", target);
    each_regression("tests/regressions/alo", alo_target);
    each_regression("tests/regressions/ala", ala_target);
    each_regression("tests/regressions/abc", abc_target);
    each_regression("tests/regressions/dtx", dtx_target);
    each_regression("tests/regressions/lgw", lgw_target);
}

/// A generator of Marsaglia's, so that every run is the same.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
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

#[test]
fn mutations_of_good_alo_models_do_no_harm() {
    let seeds = [alo::minimal(), alo::clean(), alo::flawed()];
    mutate(&seeds, Random(0x9e37_79b9_7f4a_7c15), alo_target);
}

#[test]
fn mutations_of_good_ala_animations_do_no_harm() {
    let seeds = [1, 2].map(|version| [ala::minimal(version), ala::small(version)]);
    mutate(
        seeds.as_flattened(),
        Random(0x2545_f491_4f6c_dd1d),
        ala_target,
    );
}

#[test]
fn mutations_of_good_abc_models_do_no_harm() {
    let seeds = [abc::figure(), abc::banner()].map(|model| abc::bytes(&model));
    let mut random = Random(0x6c62_272e_07bb_0142);
    for round in 0..20_000 {
        let mut bytes = seeds[round % 2].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            let end = bytes.len().min(at + 4);
            match random.below(5) {
                0 => bytes[at] = random.below(256) as u8,
                1 if random.below(8) == 0 => bytes.truncate(at.max(1)),
                2 => {
                    let value = [0, 1, -1, i32::MAX, i32::MIN, 0x7fc0_0000][random.below(6)];
                    bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
                }
                _ => bytes[at] ^= 1 << random.below(8),
            }
        }
        abc_target(&bytes);
    }
}

/// A text with some of its words and bytes changed.
pub fn damaged_text(text: &str, random: &mut Random) -> Vec<u8> {
    const WORDS: [&str; 24] = [
        "0",
        "-1",
        "3",
        "1000000000000",
        "1.#QNAN",
        "1e99",
        "0,5",
        "...",
        "\"",
        "\"\"",
        "//",
        "\n",
        "\r",
        "END_OF_MESH",
        "END_OF_GROUP",
        "END_OF_MATERIAL",
        "TEXTURE",
        "VERTS",
        "COUNT",
        "GROUP",
        "TYPE_FAN",
        "UNKNOWN",
        "RAW_IMAGE",
        "\u{e8}",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let is_blank = |byte: &u8| byte.is_ascii_whitespace();
        // The word that begins behind the next blank.
        let begin = at
            + bytes[at..]
                .iter()
                .position(is_blank)
                .map_or(0, |blank| blank + 1);
        let length = bytes[begin..].iter().position(is_blank);
        let end = length.map_or(bytes.len(), |length| begin + length);
        let word = WORDS[random.below(WORDS.len())].bytes();
        match random.below(8) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.splice(begin..end, word)),
            3 => drop(bytes.splice(begin..begin, word.chain(*b" "))),
            4 => drop(bytes.splice(begin..end, [])),
            5 => {
                let from = random.below(bytes.len());
                let to = bytes.len().min(from + random.below(200));
                let piece = bytes[from..to].to_vec();
                bytes.splice(begin..begin, piece);
            }
            6 => {
                let to = bytes.len().min(begin + random.below(200));
                bytes.drain(begin..to);
            }
            _ if random.below(8) == 0 => bytes.truncate(at.max(1)),
            _ => {}
        }
        if bytes.is_empty() {
            return bytes;
        }
    }
    bytes
}

#[test]
fn mutations_of_good_lgw_models_do_no_harm() {
    let seeds = [lgw::BICYCLE, lgw::EVERYTHING, lgw::FLAWED];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..20_000 {
        lgw_target(&damaged_text(seeds[round % 3], &mut random));
    }
}

/// Damages files of chunks.
fn mutate(seeds: &[Vec<u8>], mut random: Random, target: fn(&[u8])) {
    for round in 0..20_000 {
        let mut bytes = seeds[round % seeds.len()].clone();
        let chunks = alo::all_chunks(&bytes);
        for _ in 0..=random.below(3) {
            // Headers are where small changes go far.
            let chunk = chunks[random.below(chunks.len())].1;
            let inside = random.below(60) as u64;
            let at = [chunk.header + random.below(8) as u64, chunk.body + inside];
            let at = (at[random.below(2)] as usize).min(bytes.len().saturating_sub(4));
            let end = bytes.len().min(at + 4);
            match random.below(5) {
                0 if at < end => bytes[at] = random.below(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => {
                    let value = [0, 1, -1, i32::MAX, i32::MIN, 255][random.below(6)];
                    bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
                }
                3 => {
                    let from = chunks[random.below(chunks.len())].1;
                    let piece = bytes.get(from.header as usize..from.end as usize);
                    let piece = piece.unwrap_or_default().to_vec();
                    bytes.splice(at..at, piece);
                }
                _ if at < end => bytes[at] ^= 1 << random.below(8),
                _ => {}
            }
        }
        target(&bytes);
    }
}
