//! Lists the clips that a manifest names.

use crate::view::clips::{ClipState, Frames, ListedClip, ReadyClip};
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::alamo::Ala;
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::Repeat;
use std::ops::Range;

/// The clips that a clip of a manifest can refer to.
pub struct ClipSources<'a> {
    /// The clips that the manifest names.
    pub own: &'a ModelClips,
    /// The clips of the model's files.
    pub listed: &'a [ListedClip],
    /// Returns the state of a clip of another file.
    pub of_file: &'a dyn Fn(&Handle<AnimationClip>) -> ClipState,
}

impl ClipSources<'_> {
    /// The clips that the manifest names.
    pub fn manifest_clips(&self) -> Vec<ListedClip> {
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
                from_manifest: true,
                ala: None,
                state,
            }
        })
        .collect()
    }

    /// The state of a clip. `seen` are the indices of the manifest's clips on the way to it: each is followed only
    /// once, so that cycles end.
    fn state(&self, clip: &ClipRef, seen: &mut Vec<usize>) -> ClipState {
        let found = match clip {
            ClipRef::Name(name) => {
                let own = self.own.0.iter();
                let index = own.clone().position(|named| is_named(&named.name, name));
                if let Some(index) = index.filter(|index| !seen.contains(index)) {
                    seen.push(index);
                    return self.state(&self.own.0[index].clip, seen);
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

fn is_named(name: &str, requested: &str) -> bool {
    name.to_lowercase() == requested.to_lowercase()
}

fn missing(clip: &ClipRef) -> ClipState {
    ClipState::Broken(format!("the model has no clip {clip}"))
}

/// A range of a clip's frames.
fn part(of: ReadyClip, frames: &Range<u32>) -> ClipState {
    let end = frames.end.min(of.frames.last() + 1);
    if frames.start >= end {
        return ClipState::Broken(format!(
            "frames {} to {} are not in the clip, which has {} frames",
            frames.start,
            frames.end.saturating_sub(1),
            of.frames.last() + 1
        ));
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

/// The animation files that a manifest names. The plugin keeps only their clips loaded, not the [`Ala`] assets.
#[derive(Component)]
pub struct ManifestClipFiles(pub Vec<Handle<Ala>>);

/// Loads the animation files and keeps their handles, so that their frame counts are available.
pub fn load_clip_files(
    mut commands: Commands,
    server: Res<AssetServer>,
    models: Query<(Entity, &ModelClips), Changed<ModelClips>>,
) {
    for (entity, own) in &models {
        let files = own.0.iter().filter_map(|named| file_of(&named.clip));
        let files = files.map(|path| server.load(path)).collect();
        commands.entity(entity).insert(ManifestClipFiles(files));
    }
}

fn file_of(clip: &ClipRef) -> Option<AssetPath<'static>> {
    match clip {
        ClipRef::Part { clip, .. } => file_of(clip),
        ClipRef::Handle(clip) => Some(clip.path()?.clone().without_label().clone_owned()),
        _ => None,
    }
}
