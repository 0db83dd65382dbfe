//! The levels of detail of a converted model.

use super::add_pairs;
use crate::abc::integers;
use crate::abc::mesh::{MAX_VERTICES, Mesh};
use crate::scene::Scene;
use serde_json::Value;

/// Adds the levels of detail of the converted model, if the mesh is the same. Otherwise returns a warning if it has levels.
pub fn restore(scene: &Scene, mesh: &mut Mesh) -> Option<String> {
    let Some(pairs) = stated(scene, mesh) else {
        let levels = scene.extra("abc", "lods").and_then(Value::as_array);
        let is_lost = levels.is_some_and(|levels| !levels.is_empty());
        return is_lost.then(|| {
            "the mesh was changed, so its levels of detail are left out: the option --lods makes new ones".to_owned()
        });
    };
    add_pairs(mesh, &pairs);
    None
}

/// The vertices that each level of the converted model replaces.
fn stated(scene: &Scene, mesh: &Mesh) -> Option<Vec<[usize; 2]>> {
    let values = integers(scene.extra("abc", "lods"))?;
    let old_base = scene.extra("abc", "baseVertices").and_then(Value::as_u64)?;
    let base = mesh.stated.len();
    let index = |old: u32| match u64::from(old).checked_sub(old_base) {
        Some(level) => Some(base + level as usize),
        None => mesh.stated.binary_search(&old).ok(),
    };
    let (pairs, _) = values.as_chunks::<2>();
    let mut pairs_of = Vec::with_capacity(pairs.len());
    let mut is_replaced = vec![false; base + pairs.len()];
    for (level, [a, b]) in pairs.iter().enumerate() {
        let pair = [index(*a)?, index(*b)?];
        for vertex in pair {
            let slot = is_replaced
                .get_mut(vertex)
                .filter(|_| vertex < base + level)?;
            if core::mem::replace(slot, true) {
                return None;
            }
        }
        pairs_of.push(pair);
    }
    (base + pairs.len() <= MAX_VERTICES).then_some(pairs_of)
}
