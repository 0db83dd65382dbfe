//! Clips by names that a manifest gives them, as the list of a model's clips has them.

use crate::view::clips::{ClipState, Frames, ListedClip, ReadyClip};
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::alamo::Ala;
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::Repeat;
use std::ops::Range;

/// What a model can play.
pub struct Known<'a> {
    /// By names of their own.
    pub own: &'a ModelClips,
    /// Those of its files.
    pub listed: &'a [ListedClip],
    /// What is known of a clip of any file.
    pub of_file: &'a dyn Fn(&Handle<AnimationClip>) -> ClipState,
}

impl Known<'_> {
    /// The clips by names of their own.
    pub fn stated(&self) -> Vec<ListedClip> {
        let own = self.own.0.iter();
        own.map(|named| {
            let play = ClipRef::Name(named.name.clone());
            let state = match self.state(&play, &mut Vec::new()) {
                ClipState::Ready(ready) => ClipState::Ready(ReadyClip {
                    play,
                    ends: named.repeat == Repeat::Once,
                    ..ready
                }),
                other => other,
            };
            ListedClip {
                name: named.name.clone(),
                is_stated: true,
                ala: None,
                state,
            }
        })
        .collect()
    }

    /// What is known of a clip. `seen` are the own names on the way to it, of which each counts once.
    fn state(&self, clip: &ClipRef, seen: &mut Vec<usize>) -> ClipState {
        let found = match clip {
            ClipRef::Name(name) => {
                let own = self.own.0.iter();
                let place = own.clone().position(|named| is_named(&named.name, name));
                if let Some(place) = place.filter(|place| !seen.contains(place)) {
                    seen.push(place);
                    return self.state(&self.own.0[place].clip, seen);
                }
                self.listed.iter().find(|clip| is_named(&clip.name, name))
            }
            ClipRef::Index(index) => self.listed.get(*index),
            ClipRef::Handle(clip) => return (self.of_file)(clip),
            ClipRef::Part { clip, frames } => {
                return match self.state(clip, seen) {
                    ClipState::Ready(ready) => part(ready, frames),
                    other => other,
                };
            }
            _ => None,
        };
        found.map_or_else(|| missing(clip), |clip| clip.state.clone())
    }
}

fn is_named(name: &str, asked: &str) -> bool {
    name.to_lowercase() == asked.to_lowercase()
}

fn missing(clip: &ClipRef) -> ClipState {
    ClipState::Broken(format!("the model has no clip {clip}"))
}

/// Some frames of a clip.
fn part(of: ReadyClip, frames: &Range<u32>) -> ClipState {
    let end = frames.end.min(of.frames.last() + 1);
    if frames.start >= end {
        return ClipState::Broken(format!("the clip has {} frames", of.frames.last() + 1));
    }
    let first = of.frames.seconds(frames.start);
    let seconds = of.frames.seconds(end - 1) - first;
    ClipState::Ready(ReadyClip {
        frames: match &of.frames {
            Frames::Even { fps, .. } => Frames::Even {
                count: end - frames.start,
                fps: *fps,
            },
            Frames::At(_) => {
                let times = (frames.start..end).map(|frame| of.frames.seconds(frame) - first);
                Frames::At(times.collect())
            }
        },
        seconds,
        facts: format!(
            "frames {} to {}, {seconds:.2} s, of\n{}",
            frames.start,
            end - 1,
            of.facts
        ),
        ..of
    })
}

/// The animations' files that a manifest names, of which a model itself holds no more than the clips.
#[derive(Component)]
pub struct NamedFiles(pub Vec<Handle<Ala>>);

/// Holds them, so that it is known what is in them.
pub fn hold_files(
    mut commands: Commands,
    server: Res<AssetServer>,
    models: Query<(Entity, &ModelClips), Changed<ModelClips>>,
) {
    for (entity, own) in &models {
        let files = own.0.iter().filter_map(|named| file_of(&named.clip));
        let files = files.map(|path| server.load(path)).collect();
        commands.entity(entity).insert(NamedFiles(files));
    }
}

fn file_of(clip: &ClipRef) -> Option<AssetPath<'static>> {
    match clip {
        ClipRef::Part { clip, .. } => file_of(clip),
        ClipRef::Handle(clip) => Some(clip.path()?.clone().without_label().clone_owned()),
        _ => None,
    }
}
