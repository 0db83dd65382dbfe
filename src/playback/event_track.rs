//! The events that are stored in a clip.

use crate::playback::frames::Span;
use crate::root::clip_ref::ClipRef;
use crate::root::events::PassedEvent;
use bevy::animation::animation_curves::{AnimationCurve, AnimationCurveEvaluator, EvaluatorId};
use bevy::animation::graph::AnimationNodeIndex;
use bevy::animation::{
    AnimationClip, AnimationEntityMut, AnimationEvaluationError, AnimationTargetId, VariableCurve,
};
use bevy::asset::uuid::Uuid;
use bevy::math::curve::Interval;
use core::any::{Any, TypeId};
use std::sync::Arc;

/// The animation target of the [`EventTrack`] in a clip. No entity has this target.
const TARGET: AnimationTargetId =
    AnimationTargetId(Uuid::from_u128(0x7d0c_9c9f_3a55_4b0e_9f64_52f8_1b4c_a2e7));

/// An event of an [`EventTrack`].
#[derive(Clone, Debug)]
pub(crate) struct TrackEvent {
    /// The time in seconds.
    pub(crate) seconds: f32,
    /// The index of its frame in the clip of the file.
    pub(crate) frame: u32,
    pub(crate) name: Arc<str>,
}

/// The events of a clip.
///
/// It is stored in the clip, as a curve that animates nothing. So it exists as long as the clip does, whichever player
/// plays it.
#[derive(Clone, Debug)]
pub(crate) struct EventTrack {
    /// The clip of the file.
    clip: Arc<ClipRef>,
    /// In ascending order of the times.
    pub(crate) events: Arc<[TrackEvent]>,
}

impl EventTrack {
    /// Creates the track of a clip of a file.
    pub(crate) fn new(clip: ClipRef, events: impl Iterator<Item = TrackEvent>) -> Self {
        let mut events: Vec<TrackEvent> = events.collect();
        events.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        Self {
            clip: Arc::new(clip),
            events: events.into(),
        }
    }

    /// Stores the track in a clip.
    pub(crate) fn insert(self, clip: &mut AnimationClip) {
        let curves = vec![VariableCurve(Box::new(self))];
        clip.curves_mut().insert(TARGET, curves);
    }

    /// The track of a clip, if it has one.
    pub(crate) fn of(clip: &AnimationClip) -> Option<Self> {
        let VariableCurve(curve) = clip.curves_for_target(TARGET)?.first()?;
        let mut found = FoundTrack::default();
        let node = AnimationNodeIndex::default();
        curve.apply(&mut found, 0.0, 0.0, node).ok()?;
        found.0
    }

    /// Whether a curve with this evaluator ID is a track of events.
    pub(crate) fn is_track(id: &EvaluatorId<'_>) -> bool {
        *id == EvaluatorId::Type(TypeId::of::<FoundTrack>())
    }

    /// Removes the events outside of a part, and converts the times of the others to times of the part.
    pub(crate) fn keep_part(clip: &mut AnimationClip, span: Span) {
        if let Some(whole) = Self::of(clip) {
            let within = whole.events.iter().filter_map(|event| {
                let seconds = span.time_within(event.seconds)?;
                Some(TrackEvent {
                    seconds,
                    ..event.clone()
                })
            });
            let part = Self {
                events: within.collect(),
                clip: whole.clip,
            };
            part.insert(clip);
        }
    }

    /// An event of this track that its clip has passed.
    pub(crate) fn passed_event<'a>(&'a self, event: &'a TrackEvent) -> PassedEvent<'a> {
        PassedEvent {
            clip: &self.clip,
            frame: event.frame,
            name: &event.name,
        }
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
