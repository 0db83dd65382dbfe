//! The chains of clusters of files. It must not read or parse bytes.

use super::records::{FatEntry, LAST};
use std::collections::HashMap;

/// Consecutive clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The first cluster.
    pub first: u32,
    /// The count of clusters.
    pub count: u32,
}

/// Successive clusters that are linked in order. The run ends before the next one.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    /// The cluster that follows the last one of the run.
    next: u32,
}

/// The links of all clusters, in less memory than the file allocation table.
#[derive(Debug)]
pub(super) struct Chains {
    clusters: u32,
    runs: Vec<Run>,
}

impl Chains {
    /// Compresses a file allocation table.
    pub fn new(fat: &[FatEntry]) -> Self {
        // The count comes from a field of 32 bits.
        let clusters = fat.len() as u32;
        let mut runs = Vec::new();
        let mut first = 1;
        for (cluster, entry) in (1..=clusters).zip(fat) {
            let next = entry.next.get();
            if cluster == clusters || next != cluster + 1 {
                runs.push(Run { first, next });
                first = cluster.saturating_add(1);
            }
        }
        runs.shrink_to_fit();
        Self { clusters, runs }
    }

    /// The first `count` clusters of a chain. The error says why the chain has fewer.
    pub fn extents(&self, first: u32, count: u64) -> Result<Vec<Extent>, &'static str> {
        let mut extents = Vec::new();
        // The lowest visited cluster of each run. The later clusters of the run are visited, too.
        let mut visited: HashMap<usize, u32> = HashMap::new();
        let (mut cluster, mut left) = (first, count);
        while left > 0 {
            match cluster {
                LAST => return Err("it ends before the declared size"),
                0 => return Err("it reaches cluster 0"),
                _ if cluster > self.clusters => {
                    return Err("it reaches a cluster past the last one");
                }
                _ => {}
            }
            let index = self.runs.partition_point(|run| run.first <= cluster) - 1;
            let end = self
                .runs
                .get(index + 1)
                .map_or(self.clusters, |run| run.first - 1);
            let count = left.min(u64::from(end - cluster) + 1) as u32;
            let known = visited.entry(index).or_insert(u32::MAX);
            if cluster + (count - 1) >= *known {
                return Err("it reaches a cluster twice");
            }
            *known = cluster;
            extents.push(Extent {
                first: cluster,
                count,
            });
            left -= u64::from(count);
            let next = self.runs.get(index).map_or(LAST, |run| run.next);
            cluster = next;
        }
        Ok(extents)
    }
}

/// The index of a cluster in tables of clusters.
pub(super) fn slot(cluster: u32) -> usize {
    cluster
        .checked_sub(1)
        .map_or(usize::MAX, |index| index as usize)
}

/// The count of different clusters in the chain from each cluster on. Takes time in proportion to the table, for any links.
pub(super) fn chain_lengths(fat: &[FatEntry]) -> Vec<u32> {
    /// The length of a chain that is being followed.
    const OPEN: u32 = u32::MAX;

    let mut lengths = vec![0; fat.len()];
    let mut path = Vec::new();
    for start in 1..=fat.len() as u32 {
        let mut cluster = start;
        let end = loop {
            match lengths.get_mut(slot(cluster)) {
                // The end of the chain, or a link to a cluster that does not exist.
                None => break 0,
                Some(length @ 0) => {
                    *length = OPEN;
                    path.push(cluster);
                }
                Some(&mut OPEN) => {
                    // A cycle: each of its clusters reaches all of them.
                    let at = path.iter().rposition(|it| *it == cluster).unwrap_or(0);
                    let count = (path.len() - at) as u32;
                    for cluster in path.drain(at..) {
                        if let Some(length) = lengths.get_mut(slot(cluster)) {
                            *length = count;
                        }
                    }
                    break count;
                }
                Some(length) => break *length,
            }
            cluster = fat.get(slot(cluster)).map_or(0, |entry| entry.next.get());
        };
        for (length, cluster) in (end + 1..).zip(path.drain(..).rev()) {
            if let Some(slot) = lengths.get_mut(slot(cluster)) {
                *slot = length;
            }
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fat(next: &[u32]) -> Vec<FatEntry> {
        let entry = |next: &u32| FatEntry {
            is_used: 1.into(),
            next: (*next).into(),
        };
        next.iter().map(entry).collect()
    }

    /// Follows a chain cluster by cluster.
    fn walk(next: &[u32], first: u32) -> Vec<u32> {
        let mut seen = Vec::new();
        let mut cluster = first;
        while (1..=next.len() as u32).contains(&cluster) && !seen.contains(&cluster) {
            seen.push(cluster);
            cluster = next[cluster as usize - 1];
        }
        seen
    }

    #[test]
    fn extents_are_the_clusters_of_the_chain() {
        // A pseudo-random sequence of tables, with many broken ones.
        let mut seed = 7_u32;
        for _ in 0..2000 {
            let mut random = |below: u32| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 8) % below
            };
            let count = 1 + random(9);
            let next: Vec<u32> = (1..=count)
                .map(|cluster| match random(6) {
                    0 => LAST,
                    1 => random(count + 3),
                    _ => cluster + 1,
                })
                .collect();
            let table = fat(&next);
            let (chains, lengths) = (Chains::new(&table), chain_lengths(&table));
            for first in 0..=count + 1 {
                let expected = walk(&next, first);
                let length = lengths.get((first as usize).wrapping_sub(1));
                assert_eq!(
                    length.map_or(0, |it| *it as usize),
                    expected.len(),
                    "{next:?} {first}"
                );
                for needed in 0..=expected.len() {
                    let extents = chains.extents(first, needed as u64).unwrap();
                    let clusters = extents.iter().flat_map(|it| it.first..it.first + it.count);
                    assert_eq!(
                        clusters.collect::<Vec<_>>(),
                        expected[..needed],
                        "{next:?} {first}"
                    );
                }
                let needed = expected.len() as u64 + 1;
                assert!(chains.extents(first, needed).is_err(), "{next:?} {first}");
            }
        }
    }

    #[test]
    fn a_broken_chain_has_a_reason() {
        for (next, reason) in [
            (&[2, LAST][..], "ends before"),
            (&[2, 0], "cluster 0"),
            (&[2, 3], "past the last"),
            (&[2, 1], "twice"),
        ] {
            let error = Chains::new(&fat(next)).extents(1, 3).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        // 2 is the start of the chain and in the middle of a run.
        let chains = Chains::new(&fat(&[2, 3, 1]));
        let extent = |first, count| Extent { first, count };
        assert_eq!(chains.extents(2, 3), Ok(vec![extent(2, 2), extent(1, 1)]));
        assert!(chains.extents(2, 4).unwrap_err().contains("twice"));
    }

    #[test]
    fn a_table_without_gaps_is_one_run() {
        let next: Vec<u32> = (2..=100_000).chain([LAST]).collect();
        let chains = Chains::new(&fat(&next));
        assert_eq!(chains.runs.len(), 1);
        assert_eq!(chains.extents(1, 100_000).unwrap().len(), 1);
    }
}
