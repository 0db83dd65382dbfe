//! Levels of detail by `MSFT_lod`. The finest level is in the scene, and the coarser ones are nodes outside of it.

use crate::convert::document::Document;
use crate::convert::extras::add_extra;
use gltf_json::{Index, Node};
use serde_json::json;

/// Makes the first node the finest level, and the others its coarser levels. `coverage` has, for each level, the part of the
/// screen from which on it is shown.
pub fn set(document: &mut Document, nodes: &[Index<Node>], coverage: &[f64]) {
    let Some((finest, coarser)) = nodes.split_first() else {
        return;
    };
    if coarser.is_empty() {
        return;
    }
    let ids: Vec<usize> = coarser.iter().map(Index::value).collect();
    document.extend_node(*finest, "MSFT_lod", json!({ "ids": ids }));
    if let Some(node) = document.root.nodes.get_mut(finest.value()) {
        add_extra(&mut node.extras, "MSFT_screencoverage", coverage);
    }
}

/// The coverages of levels with these shares of the triangles: a level is shown if the model covers less of the screen than
/// its share. The coarsest level is shown at any distance.
pub fn coverage(shares: &[f64], levels: usize) -> Vec<f64> {
    let next = shares
        .iter()
        .skip(1)
        .take(levels.saturating_sub(1))
        .copied();
    next.chain([0.0]).collect()
}
