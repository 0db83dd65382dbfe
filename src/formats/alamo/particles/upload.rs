//! The records of a ring buffer, for the copy of them in the render world.

use crate::formats::alamo::particles::evaluate::BirthRecord;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

/// A number that no other call has returned.
pub(crate) fn new_generation() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What the render world copies of a ring buffer.
pub(crate) struct Upload<'a> {
    pub(crate) first: u64,
    pub(crate) next: u64,
    pub(crate) generation: u64,
    pub(crate) slots: &'a [BirthRecord],
}

impl Upload<'_> {
    /// The records with these numbers in order: two parts, of which the second one is empty unless the ring wraps.
    pub(crate) fn records(&self, numbers: &Range<u64>) -> [&[BirthRecord]; 2] {
        let count = self.slots.len() as u64;
        let length = numbers.end.saturating_sub(numbers.start);
        if length == 0 || length > count {
            return [&[], &[]];
        }
        let start = numbers.start % count;
        let end = start + length;
        let part = |range: Range<u64>| {
            let part = self.slots.get(range.start as usize..range.end as usize);
            part.unwrap_or_default()
        };
        [
            part(start..end.min(count)),
            part(0..end.saturating_sub(count)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_rings_that_wrap_are_in_order() {
        let slots: Vec<_> = (0..8)
            .map(|index| BirthRecord {
                birth: index as f32,
                ..BirthRecord::default()
            })
            .collect();
        let upload = Upload {
            first: 0,
            next: 0,
            generation: 0,
            slots: &slots,
        };
        let births = |numbers: Range<u64>| -> Vec<f32> {
            let parts = upload.records(&numbers);
            parts
                .iter()
                .copied()
                .flatten()
                .map(|record| record.birth)
                .collect()
        };
        assert!(births(3..3).is_empty());
        assert_eq!(births(3..6), [3.0, 4.0, 5.0]);
        assert_eq!(births(14..18), [6.0, 7.0, 0.0, 1.0]);
        assert_eq!(births(3..11), [3.0, 4.0, 5.0, 6.0, 7.0, 0.0, 1.0, 2.0]);
        assert_eq!(births(16..24), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    }
}
