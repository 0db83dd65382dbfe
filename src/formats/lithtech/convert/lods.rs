//! Levels of detail (LODs): splits the file's vertices by texture coordinate, lists the triangles of each LOD, and
//! computes the distances at which LODs begin.

use crate::formats::lithtech::convert::handedness::Handedness;
use crate::formats::lithtech::settings::AbcLoaderSettings;
use classic_model_formats::abc::Geometry;

/// The distance, in Bevy's units, at which each LOD after the full model begins. The settings override the file's
/// command string. `numbers` are the LODs' numbers in the file.
pub(crate) fn lod_distances(
    numbers: &[u32],
    command_string: &str,
    settings: &AbcLoaderSettings,
) -> Vec<f32> {
    let numbers = numbers.get(1..).unwrap_or_default();
    let distances = match &settings.lod_distances {
        Some(distances) => distances.iter().copied().take(numbers.len()).collect(),
        None => command_string_distances(numbers, command_string),
    };
    let scaled = distances
        .into_iter()
        .map(|distance| distance * settings.scale);
    scaled.collect()
}

/// Distances in the file's units from a command string: `LODSTARTDIST` for LOD 1, plus `LODINCREMENT` for each further
/// LOD, up to `LODMAXDIST`. Empty if one of the first two is missing or invalid.
fn command_string_distances(numbers: &[u32], command_string: &str) -> Vec<f32> {
    let value = |key| command_value(command_string, key).filter(|value| *value >= 0.0);
    let (Some(start), Some(increment)) = (value("LODSTARTDIST"), value("LODINCREMENT")) else {
        return Vec::new();
    };
    let end = value("LODMAXDIST").unwrap_or(f32::INFINITY);
    let distance = |number: &u32| start + number.saturating_sub(1) as f32 * increment;
    let distances = numbers.iter().map(distance);
    distances.take_while(|distance| *distance <= end).collect()
}

/// The number after a key in a command string, ignoring ASCII case. The first of several counts.
fn command_value(command_string: &str, key: &str) -> Option<f32> {
    let mut values = command_string.split(';').filter_map(|command| {
        let mut words = command.split_whitespace();
        let is_match = words.next()?.eq_ignore_ascii_case(key);
        let value = words.next()?.parse::<f32>().ok()?;
        (is_match && value.is_finite()).then_some(value)
    });
    values.next()
}

/// All LODs, with one shared list of split vertices.
#[derive(Clone, Debug)]
pub(crate) struct SplitVertices {
    /// Pairs of vertex and texture coordinate. Those of the full model come first.
    pub(crate) corners: Vec<Corner>,
    /// LODs, the full model first.
    pub(crate) levels: Vec<Level>,
}

/// A vertex of the file with one of the texture coordinates that triangles use for it: one vertex of a GPU mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corner {
    /// Index of the vertex in the file.
    pub(crate) vertex: u32,
    pub(crate) uv: [f32; 2],
}

/// The triangles of a LOD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    /// The LOD's number in the file; 0 is the full model.
    pub(crate) number: u32,
    /// Triangles as indices into [`SplitVertices::corners`], counterclockwise, seen from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl SplitVertices {
    /// Makes the full model, and for each share from 0 to 1 the finest LOD with at most that share of its triangles.
    pub(crate) fn new(geometry: &Geometry<'_>, handedness: Handedness, shares: &[f32]) -> Self {
        let mut split = VertexSplitter::new(geometry);
        let mut levels: Vec<Level> = Vec::new();
        for number in lod_numbers(geometry, shares) {
            let level = split.level(geometry, handedness, number);
            // Omits LODs without triangles.
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

/// The numbers of the LODs to make, ascending and unique. The first is 0.
fn lod_numbers(geometry: &Geometry<'_>, shares: &[f32]) -> Vec<u32> {
    let full = geometry.triangles.len() as f64;
    let finest = |share: &f32| {
        let max_triangles = (full * f64::from(*share)) as usize;
        let (mut low, mut high) = (0, geometry.lods);
        while low < high {
            let middle = low + (high - low) / 2;
            if geometry.lod_triangle_count(middle) <= max_triangles {
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

/// Ends a linked list of corners.
const NONE: u32 = u32::MAX;

/// Adds a corner for each distinct texture coordinate of a vertex.
struct VertexSplitter {
    corners: Vec<Corner>,
    /// For each vertex of the file, the corner that was added last for it.
    last: Vec<u32>,
    /// For each corner, the previous corner of the same vertex.
    previous: Vec<u32>,
}

impl VertexSplitter {
    fn new(geometry: &Geometry<'_>) -> Self {
        let count = geometry.vertices.len();
        Self {
            corners: Vec::with_capacity(count),
            last: vec![NONE; count],
            previous: Vec::with_capacity(count),
        }
    }

    fn level(&mut self, geometry: &Geometry<'_>, handedness: Handedness, number: u32) -> Level {
        let lod_triangles = geometry.lod(number).triangles;
        let mut triangles = Vec::with_capacity(lod_triangles.len());
        for triangle in lod_triangles {
            // Always found: LODs list triangles of the full model.
            let Some(full) = geometry.triangles.get(triangle.triangle as usize) else {
                continue;
            };
            let [a, b, c] = triangle.vertices;
            let [uv_a, uv_b, uv_c] = full.clean_uvs();
            let corners = handedness.corners([(a, uv_a), (b, uv_b), (c, uv_c)]);
            triangles.push(corners.map(|(vertex, uv)| self.corner(vertex, uv)));
        }
        Level { number, triangles }
    }

    /// Finds or adds the corner of a vertex with this texture coordinate, and returns its index.
    fn corner(&mut self, vertex: u32, uv: [f32; 2]) -> u32 {
        /// Vertices of real models have few corners. With many, duplicates cost less than a longer search.
        const MAX_COMPARISONS: usize = 32;
        let last = self.last.get(vertex as usize).copied().unwrap_or(NONE);
        let mut index = last;
        for _ in 0..MAX_COMPARISONS {
            match self.corners.get(index as usize) {
                Some(corner) if corner.uv == uv => return index,
                Some(_) => index = self.previous.get(index as usize).copied().unwrap_or(NONE),
                None => break,
            }
        }
        let index = self.corners.len() as u32;
        if self.corners.len() == self.corners.capacity() {
            // Doubling the capacity could exceed the memory limit that `limits` describes.
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

#[cfg(test)]
mod tests {
    use super::*;
    use classic_model_formats::abc::write::write;
    use classic_model_formats::abc::{AbcFile, TransformInfo, parse};
    use classic_models_fixtures::abc_full::sample_model;
    use zerocopy::little_endian::{F32, U16};

    fn distances(command_string: &str) -> Vec<f32> {
        lod_distances(
            &[0, 1, 11, 101],
            command_string,
            &AbcLoaderSettings::default(),
        )
    }

    #[test]
    fn lod_distances_come_from_the_command_string() {
        let all = "Foo 1; LodStartDist 100;LODINCREMENT 2.5 x;bar";
        assert_eq!(distances(all), [100.0, 125.0, 350.0]);
        assert_eq!(
            distances("LODSTARTDIST 1;LODINCREMENT 1;LODMAXDIST 12"),
            [1.0, 11.0]
        );
        for invalid in [
            "",
            "LODSTARTDIST 100",
            "LODINCREMENT 100",
            "LODSTARTDIST x;LODINCREMENT 1",
            "LODSTARTDIST -1;LODINCREMENT 1",
            "LODSTARTDIST inf;LODINCREMENT 1",
            "LODSTARTDIST;LODINCREMENT",
        ] {
            assert!(distances(invalid).is_empty(), "{invalid}");
        }
    }

    #[test]
    fn settings_override_the_command_string() {
        let command_string = "LODSTARTDIST 1;LODINCREMENT 1";
        let settings = |lod_distances| AbcLoaderSettings {
            lod_distances,
            scale: 0.5,
            ..AbcLoaderSettings::default()
        };
        let distances = |settings| lod_distances(&[0, 3, 4], command_string, &settings);
        assert_eq!(distances(settings(None)), [1.5, 2.0]);
        assert_eq!(distances(settings(Some(vec![8.0]))), [4.0]);
        assert_eq!(distances(settings(Some(vec![8.0, 10.0, 12.0]))), [4.0, 5.0]);
        assert!(distances(settings(Some(Vec::new()))).is_empty());
    }

    fn handedness(flip_geometry: bool) -> Handedness {
        let transform = TransformInfo {
            flip_geometry,
            flip_animation: false,
        };
        Handedness::new(transform, true)
    }

    fn split(file: &AbcFile<'_>, shares: &[f32]) -> SplitVertices {
        SplitVertices::new(&file.geometry, handedness(false), shares)
    }

    #[test]
    fn lod_triangles_keep_vertices_uvs_and_winding() {
        let bytes = write(&sample_model()).unwrap();
        let geometry = parse(&bytes).unwrap().geometry;
        for flip in [false, true] {
            let split = SplitVertices::new(&geometry, handedness(flip), &[0.75, 0.5, 0.25]);
            assert_eq!(split.levels.len(), 4);
            for level in &split.levels {
                let stored = geometry.lod(level.number).triangles;
                assert_eq!(stored.len(), level.triangles.len());
                for (stored, found) in stored.iter().zip(&level.triangles) {
                    let uvs = geometry.triangles[stored.triangle as usize].clean_uvs();
                    let found = found.map(|index| split.corners[index as usize]);
                    let expected = [0, 1, 2].map(|corner| Corner {
                        vertex: stored.vertices[corner],
                        uv: uvs[corner],
                    });
                    let [a, b, c] = expected;
                    // Mirroring reverses the winding unless the file stores it reversed.
                    assert_eq!(found, if flip { [a, b, c] } else { [a, c, b] });
                }
            }
            for (index, corner) in split.corners.iter().enumerate() {
                assert!(!split.corners[..index].contains(corner));
            }
            let full = split.levels[0].triangles.as_flattened();
            let used = *full.iter().max().unwrap();
            assert!(full.iter().all(|index| *index <= used));
            let base = split.corners.iter().take(used as usize + 1);
            assert!(
                base.clone()
                    .all(|corner| corner.vertex < geometry.base_vertices)
            );
        }
    }

    #[test]
    fn each_share_selects_the_finest_lod_within_it() {
        let bytes = write(&sample_model()).unwrap();
        let file = parse(&bytes).unwrap();
        let numbers = |shares: &[f32]| {
            let levels = split(&file, shares).levels;
            levels.iter().map(|level| level.number).collect::<Vec<_>>()
        };
        let triangle_counts: Vec<_> = (0..5)
            .map(|level| file.geometry.lod_triangle_count(level))
            .collect();
        assert_eq!(triangle_counts, [4, 3, 2, 1, 1]);
        assert_eq!(numbers(&[]), [0]);
        assert_eq!(numbers(&[0.5, 0.75, 0.5]), [0, 1, 2]);
        assert_eq!(numbers(&[0.74, 0.0]), [0, 2, 3]);
        assert_eq!(numbers(&[1.0, f32::NAN, -1.0, f32::INFINITY]), [0, 3]);
    }

    #[test]
    fn a_vertex_with_many_uvs_is_not_duplicated() {
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
        assert_eq!(split(&file, &[]).corners.len(), 60_000);
    }
}
