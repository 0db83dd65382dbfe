//! Bounds tables whose entries are of files or assets.

use std::collections::HashMap;
use std::hash::Hash;

/// Removes unused entries of a table that would grow with the next insertion. So it has at most about twice as many entries as were
/// in use at once, and each insertion takes constant time on average.
pub(crate) fn remove_unused<K: Eq + Hash, V>(
    table: &mut HashMap<K, V>,
    is_used: impl Fn(&K, &V) -> bool,
) {
    if table.len() < table.capacity() {
        return;
    }
    table.retain(|key, value| is_used(key, value));
    // At least as many insertions precede the next call that visits all entries.
    table.reserve(table.len() + 1);
}

#[cfg(test)]
mod tests {
    use super::remove_unused;
    use std::cell::Cell;
    use std::collections::HashMap;

    #[test]
    fn tables_are_bounded_by_their_used_entries() {
        let mut table = HashMap::new();
        let visits = Cell::new(0_u32);
        for key in 0..10_000_u32 {
            remove_unused(&mut table, |key, ()| {
                visits.set(visits.get() + 1);
                *key < 100
            });
            table.insert(key, ());
            assert!(table.len() < 500, "{}", table.len());
        }
        assert!((0..100).all(|key| table.contains_key(&key)));
        assert!(visits.get() < 40_000, "{visits:?}");
    }
}
