//! Parameters of plug-ins by name. Those that the file lacks are 0, false or empty.

use crate::particles::file::{Interpolation, Key, Track};
use crate::particles::plugins::{Plugin, PropertyGroup, Value, Vec4Key};

/// Parameters by name.
pub(super) trait Parameters {
    fn number(&self, name: &str) -> f32;
    fn flag(&self, name: &str) -> bool;
    fn integer(&self, name: &str) -> i32;
    fn vector(&self, name: &str) -> [f32; 3];
    fn color(&self, name: &str) -> [f32; 4];
    fn group(&self, name: &str) -> PropertyGroup;
    fn keys(&self, name: &str) -> &[Key];
    fn vec4_keys(&self, name: &str) -> &[Vec4Key];
    /// Two numbers in ascending order.
    fn range(&self, min: &str, max: &str) -> [f32; 2];
    /// A track of keys, smooth if the parameter `smooth` is set.
    fn track(&self, name: &str) -> Track;
    /// A track of two values, by `start_time`, `end_time` and `smooth`.
    fn linear_track(&self, start: f32, end: f32) -> Track;
}

impl Parameters for Plugin<'_> {
    fn number(&self, name: &str) -> f32 {
        match self.get(name) {
            Some(Value::F32(value)) => *value,
            _ => 0.0,
        }
    }

    fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Bool(true)))
    }

    fn integer(&self, name: &str) -> i32 {
        match self.get(name) {
            Some(Value::I32(value)) => *value,
            _ => 0,
        }
    }

    fn vector(&self, name: &str) -> [f32; 3] {
        match self.get(name) {
            Some(Value::Vec3(value)) => *value,
            _ => [0.0; 3],
        }
    }

    fn color(&self, name: &str) -> [f32; 4] {
        match self.get(name) {
            Some(Value::Color(value)) => *value,
            _ => [0.0; 4],
        }
    }

    fn group(&self, name: &str) -> PropertyGroup {
        match self.get(name) {
            Some(Value::Group(value)) => **value,
            _ => PropertyGroup::default(),
        }
    }

    fn keys(&self, name: &str) -> &[Key] {
        match self.get(name) {
            Some(Value::Keys(keys)) => keys,
            _ => &[],
        }
    }

    fn vec4_keys(&self, name: &str) -> &[Vec4Key] {
        match self.get(name) {
            Some(Value::ColorKeys(keys) | Value::Vec4Keys(keys)) => keys,
            _ => &[],
        }
    }

    fn range(&self, min: &str, max: &str) -> [f32; 2] {
        let (min, max) = (self.number(min), self.number(max));
        [min.min(max), min.max(max)]
    }

    fn track(&self, name: &str) -> Track {
        track(self.keys(name).iter().copied(), self.flag("smooth"))
    }

    fn linear_track(&self, start: f32, end: f32) -> Track {
        let from = self.number("start_time").clamp(0.0, 1.0);
        let to = self.number("end_time").clamp(from, 1.0);
        let keys = [(from, start), (to, end)].map(|(time, value)| Key { time, value });
        track(keys, self.flag("smooth"))
    }
}

/// A track with keys at 0 and 1, which have the values of the first and the last key.
pub(super) fn track(keys: impl IntoIterator<Item = Key>, is_smooth: bool) -> Track {
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
