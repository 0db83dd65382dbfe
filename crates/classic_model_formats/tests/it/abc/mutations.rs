//! Files with flipped bits and random mutations: no method panics, and all results are valid.

use super::*;
use classic_model_formats::abc::write::write;
use classic_models_fixtures::random::Random;

/// Calls all methods on a file, if it parses, and checks the results.
fn exercise(bytes: &[u8]) {
    let Ok(file) = parse(bytes) else { return };
    for level in [0, 1, file.geometry.lods] {
        let lod = file.geometry.lod(level);
        let count = file.geometry.vertices.len() as u32;
        assert!(lod.vertices().iter().all(|index| *index < count));
    }
    for normal in file.geometry.normals().into_iter().flatten() {
        let length = normal.iter().map(|value| value * value).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-3);
    }
    let animations = file.animations.iter().enumerate();
    let times = animations.flat_map(|(index, animation)| {
        let middle = animation.seconds() * 0.4;
        [
            (Some(index), 0.0),
            (Some(index), middle),
            (Some(index), f32::MAX),
        ]
    });
    for (animation, seconds) in times.take(20).chain([(None, 0.0)]) {
        for pose in file.node_poses(animation, seconds) {
            let mut numbers = pose.translation.iter().chain(&pose.rotation);
            assert!(numbers.all(|value| value.is_finite()));
        }
        let positions = file.vertex_positions(animation, seconds);
        assert!(
            positions
                .as_flattened()
                .iter()
                .all(|value| value.is_finite())
        );
        file.vertex_positions_in_model(animation, seconds);
    }
    // Invalid UTF-8 becomes longer when it is replaced, and may then be too long to write.
    let document = AbcDocument::from(&file);
    if let Ok(written) = write(&document) {
        assert_eq!(AbcDocument::from(&parse(&written).unwrap()), document);
    }
}

#[test]
fn flipped_bits_are_handled() {
    for model in [sample_model(), minimal()] {
        let mut bytes = write_unchecked(&model);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            exercise(&bytes);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn random_mutations_are_handled() {
    let model = sample_model();
    // Offsets of counts and links, where small changes have large effects.
    let mut offsets: Vec<u64> = Offsets::of(&model).0.into_values().collect();
    offsets.sort_unstable();
    let seeds = [write_unchecked(&model), write_unchecked(&minimal())];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..50_000 {
        let mut bytes = seeds[usize::from(round % 8 == 0)].clone();
        for _ in 0..=random.below(3) {
            let offset = offsets[random.below(offsets.len())] as usize + random.below(8);
            let at = [offset, random.below(bytes.len().max(1))][random.below(2)];
            mutate(&mut bytes, at, &mut random);
        }
        exercise(&bytes);
    }
}

fn mutate(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let at = at.min(bytes.len().saturating_sub(4));
    let end = bytes.len().min(at + 4);
    match random.below(6) {
        0 if at < end => bytes[at] = random.below(256) as u8,
        1 if random.below(4) == 0 => bytes.truncate(at.max(1)),
        2 => {
            let value = [0, 1, -1, i32::MAX, i32::MIN, 255, 0x7fc0_0000][random.below(7)];
            bytes[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
        }
        3 => {
            let from = random.below(bytes.len().max(1));
            let piece = bytes[from..bytes.len().min(from + random.below(200))].to_vec();
            bytes.splice(at..at, piece);
        }
        4 if at < end => bytes[at] = bytes[at].wrapping_add(1),
        _ if at < end => bytes[at] ^= 1 << random.below(8),
        _ => {}
    }
}
