//! Between one frame and the next: the plain arithmetic that samplers of animations share.
//!
//! What may not enter: any knowledge of a particular format.

/// The quaternion of length 1 for the same rotation; no rotation if it has no length.
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

/// Both weighted, and summed up. Finite wherever both are.
pub fn weighted<const N: usize>(a: [f32; N], b: [f32; N], [of_a, of_b]: [f32; 2]) -> [f32; N] {
    let mut sum = a;
    for (sum, b) in sum.iter_mut().zip(b) {
        *sum = *sum * of_a + b * of_b;
    }
    sum
}

/// Along the shorter of the two ways from one rotation to another, both of length 1.
pub fn slerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    let cosine = dot(a, b);
    // A quaternion and its opposite are the same rotation.
    let (b, cosine) = if cosine < 0.0 {
        (b.map(|value| -value), -cosine)
    } else {
        (b, cosine)
    };
    // Where the sine says nothing any more, the chord is as good as the arc.
    let weights = if cosine > 0.9995 {
        [1.0 - t, t]
    } else {
        let angle = cosine.acos();
        [((1.0 - t) * angle).sin(), (t * angle).sin()].map(|weight| weight / angle.sin())
    };
    normalized(weighted(a, b, weights))
}
