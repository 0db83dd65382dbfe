//! Matrices in doubles, for tests that compute by themselves where things are.

/// Three rows of four, for column vectors. The last row is that of no change.
pub type Rows = [[f64; 4]; 3];

/// First `b`, then `a`.
pub fn product(a: &Rows, b: &Rows) -> Rows {
    let mut rows = [[0.0; 4]; 3];
    for (row, out) in a.iter().zip(&mut rows) {
        for (column, out) in out.iter_mut().enumerate() {
            *out = (0..3).map(|k| row[k] * b[k][column]).sum();
        }
        out[3] += row[3];
    }
    rows
}

/// Scaled, then turned, then moved.
pub fn composed(translation: [f64; 3], turn: [[f64; 3]; 3], scale: [f64; 3]) -> Rows {
    let row = |axis: usize| {
        let [x, y, z] = turn[axis];
        let [sx, sy, sz] = scale;
        [x * sx, y * sy, z * sz, translation[axis]]
    };
    [row(0), row(1), row(2)]
}

/// What a quaternion of length 1 turns by: X, Y, Z and W.
pub fn turn([x, y, z, w]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - z * w),
            2.0 * (x * z + y * w),
        ],
        [
            2.0 * (x * y + z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - x * w),
        ],
        [
            2.0 * (x * z - y * w),
            2.0 * (y * z + x * w),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

pub fn transformed(rows: &Rows, [x, y, z]: [f64; 3]) -> [f64; 3] {
    rows.map(|[a, b, c, d]| a * x + b * y + c * z + d)
}
