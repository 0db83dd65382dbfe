//! The list of a model's clips: those of its files, and those that a manifest names.

use crate::clip_names::is_of_type;
use bevy::prelude::*;
use bevy_classic_models::alamo::Ala;
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::Repeat;
use std::ops::Range;

/// All clips of a model, including those that are broken or still loading.
#[derive(Component, Default, PartialEq)]
pub struct ClipList(pub Vec<ListedClip>);

/// A clip in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedClip {
    pub name: String,
    /// Whether a manifest defines the clip.
    pub from_manifest: bool,
    /// The file of the clip, if it is not the model's file.
    pub ala: Option<Handle<Ala>>,
    pub state: ClipState,
}

/// The load state of a clip.
#[derive(Clone, Debug, PartialEq)]
pub enum ClipState {
    Loading,
    /// The reason why it cannot be played.
    Broken(String),
    Ready(ReadyClip),
}

/// A clip that can be played.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyClip {
    pub play: ClipRef,
    pub frames: Frames,
    /// The time from the first frame to the last.
    pub seconds: f32,
    /// The count of poses of a Quake model, whose frames are poses.
    pub poses: Option<u32>,
    /// Whether the manifest plays it once.
    pub ends: bool,
    /// Frame count, frame rate and length as text.
    pub facts: String,
    /// A warning about bones that the model does not have.
    pub remark: Option<String>,
}

/// The times of a clip's frames.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// `count` frames at a constant rate.
    Even { count: u32, fps: f32 },
    /// The time of each frame in seconds.
    At(Box<[f32]>),
}

impl Frames {
    /// The index of the last frame.
    pub fn last(&self) -> u32 {
        let count = match self {
            Self::Even { count, .. } => *count,
            Self::At(times) => times.len() as u32,
        };
        count.saturating_sub(1)
    }

    /// The index of the frame at a time, plus the fraction of the time to the next frame.
    pub fn at(&self, seconds: f32) -> f32 {
        match self {
            Self::Even { fps, .. } => seconds * fps,
            Self::At(times) => {
                let next = times.partition_point(|time| *time <= seconds);
                let frame = next.saturating_sub(1);
                let fraction = match (times.get(frame), times.get(next)) {
                    (Some(from), Some(to)) if to > from => (seconds - from) / (to - from),
                    _ => 0.0,
                };
                frame as f32 + fraction
            }
        }
    }

    /// The time of a frame in seconds.
    pub fn seconds(&self, frame: u32) -> f32 {
        match self {
            Self::Even { fps, .. } => frame as f32 / fps,
            Self::At(times) => times.get(frame as usize).copied().unwrap_or_default(),
        }
    }
}

impl ReadyClip {
    /// The length as text.
    pub fn length(&self) -> String {
        match self.poses {
            Some(1) => "1 pose".to_owned(),
            Some(poses) => format!("{poses} poses"),
            None => format!("{:.2} s", self.seconds),
        }
    }
}

impl ListedClip {
    /// A clip of the model's own files.
    pub fn of_file(name: String, state: ClipState) -> Self {
        Self {
            name,
            from_manifest: false,
            ala: None,
            state,
        }
    }

    pub fn ready(&self) -> Option<&ReadyClip> {
        match &self.state {
            ClipState::Ready(ready) => Some(ready),
            _ => None,
        }
    }
}

impl ClipList {
    /// The names of the clips.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(|clip| &*clip.name)
    }

    /// The index of the clip that plays.
    pub fn playing(&self, play: &PlayClip) -> Option<usize> {
        let plays = |clip: &ListedClip| clip.ready().is_some_and(|ready| ready.play == play.clip);
        // The clips of the model's files come first, in the order of their indices.
        self.position(plays).or(match play.clip {
            ClipRef::Index(index) => Some(index).filter(|index| *index < self.0.len()),
            _ => None,
        })
    }

    /// The index of the first clip that passes a filter. Clips of manifests come first.
    fn position(&self, filter: impl Fn(&ListedClip) -> bool) -> Option<usize> {
        let clips = self.0.iter().enumerate();
        let found = clips.filter(|(_, clip)| filter(clip));
        let first = found.min_by_key(|(_, clip)| !clip.from_manifest);
        first.map(|(index, _)| index)
    }

    /// The clip that plays.
    pub fn ready(&self, play: &PlayClip) -> Option<&ReadyClip> {
        self.0.get(self.playing(play)?)?.ready()
    }

    /// A clip by its name in any case, with or without the number at its end (`MOVE` finds `MOVE_00`), otherwise by its
    /// index.
    pub fn named(&self, name: &str) -> Option<&ListedClip> {
        let is_named = |clip: &ListedClip| clip.name.eq_ignore_ascii_case(name);
        let found = self.position(is_named);
        let of_type = || self.names().position(|other| is_of_type(other, name));
        let found = found.or_else(of_type);
        self.0.get(found.or_else(|| name.parse().ok())?)
    }

    /// The clip that plays by default: the first clip of one of these types, otherwise the first clip with more than
    /// one frame, otherwise the first clip.
    pub fn first(&self, types: [&str; 2]) -> Option<&ReadyClip> {
        let ready = || self.0.iter().filter_map(|clip| Some((clip, clip.ready()?)));
        let of_type = |name: &str| ready().find(|(clip, _)| is_of_type(&clip.name, name));
        let moving = || ready().find(|(_, clip)| clip.frames.last() > 0);
        let found = types.into_iter().find_map(of_type);
        let found = found.or_else(moving).or_else(|| ready().next());
        found.map(|(_, clip)| clip)
    }
}

/// The clips that a clip of a manifest can refer to.
pub struct ClipSources<'a> {
    /// The clips that the manifest names.
    pub own: &'a ModelClips,
    /// The clips of the model's files.
    pub listed: &'a [ListedClip],
    /// Returns the state of a clip that is neither named nor listed: of another file, or a range of frames.
    pub other: &'a dyn Fn(&ClipRef) -> Option<ClipState>,
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
            ClipRef::Part { clip, frames } => {
                return match self.state(clip, seen) {
                    ClipState::Ready(ready) => part(ready, frames),
                    other => other,
                };
            }
            _ => None,
        };
        let state = found.map(|clip| clip.state.clone());
        let missing = || ClipState::Broken(format!("the model has no clip {clip}"));
        state.or_else(|| (self.other)(clip)).unwrap_or_else(missing)
    }
}

fn is_named(name: &str, requested: &str) -> bool {
    name.to_lowercase() == requested.to_lowercase()
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
        poses: of.poses.map(|_| end - frames.start),
        facts: format!(
            "frames {} to {}, {seconds:.2} s, of\n{}",
            frames.start,
            end - 1,
            of.facts
        ),
        ..of
    })
}
