//! Sends the events that files store in clips, if the clips play in the animation graphs of users.

use crate::playback::clip_step::ClipStep;
use crate::playback::playing::wrap;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use crate::root::events::send_events;
use crate::spawn::format::Format;
use bevy::animation::ActiveAnimation;
use bevy::prelude::*;

/// The graph that the crate has inserted on a model's root. Its events are sent when its clips advance.
#[derive(Component, Debug, Default)]
pub(crate) struct OwnGraph(pub(crate) Option<Handle<AnimationGraph>>);

impl OwnGraph {
    /// Whether this is the root's current graph. Otherwise the graph is the user's.
    pub(crate) fn is(&self, current: Option<&AnimationGraphHandle>) -> bool {
        self.0.is_some() && current.map(|current| &current.0) == self.0.as_ref()
    }
}

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

/// Sends the events of a format's clips that users' graphs have passed in this frame. Runs after players have advanced.
pub(crate) fn send_clip_events<F: Rig>(
    mut commands: Commands,
    time: Res<Time>,
    clips: Res<Assets<AnimationClip>>,
    graphs: Res<Assets<AnimationGraph>>,
    files: Res<Assets<F::ClipFile>>,
    players: Query<EventPlayer<F>>,
) {
    let seconds = time.delta_secs();
    for (entity, player, handle, own, instance) in &players {
        if own.is_some_and(|own| own.is(Some(handle))) {
            continue;
        }
        let Some(graph) = graphs.get(handle) else {
            // A player plays nothing until its graph is loaded.
            continue;
        };
        let model = instance.map(|instance| &**F::model(instance));
        let mut sent = Vec::new();
        for (node, active) in player.playing_animations() {
            let Some(AnimationNodeType::Clip(clip)) = graph.get(*node).map(|node| &node.node_type)
            else {
                continue;
            };
            let length = clips.get(clip).map(AnimationClip::duration);
            if let Some(step) = length.and_then(|length| step_of(active, seconds, length))
                && let Some(info) = F::clip_info(&ClipSource::from(clip), model, &files)
                && let Some(stored) = info.events
            {
                stored.for_each_passed(step, |event| sent.push(event.sent_to(entity)));
            }
        }
        send_events(&mut commands, entity, sent);
    }
}

/// The components of a player. The last two are on the roots of models.
type EventPlayer<F> = (
    Entity,
    &'static AnimationPlayer,
    &'static AnimationGraphHandle,
    Option<&'static OwnGraph>,
    Option<&'static <F as Format>::Instance>,
);
