//! The vertices that a GPU needs, and which of them make the triangles of each level of detail.

use crate::lithtech::abc::Geometry;
use crate::lithtech::handedness::Handedness;

/// All levels of detail over one list of vertices.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Vertices with their texture coordinates, first those of the full model.
    pub(super) corners: Vec<Corner>,
    /// Levels of detail, the full model first.
    pub(super) levels: Vec<Level>,
}

/// A vertex of the file with one of the texture coordinates that it has in triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Corner {
    /// Index of the vertex.
    pub(super) vertex: u32,
    pub(super) uv: [f32; 2],
}

/// A level of detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Level {
    /// Its number in the file; 0 is the full model.
    pub(super) number: u32,
    /// Indices of the corners of its triangles, counter-clockwise when seen from outside.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Shape {
    /// The full model, and for each share the finest level that has no more than that share of its
    /// triangles.
    pub(super) fn new(geometry: &Geometry<'_>, space: Handedness, shares: &[f32]) -> Self {
        let mut split = Split::new(geometry);
        let mut levels: Vec<Level> = Vec::new();
        for number in chosen_levels(geometry, shares) {
            let level = split.level(geometry, space, number);
            // What has nothing left is no level to be seen.
            if number == 0 || !level.triangles.is_empty() {
                levels.push(level);
            }
        }
        split.corners.shrink_to_fit();
        Self {
            corners: split.corners,
            levels,
        }
    }
}

/// The numbers of levels, in ascending order and each once; the first is 0.
fn chosen_levels(geometry: &Geometry<'_>, shares: &[f32]) -> Vec<u32> {
    let full = geometry.triangles.len() as f64;
    let finest = |share: &f32| {
        let most = (full * f64::from(*share)) as usize;
        let (mut low, mut high) = (0, geometry.lods);
        while low < high {
            let middle = low + (high - low) / 2;
            if geometry.lod_triangle_count(middle) <= most {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    };
    let mut levels: Vec<u32> = shares.iter().map(finest).chain([0]).collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// Where a chain of corners ends.
const NONE: u32 = u32::MAX;

/// Splits vertices that have several texture coordinates.
struct Split {
    corners: Vec<Corner>,
    /// For each vertex of the file, the last corner that was made of it.
    last: Vec<u32>,
    /// For each corner, the one before it that is of the same vertex.
    previous: Vec<u32>,
}

impl Split {
    fn new(geometry: &Geometry<'_>) -> Self {
        let count = geometry.vertices.len();
        Self {
            corners: Vec::with_capacity(count),
            last: vec![NONE; count],
            previous: Vec::with_capacity(count),
        }
    }

    fn level(&mut self, geometry: &Geometry<'_>, space: Handedness, number: u32) -> Level {
        let left = geometry.lod(number).triangles;
        let mut triangles = Vec::with_capacity(left.len());
        for triangle in left {
            // The level is of these triangles, so it is there.
            let Some(full) = geometry.triangles.get(triangle.triangle as usize) else {
                continue;
            };
            let [a, b, c] = triangle.vertices;
            let [uv_a, uv_b, uv_c] = full.clean_uvs();
            let corners = space.corners([(a, uv_a), (b, uv_b), (c, uv_c)]);
            triangles.push(corners.map(|(vertex, uv)| self.corner(vertex, uv)));
        }
        Level { number, triangles }
    }

    /// The index of a vertex with these texture coordinates.
    fn corner(&mut self, vertex: u32, uv: [f32; 2]) -> u32 {
        /// Real vertices have a handful. Beyond that it costs less to have some twice than to look.
        const MOST: usize = 32;
        let last = self.last.get(vertex as usize).copied().unwrap_or(NONE);
        let mut index = last;
        for _ in 0..MOST {
            match self.corners.get(index as usize) {
                Some(corner) if corner.uv == uv => return index,
                Some(_) => index = self.previous.get(index as usize).copied().unwrap_or(NONE),
                None => break,
            }
        }
        let index = self.corners.len() as u32;
        if self.corners.len() == self.corners.capacity() {
            // Lists that double would take more room than is promised.
            let more = self.corners.len() / 4 + 64;
            self.corners.reserve_exact(more);
            self.previous.reserve_exact(more);
        }
        self.corners.push(Corner { vertex, uv });
        self.previous.push(last);
        if let Some(last) = self.last.get_mut(vertex as usize) {
            *last = index;
        }
        index
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;
    use crate::lithtech::abc::write::write;
    use crate::lithtech::abc::{AbcFile, TransformInfo, parse};
    use classic_models_fixtures::abc_full::sample_model;
    use zerocopy::little_endian::{F32, U16};

    fn space(flip_geometry: bool) -> Handedness {
        let transform = TransformInfo {
            flip_geometry,
            flip_animation: false,
        };
        Handedness::new(transform, true)
    }

    fn shape(file: &AbcFile<'_>, shares: &[f32]) -> Shape {
        Shape::new(&file.geometry, space(false), shares)
    }

    #[test]
    fn every_triangle_has_its_vertices_and_coordinates() {
        let bytes = write(&sample_model()).unwrap();
        let geometry = parse(&bytes).unwrap().geometry;
        for flip in [false, true] {
            let shape = Shape::new(&geometry, space(flip), &[0.75, 0.5, 0.25]);
            assert_eq!(shape.levels.len(), 4);
            for level in &shape.levels {
                let left = geometry.lod(level.number).triangles;
                assert_eq!(left.len(), level.triangles.len());
                for (left, found) in left.iter().zip(&level.triangles) {
                    let uvs = geometry.triangles[left.triangle as usize].clean_uvs();
                    let found = found.map(|index| shape.corners[index as usize]);
                    let expected = [0, 1, 2].map(|corner| Corner {
                        vertex: left.vertices[corner],
                        uv: uvs[corner],
                    });
                    let [a, b, c] = expected;
                    // A mirror turns around what is not turned around already.
                    assert_eq!(found, if flip { [a, b, c] } else { [a, c, b] });
                }
            }
            for (index, corner) in shape.corners.iter().enumerate() {
                assert!(!shape.corners[..index].contains(corner));
            }
            let full = shape.levels[0].triangles.as_flattened();
            let used = *full.iter().max().unwrap();
            assert!(full.iter().all(|index| *index <= used));
            let base = shape.corners.iter().take(used as usize + 1);
            assert!(
                base.clone()
                    .all(|corner| corner.vertex < geometry.base_vertices)
            );
        }
    }

    #[test]
    fn levels_are_the_finest_of_their_share() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let numbers = |shares: &[f32]| {
            let levels = shape(&file, shares).levels;
            levels.iter().map(|level| level.number).collect::<Vec<_>>()
        };
        let left: Vec<_> = (0..5)
            .map(|level| file.geometry.lod_triangle_count(level))
            .collect();
        assert_eq!(left, [4, 3, 2, 1, 1]);
        assert_eq!(numbers(&[]), [0]);
        assert_eq!(numbers(&[0.5, 0.75, 0.5]), [0, 1, 2]);
        assert_eq!(numbers(&[0.74, 0.0]), [0, 2, 3]);
        assert_eq!(numbers(&[1.0, f32::NAN, -1.0, f32::INFINITY]), [0, 3]);
    }

    #[test]
    fn a_vertex_of_many_coordinates_costs_no_more_than_its_corners() {
        let mut model = sample_model();
        let triangle = model.geometry.triangles[0];
        model.geometry.triangles = (0..20_000)
            .map(|number: u16| {
                let mut triangle = triangle;
                triangle.vertices = [0, 1, 2].map(U16::new);
                triangle.uvs = [[F32::new(f32::from(number)), F32::new(0.5)]; 3];
                triangle
            })
            .collect();
        let bytes = write(&model).unwrap();
        let file = parse(&bytes).unwrap();
        assert_eq!(shape(&file, &[]).corners.len(), 60_000);
    }
}
