//! The keyframes of animations, their events and half extents.

use super::sample::{Sampled, Sampler};
use super::{integers, text};
use crate::animation::{Animation, Channel, Interpolation};
use crate::error::{Error, Result};
use crate::scene::Scene;
use crate::scene::numbers;
use classic_model_formats::abc::write::{AnimationDocument, KeyframeDocument, TrackDocument};
use serde_json::Value;
use std::collections::BTreeMap;

/// The maximum count of keyframes of an animation.
const MAX_KEYFRAMES: usize = 1 << 16;

/// The milliseconds between the keyframes of curves, which the file does not have.
const CURVE_STEP: f64 = 1000.0 / 30.0;

/// How far the end of an animation may be from that of the converted model, in seconds. Blender has 24 frames per second.
const SAME_END: f32 = 0.05;

/// An animation of the file.
pub struct Clip<'a> {
    /// The name in the scene.
    pub key: String,
    name: String,
    animation: Option<&'a Animation>,
    pub keys: Vec<Key>,
    length: u32,
    dims: Option<[f32; 3]>,
}

/// A keyframe.
pub struct Key {
    /// Milliseconds from the start.
    time: u32,
    /// The time in the animation of the scene, in seconds.
    seconds: f32,
    event: String,
}

/// The animations with these names, or all in the order of the converted model. One keyframe of the scene at rest if there are none.
pub fn clips<'a>(scene: &'a Scene, names: &[String]) -> Result<Vec<Clip<'a>>> {
    let all = scene.extra("abc", "animations");
    let stated = |animation: &Animation| all.and_then(|all| all.get(&animation.name));
    let animations = scene.clips(names, |it| stated(it)?.get("index")?.as_u64())?;
    if animations.is_empty() {
        return Ok(vec![Clip {
            key: "base".to_owned(),
            name: "base".to_owned(),
            animation: None,
            keys: vec![Key {
                time: 0,
                seconds: 0.0,
                event: String::new(),
            }],
            length: 0,
            dims: None,
        }]);
    }
    let clips = animations.into_iter().map(|it| Clip::new(it, stated(it)));
    clips.collect()
}

/// Whether animations have half extents: all or none have.
pub fn has_dims(scene: &Scene) -> bool {
    let animations = scene.extra("abc", "animations").and_then(Value::as_object);
    animations.is_none_or(|all| all.values().any(|it| it.get("dims").is_some()))
}

impl<'a> Clip<'a> {
    /// `stated` is what the converted model has of the animation.
    fn new(animation: &'a Animation, stated: Option<&Value>) -> Result<Self> {
        let [begin, end] = animation.span();
        let times = stated.and_then(|it| integers(it.get("times")));
        let length = stated
            .and_then(|it| it.get("length")?.as_u64())
            .unwrap_or(0);
        let is_same = (end - length as f32 / 1000.0).abs() < SAME_END;
        let times = times.filter(|it| is_same && it.is_sorted() && it.last().is_some());
        let has_stated_times = times.is_some();
        let events = stated.and_then(|it| it.get("events")?.as_object());
        let mut clip = Self {
            key: animation.name.clone(),
            name: match stated.and_then(|it| it.get("name")?.as_str()) {
                Some(name) => name.to_owned(),
                None => animation.name.clone(),
            },
            animation: Some(animation),
            length: length as u32,
            keys: match times {
                Some(times) => stated_keys(&times),
                None => keys(animation, [begin, end])?,
            },
            dims: stated.and_then(|it| numbers(it.get("dims"))),
        };
        if !has_stated_times {
            clip.length = clip.keys.last().map_or(0, |key| key.time);
        }
        let old = stated
            .and_then(|it| integers(it.get("times")))
            .unwrap_or_default();
        for (index, event) in events.into_iter().flatten() {
            let index = index.parse::<usize>().unwrap_or(usize::MAX);
            // Without the times of a converted model, events are those of a new animation.
            let at = match has_stated_times || old.is_empty() {
                true => Some(index),
                false => old.get(index).and_then(|time| clip.nearest(*time)),
            };
            if let Some(key) = at.and_then(|at| clip.keys.get_mut(at)) {
                key.event = text(Some(event));
            }
        }
        Ok(clip)
    }

    /// The index of the keyframe that is nearest to a time.
    fn nearest(&self, time: u32) -> Option<usize> {
        let after = self.keys.partition_point(|key| key.time < time);
        let near = [after.saturating_sub(1), after].into_iter();
        let near = near.filter_map(|index| Some((index, self.keys.get(index)?.time)));
        let nearest = near.min_by_key(|(_, other)| other.abs_diff(time));
        nearest.map(|(index, _)| index)
    }

    /// The scene at a keyframe.
    pub fn at(&self, sampler: &Sampler<'_>, key: &Key) -> Sampled {
        sampler.at(self.animation.map(|animation| (animation, key.seconds)))
    }

    /// The scene at the first keyframe.
    pub fn rest(&self, sampler: &Sampler<'_>) -> Sampled {
        match self.keys.first() {
            Some(key) => self.at(sampler, key),
            None => sampler.at(None),
        }
    }

    /// The animation, without bounds.
    pub fn document(&self, tracks: Vec<TrackDocument>) -> AnimationDocument {
        let keyframes = self.keys.iter().map(|key| KeyframeDocument {
            time: key.time,
            event: key.event.clone(),
            ..KeyframeDocument::default()
        });
        AnimationDocument {
            name: self.name.clone(),
            length: self.length,
            keyframes: keyframes.collect(),
            tracks,
            dims: self.dims,
            ..AnimationDocument::default()
        }
    }
}

/// The keyframes of a converted model. The conversion moves the first of two keyframes of one time to the number before it.
fn stated_keys(times: &[u32]) -> Vec<Key> {
    let keys = times.iter().enumerate().map(|(index, time)| {
        let seconds = (f64::from(*time) / 1000.0) as f32;
        let is_jump = times.get(index + 1) == Some(time);
        Key {
            time: *time,
            seconds: if is_jump {
                seconds.next_down().max(0.0)
            } else {
                seconds
            },
            event: String::new(),
        }
    });
    keys.collect()
}

/// The keyframes of a new animation: the times of all keys, and more on curves.
fn keys(animation: &Animation, [begin, end]: [f32; 2]) -> Result<Vec<Key>> {
    let length = offset(end, begin);
    if length / CURVE_STEP > MAX_KEYFRAMES as f64 {
        let name = &animation.name;
        return Err(Error::new(format_args!(
            "animation {name:?} is too long: {} s",
            length / 1000.0
        )));
    }
    let mut times = BTreeMap::new();
    for channel in &animation.channels {
        add_times(channel, begin, &mut times);
    }
    // Last, because the values between keys may differ.
    for seconds in animation.channels.iter().flat_map(|it| &it.times) {
        times.insert(offset(*seconds, begin).round() as u32, *seconds);
    }
    if times.is_empty() {
        times.insert(0, begin);
    }
    let keys = times.into_iter().map(|(time, seconds)| Key {
        time,
        seconds,
        event: String::new(),
    });
    Ok(keys.collect())
}

/// Milliseconds from the begin of an animation.
fn offset(seconds: f32, begin: f32) -> f64 {
    (f64::from(seconds) - f64::from(begin)) * 1000.0
}

/// Adds the times between the keys of a channel, by milliseconds.
fn add_times(channel: &Channel, begin: f32, times: &mut BTreeMap<u32, f32>) {
    let mut add = |time: f64| {
        let time = time.round() as u32;
        times.insert(time, begin + (f64::from(time) / 1000.0) as f32);
    };
    let mut keys = channel.times.iter().map(|time| offset(*time, begin));
    match channel.interpolation {
        Interpolation::Linear => {}
        // A jump takes a millisecond.
        Interpolation::Step => keys.skip(1).for_each(|time| add(time - 1.0)),
        Interpolation::CubicSpline => {
            let first = keys.next().unwrap_or_default();
            let last = keys.next_back().unwrap_or(first);
            let steps = ((last - first) / CURVE_STEP) as u32;
            (1..=steps).for_each(|step| add(first + f64::from(step) * CURVE_STEP));
        }
    }
}
