//! Allocates segments of texels, in units of one texel.

use std::collections::BTreeMap;

/// The segments in use.
#[derive(Debug)]
pub(crate) struct Segments {
    /// The count of texels that exist at most.
    capacity: u32,
    /// The length of each segment, by its first texel.
    used: BTreeMap<u32, u32>,
}

impl Segments {
    pub(crate) fn new(capacity: u32) -> Self {
        Self {
            capacity,
            used: BTreeMap::new(),
        }
    }

    /// Allocates the first free segment of a length. Returns its first texel. `None` if it does not fit.
    pub(crate) fn allocate(&mut self, length: u32) -> Option<u32> {
        let first = self.find(length)?;
        self.used.insert(first, length.max(1));
        Some(first)
    }

    /// Whether a segment of a length fits.
    pub(crate) fn fits(&self, length: u32) -> bool {
        self.find(length).is_some()
    }

    /// The first texel of the first free segment of a length.
    fn find(&self, length: u32) -> Option<u32> {
        let length = length.max(1);
        let mut first = 0;
        for (begin, used) in &self.used {
            if begin - first >= length {
                break;
            }
            first = begin + used;
        }
        let end = first.checked_add(length)?;
        (end <= self.capacity).then_some(first)
    }

    /// The length of the longest free segment.
    pub(crate) fn longest_free(&self) -> u32 {
        let (mut first, mut longest) = (0, 0);
        for (begin, used) in &self.used {
            longest = longest.max(begin - first);
            first = begin + used;
        }
        longest.max(self.capacity.saturating_sub(first))
    }

    /// Frees the segment that begins at a texel.
    pub(crate) fn free(&mut self, first: u32) {
        self.used.remove(&first);
    }

    /// The end of the last segment.
    pub(crate) fn end(&self) -> u32 {
        let last = self.used.last_key_value();
        last.map_or(0, |(begin, length)| begin + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_segments_are_used_again() {
        let mut segments = Segments::new(10);
        assert_eq!(segments.allocate(4), Some(0));
        assert_eq!(segments.allocate(2), Some(4));
        assert_eq!(segments.allocate(4), Some(6));
        assert_eq!(segments.allocate(1), None);
        assert_eq!(segments.longest_free(), 0);
        segments.free(4);
        assert_eq!(segments.allocate(3), None);
        assert_eq!(segments.longest_free(), 2);
        assert_eq!((segments.allocate(1), segments.end()), (Some(4), 10));
        segments.free(6);
        assert_eq!((segments.end(), segments.longest_free()), (5, 5));
        segments.free(0);
        assert_eq!(segments.allocate(4), Some(0));
    }

    #[test]
    fn a_length_beyond_the_range_does_not_fit() {
        let mut segments = Segments::new(u32::MAX);
        assert_eq!(segments.allocate(5), Some(0));
        assert_eq!(segments.allocate(u32::MAX), None);
        assert_eq!(segments.allocate(0), Some(5));
    }
}
