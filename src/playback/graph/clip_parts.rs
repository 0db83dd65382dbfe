//! Clips that play a part of another clip.

use crate::playback::event_track::EventTrack;
use crate::playback::frames::Span;
use bevy::animation::animation_curves::{AnimationCurve, AnimationCurveEvaluator, EvaluatorId};
use bevy::animation::graph::AnimationNodeIndex;
use bevy::animation::{AnimationClip, AnimationEvaluationError, VariableCurve};
use bevy::asset::{AssetEvent, AssetId, Assets, Handle, StrongHandle};
use bevy::ecs::message::MessageReader;
use bevy::math::curve::Interval;
use bevy::platform::collections::HashMap;
use bevy::reflect::structs::Struct;
use bevy::reflect::{PartialReflect, ReflectMut};
use core::any::Any;
use std::sync::{Arc, Weak};

/// The parts that play, by the source clip and the bits of the [`Span`]. Models share them.
///
/// A part is dropped when no model plays it.
#[derive(Debug, Default)]
pub(crate) struct ClipParts(HashMap<(AssetId<AnimationClip>, [u32; 3]), Weak<StrongHandle>>);

impl ClipParts {
    /// A part of a clip; `None` if the clip is not loaded.
    pub(crate) fn get(
        &mut self,
        clip: &Handle<AnimationClip>,
        span: Span,
        clips: &mut Assets<AnimationClip>,
    ) -> Option<Handle<AnimationClip>> {
        let key = (clip.id(), span.bits());
        if let Some(cached) = self.0.get(&key).and_then(Weak::upgrade) {
            return Some(Handle::Strong(cached));
        }
        let part = part(clips.get(clip)?, span);
        let part = clips.add(part);
        self.0.retain(|_, cached| cached.strong_count() > 0);
        if let Handle::Strong(strong) = &part {
            self.0.insert(key, Arc::downgrade(strong));
        }
        Some(part)
    }

    /// Removes the parts of edited clips from the cache. They play on until the player's clips are replaced.
    pub(crate) fn remove(&mut self, edited: &[AssetId<AnimationClip>]) {
        if !edited.is_empty() {
            self.0.retain(|(clip, _), _| !edited.contains(clip));
        }
    }
}

/// The clips that were edited since the last call.
pub(crate) fn edited_clips(
    events: &mut MessageReader<AssetEvent<AnimationClip>>,
) -> Vec<AssetId<AnimationClip>> {
    let edited = events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(*id),
        _ => None,
    });
    edited.collect()
}

/// A clip that plays a part of another clip. The curves share their data.
fn part(clip: &AnimationClip, span: Span) -> AnimationClip {
    let mut part = clip.clone();
    for curves in part.curves_mut().values_mut() {
        for VariableCurve(curve) in curves {
            *curve = Box::new(PartOfCurve {
                whole: curve.clone_value(),
                span,
            });
        }
    }
    EventTrack::keep_part(&mut part, span);
    shift_events(&mut part, span);
    part.set_duration(span.length);
    part
}

/// Removes the events outside of a part, and converts the times of the others to times of the part.
///
/// Bevy's `AnimationClip` gives access to its events only through reflection.
fn shift_events(part: &mut AnimationClip, span: Span) {
    let Some(events) = part.field_mut("events") else {
        return;
    };
    let ReflectMut::Map(events) = events.reflect_mut() else {
        return;
    };
    events.retain(&mut |_, target_events| {
        let ReflectMut::List(target_events) = target_events.reflect_mut() else {
            return true;
        };
        for index in (0..target_events.len()).rev() {
            let event = target_events.get_mut(index);
            if event
                .and_then(event_time)
                .is_some_and(|time| !shift(time, span))
            {
                target_events.remove(index);
            }
        }
        !target_events.is_empty()
    });
}

fn event_time(event: &mut dyn PartialReflect) -> Option<&mut f32> {
    let ReflectMut::Struct(event) = event.reflect_mut() else {
        return None;
    };
    event.field_mut("time")?.try_downcast_mut()
}

/// Converts a time of a clip to a time of a part. Returns false if it is outside of the part.
fn shift(time: &mut f32, span: Span) -> bool {
    let within = span.time_within(*time);
    *time = within.unwrap_or_default();
    within.is_some()
}

/// A curve at the times of a part. It has the evaluator of the whole curve, so both blend with each other.
#[derive(Debug)]
struct PartOfCurve {
    whole: Box<dyn AnimationCurve>,
    span: Span,
}

impl AnimationCurve for PartOfCurve {
    fn clone_value(&self) -> Box<dyn AnimationCurve> {
        Box::new(Self {
            whole: self.whole.clone_value(),
            span: self.span,
        })
    }

    fn domain(&self) -> Interval {
        Interval::new(0.0, self.span.length).unwrap_or(Interval::UNIT)
    }

    fn evaluator_id(&self) -> EvaluatorId<'_> {
        self.whole.evaluator_id()
    }

    fn create_evaluator(&self) -> Box<dyn AnimationCurveEvaluator> {
        self.whole.create_evaluator()
    }

    fn apply(
        &self,
        evaluator: &mut dyn AnimationCurveEvaluator,
        time: f32,
        weight: f32,
        node: AnimationNodeIndex,
    ) -> Result<(), AnimationEvaluationError> {
        self.whole
            .apply(evaluator, self.span.time(time), weight, node)
    }

    fn sample_clamped(&self, time: f32) -> Box<dyn Any> {
        self.whole.sample_clamped(self.span.time(time))
    }
}
