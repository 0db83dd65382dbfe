//! Numbers for names, to compare and sort names in linear time. Independent of any format. It must not do I/O.

use super::hash::NameHasher;
use super::listing::Names;
use super::names::push_folded;

/// Numbers for names that are equal if the names are. Comparing them instead of the names keeps the time linear in the file's
/// length although many entries may share long names.
pub(super) struct Ranks {
    hasher: NameHasher,
    folded_names: Names,
    /// The hash of each folded name.
    hashes: Vec<u64>,
    /// Names by their hashes.
    order: Vec<u32>,
    /// Of each name: equal for names that differ only in case.
    folded: Vec<u32>,
    /// Of each name: equal for equal names. In the order of hashes, then of folded names, then of names.
    exact: Vec<u32>,
}

impl Ranks {
    pub fn new(names: &Names, hasher: NameHasher) -> Self {
        let count = names.len() as u32;
        let mut folded_names = Names::with_capacity(names.len(), names.text_len());
        for index in 0..count {
            folded_names.push_with(|text| push_folded(text, names.get(index)));
        }
        let hash = |index| hasher.whole_hash(folded_names.get(index));
        let hashes: Vec<u64> = (0..count).map(hash).collect();
        let mut ranks = Self {
            hasher,
            folded_names,
            hashes,
            order: Vec::new(),
            folded: vec![0; names.len()],
            exact: vec![0; names.len()],
        };
        ranks.order = ranks.sorted(names);
        ranks.number(names);
        ranks
    }

    /// The indices of names by hash, then by folded name, then by name.
    fn sorted(&self, names: &Names) -> Vec<u32> {
        // Hashes are random numbers, so each bucket has few. Sorting all of them takes longer.
        let bits = names.len().max(2).ilog2();
        let bucket = |hash: &u64| (hash >> (u64::BITS - bits)) as u32;
        let mut order = counting_sort(self.hashes.iter().map(bucket), 1 << bits);
        let bucket = |index: u32| bucket(&self.hash(index));
        for same in order.chunk_by_mut(|a, b| bucket(*a) == bucket(*b)) {
            same.sort_unstable_by(|a, b| {
                let by_hash = self.hash(*a).cmp(&self.hash(*b));
                let folded = |index| self.folded_names.get(index);
                let by_folded = by_hash.then_with(|| folded(*a).cmp(folded(*b)));
                by_folded.then_with(|| names.get(*a).cmp(names.get(*b)))
            });
        }
        order
    }

    /// Numbers the sorted names.
    fn number(&mut self, names: &Names) {
        let (mut folded, mut exact) = (0, 0);
        let mut before = None;
        for index in &self.order {
            if let Some(before) = before {
                let folded_name = |index| self.folded_names.get(index);
                let is_folded_same = self.hash(before) == self.hash(*index)
                    && folded_name(before) == folded_name(*index);
                let is_same = is_folded_same && names.get(before) == names.get(*index);
                folded += u32::from(!is_folded_same);
                exact += u32::from(!is_same);
            }
            before = Some(*index);
            if let Some(rank) = self.folded.get_mut(*index as usize) {
                *rank = folded;
            }
            if let Some(rank) = self.exact.get_mut(*index as usize) {
                *rank = exact;
            }
        }
    }

    /// The count of names. All ranks are less.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn hash(&self, name: u32) -> u64 {
        self.hashes.get(name as usize).copied().unwrap_or_default()
    }

    pub fn folded(&self, name: u32) -> u32 {
        at(&self.folded, name)
    }

    pub fn exact(&self, name: u32) -> u32 {
        at(&self.exact, name)
    }

    /// Of each name, whether another name begins with it and a separator.
    pub fn prefixes_of_paths(&self) -> Vec<bool> {
        let mut found = vec![false; self.folded_names.len()];
        // Most paths are in the folder of an earlier one, so this saves most searches.
        let mut searched = vec![""; found.len().next_power_of_two()];
        let mask = searched.len() - 1;
        for path in 0..self.folded_names.len() as u32 {
            let path = self.folded_names.get(path);
            // The last part is short, so searching with vector instructions would take longer.
            let end = path.bytes().rposition(|byte| byte == b'/');
            let Some(folder) = end.and_then(|end| path.get(..end)) else {
                continue;
            };
            let slot = self.hasher.whole_hash(folder) as usize & mask;
            let searched = searched.get_mut(slot);
            if searched.is_some_and(|it| core::mem::replace(it, folder) == folder) {
                continue;
            }
            self.hasher.hash_prefixes(path, |end, hash| {
                let start = self.order.partition_point(|index| self.hash(*index) < hash);
                let same = self.order.get(start..).unwrap_or_default().iter();
                for index in same.take_while(|index| self.hash(**index) == hash) {
                    match found.get_mut(*index as usize) {
                        // Names of the same hash were found together.
                        None | Some(true) => break,
                        Some(found) => {
                            *found = path.get(..end) == Some(self.folded_names.get(*index))
                        }
                    }
                }
            });
        }
        found
    }
}

/// The element of a table of indices. A missing one is its own index.
pub(super) fn at(indices: &[u32], index: u32) -> u32 {
    indices.get(index as usize).copied().unwrap_or(index)
}

/// The indices of keys in ascending order of the keys. Equal keys keep their order. All keys are less than `count`; others are
/// sorted last. Takes linear time.
pub(super) fn counting_sort(
    keys: impl ExactSizeIterator<Item = u32> + Clone,
    count: usize,
) -> Vec<u32> {
    let position = |key: u32| (key as usize).min(count);
    let mut next = vec![0_u32; count + 1];
    for key in keys.clone() {
        if let Some(next) = next.get_mut(position(key)) {
            *next += 1;
        }
    }
    let mut sum = 0;
    for next in &mut next {
        sum += core::mem::replace(next, sum);
    }
    let mut order = vec![0; keys.len()];
    for (index, key) in (0..).zip(keys) {
        if let Some(next) = next.get_mut(position(key)) {
            if let Some(slot) = order.get_mut(*next as usize) {
                *slot = index;
            }
            *next += 1;
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_sort_is_stable() {
        let sort = |keys: &[u32], count| counting_sort(keys.iter().copied(), count);
        assert_eq!(sort(&[], 0), []);
        assert_eq!(sort(&[3, 0, 1, 3, 0], 4), [1, 4, 2, 0, 3]);
        assert_eq!(sort(&[9, 2, 1, 8], 2), [2, 0, 1, 3]);
    }

    #[test]
    fn ranks_are_equal_for_equal_names() {
        let mut names = Names::default();
        let texts = ["b/a", "A", "a", "B/a", "a", "", "ü", "Ü", "b/a/c"];
        for text in texts {
            names.push(text);
        }
        let ranks = Ranks::new(&names, NameHasher::default());
        for (a, first) in (0..).zip(texts) {
            for (b, second) in (0..).zip(texts) {
                let is_same = ranks.exact(a) == ranks.exact(b);
                assert_eq!(is_same, first == second, "{first} {second}");
                let is_same = ranks.folded(a) == ranks.folded(b);
                let expected = first.to_lowercase() == second.to_lowercase();
                assert_eq!(is_same, expected, "{first} {second}");
            }
        }
        let is_prefix = ranks.prefixes_of_paths();
        let prefixes: Vec<&str> = texts
            .iter()
            .zip(is_prefix)
            .filter(|it| it.1)
            .map(|it| *it.0)
            .collect();
        assert!(
            prefixes.iter().all(|it| ["b/a", "B/a"].contains(it)),
            "{prefixes:?}"
        );
        assert!(!prefixes.is_empty());
    }
}
