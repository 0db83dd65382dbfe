//! A cache of posed vertices, so that each part is posed at most once per run of a system.

use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use core::ops::Range;

/// The vertex positions of the parts that were posed in this run. It keeps its memory between runs.
#[derive(Debug, Default)]
pub(crate) struct PosedVertices {
    /// A part has a mesh for each level of detail. The box of a model has the default id.
    ranges: HashMap<(Entity, AssetId<Mesh>), Range<usize>>,
    positions: Vec<[f32; 3]>,
}

impl PosedVertices {
    /// Removes the poses of the last run.
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.positions.clear();
    }

    /// The positions of a part's mesh. `pose` appends them; it is called once per run.
    pub(crate) fn get(
        &mut self,
        part: Entity,
        mesh: AssetId<Mesh>,
        pose: impl FnOnce(&mut Vec<[f32; 3]>),
    ) -> &[[f32; 3]] {
        let Self { ranges, positions } = self;
        let range = ranges.entry((part, mesh)).or_insert_with(|| {
            let first = positions.len();
            pose(positions);
            first..positions.len()
        });
        positions.get(range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_posed_once_until_cleared() {
        let mut posed = PosedVertices::default();
        let [a, b] = [1, 2].map(|index| Entity::from_raw_u32(index).unwrap());
        let mesh = AssetId::default();
        let one = |positions: &mut Vec<[f32; 3]>| positions.extend([[1.0; 3], [2.0; 3]]);
        assert_eq!(posed.get(a, mesh, one), [[1.0; 3], [2.0; 3]]);
        assert_eq!(posed.get(b, mesh, |all| all.push([3.0; 3])), [[3.0; 3]]);
        assert_eq!(
            posed.get(a, mesh, |_| panic!("is cached")),
            [[1.0; 3], [2.0; 3]]
        );
        posed.clear();
        assert_eq!(posed.get(a, mesh, |all| all.push([4.0; 3])), [[4.0; 3]]);
    }
}
