//! Samples animations of glTF files, by the formulas of the specification (appendix C).

use crate::scene::Transform;
use glam::{Quat, Vec3, Vec4};

/// An animation of nodes.
#[derive(Debug)]
pub struct Animation {
    pub name: String,
    pub channels: Vec<Channel>,
}

/// The keys of a property of a node.
#[derive(Debug)]
pub struct Channel {
    pub node: usize,
    pub property: Property,
    pub interpolation: Interpolation,
    /// Seconds, in increasing order, at least one.
    pub times: Vec<f32>,
    /// `width` numbers per key. With cubic splines three times as many: in-tangent, value and out-tangent.
    pub values: Vec<f32>,
    pub width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
    /// Of `KHR_node_visibility`: 0 or 1.
    Visibility,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    Linear,
    Step,
    CubicSpline,
}

impl Animation {
    /// The times of the first and of the last key, in seconds. Zeros without keys.
    pub fn span(&self) -> [f32; 2] {
        let ends = self
            .channels
            .iter()
            .filter_map(|it| Some((*it.times.first()?, *it.times.last()?)));
        let span = ends.reduce(|(first, last), (begin, end)| (first.min(begin), last.max(end)));
        span.map_or([0.0; 2], |(first, last)| [first, last])
    }

    /// Replaces the transforms and weights that it animates by those at a time.
    pub fn apply(&self, time: f32, transforms: &mut [Transform], weights: &mut [Vec<f32>]) {
        for channel in &self.channels {
            let Some(transform) = transforms.get_mut(channel.node) else {
                continue;
            };
            let vector = || Vec4::from_array(channel.array(time)).truncate();
            match channel.property {
                Property::Translation => transform.translation = vector(),
                Property::Scale => transform.scale = vector(),
                Property::Rotation => transform.rotation = channel.rotation(time),
                Property::Visibility => transform.visible = !channel.is_zero_at(time),
                Property::Weights => {
                    if let Some(weights) = weights.get_mut(channel.node) {
                        channel.sample(time, weights);
                    }
                }
            }
        }
    }
}

impl Channel {
    /// The key before a time, and how far the time is on the way to the next one: 0 to 1.
    fn locate(&self, time: f32) -> (usize, f32) {
        let next = self.times.partition_point(|key| *key <= time);
        let key = next.saturating_sub(1);
        let (Some(begin), Some(end)) = (self.times.get(key), self.times.get(key + 1)) else {
            return (key, 0.0);
        };
        match self.interpolation {
            Interpolation::Step => (key, 0.0),
            _ => (key, ((time - begin) / (end - begin)).clamp(0.0, 1.0)),
        }
    }

    /// Whether all its keys at times that count have this value, up to rounding.
    pub fn stays(&self, value: &[f32], counts: impl Fn(f32) -> bool) -> bool {
        let keys = self.times.iter().zip(self.values.chunks(self.width.max(1)));
        let size = value
            .iter()
            .fold(1.0_f32, |max, value| max.max(value.abs()));
        let is_near = |key: &[f32]| {
            key.iter()
                .zip(value)
                .all(|(a, b)| (a - b).abs() <= size * 1e-5)
        };
        self.interpolation != Interpolation::CubicSpline
            && keys
                .into_iter()
                .all(|(time, key)| !counts(*time) || is_near(key))
    }

    /// Whether its value at a time is zero.
    pub fn is_zero_at(&self, time: f32) -> bool {
        self.array(time).iter().all(|value| value.abs() < 1e-6)
    }

    /// Whether all its scales are 0 or one other value: they hide and show a node.
    pub fn only_hides(&self, rest: Vec3) -> bool {
        let is_zero = |scale: Vec3| scale.abs().max_element() < 1e-6;
        let scales = || self.values.chunks(3).map(Vec3::from_slice);
        let shown = scales().find(|scale| !is_zero(*scale)).unwrap_or(rest);
        let is_shown = |scale: Vec3| (scale - shown).abs().max_element() < 1e-4;
        self.interpolation != Interpolation::CubicSpline
            && scales().all(|scale| is_zero(scale) || is_shown(scale))
    }

    /// The values of a key. `part` is that of cubic splines: 0 the in-tangent, 1 the value, 2 the out-tangent.
    fn key(&self, key: usize, part: usize) -> &[f32] {
        let start = match self.interpolation {
            Interpolation::CubicSpline => (3 * key + part) * self.width,
            _ => key * self.width,
        };
        self.values
            .get(start..start + self.width)
            .unwrap_or_default()
    }

    /// The values at a time. Quaternions are interpolated like other values.
    fn sample(&self, time: f32, out: &mut [f32]) {
        let (key, t) = self.locate(time);
        let here = self.key(key, 1);
        if t == 0.0 {
            out.iter_mut()
                .zip(here)
                .for_each(|(out, value)| *out = *value);
            return;
        }
        let next = self.key(key + 1, 1);
        if self.interpolation != Interpolation::CubicSpline {
            for ((out, a), b) in out.iter_mut().zip(here).zip(next) {
                *out = a + (b - a) * t;
            }
            return;
        }
        let length = |key: usize| self.times.get(key).copied().unwrap_or_default();
        let step = length(key + 1) - length(key);
        let (out_tangent, in_tangent) = (self.key(key, 2), self.key(key + 1, 0));
        let (t2, t3) = (t * t, t * t * t);
        let tangents = out_tangent.iter().zip(in_tangent);
        for ((out, (a, b)), (from, to)) in out.iter_mut().zip(here.iter().zip(next)).zip(tangents) {
            *out = (2.0 * t3 - 3.0 * t2 + 1.0) * a
                + step * (t3 - 2.0 * t2 + t) * from
                + (3.0 * t2 - 2.0 * t3) * b
                + step * (t3 - t2) * to;
        }
    }

    fn array(&self, time: f32) -> [f32; 4] {
        let mut values = [0.0; 4];
        self.sample(time, &mut values);
        values
    }

    /// The rotation at a time: spherical between keys, unless they are splines.
    fn rotation(&self, time: f32) -> Quat {
        let (key, t) = self.locate(time);
        let quaternion = |values: &[f32]| {
            let values = values.first_chunk::<4>().copied().unwrap_or_default();
            let quaternion = Quat::from_array(values);
            let length = quaternion.length_squared();
            if (length - 1.0).abs() < 1e-6 {
                // Without rounding, so that it is the same after each conversion.
                quaternion
            } else if length > 0.0 {
                quaternion.normalize()
            } else {
                Quat::IDENTITY
            }
        };
        match self.interpolation {
            Interpolation::Linear if t > 0.0 => {
                quaternion(self.key(key, 1)).slerp(quaternion(self.key(key + 1, 1)), t)
            }
            _ => quaternion(&self.array(time)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(interpolation: Interpolation, values: &[f32]) -> Channel {
        Channel {
            node: 0,
            property: Property::Weights,
            interpolation,
            times: vec![1.0, 3.0],
            values: values.to_vec(),
            width: 1,
        }
    }

    #[test]
    fn values_between_keys_follow_the_specification() {
        let sample = |channel: &Channel, time: f32| {
            let mut out = [0.0];
            channel.sample(time, &mut out);
            out[0]
        };
        let linear = channel(Interpolation::Linear, &[2.0, 6.0]);
        assert_eq!(
            [0.0, 1.0, 2.0, 3.0, 9.0].map(|time| sample(&linear, time)),
            [2.0, 2.0, 4.0, 6.0, 6.0]
        );
        let step = channel(Interpolation::Step, &[2.0, 6.0]);
        assert_eq!(
            [0.0, 2.9, 3.0].map(|time| sample(&step, time)),
            [2.0, 2.0, 6.0]
        );
        // A straight line has tangents of its slope.
        let spline = channel(Interpolation::CubicSpline, &[0.0, 2.0, 2.0, 2.0, 6.0, 0.0]);
        for (time, expected) in [(1.0, 2.0), (1.5, 3.0), (2.5, 5.0), (3.0, 6.0)] {
            assert!((sample(&spline, time) - expected).abs() < 1e-6, "{time}");
        }
        // Half way with flat tangents is the middle, and a quarter is less than a quarter.
        let flat = channel(Interpolation::CubicSpline, &[0.0, 2.0, 0.0, 0.0, 6.0, 0.0]);
        assert!((sample(&flat, 2.0) - 4.0).abs() < 1e-6);
        assert!((sample(&flat, 1.5) - 2.625).abs() < 1e-6);
    }

    #[test]
    fn rotations_take_the_shortest_way_around() {
        let [a, b] = [0.0_f32, 1.0].map(Quat::from_rotation_y);
        let mut channel = channel(
            Interpolation::Linear,
            &[a.to_array(), (-b).to_array()].concat(),
        );
        channel.width = 4;
        let middle = channel.rotation(2.0);
        assert!(
            middle.angle_between(Quat::from_rotation_y(0.5)) < 1e-3,
            "{middle}"
        );
    }
}
