//! Sine and cosine with the same results on all platforms, so that a seed has the same particles everywhere. Nothing about
//! particles belongs here.

use core::f64::consts::{FRAC_2_PI, FRAC_PI_2};
use core::ops::{Add, Mul, Sub};

/// Two numbers, so that two angles take one vector instruction each.
#[derive(Clone, Copy)]
struct Pair([f64; 2]);

impl Pair {
    fn both(value: f64) -> Self {
        Self([value; 2])
    }
}

impl Add for Pair {
    type Output = Self;

    fn add(self, Self([c, d]): Self) -> Self {
        let Self([a, b]) = self;
        Self([a + c, b + d])
    }
}

impl Sub for Pair {
    type Output = Self;

    fn sub(self, Self([c, d]): Self) -> Self {
        let Self([a, b]) = self;
        Self([a - c, b - d])
    }
}

impl Mul for Pair {
    type Output = Self;

    fn mul(self, Self([c, d]): Self) -> Self {
        let Self([a, b]) = self;
        Self([a * c, b * d])
    }
}

/// The sines and the cosines of two angles in radians from −π to π, with an error below 0.57 units in the last place. Results
/// for other angles have no meaning.
///
/// Source: `sinf` and `cosf` of ARM's optimized routines, which glibc also uses. Here they share a reduction, and random
/// angles would make branches slow, so there are none. If any part is not inlined, a birth takes up to a third longer.
#[inline(always)]
pub(super) fn sin_cos([a, b]: [f32; 2]) -> [[f32; 2]; 2] {
    /// The lowest bit of an `f64` of this size is 1, so adding it rounds.
    const ROUNDING: f64 = 1.5 * (1_u64 << 52) as f64;
    let angle = Pair([a.into(), b.into()]);
    let rounding = Pair::both(ROUNDING);
    let rounded = angle * Pair::both(FRAC_2_PI) + rounding;
    let rest = angle - (rounded - rounding) * Pair::both(FRAC_PI_2);
    let (Pair([sine_a, sine_b]), Pair([cosine_a, cosine_b])) = (sine(rest), cosine(rest));
    let Pair([quarters_a, quarters_b]) = rounded;
    let [sine_a, cosine_a] = turned(sine_a, cosine_a, quarters_a.to_bits());
    let [sine_b, cosine_b] = turned(sine_b, cosine_b, quarters_b.to_bits());
    [[sine_a, sine_b], [cosine_a, cosine_b]]
}

/// Sine and cosine of an angle that is larger by a count of quarter turns.
#[inline(always)]
fn turned(sine: f64, cosine: f64, quarters: u64) -> [f32; 2] {
    let (sine, cosine) = (sine.to_bits(), cosine.to_bits());
    let exchanged = (sine ^ cosine) & (quarters & 1).wrapping_neg();
    let sine = sine ^ exchanged ^ (quarters & 2) << 62;
    let cosine = cosine ^ exchanged ^ (quarters.wrapping_add(1) & 2) << 62;
    [f64::from_bits(sine) as f32, f64::from_bits(cosine) as f32]
}

/// The sines of angles from −π/4 to π/4.
#[inline(always)]
fn sine(x: Pair) -> Pair {
    let [s1, s2, s3] = [
        -0.166_666_549_437_010_84,
        0.008_332_178_146_138_854,
        -0.000_195_172_989_813_857_25,
    ]
    .map(Pair::both);
    let x2 = x * x;
    let x3 = x * x2;
    (x + x3 * s1) + x3 * x2 * (s2 + x2 * s3)
}

/// The cosines of angles from −π/4 to π/4.
#[inline(always)]
fn cosine(x: Pair) -> Pair {
    let [c0, c1, c2, c3, c4] = [
        1.0,
        -0.499_999_997_251_082_24,
        0.041_666_623_324_344_516,
        -0.001_388_676_379_437_604,
        0.000_024_390_450_703_564_542,
    ]
    .map(Pair::both);
    let x2 = x * x;
    let x4 = x2 * x2;
    (c0 + x2 * c1 + x4 * c2) + x4 * x2 * (c3 + x2 * c4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f32::consts::{FRAC_PI_2, PI};

    #[test]
    fn results_are_close_to_the_exact_ones() {
        // The distance of neighbors below 1.
        const UNIT: f64 = 1.0 / (1 << 24) as f64;
        for step in -100_000..=100_000 {
            let angle = PI * (step as f32 / 100_000.0);
            let angles = [angle, -0.5 * angle];
            let [sines, cosines] = sin_cos(angles);
            for ((angle, sine), cosine) in angles.into_iter().zip(sines).zip(cosines) {
                let exact = f64::from(angle).sin_cos();
                let errors = [f64::from(sine) - exact.0, f64::from(cosine) - exact.1];
                let is_close = errors.iter().all(|error| error.abs() <= 0.57 * UNIT);
                assert!(
                    is_close,
                    "{angle}: {sine} and {cosine} instead of {exact:?}"
                );
            }
        }
        let [sines, _] = sin_cos([0.0, FRAC_PI_2]);
        assert_eq!(sines, [0.0, 1.0]);
    }
}
