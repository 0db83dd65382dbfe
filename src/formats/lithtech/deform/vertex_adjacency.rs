//! Lists the triangles at each deformed vertex, from which the shader computes normals.

use crate::formats::lithtech::convert::handedness::Handedness;
use crate::formats::lithtech::deform::deformed_vertices::DeformedVertices;

/// Maximum count of triangles per vertex, which limits the shader's time. Vertices of real models have about twelve.
const MAX_TRIANGLES: usize = 24;

/// Maximum count of triangles that a LOD's vertex takes from each of the two vertices that it is between.
const MAX_TRIANGLES_OF_PAIR: usize = 4;

/// Makes the entries of [`ConvertedDeform::vertex_adjacency`].
///
/// [`ConvertedDeform::vertex_adjacency`]: crate::lithtech::ConvertedDeform::vertex_adjacency
pub(crate) fn build_adjacency(
    handedness: Handedness,
    deformed: &DeformedVertices<'_>,
) -> Vec<[u16; 4]> {
    let triangles = triangles(handedness, deformed);
    let mut counts = vec![0_usize; deformed.count()];
    for slot in triangles.as_flattened() {
        if let Some(count) = counts.get_mut(usize::from(*slot)) {
            *count = (*count + 1).min(MAX_TRIANGLES);
        }
    }
    for (index, pair) in deformed.between.iter().enumerate() {
        let taken = |slot: usize| {
            counts
                .get(slot)
                .copied()
                .unwrap_or(0)
                .min(MAX_TRIANGLES_OF_PAIR)
        };
        let count = pair.map(taken).iter().sum();
        let slot = deformed.stored.len() + deformed.fixed.len() + index;
        if let Some(own) = counts.get_mut(slot) {
            *own = count;
        }
    }
    let mut firsts = Vec::with_capacity(counts.len());
    let mut end = counts.len();
    let mut entries = Vec::with_capacity(end + counts.iter().sum::<usize>());
    for count in &counts {
        entries.push([end as u16, (end >> 16) as u16, *count as u16, 0]);
        firsts.push(end);
        end += count;
    }
    entries.resize(end, [0; 4]);
    fill(&mut entries, &firsts, &triangles);
    fill_lod_vertices(&mut entries, &firsts, &counts, deformed);
    entries
}

/// The triangles of the full model whose corners are all deformed vertices, as indices into the deformed vertices.
fn triangles(handedness: Handedness, deformed: &DeformedVertices<'_>) -> Vec<[u16; 3]> {
    let corners = deformed.triangles().filter_map(|corners| {
        let slot = |vertex: usize| deformed.slot(vertex)?.try_into().ok();
        let [a, b, c]: [Option<u16>; 3] = handedness.corners(corners).map(slot);
        Some([a?, b?, c?])
    });
    corners.collect()
}

/// Writes each triangle to the entries of its corners.
fn fill(entries: &mut [[u16; 4]], firsts: &[usize], triangles: &[[u16; 3]]) {
    let mut filled = vec![0_usize; firsts.len()];
    for [a, b, c] in triangles {
        for slot in [a, b, c].map(|slot| usize::from(*slot)) {
            let (Some(filled), Some(first)) = (filled.get_mut(slot), firsts.get(slot)) else {
                continue;
            };
            if *filled < MAX_TRIANGLES
                && let Some(entry) = entries.get_mut(first + *filled)
            {
                *entry = [*a, *b, *c, 0];
                *filled += 1;
            }
        }
    }
}

/// Gives each LOD vertex the triangles of the two vertices that it is between.
fn fill_lod_vertices(
    entries: &mut [[u16; 4]],
    firsts: &[usize],
    counts: &[usize],
    deformed: &DeformedVertices<'_>,
) {
    for (index, pair) in deformed.between.iter().enumerate() {
        let slot = deformed.stored.len() + deformed.fixed.len() + index;
        let Some(mut end) = firsts.get(slot).copied() else {
            continue;
        };
        for source in pair {
            let (Some(from), Some(count)) = (firsts.get(*source), counts.get(*source)) else {
                continue;
            };
            let count = (*count).min(MAX_TRIANGLES_OF_PAIR);
            if end + count <= entries.len() && from + count <= entries.len() {
                entries.copy_within(*from..from + count, end);
                end += count;
            }
        }
    }
}
