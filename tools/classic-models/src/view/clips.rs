//! The list of a model's clips, and the time of the clip that plays. For models of all formats except Quake's.

use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, AloAnimator};
use bevy_classic_models::lithtech::AbcAnimator;
use bevy_classic_models::prelude::*;

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

impl ListedClip {
    pub fn ready(&self) -> Option<&ReadyClip> {
        match &self.state {
            ClipState::Ready(ready) => Some(ready),
            _ => None,
        }
    }
}

impl ClipList {
    /// The index of the clip that plays.
    pub fn playing(&self, play: &PlayClip) -> Option<usize> {
        let plays = |clip: &ListedClip| clip.ready().is_some_and(|ready| ready.play == play.clip);
        self.position(plays)
    }

    /// The index of the first clip that passes a filter. Clips of manifests come first.
    fn position(&self, filter: impl Fn(&ListedClip) -> bool) -> Option<usize> {
        let in_manifest = |clip: &ListedClip| clip.from_manifest && filter(clip);
        let first = self.0.iter().position(in_manifest);
        first.or_else(|| self.0.iter().position(filter))
    }

    /// The clip that plays.
    pub fn ready(&self, play: &PlayClip) -> Option<&ReadyClip> {
        self.0.get(self.playing(play)?)?.ready()
    }

    /// A clip by its name in any case, with or without the number at its end (`MOVE` finds `MOVE_00`), otherwise by its
    /// index.
    pub fn named(&self, name: &str) -> Option<&ListedClip> {
        let is_named = |clip: &ListedClip| clip.name.eq_ignore_ascii_case(name);
        let whole = self.position(is_named).and_then(|index| self.0.get(index));
        let of_type = || self.0.iter().find(|clip| is_of_type(&clip.name, name));
        let by_index = || self.0.get(name.parse::<usize>().ok()?);
        whole.or_else(of_type).or_else(by_index)
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

    /// The clip of the command line, otherwise [`first`](Self::first).
    pub fn requested(&self, name: Option<&str>, types: [&str; 2]) -> Option<&ReadyClip> {
        let named = name.and_then(|name| self.named(name)?.ready());
        named.or_else(|| self.first(types))
    }
}

/// Whether a clip's name is a type and a number, such as `MOVE_00`.
fn is_of_type(name: &str, kind: &str) -> bool {
    let number = name
        .get(kind.len()..)
        .filter(|_| name.is_char_boundary(kind.len()));
    let is_number = |rest: &str| {
        rest.bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_digit())
    };
    number.is_some_and(is_number)
        && name
            .get(..kind.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(kind))
}

/// The animator of a model of any format except Quake's.
#[derive(QueryData)]
pub struct Animators {
    alo: Option<&'static AloAnimator>,
    abc: Option<&'static AbcAnimator>,
}

impl AnimatorsItem<'_, '_> {
    /// The requested clip, once it plays.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        let alo = self.alo.and_then(AloAnimator::clip);
        alo.or_else(|| self.abc.and_then(AbcAnimator::clip))
    }

    /// The weight of that clip in a cross-fade, from 0 to 1.
    pub fn weight(&self) -> f32 {
        let alo = self.alo.map(AloAnimator::weight);
        alo.or_else(|| self.abc.map(AbcAnimator::weight))
            .unwrap_or(0.0)
    }
}
