//! Vectors and matrices as arrays. Nothing about particles belongs here.

/// A matrix that changes nothing, as columns.
pub const IDENTITY: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(super) fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    let ([x, y, z], [u, v, w]) = (a, b);
    [x + u, y + v, z + w]
}

pub(super) fn scaled([x, y, z]: [f32; 3], factor: f32) -> [f32; 3] {
    [x * factor, y * factor, z * factor]
}

/// The dot product in double precision.
pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f64 {
    let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(b));
    products.sum()
}

/// The direction of a vector: 0 if its length is 0 or not finite.
pub(super) fn direction(vector: [f32; 3]) -> [f32; 3] {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 && length.is_finite() {
        let inverse = 1.0 / length;
        vector.map(|value| (f64::from(value) * inverse) as f32)
    } else {
        [0.0; 3]
    }
}

/// A matrix of columns times a vector.
pub(super) fn transform(columns: [[f32; 3]; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    let [a, b, c] = columns;
    add(add(scaled(a, x), scaled(b, y)), scaled(c, z))
}

/// The cross product.
pub(super) fn cross([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

/// The columns of a rotation from +Z to a direction, with +X horizontal. No rotation for 0.
pub(super) fn aligned([x, y, z]: [f32; 3]) -> [[f32; 3]; 3] {
    let horizontal = (x * x + y * y).sqrt();
    if [x, y, z] == [0.0; 3] {
        return IDENTITY;
    }
    let [cos, sin] = match horizontal > 0.0 {
        true => [x / horizontal, y / horizontal],
        false => [1.0, 0.0],
    };
    [
        [-sin, cos, 0.0],
        [-z * cos, -z * sin, horizontal],
        [x, y, z],
    ]
}
