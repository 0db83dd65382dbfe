//! Sends the events that clips pass in an animation graph: those of a model's root, and those that are stored in clips.

use crate::playback::clip_step::ClipStep;
use crate::playback::event_track::EventTrack;
use crate::playback::playing::wrap;
use crate::playback::skeletal::selected_clips::SelectedClips;
use crate::root::events::{ModelEvents, PassedEvent, send_events};
use bevy::animation::graph::{
    AnimationGraph, AnimationGraphHandle, AnimationNodeIndex, AnimationNodeType,
};
use bevy::animation::{ActiveAnimation, AnimationClip, AnimationPlayer};
use bevy::asset::Assets;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::time::Time;

/// The step that an animation has made in this frame of the app; `None` if it has not moved.
fn step_of(active: &ActiveAnimation, seconds: f32, length: f32) -> Option<ClipStep> {
    if active.is_paused() || (active.is_finished() && !active.just_completed()) {
        return None;
    }
    let from = active.last_seek_time()?;
    let to = active.seek_time();
    if active.is_finished() {
        return Some(ClipStep::once(
            from,
            to,
            active.is_playback_reversed(),
            true,
        ));
    }
    // Bevy adds the length only once if the animation plays backward.
    let to = if (0.0..=length).contains(&to) {
        to
    } else {
        wrap(to, length)
    };
    Some(ClipStep::repeating(
        from,
        seconds * active.speed(),
        to,
        length,
    ))
}

/// The events of one active animation.
struct AnimationEvents<'a> {
    /// The events that are stored in the clip.
    track: Option<EventTrack>,
    /// The events of the root, and the time of each in the clip.
    own: Option<(&'a ModelEvents, &'a [(f32, usize)])>,
}

impl AnimationEvents<'_> {
    /// Calls `send` with each event that a step passes, in the order of playback. At one time, the events of the clip
    /// precede those of the root.
    fn for_each_passed(&self, step: ClipStep, mut send: impl FnMut(PassedEvent<'_>)) {
        if let (Some(track), None) = (&self.track, &self.own) {
            // The usual case, without an allocation.
            for event in step.passed(&track.events, |event| event.seconds) {
                send(track.passed_event(event));
            }
            return;
        }
        let all = self.sorted();
        for (_, event) in step.passed(&all, |(seconds, _)| *seconds) {
            send(*event);
        }
    }

    /// All events with their times, in the order of the times.
    fn sorted(&self) -> Vec<(f32, PassedEvent<'_>)> {
        let mut all = Vec::new();
        if let Some(track) = &self.track {
            let events = track.events.iter();
            all.extend(events.map(|event| (event.seconds, track.passed_event(event))));
        }
        if let Some((events, times)) = self.own {
            let timed = times.iter().filter_map(|(seconds, index)| {
                let event = events.0.get(*index)?;
                Some((*seconds, PassedEvent::from(event)))
            });
            all.extend(timed);
        }
        all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        all
    }
}

/// Sends the events that the clips of players have passed in this frame. Runs after players have advanced.
///
/// A clip of a [`PlayClip`](crate::root::PlayClip) or of a layer that fades out sends none.
pub(crate) fn send_clip_events(
    mut commands: Commands<'_, '_>,
    time: Res<'_, Time>,
    clips: Res<'_, Assets<AnimationClip>>,
    graphs: Res<'_, Assets<AnimationGraph>>,
    players: Query<'_, '_, EventPlayer>,
) {
    let seconds = time.delta_secs();
    for (entity, player, AnimationGraphHandle(graph), selected, events) in &players {
        let selected = selected.filter(|selected| selected.are_of(graph));
        let Some(graph) = graphs.get(graph) else {
            // A player plays nothing until its graph is loaded.
            continue;
        };
        let mut sent = Vec::new();
        let mut add = |node: AnimationNodeIndex, active: &ActiveAnimation, own| {
            let Some(clip) = clip_of_node(graph, node, &clips) else {
                return;
            };
            let events = AnimationEvents {
                track: EventTrack::of(clip),
                own,
            };
            if events.track.is_none() && events.own.is_none() {
                return;
            }
            if let Some(step) = step_of(active, seconds, clip.duration()) {
                events.for_each_passed(step, |event| sent.push(event.sent_to(entity)));
            }
        };
        match selected {
            Some(selected) => {
                for clip in selected.iter() {
                    if let Some(active) = player.animation(clip.node) {
                        let events = events.filter(|_| !clip.times.is_empty());
                        add(clip.node, active, events.zip(Some(&*clip.times)));
                    }
                }
            }
            None => {
                for (node, active) in player.playing_animations() {
                    add(*node, active, None);
                }
            }
        }
        send_events(&mut commands, entity, sent);
    }
}

/// The clip of a node, if it is loaded.
fn clip_of_node<'a>(
    graph: &AnimationGraph,
    node: AnimationNodeIndex,
    clips: &'a Assets<AnimationClip>,
) -> Option<&'a AnimationClip> {
    match &graph.get(node)?.node_type {
        AnimationNodeType::Clip(clip) => clips.get(clip),
        _ => None,
    }
}

/// The components of a player and, if it is a model's root, the events of its clips.
type EventPlayer = (
    Entity,
    &'static AnimationPlayer,
    &'static AnimationGraphHandle,
    Option<&'static SelectedClips>,
    Option<&'static ModelEvents>,
);
