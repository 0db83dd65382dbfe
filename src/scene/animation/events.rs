//! Events of clips, which a system of this crate triggers.
//!
//! Bevy's own system returns at the first player whose graph is not loaded, and triggers no events for the players
//! after it. This one skips such players, and otherwise triggers events at the same times as Bevy's.

use crate::scene::animation::frames::Span;
use bevy::animation::animation_curves::{AnimationCurve, AnimationCurveEvaluator, EvaluatorId};
use bevy::animation::graph::{
    AnimationGraph, AnimationGraphHandle, AnimationNodeIndex, AnimationNodeType,
};
use bevy::animation::{
    ActiveAnimation, AnimationClip, AnimationEntityMut, AnimationEvaluationError, AnimationPlayer,
    AnimationTargetId, VariableCurve,
};
use bevy::asset::Assets;
use bevy::asset::uuid::Uuid;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::math::curve::Interval;
use core::any::{Any, TypeId};
use core::fmt;
use core::ops::Range;
use std::sync::Arc;

/// The animation target of the [`EventTrack`] in a clip. No entity has this target.
const TARGET: AnimationTargetId =
    AnimationTargetId(Uuid::from_u128(0x7d0c_9c9f_3a55_4b0e_9f64_52f8_1b4c_a2e7));

/// Triggers the event of an index on the entity of a player.
type Trigger = dyn Fn(&mut Commands<'_, '_>, Entity, usize) + Send + Sync;

/// The events of a clip.
///
/// It is stored in the clip, as a curve that animates nothing. So it exists as long as the clip does, whichever player
/// plays it.
#[derive(Clone)]
pub(crate) struct EventTrack {
    /// The time in seconds and the index of each event, in ascending order of the times.
    events: Arc<[(f32, usize)]>,
    trigger: Arc<Trigger>,
}

impl fmt::Debug for EventTrack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventTrack").field(&self.events).finish()
    }
}

impl EventTrack {
    /// Creates a track of events at these times, in seconds. `trigger` is called with their indices.
    pub(crate) fn new(
        seconds: impl Iterator<Item = f32>,
        trigger: impl Fn(&mut Commands<'_, '_>, Entity, usize) + Send + Sync + 'static,
    ) -> Self {
        let mut events: Vec<(f32, usize)> = seconds.zip(0..).collect();
        events.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        Self {
            events: events.into(),
            trigger: Arc::new(trigger),
        }
    }

    /// Stores the track in a clip.
    pub(crate) fn insert(self, clip: &mut AnimationClip) {
        let curves = vec![VariableCurve(Box::new(self))];
        clip.curves_mut().insert(TARGET, curves);
    }

    /// The track of a clip, if it has one.
    fn of(clip: &AnimationClip) -> Option<Self> {
        let VariableCurve(curve) = clip.curves_for_target(TARGET)?.first()?;
        let mut found = FoundTrack::default();
        let node = AnimationNodeIndex::default();
        curve.apply(&mut found, 0.0, 0.0, node).ok()?;
        found.0
    }

    /// Removes the events outside of a part, and converts the times of the others to times of the part.
    pub(super) fn keep_part(clip: &mut AnimationClip, span: Span) {
        if let Some(whole) = Self::of(clip) {
            let within = whole.events.iter().filter_map(|(seconds, index)| {
                let seconds = span.time_within(*seconds)?;
                Some((seconds, *index))
            });
            let part = Self {
                events: within.collect(),
                trigger: whole.trigger,
            };
            part.insert(clip);
        }
    }

    /// The indices of the events that an animation has passed in this frame, in playback order. Events of at most two
    /// passes through the clip are returned.
    fn passed(&self, active: &ActiveAnimation) -> impl Iterator<Item = usize> {
        let is_reversed = active.is_playback_reversed();
        let ranges = self.passed_ranges(active).into_iter();
        ranges.flatten().flat_map(move |range| {
            let events = self.events.get(range).unwrap_or_default();
            (0..events.len()).map(move |index| match is_reversed {
                true => events[events.len() - 1 - index].1,
                false => events[index].1,
            })
        })
    }

    /// The ranges of `events` that an animation has passed in this frame: one range per pass through the clip.
    fn passed_ranges(&self, active: &ActiveAnimation) -> Option<[Range<usize>; 2]> {
        let is_finished = active.is_finished();
        let ends_now = active.just_completed();
        let from = active.last_seek_time()?;
        if is_finished && !ends_now {
            return None;
        }
        let (to, all) = (active.seek_time(), self.events.len());
        let before = |limit: f32| self.events.partition_point(|(time, _)| *time < limit);
        let until = |limit: f32| self.events.partition_point(|(time, _)| *time <= limit);
        Some(match (active.is_playback_reversed(), ends_now) {
            (false, false) => [before(from)..before(to), 0..0],
            (false, true) if is_finished => [before(from)..all, 0..0],
            (false, true) => [before(from)..all, 0..before(to)],
            (true, false) => [until(to)..until(from), 0..0],
            (true, true) if is_finished => [0..until(from), 0..0],
            (true, true) => [0..until(from), until(to)..all],
        })
    }
}

/// A curve that animates nothing. `apply` writes the track to a [`FoundTrack`].
impl AnimationCurve for EventTrack {
    fn clone_value(&self) -> Box<dyn AnimationCurve> {
        Box::new(self.clone())
    }

    fn domain(&self) -> Interval {
        Interval::EVERYWHERE
    }

    fn evaluator_id(&self) -> EvaluatorId<'_> {
        EvaluatorId::Type(TypeId::of::<FoundTrack>())
    }

    fn create_evaluator(&self) -> Box<dyn AnimationCurveEvaluator> {
        Box::new(FoundTrack::default())
    }

    fn apply(
        &self,
        evaluator: &mut dyn AnimationCurveEvaluator,
        _: f32,
        _: f32,
        _: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        let found = evaluator.downcast_mut::<FoundTrack>();
        let inconsistent = AnimationEvaluationError::InconsistentEvaluatorImplementation;
        *found.ok_or_else(|| inconsistent(TypeId::of::<Self>()))? = FoundTrack(Some(self.clone()));
        Ok(())
    }

    fn sample_clamped(&self, _: f32) -> Box<dyn Any> {
        Box::new(())
    }
}

/// Receives the track of a clip. It is an evaluator, because a sample of a curve would be allocated for each playing
/// clip and frame.
#[derive(Default)]
struct FoundTrack(Option<EventTrack>);

impl AnimationCurveEvaluator for FoundTrack {
    fn blend(&mut self, _: AnimationNodeIndex) -> Result<(), AnimationEvaluationError> {
        Ok(())
    }

    fn add(&mut self, _: AnimationNodeIndex) -> Result<(), AnimationEvaluationError> {
        Ok(())
    }

    fn push_blend_register(
        &mut self,
        _: f32,
        _: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        Ok(())
    }

    fn commit(&mut self, _: AnimationEntityMut<'_, '_>) -> Result<(), AnimationEvaluationError> {
        Ok(())
    }
}

/// Triggers the events that players have passed in this frame. Runs after players have advanced.
pub(crate) fn trigger_events(
    mut commands: Commands<'_, '_>,
    clips: Res<'_, Assets<AnimationClip>>,
    graphs: Res<'_, Assets<AnimationGraph>>,
    players: Query<'_, '_, (Entity, &AnimationPlayer, &AnimationGraphHandle)>,
) {
    for (entity, player, graph) in &players {
        let Some(graph) = graphs.get(graph) else {
            // A player plays nothing until its graph is loaded.
            continue;
        };
        for (node, active) in player.playing_animations() {
            if active.is_paused() {
                continue;
            }
            let node = graph.get(*node).map(|node| &node.node_type);
            let Some(AnimationNodeType::Clip(clip)) = node else {
                continue;
            };
            if let Some(track) = clips.get(clip).and_then(EventTrack::of) {
                for event in track.passed(active) {
                    (track.trigger)(&mut commands, entity, event);
                }
            }
        }
    }
}
