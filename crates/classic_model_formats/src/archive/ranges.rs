//! Ranges of bytes that should not overlap. Independent of any format. It must not do I/O.

use core::ops::Range;

/// Sorts ranges, and joins those that overlap or touch. Drops empty ranges.
pub(crate) fn merge(ranges: &mut Vec<Range<u64>>) {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|range, before| {
        let is_joined = range.start <= before.end;
        if is_joined {
            before.end = before.end.max(range.end);
        }
        is_joined
    });
}

/// Whether a range has bytes of one of the merged ranges.
pub(crate) fn intersects(merged: &[Range<u64>], range: &Range<u64>) -> bool {
    let next = merged.partition_point(|other| other.end <= range.start);
    !range.is_empty()
        && merged
            .get(next)
            .is_some_and(|other| other.start < range.end)
}

/// The indices of ranges that overlap an earlier one, in ascending order. Equal ranges count only with `counts_equal`, and empty
/// ones never.
pub(crate) fn overlapping(
    ranges: impl Iterator<Item = Range<u64>>,
    counts_equal: bool,
) -> Vec<u32> {
    let mut sorted: Vec<(u64, u64, u32)> = (0..)
        .zip(ranges)
        .filter(|(_, range)| !range.is_empty())
        .map(|(index, range)| (range.start, range.end, index))
        .collect();
    sorted.sort_unstable();
    let mut furthest = (0, 0);
    let mut found = Vec::new();
    for (start, end, index) in sorted {
        if start < furthest.1 && (counts_equal || (start, end) != furthest) {
            found.push(index);
        }
        if end > furthest.1 {
            furthest = (start, end);
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_ranges_are_found_by_any_common_byte() {
        let mut ranges = vec![50..60, 0..12, 70..70, 10..20, 20..30];
        merge(&mut ranges);
        assert_eq!(ranges, [0..30, 50..60]);
        for (range, expected) in [
            (30..50, false),
            (29..50, true),
            (30..51, true),
            (5..5, false),
            (55..56, true),
            (60..99, false),
            (0..99, true),
        ] {
            assert_eq!(intersects(&ranges, &range), expected, "{range:?}");
        }
    }

    #[test]
    fn only_partial_overlaps_are_found() {
        let find = |ranges: &[Range<u64>]| overlapping(ranges.iter().cloned(), false);
        assert_eq!(find(&[0..10, 10..20, 0..10, 5..5, 10..20]), []);
        assert_eq!(find(&[5..15, 0..10]), [0]);
        assert_eq!(find(&[0..100, 10..20, 30..40]), [1, 2]);
        assert_eq!(find(&[0..10, 0..5]), [0]);
        let equal = overlapping([0..10, 10..20, 0..10].into_iter(), true);
        assert_eq!(equal, [2]);
    }
}
