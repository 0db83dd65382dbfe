//! Hashes of names with a random key. Independent of any format. It must not do I/O.

use core::hash::BuildHasher;
use std::hash::RandomState;

/// Hashes names with a random key, so that no file can have many names of the same hash.
///
/// Each step multiplies eight bytes by a part of the key to 128 bits and joins both halves, as wyhash and `foldhash` do. The
/// standard library's hasher takes five times as long for paths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameHasher {
    start: u64,
    factor: u64,
    last_factor: u64,
}

impl Default for NameHasher {
    /// With a random key.
    fn default() -> Self {
        let random = RandomState::new();
        Self {
            start: random.hash_one(0),
            // Even factors would lose bits of the product.
            factor: random.hash_one(1) | 1,
            last_factor: random.hash_one(2) | 1,
        }
    }
}

impl NameHasher {
    /// The hash of a folded name.
    pub fn hash(&self, folded: &str) -> u32 {
        short(self.whole_hash(folded))
    }

    /// The hash of a folded name with all its bits.
    pub fn whole_hash(&self, folded: &str) -> u64 {
        let (blocks, rest) = folded.as_bytes().as_chunks();
        let step = |state, block: &[u8; 8]| self.step(state, block);
        self.finish(blocks.iter().fold(self.start, step), rest, folded.len())
    }

    /// Calls `prefix` for each separator in a folded name, with the length and the hash of the text before it.
    pub fn hash_prefixes(&self, folded: &str, mut prefix: impl FnMut(usize, u64)) {
        let mut state = self.start;
        let mut begin = 0;
        for block in folded.as_bytes().chunks(8) {
            for (len, _) in block.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
                let end = begin + len;
                let rest = block.get(..len).unwrap_or_default();
                prefix(end, self.finish(state, rest, end));
            }
            if let Some(block) = block.first_chunk() {
                state = self.step(state, block);
            }
            begin += block.len();
        }
    }

    fn step(&self, state: u64, block: &[u8; 8]) -> u64 {
        joined_product(state ^ u64::from_le_bytes(*block), self.factor)
    }

    /// The hash after the last whole block. `rest` has fewer than eight bytes.
    fn finish(&self, state: u64, rest: &[u8], len: usize) -> u64 {
        let rest = rest
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        let state = joined_product(state ^ rest, self.factor);
        joined_product(state ^ len as u64, self.last_factor)
    }
}

fn joined_product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The part of a hash that an index stores.
pub(crate) fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn prefixes_have_the_hashes_of_the_same_names() {
        let hasher = NameHasher::default();
        let name = "/data/art/textures//12345678/x/";
        let mut found = Vec::new();
        hasher.hash_prefixes(name, |end, hash| found.push((end, hash)));
        let expected: Vec<_> = name
            .match_indices('/')
            .map(|(end, _)| (end, hasher.whole_hash(&name[..end])))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn similar_names_have_different_hashes() {
        let hasher = NameHasher::default();
        let names = (0..20_000).map(|index| format!("data/art/unit_{index:05}.alo"));
        let zeros = (0..99).map(|len| "\0".repeat(len));
        let names: Vec<String> = names.chain(zeros).collect();
        let hashes: HashSet<u64> = names.iter().map(|name| hasher.whole_hash(name)).collect();
        assert_eq!(hashes.len(), names.len());
        // Of random numbers, 6 buckets in a million have more than 8 of as many names as buckets.
        let mut buckets = vec![0; 1 << 14];
        for hash in hashes {
            buckets[(hash >> 50) as usize] += 1;
        }
        assert!(buckets.iter().all(|count| *count < 16));
    }
}
