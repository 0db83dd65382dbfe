//! Tests of the clips in saved manifests.

use super::played_clip;
use bevy_classic_models::manifest::{ManifestClip, ManifestRepeat, NameOrIndex};
use bevy_classic_models::prelude::*;

fn of_file(clip: NameOrIndex) -> ManifestClip {
    ManifestClip {
        clip: Some(clip),
        ..ManifestClip::default()
    }
}

fn named(name: &str) -> NameOrIndex {
    NameOrIndex::Name(name.to_owned())
}

/// The value of `play` that is saved for the clip of the model's file with this index.
fn saved(play: &PlayClip, index: usize, clips: &mut Vec<ManifestClip>) -> NameOrIndex {
    played_clip(play, of_file(NameOrIndex::Index(index)), clips)
}

#[test]
fn speed_of_an_indexed_clip_adds_an_entry() {
    let play = PlayClip::looping(2).with_speed(0.5);
    let mut clips = Vec::new();
    assert_eq!(saved(&play, 2, &mut clips), named("clip 2"));
    let entry = ManifestClip {
        name: "clip 2".into(),
        speed: 0.5,
        ..of_file(NameOrIndex::Index(2))
    };
    assert_eq!(clips, std::slice::from_ref(&entry));
    // Saving again adds nothing.
    assert_eq!(saved(&play, 2, &mut clips), named("clip 2"));
    assert_eq!(clips, [entry]);
}

#[test]
fn speed_of_an_indexed_clip_keeps_other_entries() {
    let other = ManifestClip {
        name: "Clip 2".into(),
        speed: 3.0,
        ..of_file(named("walk"))
    };
    let mut clips = vec![other.clone()];
    let play = PlayClip::once(2).with_speed(0.5);
    assert_eq!(saved(&play, 2, &mut clips), named("clip 2 2"));
    let [first, added] = &clips[..] else {
        panic!("{clips:?}");
    };
    assert_eq!(*first, other);
    assert_eq!(added.clip, Some(NameOrIndex::Index(2)));
    assert_eq!((added.speed, added.repeat), (0.5, ManifestRepeat::Once));
    // With default speed and repeat mode the index is enough.
    let play = PlayClip::looping(2);
    assert_eq!(saved(&play, 2, &mut clips), NameOrIndex::Index(2));
    assert_eq!(clips.len(), 2);
}

#[test]
fn speed_of_a_named_entry_is_multiplied() {
    let mut clips = vec![ManifestClip {
        name: "Stroll".into(),
        speed: 0.5,
        repeat: ManifestRepeat::Once,
        ..of_file(named("walk"))
    }];
    let play = PlayClip::from_manifest("stroll").with_speed(3.0);
    let played = played_clip(&play, of_file(named("stroll")), &mut clips);
    assert_eq!(played, named("stroll"));
    let [entry] = &clips[..] else {
        panic!("{clips:?}");
    };
    assert_eq!((entry.speed, entry.repeat), (1.5, ManifestRepeat::Once));
}

#[test]
fn frames_add_an_entry_with_a_free_name() {
    let mut clips = vec![ManifestClip {
        name: "shown".into(),
        ..of_file(named("walk"))
    }];
    let shown = ManifestClip {
        frames: Some((3, 7)),
        ..ManifestClip::default()
    };
    let play = PlayClip::looping(3..8);
    assert_eq!(
        played_clip(&play, shown.clone(), &mut clips),
        named("shown 2")
    );
    assert_eq!(clips[1].frames, shown.frames);
}
