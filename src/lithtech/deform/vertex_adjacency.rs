//! Which triangles are around each vertex that deforms.

use crate::lithtech::deform::deformed_vertices::DeformedVertices;
use crate::lithtech::handedness::Handedness;

/// The most triangles that a vertex is told of: a shader that met thousands would take long, and real
/// vertices have a dozen.
const MOST: usize = 24;

/// The most of each of the two vertices that a level of detail puts another one between.
const MOST_OF_PAIR: usize = 4;

/// For each member where its triangles begin and how many they are; then the triangles.
pub(super) fn around(space: Handedness, members: &DeformedVertices<'_>) -> Vec<[u16; 4]> {
    let triangles = triangles(space, members);
    let mut counts = vec![0_usize; members.count()];
    for slot in triangles.as_flattened() {
        if let Some(count) = counts.get_mut(usize::from(*slot)) {
            *count = (*count + 1).min(MOST);
        }
    }
    for (index, pair) in members.between.iter().enumerate() {
        let of = |slot: usize| counts.get(slot).copied().unwrap_or(0).min(MOST_OF_PAIR);
        let count = pair.map(of).iter().sum();
        let slot = members.stored.len() + members.still.len() + index;
        if let Some(own) = counts.get_mut(slot) {
            *own = count;
        }
    }
    let mut firsts = Vec::with_capacity(counts.len());
    let mut end = counts.len();
    let mut around = Vec::with_capacity(end + counts.iter().sum::<usize>());
    for count in &counts {
        around.push([end as u16, (end >> 16) as u16, *count as u16, 0]);
        firsts.push(end);
        end += count;
    }
    around.resize(end, [0; 4]);
    fill(&mut around, &firsts, &triangles);
    fill_between(&mut around, &firsts, &counts, members);
    around
}

/// The triangles of the full model all of whose corners are members, as those.
fn triangles(space: Handedness, members: &DeformedVertices<'_>) -> Vec<[u16; 3]> {
    let corners = members.triangles().filter_map(|corners| {
        let slot = |vertex: usize| members.slot(vertex)?.try_into().ok();
        let [a, b, c]: [Option<u16>; 3] = space.corners(corners).map(slot);
        Some([a?, b?, c?])
    });
    corners.collect()
}

/// Puts each triangle where its corners look for it.
fn fill(around: &mut [[u16; 4]], firsts: &[usize], triangles: &[[u16; 3]]) {
    let mut filled = vec![0_usize; firsts.len()];
    for [a, b, c] in triangles {
        for slot in [a, b, c].map(|slot| usize::from(*slot)) {
            let (Some(filled), Some(first)) = (filled.get_mut(slot), firsts.get(slot)) else {
                continue;
            };
            if *filled < MOST
                && let Some(entry) = around.get_mut(first + *filled)
            {
                *entry = [*a, *b, *c, 0];
                *filled += 1;
            }
        }
    }
}

/// Gives what levels of detail put between two vertices the triangles of both.
fn fill_between(
    around: &mut [[u16; 4]],
    firsts: &[usize],
    counts: &[usize],
    members: &DeformedVertices<'_>,
) {
    for (index, pair) in members.between.iter().enumerate() {
        let slot = members.stored.len() + members.still.len() + index;
        let Some(mut to) = firsts.get(slot).copied() else {
            continue;
        };
        for of in pair {
            let (Some(from), Some(count)) = (firsts.get(*of), counts.get(*of)) else {
                continue;
            };
            let count = (*count).min(MOST_OF_PAIR);
            if to + count <= around.len() && from + count <= around.len() {
                around.copy_within(*from..from + count, to);
                to += count;
            }
        }
    }
}
