//! Parameters of plug-ins by name. Those that the file lacks are 0, false or empty. So are numbers that are not finite, which
//! the parser rejects.

use super::file::Plugin;
use super::value::{PropertyGroup, Value, Vec4Key};
use crate::particles::file::{Interpolation, Key, Track};

impl Plugin<'_> {
    pub(in crate::particles) fn number(&self, name: &str) -> f32 {
        match self.get(name) {
            Some(Value::F32(value)) if value.is_finite() => *value,
            _ => 0.0,
        }
    }

    pub(in crate::particles) fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Bool(true)))
    }

    pub(in crate::particles) fn integer(&self, name: &str) -> i32 {
        match self.get(name) {
            Some(Value::I32(value)) => *value,
            _ => 0,
        }
    }

    pub(in crate::particles) fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    pub(in crate::particles) fn vector(&self, name: &str) -> [f32; 3] {
        match self.get(name) {
            Some(Value::Vec3(value)) => *value,
            _ => [0.0; 3],
        }
    }

    pub(in crate::particles) fn color(&self, name: &str) -> [f32; 4] {
        match self.get(name) {
            Some(Value::Color(value)) => *value,
            _ => [0.0; 4],
        }
    }

    pub(in crate::particles) fn group(&self, name: &str) -> PropertyGroup {
        match self.get(name) {
            Some(Value::Group(value)) => **value,
            _ => PropertyGroup::default(),
        }
    }

    pub(in crate::particles) fn keys(&self, name: &str) -> &[Key] {
        match self.get(name) {
            Some(Value::Keys(keys)) => keys,
            _ => &[],
        }
    }

    pub(in crate::particles) fn vec4_keys(&self, name: &str) -> &[Vec4Key] {
        match self.get(name) {
            Some(Value::ColorKeys(keys) | Value::Vec4Keys(keys)) => keys,
            _ => &[],
        }
    }

    /// Two numbers in ascending order.
    pub(in crate::particles) fn range(&self, min: &str, max: &str) -> [f32; 2] {
        let (min, max) = (self.number(min), self.number(max));
        [min.min(max), min.max(max)]
    }

    /// A track of keys, smooth if the parameter `smooth` is set.
    pub(in crate::particles) fn track(&self, name: &str) -> Track {
        track(self.keys(name).iter().copied(), self.flag("smooth"))
    }

    /// A track of two values, by `start_time`, `end_time` and `smooth`.
    pub(in crate::particles) fn linear_track(&self, start: f32, end: f32) -> Track {
        let from = self.number("start_time").clamp(0.0, 1.0);
        let to = self.number("end_time").clamp(from, 1.0);
        let keys = [(from, start), (to, end)].map(|(time, value)| Key { time, value });
        track(keys, self.flag("smooth"))
    }
}

/// A track with keys at 0 and 1, which have the values of the first and the last key.
pub(in crate::particles) fn track(keys: impl IntoIterator<Item = Key>, is_smooth: bool) -> Track {
    let within = |key: Key| Key {
        time: key.time.clamp(0.0, 1.0),
        ..key
    };
    let mut keys: Vec<Key> = keys.into_iter().map(within).collect();
    if let Some(first) = keys.first().copied()
        && (first.time > 0.0 || keys.len() == 1)
    {
        keys.insert(0, Key { time: 0.0, ..first });
    }
    if let Some(last) = keys.last().copied().filter(|last| last.time < 1.0) {
        keys.push(Key { time: 1.0, ..last });
    }
    Track {
        interpolation: match is_smooth {
            true => Interpolation::Smooth,
            false => Interpolation::Linear,
        },
        keys,
    }
}
