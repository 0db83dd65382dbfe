//! Values of a track over the life of a particle. Times are fractions of the life, from 0 to 1; others are clamped.

use crate::particles::file::{Interpolation, Key, Track};

/// A time between two keys.
struct Span {
    from: Key,
    to: Key,
    /// Fraction of the way, from 0 to 1.
    u: f32,
}

impl Track {
    /// The value at a time. At the time of several keys, the last of them counts.
    pub fn value(&self, time: f32) -> f32 {
        // Most tracks are constant.
        if let [from, to] = &self.keys[..]
            && from.value == to.value
        {
            return from.value;
        }
        let time = clamped(time);
        let after = self.keys.partition_point(|key| key.time <= time);
        match self.span(after, time) {
            Some(span) => self.interpolated(&span),
            None => {
                // Before the first key or after the last.
                let key = self.keys.get(after.saturating_sub(1));
                key.map_or(0.0, |key| key.value)
            }
        }
    }

    /// The integral of the value from 0 to a time.
    ///
    /// Source: `IntegrateTrack` of GlyphXTools' particle-editor.
    pub fn integral(&self, time: f32) -> f32 {
        self.integral_from(&self.integrals(), time)
    }

    /// The integral of the value from 0 to each key. Empty if the value is constant.
    pub fn integrals(&self) -> Vec<f32> {
        if self.is_constant() {
            return Vec::new();
        }
        let mut sum = 0.0;
        let whole = self.keys.windows(2).map(|pair| {
            if let [from, to] = *pair {
                sum += self.integral_between(from, to, to.time);
            }
            sum
        });
        core::iter::once(0.0).chain(whole).collect()
    }

    /// As [`integral`](Self::integral), with the track's [`integrals`](Self::integrals): in logarithmic time.
    pub(super) fn integral_from(&self, integrals: &[f32], time: f32) -> f32 {
        let time = clamped(time);
        let after = self.keys.partition_point(|key| key.time < time);
        let Some(before) = after.checked_sub(1) else {
            return 0.0;
        };
        match (
            integrals.get(before),
            self.keys.get(before),
            self.keys.get(after),
        ) {
            (Some(sum), Some(from), Some(to)) => sum + self.integral_between(*from, *to, time),
            (Some(sum), ..) => *sum,
            (None, ..) => self.value(time) * time,
        }
    }

    /// The integral from a key to a time before the next one.
    fn integral_between(&self, from: Key, to: Key, time: f32) -> f32 {
        let length = to.time - from.time;
        if length <= 0.0 {
            return 0.0;
        }
        let u = ((time - from.time) / length).min(1.0);
        length * self.integrated(&Span { from, to, u })
    }

    /// Whether the value is the same at all times.
    pub fn is_constant(&self) -> bool {
        let mut values = self.keys.iter().map(|key| key.value);
        let first = values.next();
        values.all(|value| Some(value) == first)
    }

    /// The span before key `after` that contains a time.
    fn span(&self, after: usize, time: f32) -> Option<Span> {
        let from = *self.keys.get(after.checked_sub(1)?)?;
        let to = *self.keys.get(after)?;
        let (since, length) = (time - from.time, to.time - from.time);
        // Most tracks have two keys, and the division takes longer than all the rest.
        let u = if length == 1.0 { since } else { since / length };
        Some(Span { from, to, u })
    }

    fn interpolated(&self, Span { from, to, u }: &Span) -> f32 {
        let weight = match self.interpolation {
            Interpolation::Linear => *u,
            Interpolation::Smooth => u * u * (3.0 - 2.0 * u),
            Interpolation::Step => return from.value,
        };
        weighted(from.value, to.value, 1.0, weight)
    }

    /// The integral of [`interpolated`](Self::interpolated) from the start of the span.
    fn integrated(&self, Span { from, to, u }: &Span) -> f32 {
        let weight = match self.interpolation {
            Interpolation::Linear => 0.5 * u * u,
            Interpolation::Smooth => u * u * u * (1.0 - 0.5 * u),
            Interpolation::Step => return from.value * u,
        };
        weighted(from.value, to.value, *u, weight)
    }
}

/// `from · whole + (to − from) · weight`, also if the difference is too great for an `f32`.
fn weighted(from: f32, to: f32, whole: f32, weight: f32) -> f32 {
    let difference = to - from;
    if difference.is_finite() {
        from * whole + difference * weight
    } else {
        from * (whole - weight) + to * weight
    }
}

/// A time from 0 to 1. NaN is 0.
pub(super) fn clamped(time: f32) -> f32 {
    if time.is_nan() {
        0.0
    } else {
        time.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_interpolated_between_keys() {
        let track = Track::linear(&[[0.0, 1.0], [0.5, 3.0], [0.5, 10.0], [1.0, 20.0]]);
        for (time, expected) in [
            (-1.0, 1.0),
            (f32::NAN, 1.0),
            (0.0, 1.0),
            (0.25, 2.0),
            (0.5, 10.0),
            (0.75, 15.0),
            (1.0, 20.0),
            (f32::INFINITY, 20.0),
        ] {
            assert_eq!(track.value(time), expected, "at {time}");
        }
        let smooth = track.clone().with(Interpolation::Smooth);
        assert_eq!(smooth.value(0.125), 1.0 + 2.0 * 0.156_25);
        assert_eq!(smooth.value(0.25), 2.0);
        let step = track.with(Interpolation::Step);
        let values = [0.0, 0.499, 0.5, 0.999, 1.0].map(|time| step.value(time));
        assert_eq!(values, [1.0, 1.0, 10.0, 10.0, 20.0]);
    }

    #[test]
    fn integrals_match_a_sum_of_many_values() {
        let track = Track::linear(&[[0.0, 2.0], [0.0, -1.0], [0.3, 4.0], [0.7, 4.0], [1.0, -3.0]]);
        for interpolation in [
            Interpolation::Linear,
            Interpolation::Smooth,
            Interpolation::Step,
        ] {
            let track = track.clone().with(interpolation);
            for time in [0.0, 0.1, 0.3, 0.55, 0.9, 1.0] {
                const STEPS: u32 = 20_000;
                let step = f64::from(time) / f64::from(STEPS);
                let middle = |index: u32| ((f64::from(index) + 0.5) * step) as f32;
                let sum: f64 = (0..STEPS)
                    .map(|it| f64::from(track.value(middle(it))))
                    .sum();
                let (found, expected) = (f64::from(track.integral(time)), sum * step);
                assert!(
                    (found - expected).abs() < 3e-4,
                    "{found} instead of {expected}"
                );
            }
        }
    }

    #[test]
    fn keys_may_be_as_far_apart_as_possible() {
        let track = Track::linear(&[[0.0, f32::MIN], [1.0, f32::MAX]]);
        let smooth = track.clone().with(Interpolation::Smooth);
        for track in [track, smooth] {
            let values = [0.0, 0.5, 1.0].map(|time| track.value(time));
            assert_eq!(values, [f32::MIN, 0.0, f32::MAX]);
            assert_eq!([0.0, 1.0].map(|time| track.integral(time)), [0.0; 2]);
            assert!(track.value(0.1).is_finite() && track.integral(0.1).is_finite());
        }
    }

    #[test]
    fn tracks_without_keys_or_order_have_values() {
        let empty = Track::linear(&[]);
        assert_eq!((empty.value(0.5), empty.integral(0.5)), (0.0, 0.0));
        let reversed = Track::linear(&[[1.0, 5.0], [0.0, 2.0]]);
        assert!(reversed.value(0.5).is_finite() && reversed.integral(0.5).is_finite());
        assert!(Track::constant(3.0).is_constant() && !reversed.is_constant());
    }
}
