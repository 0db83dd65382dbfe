//! Interpolation between two frames of an animation, shared by all formats.

/// Scales a quaternion (X, Y, Z, W) to length 1. Returns the identity if its length is 0.
pub fn normalized(quaternion: [f32; 4]) -> [f32; 4] {
    let length = dot(quaternion, quaternion).sqrt();
    if length > 0.0 {
        quaternion.map(|value| value / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    ax * bx + ay * by + az * bz + aw * bw
}

/// The weighted sum `a * weight_a + b * weight_b`. Finite for finite inputs if the weights are not negative and add up to at
/// most 1.
pub fn weighted<const N: usize>(
    a: [f32; N],
    b: [f32; N],
    [weight_a, weight_b]: [f32; 2],
) -> [f32; N] {
    let mut sum = a;
    for (sum, b) in sum.iter_mut().zip(b) {
        *sum = *sum * weight_a + b * weight_b;
    }
    sum
}

/// Spherical linear interpolation between two quaternions (X, Y, Z, W) of length 1, along the shorter arc. `t` is from
/// 0 (`a`) to 1 (`b`).
pub fn slerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    let cosine = dot(a, b);
    // A quaternion and its negation are the same rotation.
    let (b, cosine) = if cosine < 0.0 {
        (b.map(|value| -value), -cosine)
    } else {
        (b, cosine)
    };
    // For small angles the sine loses precision, and linear interpolation is accurate enough.
    let weights = if cosine > 0.9995 {
        [1.0 - t, t]
    } else {
        let angle = cosine.acos();
        [((1.0 - t) * angle).sin(), (t * angle).sin()].map(|weight| weight / angle.sin())
    };
    normalized(weighted(a, b, weights))
}
