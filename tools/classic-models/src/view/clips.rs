//! The clips of models that Bevy animates, whatever their format: what is known of them, and where
//! the one that plays is.

use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, AloAnimator};
use bevy_classic_models::lithtech::AbcAnimator;
use bevy_classic_models::prelude::*;

/// All clips that a model can play, and those that it might if they were not broken.
#[derive(Component, Default, PartialEq)]
pub struct ClipList(pub Vec<ListedClip>);

/// A clip as the panel tells of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedClip {
    pub name: String,
    /// Whether a manifest gives it that name.
    pub is_stated: bool,
    /// The file that it is from, if that is not the model's.
    pub ala: Option<Handle<Ala>>,
    pub state: ClipState,
}

/// What is known of a clip.
#[derive(Clone, Debug, PartialEq)]
pub enum ClipState {
    Loading,
    /// Why it cannot be played.
    Broken(String),
    Ready(ReadyClip),
}

/// A clip that can be played.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyClip {
    pub play: ClipRef,
    pub frames: Frames,
    /// From the first frame to the last.
    pub seconds: f32,
    /// Whether it stays in its last pose where nothing else is asked for.
    pub ends: bool,
    /// What there is to say of it.
    pub facts: String,
    /// What it says that is not for the model.
    pub remark: Option<String>,
}

/// When the frames of a clip are.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// So many of them, all as far apart.
    Even { count: u32, fps: f32 },
    /// Seconds of each.
    At(Box<[f32]>),
}

impl Frames {
    /// The number of the last one.
    pub fn last(&self) -> u32 {
        let count = match self {
            Self::Even { count, .. } => *count,
            Self::At(times) => times.len() as u32,
        };
        count.saturating_sub(1)
    }

    /// The number of the frame at a time, and as a fraction the way to the next.
    pub fn at(&self, seconds: f32) -> f32 {
        match self {
            Self::Even { fps, .. } => seconds * fps,
            Self::At(times) => {
                let next = times.partition_point(|time| *time <= seconds);
                let frame = next.saturating_sub(1);
                let way = match (times.get(frame), times.get(next)) {
                    (Some(from), Some(to)) if to > from => (seconds - from) / (to - from),
                    _ => 0.0,
                };
                frame as f32 + way
            }
        }
    }

    /// When a frame is.
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
    /// The place of what plays.
    pub fn playing(&self, play: &PlayClip) -> Option<usize> {
        let is_it = |clip: &ListedClip| clip.ready().is_some_and(|ready| ready.play == play.clip);
        self.position(is_it)
    }

    /// The place of the first that is meant, of those that manifests name if there is one.
    fn position(&self, is_meant: impl Fn(&ListedClip) -> bool) -> Option<usize> {
        let stated = |clip: &ListedClip| clip.is_stated && is_meant(clip);
        let first = self.0.iter().position(stated);
        first.or_else(|| self.0.iter().position(is_meant))
    }

    /// What is known of what plays.
    pub fn ready(&self, play: &PlayClip) -> Option<&ReadyClip> {
        self.0.get(self.playing(play)?)?.ready()
    }

    /// A clip by its name in any case, with or without the number at its end (`MOVE` is `MOVE_00`); or
    /// by its place.
    pub fn named(&self, name: &str) -> Option<&ListedClip> {
        let is_it = |clip: &ListedClip| clip.name.eq_ignore_ascii_case(name);
        let whole = self.position(is_it).and_then(|place| self.0.get(place));
        let of_type = || self.0.iter().find(|clip| is_of_type(&clip.name, name));
        let place = || self.0.get(name.parse::<usize>().ok()?);
        whole.or_else(of_type).or_else(place)
    }

    /// What plays unless something else is asked for: a clip of the first of these types that there
    /// is, else one that moves, else anything.
    pub fn first(&self, types: [&str; 2]) -> Option<&ReadyClip> {
        let ready = || self.0.iter().filter_map(|clip| Some((clip, clip.ready()?)));
        let of_type = |name: &str| ready().find(|(clip, _)| is_of_type(&clip.name, name));
        let moving = || ready().find(|(_, clip)| clip.frames.last() > 0);
        let found = types.into_iter().find_map(of_type);
        let found = found.or_else(moving).or_else(|| ready().next());
        found.map(|(_, clip)| clip)
    }

    /// What the command line asks for, or else [`first`](Self::first).
    pub fn asked(&self, name: Option<&str>, types: [&str; 2]) -> Option<&ReadyClip> {
        let named = name.and_then(|name| self.named(name)?.ready());
        named.or_else(|| self.first(types))
    }
}

/// Whether a clip's name is that of a type and then a number: `MOVE_00`.
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

/// What plays on a model, whatever its format.
#[derive(QueryData)]
pub struct Animators {
    alo: Option<&'static AloAnimator>,
    abc: Option<&'static AbcAnimator>,
}

impl AnimatorsItem<'_, '_> {
    /// The clip that was chosen, once it plays.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        let alo = self.alo.and_then(AloAnimator::clip);
        alo.or_else(|| self.abc.and_then(AbcAnimator::clip))
    }

    /// How much of what shows is that clip.
    fn weight(&self) -> f32 {
        let alo = self.alo.map(AloAnimator::weight);
        alo.or_else(|| self.abc.map(AbcAnimator::weight))
            .unwrap_or(0.0)
    }
}

/// Tells where clips are.
#[derive(SystemParam)]
pub struct ClipStatus<'w, 's> {
    playing: Query<
        'w,
        's,
        (
            &'static ClipList,
            &'static PlayClip,
            &'static Playback,
            Animators,
        ),
    >,
}

impl ClipStatus<'_, '_> {
    /// Where the clip of a model is.
    pub fn of(&self, model: Entity) -> Option<String> {
        let (list, play, playback, animators) = self.playing.get(model).ok()?;
        let clip = list.ready(play)?;
        let fades = match animators.weight() {
            weight if weight < 1.0 => format!(", fading in {:3.0} %", weight * 100.0),
            _ => String::new(),
        };
        Some(format!(
            "{:.2} of {:.2} s\nframe {:.1} of {}{fades}",
            playback.time,
            clip.seconds,
            clip.frames.at(playback.time),
            clip.frames.last(),
        ))
    }
}
