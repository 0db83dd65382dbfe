//! Hashes by which contents of entries are compared.

use core::hash::Hasher;
use std::hash::DefaultHasher;

/// Hashes the bytes of an entry, which can come in parts. How they are divided has no effect on the hash.
#[derive(Debug, Default)]
pub(crate) struct ContentHasher {
    hasher: DefaultHasher,
    count: u64,
}

impl ContentHasher {
    /// The hash of all bytes at once.
    pub fn hash(bytes: &[u8]) -> u64 {
        let mut hasher = Self::default();
        hasher.add(bytes);
        hasher.finish()
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.count += bytes.len() as u64;
        self.hasher.write(bytes);
    }

    /// The count of bytes so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The hash of the bytes so far.
    pub fn finish(&self) -> u64 {
        self.hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::ContentHasher;

    const BLOCK: usize = 1 << 12;

    #[test]
    fn parts_have_the_hash_of_the_whole() {
        let bytes: Vec<u8> = (0..3 * BLOCK + 17).map(|n| (n / 7) as u8).collect();
        let whole = ContentHasher::hash(&bytes);
        for size in [1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3] {
            let mut hasher = ContentHasher::default();
            for part in bytes.chunks(size) {
                hasher.add(part);
                hasher.add(&[]);
            }
            assert_eq!(hasher.count(), bytes.len() as u64);
            assert_eq!(hasher.finish(), whole, "parts of {size} bytes");
        }
    }

    #[test]
    fn other_bytes_have_other_hashes() {
        let mut bytes = vec![0; 2 * BLOCK];
        let mut hashes = vec![ContentHasher::hash(&[]), ContentHasher::hash(&bytes)];
        hashes.push(ContentHasher::hash(&bytes[1..]));
        for index in [0, BLOCK - 1, BLOCK, 2 * BLOCK - 1] {
            bytes[index] ^= 1;
            hashes.push(ContentHasher::hash(&bytes));
        }
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), 7);
    }
}
