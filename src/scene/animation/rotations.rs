//! The way from one rotation to another.

use bevy::math::{Quat, Vec2};

/// Along the shorter of the two ways from one rotation to another, as exact as `Quat::slerp` (to the last
/// bits of a float) in half its time.
///
/// The weights are the series of D. Eberly, "A Fast and Accurate Algorithm for Computing SLERP", in
/// the cosine of the angle, without trigonometry. It needs the fewer terms the smaller the angle.
#[inline]
pub(crate) fn slerp(from: Quat, to: Quat, way: f32) -> Quat {
    let cosine = from.dot(to);
    // A quaternion and its opposite are the same rotation.
    let (to, cosine) = if cosine < 0.0 {
        (-to, -cosine)
    } else {
        (to, cosine)
    };
    if cosine > 0.9 {
        weighted::<4>(from, to, way, cosine)
    } else {
        slerp_far(from, to, way, cosine)
    }
}

/// Rotations that are far from each other meet half way.
fn slerp_far(from: Quat, to: Quat, way: f32, cosine: f32) -> Quat {
    if cosine > 0.7 {
        return weighted::<TERMS>(from, to, way, cosine);
    }
    let middle = (from + to).normalize();
    let cosine = (0.5 + 0.5 * cosine).sqrt();
    if way < 0.5 {
        weighted::<TERMS>(from, middle, 2.0 * way, cosine)
    } else {
        weighted::<TERMS>(middle, to, 2.0 * way - 1.0, cosine)
    }
}

/// The most terms of the series that are needed.
const TERMS: usize = 9;

/// 1 / (i (2 i + 1)), and i / (2 i + 1), for each term i from 1.
const SERIES: [[f32; 2]; TERMS] = {
    let mut series = [[0.0; 2]; TERMS];
    let mut term = 0;
    while term < TERMS {
        let i = (term + 1) as f32;
        series[term] = [1.0 / (i * (2.0 * i + 1.0)), i / (2.0 * i + 1.0)];
        term += 1;
    }
    series
};

/// The sum of both, weighted by so many terms of the series.
#[inline]
fn weighted<const COUNT: usize>(from: Quat, to: Quat, way: f32, cosine: f32) -> Quat {
    let ways = Vec2::new(1.0 - way, way);
    let squares = ways * ways;
    let mut sums = Vec2::ONE;
    for [of_square, of_one] in SERIES.iter().take(COUNT).rev() {
        let factors = squares * *of_square - Vec2::splat(*of_one);
        sums = Vec2::ONE + factors * (cosine - 1.0) * sums;
    }
    let weights = ways * sums;
    from * weights.x + to * weights.y
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Vec3;

    /// Against the sines that it goes without, in doubles.
    #[test]
    fn slerp_is_exact() {
        let from = Quat::from_xyzw(0.1, -0.7, 0.3, 0.2).normalize();
        let axis = Vec3::new(0.3, 0.5, -0.8).normalize();
        for step in 0..=180 {
            // Half of what the rotation turns by.
            let angle = f64::from(step).to_radians() / 2.0;
            let to = Quat::from_axis_angle(axis, 2.0 * angle as f32) * from;
            for to in [to, -to] {
                for way in [0.0, 0.1, 0.25, 0.5, 0.7, 1.0] {
                    let weight = |way: f64| match step {
                        0 => way,
                        _ => (way * angle).sin() / angle.sin(),
                    };
                    let nearest = if from.dot(to) < 0.0 { -to } else { to };
                    let [a, b] = [from, nearest].map(|quat| quat.to_array().map(f64::from));
                    let found = slerp(from, to, way as f32).to_array();
                    for (axis, found) in found.into_iter().enumerate() {
                        let expected = a[axis] * weight(1.0 - way) + b[axis] * weight(way);
                        let off = (f64::from(found) - expected).abs();
                        assert!(off < 1e-6, "{step}° at {way}: {off}");
                    }
                }
            }
        }
    }
}
