//! Files with flipped bits and random mutations: no method panics, and all results are valid.

use super::*;
use crate::fuzz::abc_target;
use crate::prelude::*;

#[test]
fn flipped_bits_are_handled() {
    for model in [sample_model(), minimal()] {
        let mut bytes = write_unchecked(&model);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            abc_target(&bytes);
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
        abc_target(&bytes);
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
