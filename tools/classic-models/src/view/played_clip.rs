//! The clip that a manifest plays.

use bevy_classic_models::model::manifest::{ManifestClip, ManifestRepeat, NameOrIndex};
use bevy_classic_models::prelude::{PlayClip, Repeat};

/// What a manifest states as `play` so that it plays what `play` does. `shown` is the clip of `play`, without name,
/// speed and end.
///
/// A clip with another speed or end, with frames or from a file becomes an entry of `clips`, unless it is there.
pub fn played_clip(
    play: &PlayClip,
    shown: ManifestClip,
    clips: &mut Vec<ManifestClip>,
) -> NameOrIndex {
    let repeat = match play.repeat {
        Repeat::Loop => Some(ManifestRepeat::Loop),
        Repeat::Once => Some(ManifestRepeat::Once),
        Repeat::FromManifest => None,
    };
    let plain = match (&shown.file, shown.frames, &shown.clip) {
        (None, None, Some(clip)) => Some(clip.clone()),
        _ => None,
    };
    // The name of an entry plays with the entry's speed. A number never stands for an entry.
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

/// The name of an entry that differs in nothing but its name.
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

/// A name that is not taken: `name` itself, or with a number.
pub fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut names = (1..).map(|number| match number {
        1 => name.to_owned(),
        _ => format!("{name} {number}"),
    });
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
