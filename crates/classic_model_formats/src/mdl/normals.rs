//! The 162 precalculated normals that vertices refer to by index, generated instead of listed.

use super::NORMAL_COUNT;
use std::sync::LazyLock;

/// The precalculated normals, of length 1, in the order of the files' indices. Z is up.
///
/// They are the vertices of an icosahedron whose 20 faces are divided into four, twice. The order is that in which
/// the division first reaches them. Each is within 6e-7 of the games' table.
pub fn normals() -> &'static [[f32; 3]; NORMAL_COUNT] {
    static NORMALS: LazyLock<[[f32; 3]; NORMAL_COUNT]> = LazyLock::new(generate);
    &NORMALS
}

/// Lanes of the vectors of most processors.
const LANES: usize = 8;

/// The count of normals, rounded up to whole vectors.
const PADDED: usize = NORMAL_COUNT.next_multiple_of(LANES);

/// The normals as columns of X, Y and Z. Zeros fill the last vector.
fn columns() -> &'static [[f32; PADDED]; 3] {
    static COLUMNS: LazyLock<[[f32; PADDED]; 3]> = LazyLock::new(|| {
        let coordinate = |axis: usize, index: usize| {
            let normal = normals().get(index).copied().unwrap_or_default();
            normal.get(axis).copied().unwrap_or_default()
        };
        core::array::from_fn(|axis| core::array::from_fn(|index| coordinate(axis, index)))
    });
    &COLUMNS
}

/// The index of the precalculated normal closest to `direction`, which can have any length except 0.
pub fn nearest_normal(direction: [f32; 3]) -> u8 {
    let [xs, ys, zs] = columns();
    let mut cosines = [0.0_f32; PADDED];
    for (((cosine, x), y), z) in cosines.iter_mut().zip(xs).zip(ys).zip(zs) {
        *cosine = dot([*x, *y, *z], direction);
    }
    // The greatest of each lane first, which compilers vectorize.
    let mut greatest = [f32::MIN; LANES];
    for vector in cosines.as_chunks::<LANES>().0 {
        for (greatest, cosine) in greatest.iter_mut().zip(vector) {
            *greatest = if cosine > greatest {
                *cosine
            } else {
                *greatest
            };
        }
    }
    let greatest = greatest.into_iter().fold(f32::MIN, f32::max);
    let last = cosines.iter().rposition(|cosine| *cosine == greatest);
    last.unwrap_or_default().min(NORMAL_COUNT - 1) as u8
}

/// The coordinates of the corners of a regular icosahedron of radius 1 are 0, ±`X` and ±`Z`.
const X: f64 = 0.525_731_112_119_133_6;
const Z: f64 = 0.850_650_808_352_039_9;

const CORNERS: [[f64; 3]; 12] = [
    [-X, 0.0, Z],
    [X, 0.0, Z],
    [-X, 0.0, -Z],
    [X, 0.0, -Z],
    [0.0, Z, X],
    [0.0, Z, -X],
    [0.0, -Z, X],
    [0.0, -Z, -X],
    [Z, X, 0.0],
    [-Z, X, 0.0],
    [Z, -X, 0.0],
    [-Z, -X, 0.0],
];

const FACES: [[usize; 3]; 20] = [
    [0, 4, 1],
    [0, 9, 4],
    [9, 5, 4],
    [4, 5, 8],
    [4, 8, 1],
    [8, 10, 1],
    [8, 3, 10],
    [5, 3, 8],
    [5, 2, 3],
    [2, 7, 3],
    [7, 10, 3],
    [7, 6, 10],
    [7, 11, 6],
    [11, 0, 6],
    [0, 1, 6],
    [6, 1, 10],
    [9, 0, 11],
    [9, 11, 2],
    [9, 2, 5],
    [7, 2, 11],
];

/// How many times each face is divided into four.
const LEVELS: u32 = 2;

fn dot([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> f32 {
    ax * bx + ay * by + az * bz
}

fn generate() -> [[f32; 3]; NORMAL_COUNT] {
    let mut points = Vec::with_capacity(NORMAL_COUNT);
    for face in FACES {
        subdivide(face.map(|corner| CORNERS[corner]), LEVELS, &mut points);
    }
    let mut normals = [[0.0; 3]; NORMAL_COUNT];
    for (normal, point) in normals.iter_mut().zip(points) {
        *normal = point.map(|value| value as f32);
    }
    normals
}

/// Adds the points of a face in the table's order.
///
/// Midpoints stay in the plane of the face; points are normalized when they are added.
fn subdivide([a, b, c]: [[f64; 3]; 3], levels: u32, points: &mut Vec<[f64; 3]>) {
    let Some(levels) = levels.checked_sub(1) else {
        for corner in [a, b, c] {
            add_point(corner, points);
        }
        return;
    };
    let (ab, bc, ca) = (midpoint(a, b), midpoint(b, c), midpoint(c, a));
    for triangle in [[a, ab, ca], [b, ab, bc], [c, ca, bc], [ab, bc, ca]] {
        subdivide(triangle, levels, points);
    }
}

fn midpoint(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|axis| (a[axis] + b[axis]) / 2.0)
}

/// Adds the direction of a point, unless it is in the list.
fn add_point(point: [f64; 3], points: &mut Vec<[f64; 3]>) {
    let length = point.iter().map(|value| value * value).sum::<f64>().sqrt();
    let point = point.map(|value| value / length);
    let is_same = |other: &[f64; 3]| {
        let differences = point.iter().zip(other).map(|(a, b)| (a - b).abs());
        differences.fold(0.0, f64::max) < 1e-6
    };
    if !points.iter().any(is_same) {
        points.push(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_match_samples_of_the_games_table() {
        let assert_close = |index: usize, expected: [f32; 3]| {
            let normal = normals()[index];
            let differences = normal.iter().zip(expected).map(|(a, b)| (a - b).abs());
            assert!(
                differences.fold(0.0, f32::max) < 1e-5,
                "normal {index} is {normal:?}, not {expected:?}"
            );
        };
        assert_close(0, [-0.525731, 0.0, 0.850651]);
        assert_close(1, [-0.442863, 0.238856, 0.864188]);
        assert_close(5, [0.0, 0.0, 1.0]);
        assert_close(52, [1.0, 0.0, 0.0]);
        assert_close(161, [-0.688191, -0.587785, -0.425325]);
    }

    #[test]
    fn normals_have_length_1_and_are_distinct() {
        for (index, normal) in normals().iter().enumerate() {
            assert!((dot(*normal, *normal) - 1.0).abs() < 2e-6, "normal {index}");
            assert_eq!(usize::from(nearest_normal(*normal)), index);
        }
    }
}
