//! Finds and sends the events of the clip that plays.

use crate::formats::quake::asset::MdlModel;
use crate::formats::quake::components::MdlInstance;
use crate::playback::clip_step::ClipStep;
use crate::playback::event_frames::event_frames;
use crate::root::clip_ref::ClipRef;
use crate::root::clips::ModelClips;
use crate::root::events::{ModelEvents, PassedEvent, send_events};
use crate::root::play::ResolvedPlay;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::Commands;

impl MdlInstance {
    /// Finds the events of the sequence that plays. Call it after the sequence was selected.
    pub(crate) fn find_events(
        &mut self,
        clip: Option<&ResolvedPlay>,
        named: Option<&ModelClips>,
        events: Option<&ModelEvents>,
    ) {
        self.event_times.clear();
        let (Some(clip), Some(events), false) = (clip, events, self.is_missing) else {
            return;
        };
        let whole = clip.play.clip.split_frames().0;
        let file_frame = |of: &ClipRef, frame| frame_of_clip(&self.model, whole, of, frame);
        let frames = event_frames(clip, named, events, file_frame);
        let sequence = &self.sequence;
        let frames = frames
            .iter()
            .filter(|event| event.frame < sequence.pose_count);
        let times = frames.map(|event| (sequence.timing.begin(event.frame), event.event));
        self.event_times.extend(times);
    }

    /// Sends the events that a step of the playback passes.
    pub(crate) fn send_events(
        &self,
        commands: &mut Commands<'_, '_>,
        root: Entity,
        step: ClipStep,
        events: &ModelEvents,
    ) {
        let passed = step.passed(&self.event_times, |(seconds, _)| *seconds);
        let passed = passed.filter_map(|(_, index)| events.0.get(*index));
        let passed = passed.map(|event| PassedEvent::from(event).sent_to(root));
        send_events(commands, root, passed.collect());
    }
}

/// Converts a frame of a clip of the file to a frame of another one. `None` if that clip does not contain the pose.
fn frame_of_clip(model: &MdlModel, clip: &ClipRef, of: &ClipRef, frame: u32) -> Option<u32> {
    let of = model.sequence(of)?;
    let pose = (frame < of.pose_count).then(|| of.first_pose.saturating_add(frame))?;
    let clip = model.sequence(clip)?;
    let frame = pose.checked_sub(clip.first_pose)?;
    (frame < clip.pose_count).then_some(frame)
}
