//! The part of the texture that a particle has.

use crate::particles::evaluate::random::{Draws, Purpose};
use crate::particles::file::{Key, Track};
use crate::particles::plugins::{Plugin, Value, Vec4Key, track};

/// Left, top, width and height of the whole texture.
const WHOLE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// The part of the texture over the life of a particle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Texture {
    /// Left, top, width and height by time; empty for the whole texture.
    tracks: Vec<Track>,
    /// Whether a particle begins at a random key, and stays there until its time.
    has_random_start: bool,
    /// Parts of which each particle has one.
    slots: Vec<[f32; 4]>,
    /// Whether left and top have a random number from 0 to 1 added.
    pub(super) has_random_offset: bool,
}

impl Texture {
    /// The texture of a modifier that sets it.
    pub(super) fn new(modifier: &Plugin<'_>) -> Self {
        let mut texture = Self::default();
        match modifier.get("texture_coordinates") {
            Some(Value::Vec4(part)) => texture.tracks = part.map(Track::constant).into(),
            Some(Value::Vec4Keys(keys)) => {
                texture.tracks = tracks(keys, modifier.flag("smooth"));
                texture.has_random_start = modifier.flag("random_start_key");
            }
            _ => {}
        }
        if let Some(Value::Vec4List(slots)) = modifier.get("slots") {
            texture.slots.clone_from(slots);
        }
        texture
    }

    /// Left, top, width and height at a fraction of the life.
    pub(super) fn part(&self, draws: Draws, time: f32) -> [f32; 4] {
        let unit = |offset| draws.unit(Purpose::Texture, offset);
        let mut part = WHOLE;
        let slot = (unit(0) * self.slots.len() as f32) as usize;
        if let Some(slot) = self.slots.get(slot) {
            part = *slot;
        } else if let Some(first) = self.tracks.first() {
            let mut time = time;
            if self.has_random_start {
                // The last key is none to begin with.
                let keys = first.keys.len().saturating_sub(1);
                let key = first.keys.get((unit(1) * keys as f32) as usize);
                time = time.max(key.map_or(0.0, |key| key.time));
            }
            for (value, track) in part.iter_mut().zip(&self.tracks) {
                *value = track.value(time);
            }
        }
        if self.has_random_offset {
            let [left, top, width, height] = part;
            part = [left + unit(2), top + unit(3), width, height];
        }
        part
    }
}

fn tracks(keys: &[Vec4Key], is_smooth: bool) -> Vec<Track> {
    let of = |index: usize| {
        let key = move |key: &Vec4Key| Key {
            time: key.time,
            value: key.value.get(index).copied().unwrap_or_default(),
        };
        track(keys.iter().map(key), is_smooth)
    };
    (0..4).map(of).collect()
}
