//! The tracks of an emitter with their keys merged, so that one search finds the values of all of them.

use super::track::clamped;
use crate::particles::file::{Interpolation, Key, Track, Tracks};

/// The most spans of a timeline, which limits its memory: a span has the values of all tracks, although a key in the file has
/// the value of one.
const MAX_SPANS: usize = 32;

/// The count of tracks, and one more: vector instructions take four at once.
const LANES: usize = 8;

/// The lane of the rotation speed.
const ROTATION: usize = 6;

/// The tracks of an emitter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Timeline {
    /// The time at which each span begins, ascending from 0.
    begins: Vec<f32>,
    spans: Vec<Span>,
    /// Whether a track is interpolated smoothly, and which.
    has_smooth: bool,
    is_smooth: [bool; LANES],
}

/// A time in which no track has a key. All values are per track, and belong to the keys around the time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    /// The time of the key before.
    begin: [f32; LANES],
    /// The duration until the key after.
    duration: [f32; LANES],
    /// The value of the key before.
    value: [f32; LANES],
    /// What the value changes by until the key after: 0 in a step.
    difference: [f32; LANES],
    /// The integral of the rotation speed from 0 to the key before.
    turns: f32,
}

/// The values of all tracks at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Values {
    /// Red, green, blue and alpha.
    pub color: [f32; 4],
    pub scale: f32,
    pub index: f32,
    /// The integral of the rotation speed from 0 to the time.
    pub turns: f32,
}

impl Timeline {
    /// `None` if there are too many keys, or if a track needs care: if its keys are not in order from 0 to 1, or a difference is
    /// not finite. `turns` are the [integrals](Track::integrals) of the rotation speed.
    pub fn new(tracks: &Tracks, turns: &[f32]) -> Option<Self> {
        let tracks = tracks.entries().map(|(_, track)| track);
        if !tracks.into_iter().all(is_regular) {
            return None;
        }
        let moving = tracks.into_iter().filter(|track| !track.is_constant());
        let keys = moving.flat_map(|track| &track.keys);
        let mut begins: Vec<f32> = keys.map(|key| key.time).chain([0.0]).collect();
        begins.sort_unstable_by(f32::total_cmp);
        begins.dedup();
        if begins.len() > MAX_SPANS {
            return None;
        }
        let mut is_smooth = [false; LANES];
        for (is_smooth, track) in is_smooth.iter_mut().zip(tracks) {
            *is_smooth = track.interpolation == Interpolation::Smooth;
        }
        let spans = begins.iter().map(|begin| Span::new(tracks, turns, *begin));
        Some(Self {
            spans: spans.collect(),
            begins,
            has_smooth: is_smooth.contains(&true),
            is_smooth,
        })
    }

    /// The values at a time, by the same operations as [`Track::value`] and [`Track::integral`].
    pub fn values(&self, time: f32) -> Values {
        let time = clamped(time);
        let after = self.begins.partition_point(|begin| *begin <= time);
        let span = self.spans.get(after.saturating_sub(1));
        let span = span.unwrap_or(&Span::ZERO);
        let u: [f32; LANES] =
            core::array::from_fn(|lane| (time - span.begin[lane]) / span.duration[lane]);
        let mut weight = u;
        if self.has_smooth {
            for (weight, is_smooth) in weight.iter_mut().zip(self.is_smooth) {
                let u = *weight;
                *weight = if is_smooth {
                    u * u * (3.0 - 2.0 * u)
                } else {
                    u
                };
            }
        }
        let values: [f32; LANES] =
            core::array::from_fn(|lane| span.value[lane] + span.difference[lane] * weight[lane]);
        let [red, green, blue, alpha, scale, index, ..] = values;
        Values {
            color: [red, green, blue, alpha],
            scale,
            index,
            turns: self.turns(span, u[ROTATION]),
        }
    }

    /// The integral of the rotation speed at a fraction of a span.
    fn turns(&self, span: &Span, u: f32) -> f32 {
        let weight = if self.is_smooth[ROTATION] {
            u * u * u * (1.0 - 0.5 * u)
        } else {
            0.5 * u * u
        };
        let mean = span.value[ROTATION] * u + span.difference[ROTATION] * weight;
        span.turns + span.duration[ROTATION] * mean
    }
}

impl Span {
    const ZERO: Self = Self {
        begin: [0.0; LANES],
        duration: [1.0; LANES],
        value: [0.0; LANES],
        difference: [0.0; LANES],
        turns: 0.0,
    };

    /// The span from a time to the next key.
    fn new(tracks: [&Track; 7], turns: &[f32], time: f32) -> Self {
        let mut span = Self::ZERO;
        for (lane, track) in tracks.into_iter().enumerate() {
            if track.is_constant() {
                span.value[lane] = track.keys.first().map_or(0.0, |key| key.value);
                continue;
            }
            let after = track.keys.partition_point(|key| key.time <= time);
            let before = after.saturating_sub(1);
            let (Some(from), to) = (track.keys.get(before), track.keys.get(after)) else {
                continue;
            };
            span.begin[lane] = from.time;
            span.value[lane] = from.value;
            if let Some(to) = to {
                span.duration[lane] = to.time - from.time;
                if track.interpolation != Interpolation::Step {
                    span.difference[lane] = to.value - from.value;
                }
            }
            if lane == ROTATION {
                span.turns = turns.get(before).copied().unwrap_or_default();
            }
        }
        span
    }
}

/// Whether the values of a track need no special care.
fn is_regular(track: &Track) -> bool {
    let keys = &track.keys;
    let is_regular_pair = |pair: &[Key]| match pair {
        [from, to] => from.time <= to.time && (to.value - from.value).is_finite(),
        _ => false,
    };
    keys.iter().all(|key| key.value.is_finite())
        && (track.is_constant()
            || keys.first().is_some_and(|key| key.time == 0.0)
                && keys.last().is_some_and(|key| key.time == 1.0)
                && keys.windows(2).all(is_regular_pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tracks of all interpolations, with several keys at a time, and with constants.
    fn tracks() -> Tracks {
        let jumps = [
            [0.0, 9.0],
            [0.0, 1.0],
            [0.25, 7.0],
            [0.25, -2.0],
            [0.5, 4.0],
            [1.0, 4.0],
            [1.0, 6.0],
        ];
        let jumps = Track::linear(&jumps);
        Tracks {
            red: Track::linear(&[[0.0, 255.0], [0.3, 96.0], [1.0, 0.0]]),
            green: jumps.clone().with(Interpolation::Smooth),
            blue: Track::constant(3.0),
            alpha: jumps.clone(),
            scale: Track::linear(&[[0.0, 1.0], [1.0, 10.0]]).with(Interpolation::Smooth),
            index: jumps.clone().with(Interpolation::Step),
            rotation_speed: jumps,
        }
    }

    #[test]
    fn values_are_those_of_the_tracks() {
        let mut tracks = tracks();
        let speeds = [
            tracks.rotation_speed.clone(),
            tracks.green.clone(),
            tracks.index.clone(),
            Track::constant(-0.7),
            Track::linear(&[]),
        ];
        for speed in speeds {
            tracks.rotation_speed = speed;
            let turns = tracks.rotation_speed.integrals();
            let timeline = Timeline::new(&tracks, &turns).unwrap();
            let times = (-2..=102).map(|time| time as f32 * 0.01);
            for time in times.chain([f32::NAN, f32::INFINITY, 0.125, 0.25, 0.3, 0.75]) {
                let found = timeline.values(time);
                let expected = Values {
                    color: [&tracks.red, &tracks.green, &tracks.blue, &tracks.alpha]
                        .map(|track| track.value(time)),
                    scale: tracks.scale.value(time),
                    index: tracks.index.value(time),
                    turns: tracks.rotation_speed.integral(time),
                };
                assert_eq!(found, expected, "at {time}");
            }
        }
    }

    #[test]
    fn tracks_that_need_care_have_no_timeline() {
        let many: Vec<[f32; 2]> = (0..=32)
            .map(|key| [key as f32 / 32.0, key as f32])
            .collect();
        for keys in [
            &many[..],
            &[[0.0, f32::MIN], [1.0, f32::MAX]],
            &[[0.0, f32::INFINITY], [1.0, f32::INFINITY]],
            &[[1.0, 5.0], [0.0, 2.0]],
            &[[0.5, 5.0], [1.0, 2.0]],
            &[[0.0, 5.0], [f32::NAN, 1.0], [1.0, 2.0]],
        ] {
            let mut tracks = tracks();
            tracks.red = Track::linear(keys);
            let turns = tracks.rotation_speed.integrals();
            assert_eq!(Timeline::new(&tracks, &turns), None, "{keys:?}");
        }
    }
}
