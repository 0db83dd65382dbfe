//! Computes the value of `play` for a saved manifest.

use bevy_classic_models::manifest::{ManifestClip, ManifestRepeat, NameOrIndex};
use bevy_classic_models::prelude::PlayClip;
use bevy_classic_models::root::Repeat;

/// The manifest value of `play` that plays the same as the component `play`. `shown` is the clip of `play`, without
/// name, speed and repeat mode.
///
/// Adds an entry to `clips` if the clip has another speed or repeat mode, a range of frames or a file, unless an equal
/// entry exists.
pub fn played_clip(
    play: &PlayClip,
    shown: ManifestClip,
    clips: &mut Vec<ManifestClip>,
) -> NameOrIndex {
    let repeat = match play.repeat {
        Repeat::Loop => Some(ManifestRepeat::Loop),
        Repeat::Once => Some(ManifestRepeat::Once),
        _ => None,
    };
    let plain = match (&shown.file, shown.frames, &shown.clip) {
        (None, None, Some(clip)) => Some(clip.clone()),
        _ => None,
    };
    // A name that refers to an entry plays at the entry's speed. An index never refers to an entry.
    if let Some(NameOrIndex::Name(name)) = &plain
        && let Some(entry) = clips.iter_mut().find(|entry| is_named(entry, name))
    {
        entry.speed *= play.speed;
        entry.repeat = repeat.unwrap_or(entry.repeat);
        return NameOrIndex::Name(name.clone());
    }
    let mut entry = ManifestClip {
        speed: play.speed,
        repeat: repeat.unwrap_or_default(),
        ..shown
    };
    let has_defaults = entry.speed == 1.0 && entry.repeat == ManifestRepeat::default();
    if let Some(plain) = &plain
        && has_defaults
    {
        return plain.clone();
    }
    if let Some(name) = name_of_same(&entry, clips) {
        return NameOrIndex::Name(name);
    }
    let name = match plain {
        Some(NameOrIndex::Name(name)) => name,
        Some(NameOrIndex::Index(index)) => format!("clip {index}"),
        None => "shown".to_owned(),
    };
    entry.name = free_name(&name, |name| {
        clips.iter().any(|entry| is_named(entry, name))
    });
    let name = NameOrIndex::Name(entry.name.clone());
    clips.push(entry);
    name
}

/// The name of an entry that is equal except for its name.
fn name_of_same(entry: &ManifestClip, clips: &[ManifestClip]) -> Option<String> {
    let is_same = |other: &&ManifestClip| {
        let renamed = ManifestClip {
            name: other.name.clone(),
            ..entry.clone()
        };
        !other.name.is_empty() && renamed == **other
    };
    clips.iter().find(is_same).map(|other| other.name.clone())
}

fn is_named(entry: &ManifestClip, name: &str) -> bool {
    entry.name.to_lowercase() == name.to_lowercase()
}

/// A name that is not taken: `name`, otherwise `name` with a number from 2.
pub fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut names = (1..).map(|number| match number {
        1 => name.to_owned(),
        _ => format!("{name} {number}"),
    });
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
