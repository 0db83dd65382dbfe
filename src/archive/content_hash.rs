//! Hashes by which contents of entries are compared.

use bevy::platform::hash::{DefaultHasher, FixedHasher};
use core::fmt::{self, Debug, Formatter};
use core::hash::{BuildHasher, Hasher};

/// The hasher depends on how its input is divided, so all of it is divided into blocks of this size in bytes.
const BLOCK: usize = 1 << 12;

/// Hashes the bytes of an entry, which can come in parts.
pub(crate) struct ContentHasher {
    hasher: DefaultHasher<'static>,
    /// The bytes since the last complete block.
    block: Vec<u8>,
    count: u64,
}

impl Default for ContentHasher {
    fn default() -> Self {
        Self {
            hasher: FixedHasher.build_hasher(),
            block: Vec::new(),
            count: 0,
        }
    }
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
        let missing = match self.block.len() {
            0 => 0,
            len => BLOCK - len,
        };
        let (first, rest) = bytes.split_at(missing.min(bytes.len()));
        self.block.extend_from_slice(first);
        if self.block.len() == BLOCK {
            self.hasher.write(&self.block);
            self.block.clear();
        }
        let (blocks, end) = rest.as_chunks::<BLOCK>();
        for block in blocks {
            self.hasher.write(block);
        }
        self.block.extend_from_slice(end);
    }

    /// The count of bytes so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The hash of the bytes so far.
    pub fn finish(&self) -> u64 {
        let mut hasher = self.hasher.clone();
        hasher.write(&self.block);
        hasher.write_u64(self.count);
        hasher.finish()
    }
}

impl Debug for ContentHasher {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContentHasher")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, ContentHasher};

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
