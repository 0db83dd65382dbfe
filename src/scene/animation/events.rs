//! Events of clips, which a system of this crate triggers.
//!
//! Bevy's own system returns at the first player whose graph is not loaded, and triggers nothing for the
//! players after it. The times at which ours triggers events are Bevy's.

use crate::scene::animation::frames::Span;
use crate::scene::animation::properties::Translation;
use bevy::animation::animation_curves::{
    AnimatableCurve, AnimationCurve, AnimationCurveEvaluator, EvaluatorId,
};
use bevy::animation::graph::{
    AnimationGraph, AnimationGraphHandle, AnimationNodeIndex, AnimationNodeType,
};
use bevy::animation::{
    ActiveAnimation, AnimationClip, AnimationEvaluationError, AnimationPlayer, AnimationTargetId,
    VariableCurve,
};
use bevy::asset::Assets;
use bevy::asset::uuid::Uuid;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::{Commands, Query, Res};
use bevy::math::Vec3;
use bevy::math::curve::{ConstantCurve, Interval};
use core::any::Any;
use core::fmt;
use core::ops::Range;
use std::sync::Arc;

/// The target of the curve of a clip that has its events. No entity is this target.
const TARGET: AnimationTargetId =
    AnimationTargetId(Uuid::from_u128(0x7d0c_9c9f_3a55_4b0e_9f64_52f8_1b4c_a2e7));

/// Triggers the event of an index for the entity of a player.
type Trigger = dyn Fn(&mut Commands<'_, '_>, Entity, usize) + Send + Sync;

/// The events of a clip. It is stored in the clip, as a curve that moves nothing, so that it exists as long
/// as the clip does, whoever plays that.
#[derive(Clone)]
pub(crate) struct EventTrack {
    /// The seconds and index of each event, in ascending order of the seconds.
    events: Arc<[(f32, usize)]>,
    trigger: Arc<Trigger>,
}

impl fmt::Debug for EventTrack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventTrack").field(&self.events).finish()
    }
}

impl EventTrack {
    /// Events at these seconds. `trigger` is called with their indices.
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
    fn of(clip: &AnimationClip) -> Option<Box<Self>> {
        let VariableCurve(curve) = clip.curves_for_target(TARGET)?.first()?;
        curve.sample_clamped(0.0).downcast().ok()
    }

    /// Leaves the events of a part of a clip, at their times in it.
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

    /// The events that an animation has passed in this frame, in the order in which it did: at most
    /// those of two passes.
    fn passed(&self, active: &ActiveAnimation) -> Vec<usize> {
        let is_finished = active.is_finished();
        let ends_now = active.just_completed();
        let Some(from) = active.last_seek_time() else {
            return Vec::new();
        };
        if is_finished && !ends_now {
            return Vec::new();
        }
        let (to, all) = (active.seek_time(), self.events.len());
        let before = |limit: f32| self.events.partition_point(|(time, _)| *time < limit);
        let until = |limit: f32| self.events.partition_point(|(time, _)| *time <= limit);
        let is_reversed = active.is_playback_reversed();
        let ranges: [Range<usize>; 2] = match (is_reversed, ends_now) {
            (false, false) => [before(from)..before(to), 0..0],
            (false, true) if is_finished => [before(from)..all, 0..0],
            (false, true) => [before(from)..all, 0..before(to)],
            (true, false) => [until(to)..until(from), 0..0],
            (true, true) if is_finished => [0..until(from), 0..0],
            (true, true) => [0..until(from), until(to)..all],
        };
        let mut passed = Vec::new();
        for range in ranges {
            let events = self.events.get(range).unwrap_or_default().iter();
            let indices = events.map(|(_, index)| *index);
            match is_reversed {
                true => passed.extend(indices.rev()),
                false => passed.extend(indices),
            }
        }
        passed
    }
}

/// A curve that moves nothing. Its value is the track.
impl AnimationCurve for EventTrack {
    fn clone_value(&self) -> Box<dyn AnimationCurve> {
        Box::new(self.clone())
    }

    fn domain(&self) -> Interval {
        Interval::EVERYWHERE
    }

    fn evaluator_id(&self) -> EvaluatorId<'_> {
        Translation::id()
    }

    fn create_evaluator(&self) -> Box<dyn AnimationCurveEvaluator> {
        let curve = ConstantCurve::new(Interval::EVERYWHERE, Vec3::ZERO);
        AnimatableCurve::new(Translation, curve).create_evaluator()
    }

    fn apply(
        &self,
        _: &mut dyn AnimationCurveEvaluator,
        _: f32,
        _: f32,
        _: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        Ok(())
    }

    fn sample_clamped(&self, _: f32) -> Box<dyn Any> {
        Box::new(self.clone())
    }
}

/// Triggers the events of clips that players pass. Runs after players have advanced.
pub(crate) fn trigger_events(
    mut commands: Commands<'_, '_>,
    clips: Res<'_, Assets<AnimationClip>>,
    graphs: Res<'_, Assets<AnimationGraph>>,
    players: Query<'_, '_, (Entity, &AnimationPlayer, &AnimationGraphHandle)>,
) {
    for (entity, player, graph) in &players {
        let Some(graph) = graphs.get(graph) else {
            // It plays nothing until its graph is loaded.
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
