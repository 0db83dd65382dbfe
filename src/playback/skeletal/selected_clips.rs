//! Finds the events of the clips that a [`PlayClip`](crate::root::PlayClip) and [`ClipLayers`] play, and their times.
//!
//! [`EventDriver`] writes them to the [`SelectedClips`] of each root after clips have started and stopped. After Bevy
//! has advanced the players, [`send_clip_events`](crate::playback::skeletal::events::send_clip_events) reads them.

use crate::playback::event_frames::{EventFrame, event_frames};
use crate::playback::frames::Frames;
use crate::playback::skeletal::active_clips::ClipSource;
use crate::playback::skeletal::animator::SelectedSource;
use crate::playback::skeletal::clip_provider::ClipProvider;
use crate::playback::skeletal::driver::ClipPlayer;
use crate::playback::skeletal::requests::Plays;
use crate::root::clip_ref::ClipRef;
use crate::root::clips::ModelClips;
use crate::root::events::ModelEvents;
use crate::root::layers::{ClipLayers, LayerId};
use crate::root::play::{ResolvedClip, ResolvedPlay};
use bevy::animation::AnimationClip;
use bevy::animation::graph::{AnimationGraph, AnimationNodeIndex};
use bevy::asset::{AssetId, Handle};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::system::{Query, SystemParam};

/// The clips of a root that send events: that of its [`PlayClip`](crate::root::PlayClip), and those of its
/// [`ClipLayers`]. Clips that fade out are not among them.
#[derive(Component, Debug, Default)]
pub(crate) struct SelectedClips {
    /// The graph in which they play.
    graph: Option<AssetId<AnimationGraph>>,
    /// In the order in which they are blended.
    clips: Vec<SelectedClip>,
}

impl SelectedClips {
    /// Whether the clips play in this graph. Otherwise the root's graph is the user's.
    pub(crate) fn are_of(&self, graph: &Handle<AnimationGraph>) -> bool {
        self.graph == Some(graph.id())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &SelectedClip> {
        self.clips.iter()
    }

    /// The state of the clip of a layer, or of the root's own clip if `layer` is `None`. It is moved to `index`, or
    /// inserted there if it is new. The clips before `index` are those of other layers.
    fn entry(&mut self, index: usize, layer: Option<LayerId>) -> &mut SelectedClip {
        let mut later = self.clips.iter().skip(index);
        match later.position(|clip| clip.layer == layer) {
            Some(offset) => self.clips.swap(index, index + offset),
            None => self.clips.insert(index, SelectedClip::default()),
        }
        &mut self.clips[index]
    }
}

/// A clip that sends events.
#[derive(Debug, Default)]
pub(crate) struct SelectedClip {
    /// The layer; `None` for the clip of a [`PlayClip`](crate::root::PlayClip).
    layer: Option<LayerId>,
    /// The node in which it plays.
    pub(crate) node: AnimationNodeIndex,
    /// The clip for which `frames` was computed, and whether the root had [`ModelClips`].
    key: Option<(AssetId<AnimationClip>, bool)>,
    /// The events of the clip, in the order of their frames.
    frames: Vec<EventFrame>,
    /// Whether a change since then requires that `frames` is computed again.
    is_stale: bool,
    /// The times of the events in the clip that plays, in seconds, and their indices in [`ModelEvents`]. In the order
    /// of the times.
    pub(crate) times: Vec<(f32, usize)>,
}

/// The components of a root that determine the events of its clips.
type EventRoot<P> = (
    Ref<'static, <P as ClipPlayer>::Instance>,
    &'static P,
    Option<Ref<'static, ResolvedClip>>,
    Option<Ref<'static, ClipLayers>>,
    Option<Ref<'static, ModelClips>>,
    Option<Ref<'static, ModelEvents>>,
    &'static mut SelectedClips,
);

/// Updates the [`SelectedClips`] of one format.
#[derive(SystemParam)]
pub(crate) struct EventDriver<'w, 's, P: ClipPlayer> {
    roots: Query<'w, 's, EventRoot<P>, Plays>,
}

impl<P: ClipPlayer> EventDriver<'_, '_, P> {
    /// Call it after clips have started and stopped, and before Bevy advances the players.
    pub(crate) fn update<B: ClipProvider<Model = P::Model, Source = P::Source>>(
        &mut self,
        provider: &B,
    ) {
        for (instance, player, resolved, layers, clips, events, mut selected) in &mut self.roots {
            let selected = selected.bypass_change_detection();
            let animator = player.animator();
            selected.graph = animator.graph();
            let is_changed = instance.is_changed()
                || resolved.as_ref().is_some_and(Ref::is_changed)
                || layers.as_ref().is_some_and(Ref::is_changed)
                || clips.as_ref().is_some_and(Ref::is_changed)
                || events.as_ref().is_some_and(Ref::is_changed);
            let tables = (clips.as_deref(), events.as_deref());
            let model = &**P::model(&instance);
            let play = resolved.as_ref().and_then(|resolved| resolved.get());
            let mut count = 0;
            for playing in animator.selected_clips(play) {
                let clip = selected.entry(count, playing.layer);
                clip.update(&playing, tables, is_changed, model, provider);
                count += 1;
            }
            selected.clips.truncate(count);
        }
    }
}

impl SelectedClip {
    /// Updates the node, the events and their times.
    fn update<B: ClipProvider>(
        &mut self,
        playing: &SelectedSource<'_, B::Source>,
        (clips, events): (Option<&ModelClips>, Option<&ModelEvents>),
        is_changed: bool,
        model: &B::Model,
        provider: &B,
    ) {
        self.layer = playing.layer;
        self.node = playing.node;
        let (Some(play), Some(events)) = (playing.play, events) else {
            self.key = None;
            self.frames.clear();
            self.times.clear();
            return;
        };
        let source = playing.source;
        let key = Some((source.clip().id(), clips.is_some()));
        self.is_stale |= is_changed || self.key != key;
        // While the requested clip is loading, the previous clip plays on, with its events.
        if self.is_stale && !playing.is_previous {
            self.is_stale = false;
            self.key = key;
            self.frames = frames_of(play, (clips, events), source, model, provider);
        }
        self.write_times(source, model, provider);
    }

    /// Computes the times of the events. Done in every frame, because an edit of the clip changes them.
    fn write_times<B: ClipProvider>(&mut self, source: &B::Source, model: &B::Model, provider: &B) {
        self.times.clear();
        if self.frames.is_empty() {
            return;
        }
        let Some(frames) = provider.frames(source, model) else {
            return;
        };
        let part = source.frames();
        let span = part.and_then(|part| frames.span(part));
        let first = part.map_or(0, |part| part.start);
        for event in &self.frames {
            let frame = first.saturating_add(event.frame);
            if frame >= frames.count() {
                continue;
            }
            let time = frames.time(frame);
            let time = match span {
                Some(span) => span.time_within(time),
                None => Some(time),
            };
            self.times.extend(time.map(|time| (time, event.event)));
        }
    }
}

/// The events of a clip that plays.
fn frames_of<B: ClipProvider>(
    play: &ResolvedPlay,
    (clips, events): (Option<&ModelClips>, &ModelEvents),
    source: &B::Source,
    model: &B::Model,
    provider: &B,
) -> Vec<EventFrame> {
    let is_playing = |clip: &ClipRef| match clip {
        ClipRef::Handle(clip) => clip == source.clip(),
        clip => provider
            .find(clip, model)
            .is_some_and(|found| found.clip() == source.clip()),
    };
    event_frames(play, clips, events, |clip, frame| {
        is_playing(clip).then_some(frame)
    })
}
