//! The clips of a Quake model: the times and names of their poses.

use super::Options;
use crate::animation::Animation;
use crate::error::Result;
use crate::scene::Scene;
use serde_json::Value;

/// The games show ten poses per second.
const RATE: f32 = 10.0;

/// The bytes of a pose's name, with the zero at its end.
const NAME_BYTES: usize = 16;

/// An animation that becomes a clip, or the scene at rest.
pub struct Clip<'a> {
    pub name: String,
    pub animation: Option<&'a Animation>,
    /// For frame groups that were converted, the end of each pose in seconds.
    pub times: Option<Vec<f32>>,
    is_group: bool,
}

/// The clips of a model: those of the options, otherwise all, in the order of the converted model if it was one.
pub fn clips<'a>(scene: &'a Scene, options: &Options<'_>) -> Result<Vec<Clip<'a>>> {
    scene.check_names(options.groups)?;
    let converted = scene.extra("mdl", "clips");
    let stated = |name: &str| converted.and_then(|clips| clips.get(name));
    let animations = scene.clips(options.clips, |animation| {
        stated(&animation.name)?.get("first")?.as_u64()
    })?;
    let clip = |animation: &'a Animation| {
        let times = stated(&animation.name).and_then(|clip| clip.get("times")?.as_array().cloned());
        let times = times.map(|times| {
            times
                .iter()
                .filter_map(Value::as_f64)
                .map(|time| time as f32)
                .collect()
        });
        Clip {
            // Names that are not unique in the games' files have a number in glTF files.
            name: without_number(&animation.name).to_owned(),
            is_group: times.is_some() || options.groups.contains(&animation.name),
            times,
            animation: Some(animation),
        }
    };
    if animations.is_empty() {
        let name = "base".to_owned();
        return Ok(vec![Clip {
            name,
            animation: None,
            times: None,
            is_group: false,
        }]);
    }
    Ok(animations.into_iter().map(clip).collect())
}

/// A name without the number that makes it unique: `run#2`.
fn without_number(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((name, number))
            if !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

impl Clip<'_> {
    /// The count of its poses, before a repeated one is left out.
    pub fn count(&self) -> usize {
        let [begin, end] = self.animation.map_or([0.0; 2], Animation::span);
        match &self.times {
            Some(times) => times.len().max(1),
            None => (((end - begin) * RATE + 0.01) as usize).saturating_add(1),
        }
    }

    /// The times of its poses.
    pub fn samples(&self) -> impl Iterator<Item = f32> {
        let [begin, _] = self.animation.map_or([0.0; 2], Animation::span);
        (0..self.count()).map(move |index| {
            let ends = self.times.as_ref();
            let time = ends.map(|ends| {
                index
                    .checked_sub(1)
                    .and_then(|before| ends.get(before))
                    .copied()
            });
            begin + time.map_or(index as f32 / RATE, Option::unwrap_or_default)
        })
    }

    /// The end of each pose in seconds, if it becomes a frame group.
    pub fn group_times(&self, count: usize) -> Option<Vec<f32>> {
        let times = self.times.clone().filter(|times| times.len() == count);
        let regular = || (1..=count).map(|index| index as f32 / RATE).collect();
        self.is_group.then(|| times.unwrap_or_else(regular))
    }

    /// The name of a pose: the clip's name and a number. `name` is a name that the file has for it.
    pub fn pose_name(&self, index: usize, name: Option<&str>) -> String {
        let stem = |name: &str| match name.trim_end_matches(|it: char| it.is_ascii_digit()) {
            "" => "frames".to_owned(),
            stem => stem.to_owned(),
        };
        let name = name
            .map(without_number)
            .filter(|name| name.len() < NAME_BYTES);
        if let Some(name) = name.filter(|name| stem(name) == self.name) {
            return name.to_owned();
        }
        // The number of the pose must not be taken for one of the name.
        let separator = if self.name.ends_with(|it: char| it.is_ascii_digit()) {
            "_"
        } else {
            ""
        };
        let number = format!("{separator}{}", index + 1);
        let mut length = self
            .name
            .len()
            .min((NAME_BYTES - 1).saturating_sub(number.len()));
        while !self.name.is_char_boundary(length) {
            length -= 1;
        }
        format!("{}{number}", self.name.get(..length).unwrap_or_default())
    }
}
