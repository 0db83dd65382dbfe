//! Advances the clips of spawned models and writes their poses to the [`MdlPoseTable`].

use crate::formats::quake::asset::{MdlModel, Sequence, SyncType};
use crate::formats::quake::components::MdlInstance;
use crate::formats::quake::poses::MdlPoseTable;
use crate::geometry::ground_motion::GroundMotion;
use crate::gpu::pose_table::{PoseBlend, PosePair};
use crate::load::warnings::ModelWarnings;
use crate::playback::advance::{ClipSelection, Fade, first_time, wrap};
use crate::playback::clip_events::{ClipEvents, EventTables};
use crate::root::events::{ModelEvents, PassedEvent, send_events};
use crate::root::motion::{ClipMotion, RootMotion};
use crate::root::play::{
    ClipFinished, ClipRef, MeasuredStride, ModelClips, PlayClip, Playback, Repeat, ResolvedClip,
    ResolvedPlay,
};
use bevy::prelude::*;
use classic_model_formats::mdl::Timing;

impl MdlInstance {
    /// Selects the requested sequence, or the model's default one if there is no request or the clip is missing.
    /// Returns whether the sequence starts in this frame.
    fn select(
        &mut self,
        clip: Option<&ResolvedPlay>,
        found: Option<Sequence>,
        playback: &mut Playback,
        time: &Time,
    ) -> bool {
        let is_same = self
            .selection
            .as_ref()
            .is_some_and(|selection| selection.matches(clip));
        let continues = self.model_changed && is_same && !self.is_missing;
        self.is_missing = clip.is_some() && found.is_none();
        self.sequence = found.unwrap_or_else(|| self.model.default_sequence());
        // No valid pose has been shown from which to fade.
        let is_first_pose = self.model_changed || self.selection.is_none();
        self.selection = Some(ClipSelection::new(clip));
        self.model_changed = false;
        if continues {
            return false;
        }
        let fade = clip.map_or(0.0, |clip| clip.play.fade);
        let play = self.played(clip).map(|clip| &clip.play);
        let fade = Fade::new(fade).filter(|_| !is_first_pose);
        self.fade = fade.map(|fade| (fade, self.dominant_pose()));
        playback.time = self.start(play, time);
        playback.finished = false;
        true
    }

    /// The request, unless the model lacks the clip.
    fn played<'c>(&self, clip: Option<&'c ResolvedPlay>) -> Option<&'c ResolvedPlay> {
        clip.filter(|_| !self.is_missing)
    }

    /// The sequence of a clip.
    ///
    /// # Errors
    /// A warning about the model if it doesn't have the clip.
    fn find(&self, clip: &ResolvedPlay, named: Option<&ModelClips>) -> Result<Sequence, String> {
        let sequence = self.model.sequence(&clip.play.clip);
        sequence.ok_or_else(
            || match self.model.sequence(clip.play.clip.split_frames().0) {
                Some(whole) => clip.empty_part_warning(Some(whole.pose_count)),
                None => {
                    let names: Vec<_> = self.model.clips.iter().map(|clip| &*clip.name).collect();
                    clip.missing_clip_warning(named, &names)
                }
            },
        )
    }

    /// The time at which the sequence starts.
    fn start(&self, play: Option<&PlayClip>, time: &Time) -> f32 {
        let length = self.sequence.seconds();
        let repeat = play.map_or(Repeat::Loop, |play| play.repeat);
        let follows_clock = self.sequence.is_group
            && repeat == Repeat::Loop
            && self.model.sync_type != SyncType::FrameTime;
        match play.and_then(|play| play.start) {
            Some(start) => start,
            None if follows_clock => (self.clock(time) % f64::from(length)) as f32,
            None => play.map_or(0.0, |play| first_time(repeat, play.speed, length)),
        }
    }

    /// The pose to start a cross-fade from: in a running cross-fade, the side with the larger weight.
    fn dominant_pose(&self) -> PosePair {
        if self.shown.from_weight > 0.5 {
            self.shown.from
        } else {
            self.shown.to
        }
    }

    /// The two poses around a time of the sequence.
    fn locate(&self, time: f32, repeat: Repeat, interpolate: bool) -> PosePair {
        let Sequence {
            first_pose,
            pose_count,
            timing,
            ..
        } = &self.sequence;
        let (element, towards_next) = timing.locate(time, *pose_count);
        let next = match element + 1 {
            next if next < *pose_count => next,
            _ if repeat == Repeat::Loop => 0,
            _ => element,
        };
        PosePair {
            a: first_pose + element,
            b: first_pose + next,
            towards_b: if interpolate { towards_next } else { 0.0 },
        }
    }

    /// Advances the cross-fade by `seconds` and returns the weight of the pose that it fades from.
    fn fade_weight(&mut self, seconds: f32) -> f32 {
        if let Some((fade, _)) = &mut self.fade
            && fade.advance(seconds)
        {
            return fade.fraction();
        }
        self.fade = None;
        0.0
    }

    /// Finds the events of the sequence. Call it after the sequence was selected.
    fn find_events(&mut self, clip: Option<&ResolvedPlay>, tables: EventTables<'_>) {
        let Some(clip) = clip.filter(|_| !self.is_missing) else {
            self.events = ClipEvents::default();
            return;
        };
        let (model, sequence) = (&self.model, &self.sequence);
        let whole = clip.play.clip.split_frames().0;
        let file_frame = |of: &ClipRef, frame| frame_of_clip(model, whole, of, frame);
        let time = |frame| (frame < sequence.pose_count).then(|| sequence.timing.begin(frame));
        self.events
            .update(Some(clip), tables, file_frame, || Some(time));
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

/// The root's components that determine playback.
type Players<'w> = (
    Entity,
    &'w mut MdlInstance,
    &'w mut Playback,
    Option<Ref<'w, ResolvedClip>>,
    Option<Ref<'w, ModelClips>>,
    Option<Ref<'w, ModelEvents>>,
    Option<Moved<'w>>,
);

/// What moves a root, and how.
type Moved<'w> = (Ref<'w, RootMotion>, &'w MeasuredStride, &'w mut ClipMotion);

/// Advances the clip of every model and updates its poses.
pub(crate) fn play(
    mut commands: Commands,
    time: Res<Time>,
    mut table: ResMut<MdlPoseTable>,
    mut warnings: ModelWarnings,
    mut models: Query<Players<'static>>,
) {
    let delta = time.delta_secs();
    for (entity, mut animator, mut playback, resolved, named, events, moved) in &mut models {
        let animator = animator.bypass_change_detection();
        let playback = playback.bypass_change_detection();
        let changed = match &resolved {
            Some(resolved) => resolved.is_changed(),
            None => animator
                .selection
                .as_ref()
                .is_some_and(|selection| !selection.matches(None)),
        };
        let clip = resolved.as_ref().and_then(|resolved| resolved.get());
        let is_first_pose = animator.model_changed || animator.selection.is_none();
        let differs = || {
            !animator
                .selection
                .as_ref()
                .is_some_and(|selection| selection.matches(clip))
        };
        let needs_selection = is_first_pose || (changed && differs());
        let starts = needs_selection && {
            let found = clip.map(|clip| animator.find(clip, named.as_deref()));
            let found = found.transpose();
            let found = found.unwrap_or_else(|warning| {
                warnings.warn_once(entity, &warning);
                None
            });
            animator.select(clip, found, playback, &time)
        };
        let tables = EventTables {
            clips: named.as_deref(),
            events: events.as_deref(),
            is_changed: needs_selection
                || changed
                || named.as_ref().is_some_and(Ref::is_changed)
                || events.as_ref().is_some_and(Ref::is_changed),
        };
        if tables.events.is_some() {
            animator.find_events(clip, tables);
        }
        let request = clip.map(|clip| &clip.play);
        let played = animator.played(clip);
        let play = played.map(|clip| &clip.play);

        let paused = request.is_some_and(|play| play.paused);
        let seconds = if starts || paused { 0.0 } else { delta };
        let speed = play.map_or(1.0, |play| play.speed);
        let repeat = play.map_or(Repeat::Loop, |play| play.repeat);
        let length = animator.sequence.seconds();
        playback.duration = if played.is_some() { length } else { 0.0 };
        let advance = playback.advance(seconds * speed, length, repeat);
        if tables.events.is_some() {
            let mut sent = Vec::new();
            let send = |event: PassedEvent<'_>| sent.push(event.sent_to(entity));
            let passed = &animator.events;
            passed.for_each_passed(tables.events, None, None, advance.step, send);
            send_events(&mut commands, entity, sent);
        }
        if advance.has_ended
            && let Some(clip) = played
        {
            let clip = clip.requested.clone();
            send_events(&mut commands, entity, [ClipFinished { entity, clip }]);
        }

        let interpolate = animator.model.interpolate && request.is_none_or(|play| play.interpolate);
        let to = animator.locate(playback.time, repeat, interpolate);
        let from_weight = animator.fade_weight(seconds);
        let from = animator.fade.map_or(PosePair::default(), |(_, from)| from);
        if let Some((motion, stride, mut moved)) = moved {
            // The pose that it fades from stands still.
            let passes = (1.0 - from_weight) * advance.step.passes(length);
            moved.0 = match (&motion.bone, stride.stride.filter(|_| !starts)) {
                (None, Some(stride)) => GroundMotion::forward(stride * passes),
                _ => GroundMotion::default(),
            };
            if motion.bone.is_some() && (motion.is_changed() || is_first_pose) {
                let warning = "has no bones that `RootMotion` could follow; a stride can move it";
                warnings.warn_once(entity, warning);
            }
        }
        animator.shown = PoseBlend {
            to,
            from,
            from_weight,
        };
        match animator.row {
            Some(row) if is_first_pose => table.reset(row, animator.shown),
            Some(row) => table.set(row, animator.shown),
            None => {}
        }
    }
}

/// The index of the element of a group that is shown at a time of the client's clock, in seconds.
pub(crate) fn group_index_at(timing: &Timing, count: u32, clock: f64) -> u32 {
    let length = timing.seconds(count);
    let time = wrap((clock % f64::from(length)) as f32, length);
    timing.locate(time, count).0
}
