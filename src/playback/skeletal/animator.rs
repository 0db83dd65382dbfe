//! Plays a [`PlayClip`](crate::root::PlayClip) and [`ClipLayers`] on the bones of a model.
//!
//! The state is on the root entity, which survives a reload of the model. To blend clips in another way, don't add a
//! `PlayClip`, and give the root an animation graph of your own.

use crate::geometry::ground_motion::GroundMotion;
use crate::playback::advance::ClipSelection;
use crate::playback::clip_events::EventTables;
use crate::playback::skeletal::active_clips::{ActiveClips, Pending, PendingState};
use crate::playback::skeletal::clips::{Clips, Edits};
use crate::playback::skeletal::layers::{ActiveLayers, LayerRequest, PlayedLayer};
use crate::playback::skeletal::pose::{BoneEntities, WrittenBone, blend};
use crate::playback::skeletal::posed_bone::PosedBone;
use crate::playback::skeletal::rig::Rig;
use crate::playback::skeletal::root_motion::{MotionBone, Mover};
use crate::root::events::{ModelEvent, ModelEvents, PassedEvent};
use crate::root::layers::{ClipLayers, LayerId, ModelMasks};
use crate::root::play::{ClipRef, ModelClips, Playback, ResolvedClip, ResolvedPlay};
use bevy::prelude::*;
use std::sync::Arc;

/// The clip that a root requests.
pub(crate) struct ClipRequest<'a> {
    pub(crate) play: Option<&'a Ref<'a, ResolvedClip>>,
    /// The clips that the root names itself.
    pub(crate) named: Option<&'a ModelClips>,
    /// The masks that the root names.
    pub(crate) masks: Option<&'a ModelMasks>,
    pub(crate) events: Option<&'a ModelEvents>,
    /// Whether any clip that plays was edited.
    pub(crate) is_edited: bool,
    /// Whether a component that determines the events of clips has changed.
    pub(crate) are_events_changed: bool,
}

impl<'a> ClipRequest<'a> {
    fn clip(&self) -> Option<&'a ResolvedPlay> {
        self.play.and_then(|play| play.get())
    }
}

/// The playback state of a spawned model with bones. It is on the root entity once the scene is spawned.
///
/// Choose a clip with [`PlayClip`](crate::root::PlayClip).
#[derive(Component, Debug)]
pub struct ModelAnimator<F: Rig> {
    active: ActiveClips,
    /// The layers over the active clips.
    layers: ActiveLayers,
    /// The request when the clip was selected.
    selection: Option<ClipSelection>,
    /// The requested clip until it is loaded. The previous clips play on meanwhile.
    pending: Option<Pending>,
    /// The model that the clips are bound to. A reload changes it.
    model: Option<Arc<F::Model>>,
    /// What clips have written to each bone.
    written: Vec<WrittenBone>,
    /// The bone of the [`RootMotion`](crate::root::RootMotion) of the last frame.
    pub(crate) motion_bone: Option<MotionBone>,
}

/// The data of a model's root in one frame.
pub(crate) struct AnimatedRoot<'a, F: Rig> {
    pub(crate) entity: Entity,
    pub(crate) request: ClipRequest<'a>,
    pub(crate) model: &'a Arc<F::Model>,
    pub(crate) playback: Option<&'a mut Playback>,
    pub(crate) layers: Option<Mut<'a, ClipLayers>>,
}

/// What a root's clips have caused in one frame.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Warnings about the model.
    pub(crate) warnings: Vec<String>,
    /// The events that the clips have passed.
    pub(crate) events: Vec<ModelEvent>,
    /// The requested clip, if it has just ended.
    pub(crate) ended: Option<ClipRef>,
    /// The layers whose clips have just ended, with their clips.
    pub(crate) ended_layers: Vec<(LayerId, ClipRef)>,
}

/// A change of the active clips.
struct Change {
    /// The clip to start.
    starts: Option<Pending>,
    /// Whether all clips stop.
    stops: bool,
    ends_fade: bool,
    /// Whether the model or a clip has changed.
    is_other_file: bool,
    /// Whether clips that play must be bound again.
    rebinds: bool,
    /// Whether layers start or stop.
    changes_layers: bool,
}

impl Change {
    fn is_any(&self) -> bool {
        let is_own = self.starts.is_some() || self.stops || self.ends_fade;
        is_own || self.rebinds || self.changes_layers
    }

    /// Whether a clip starts from its beginning.
    fn restarts(&self) -> bool {
        self.starts
            .as_ref()
            .is_some_and(|pending| !pending.continues)
    }
}

impl<F: Rig> Default for ModelAnimator<F> {
    fn default() -> Self {
        Self {
            active: ActiveClips::default(),
            layers: ActiveLayers::default(),
            selection: None,
            pending: None,
            model: None,
            written: Vec::new(),
            motion_bone: None,
        }
    }
}

impl<F: Rig> ModelAnimator<F> {
    /// The selected clip, once it plays. If a part of a clip plays, this is the whole clip.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        let selected = self.active.selected();
        selected.map(|selected| &selected.source.clip)
    }

    /// The weight of the selected clip: below 1 during a fade, and 0 if no clip plays.
    pub fn weight(&self) -> f32 {
        if self.active.is_empty() {
            0.0
        } else {
            1.0 - self.active.fade_remaining()
        }
    }

    /// The current weight of a layer of [`ClipLayers`](crate::root::ClipLayers), with fades. `None` if it does not
    /// play.
    pub fn layer_weight(&self, layer: LayerId) -> Option<f32> {
        self.layers.weight(layer)
    }

    /// Starts, stops and advances the clips of a root.
    pub(crate) fn update(
        &mut self,
        root: AnimatedRoot<'_, F>,
        clips: &mut Clips<'_, '_, F>,
        seconds: f32,
    ) -> Outcome {
        let model = root.model;
        let (request, requested_layers) = (root.request, root.layers);
        let play = request.clip();
        let mut outcome = Outcome::default();
        let warnings = &mut outcome.warnings;
        // The clips that start and stop depend on the request, on the loaded assets and on the fade.
        let mut change = self.decide(&request, model, seconds, clips, warnings);
        let layers = LayerRequest {
            layers: requested_layers.as_deref(),
            is_changed: requested_layers
                .as_ref()
                .is_some_and(|layers| layers.is_changed()),
            clips: request.named,
            masks: request.masks,
            is_other_file: change.is_other_file,
        };
        change.changes_layers = self.layers.update(&layers, model, clips, seconds, warnings);
        let restarts = change.restarts();
        let is_changed = change.is_any();
        if is_changed {
            let fade = play.map_or(0.0, |resolved| resolved.play.fade);
            self.apply(change, fade, model, clips);
        }
        let tables = EventTables {
            clips: request.named,
            events: request.events,
            is_changed: is_changed || request.are_events_changed,
        };
        let entity = root.entity;
        let events = &mut outcome.events;
        let mut send = |event: PassedEvent<'_>| events.push(event.sent_to(entity));
        if let Some(play) = play {
            let has_ended = self.advance(play, root.playback, restarts, seconds);
            outcome.ended = has_ended.then(|| play.requested.clone());
            let play = (!self.is_waiting()).then_some(play);
            if let Some(selected) = self.active.iter_mut().next_back() {
                selected.send_events(play, tables, &**model, clips, &mut send);
            }
        }
        if let Some(mut requested) = requested_layers {
            let all = requested.bypass_change_detection();
            let ended = self
                .layers
                .advance(all, &**model, clips, tables, seconds, &mut send);
            outcome.ended_layers = self.end_layers(ended, requested);
        }
        outcome
    }

    /// Whether any clip that plays was edited.
    pub(crate) fn is_any_edited(&self, edits: &Edits<F>) -> bool {
        let layers = self.layers.playing().map(|layer| layer.playing);
        let mut playing = self.active.iter().chain(layers);
        playing.any(|playing| edits.contain(&playing.source))
    }

    /// Whether any layer has a weight.
    pub(crate) fn has_layers(&self) -> bool {
        self.layers.playing().any(|layer| layer.weight > 0.0)
    }

    /// Blends the clips and layers on bones at rest.
    pub(crate) fn blend(&self, bones: &mut [PosedBone]) {
        blend(&self.active, &self.layers, None, bones);
    }

    /// The layers that play, the bottom one first.
    pub(crate) fn active_layers(&self) -> impl Iterator<Item = PlayedLayer<'_>> {
        self.layers.playing()
    }

    /// The requested clips of the root and of its layers that are not loaded yet.
    pub(crate) fn pending_clips(&self) -> impl Iterator<Item = &Handle<AnimationClip>> {
        let own = self.pending.as_ref().map(|pending| &pending.source.clip);
        own.into_iter().chain(self.layers.pending_clips())
    }

    /// The clips that play.
    pub(crate) fn active_clips(&self) -> &ActiveClips {
        &self.active
    }

    /// Decides which clips start and stop in this frame, and advances the fade.
    fn decide(
        &mut self,
        request: &ClipRequest<'_>,
        model: &Arc<F::Model>,
        seconds: f32,
        clips: &Clips<'_, '_, F>,
        warnings: &mut Vec<String>,
    ) -> Change {
        let is_same = |previous: &Arc<F::Model>| Arc::ptr_eq(previous, model);
        let is_other_model = !self.model.as_ref().is_some_and(is_same);
        if is_other_model {
            self.model = Some(model.clone());
        }
        let is_changed = request.play.is_none_or(DetectChanges::is_changed);
        let clip = request.clip();
        let is_selected = match &self.selection {
            Some(selection) => !is_changed || selection.matches(clip),
            None => clip.is_none(),
        };
        let is_other_file = is_other_model || request.is_edited;
        let selects = !is_selected || (is_other_file && clip.is_some());
        let mut change = Change {
            stops: false,
            is_other_file,
            rebinds: is_other_file && self.is_playing(),
            starts: None,
            ends_fade: false,
            changes_layers: false,
        };
        if selects {
            self.select(&mut change, request, model, clips, warnings);
        }
        if self.pending.is_some() {
            self.start_pending(&mut change, clip, model, clips, warnings);
        }
        let is_paused = change.restarts() || clip.is_none_or(|clip| clip.play.paused);
        change.ends_fade = !is_paused && self.active.advance_fade(seconds);
        change
    }

    /// Selects the requested clip, which starts once it is loaded.
    fn select(
        &mut self,
        change: &mut Change,
        request: &ClipRequest<'_>,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        warnings: &mut Vec<String>,
    ) {
        let clip = request.clip();
        let selection = self.selection.as_ref();
        let is_same = selection.is_some_and(|selection| selection.matches(clip));
        self.selection = Some(ClipSelection::new(clip));
        let named = request.named;
        let source = clip.and_then(|clip| clips.find_requested(clip, named, model, warnings));
        let pending = self.pending.as_ref();
        let has_started = pending.is_none_or(|pending| pending.continues);
        let continues = is_same && has_started && !self.active.is_empty();
        self.pending = source.map(|source| Pending::new(source, continues));
        change.stops = self.pending.is_none();
    }

    /// Starts the pending clip once it is loaded. If that fails, the previous clips stop.
    fn start_pending(
        &mut self,
        change: &mut Change,
        clip: Option<&ResolvedPlay>,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        warnings: &mut Vec<String>,
    ) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        match pending.poll(clip, model, clips, warnings) {
            PendingState::Loading => {}
            PendingState::Ready => change.starts = self.pending.take(),
            PendingState::Unplayable => {
                change.stops |= !self.active.is_empty();
                pending.continues = false;
            }
        }
    }

    /// Whether a clip plays.
    pub(crate) fn is_playing(&self) -> bool {
        !self.active.is_empty() || self.layers.playing().next().is_some()
    }

    /// Whether the requested clip does not play yet, because it is not loaded.
    pub(crate) fn is_waiting(&self) -> bool {
        self.pending
            .as_ref()
            .is_some_and(|pending| !pending.continues)
    }

    /// Applies a change to the active clips.
    fn apply(
        &mut self,
        change: Change,
        fade: f32,
        model: &Arc<F::Model>,
        clips: &mut Clips<'_, '_, F>,
    ) {
        if change.ends_fade {
            self.active.end_fade();
        }
        match change.starts {
            Some(pending) if pending.continues => self.active.replace(pending.source),
            Some(pending) => self.active.start(pending.source, fade),
            None => {}
        }
        if change.stops {
            self.active.stop();
        }
        for playing in self.active.iter_mut() {
            playing.bind(clips, model);
        }
    }

    /// How the clips have moved the model in this frame.
    pub(crate) fn motion(&mut self, model: &F::Model, mover: &Mover) -> GroundMotion {
        let mut bones = Vec::new();
        match mover {
            Mover::Bone(_) => bones.extend(F::bones(model).map(PosedBone::from)),
            Mover::Stride(stride) if !self.is_waiting() => {
                if let Some(selected) = self.active.iter_mut().next_back() {
                    selected.stride = stride.unwrap_or(0.0);
                }
            }
            Mover::Stride(_) => {}
        }
        let (mut motion, mut total) = (GroundMotion::default(), 0.0);
        let clips = self.active.iter().zip(self.active.weights());
        for (clip, weight) in clips.filter(|(clip, weight)| clip.bound.is_some() && *weight > 0.0) {
            total += weight;
            motion = motion.mixed(clip.motion(mover, &bones), weight / total);
        }
        motion
    }

    /// Poses the bones. Returns whether any has moved. `skeleton` are their entities, and `pose` is a buffer. The movement of
    /// `mover` is taken out of the pose.
    pub(crate) fn pose(
        &mut self,
        model: &F::Model,
        skeleton: &[Entity],
        bones: &mut BoneEntities<'_, '_, F::Bone>,
        mover: Option<&Mover>,
        pose: &mut Vec<PosedBone>,
    ) -> bool {
        if skeleton.is_empty() || !self.is_playing() && self.written.is_empty() {
            return false;
        }
        pose.clear();
        pose.extend(F::bones(model).map(PosedBone::from));
        let mover = match mover {
            Some(Mover::Bone(bone)) => Some(bone),
            _ => None,
        };
        blend(&self.active, &self.layers, mover, pose);
        let is_moved = bones.write(skeleton, pose, &mut self.written);
        if !self.is_playing() {
            self.written.clear();
        }
        is_moved
    }

    /// Forgets the state of bones, because their entities were spawned again.
    pub(crate) fn forget_bones(&mut self) {
        self.written.clear();
    }

    /// Advances the active clips by a frame of `seconds`, and writes `playback`. Returns whether the requested clip has
    /// just ended.
    fn advance(
        &mut self,
        resolved: &ResolvedPlay,
        playback: Option<&mut Playback>,
        restarts: bool,
        seconds: f32,
    ) -> bool {
        let play = &resolved.play;
        // While the requested clip is not loaded, the clip that plays is another one.
        let is_waiting = self.is_waiting();
        let seconds = if play.paused { 0.0 } else { seconds };
        let mut playing = self.active.iter_mut();
        let selected = playing.next_back();
        for fading in playing {
            fading.advance(seconds);
        }
        let Some(selected) = selected else {
            // No clip plays that could be at its end.
            if let Some(playback) = playback {
                playback.finished = false;
                playback.duration = 0.0;
            }
            return false;
        };
        if !is_waiting {
            selected.apply(play);
            if restarts {
                selected.restart(play.start);
            } else if let Some(playback) = &playback {
                // The user may have set it.
                selected.playback = **playback;
            }
        }
        // A clip shows its start time for one frame before it advances.
        let has_ended = selected.advance(if restarts { 0.0 } else { seconds });
        if let Some(playback) = playback {
            *playback = selected.playback;
            if is_waiting {
                playback.finished = false;
                playback.duration = 0.0;
            }
        }
        has_ended && !is_waiting
    }

    /// Removes the layers that remove themselves and have ended or have no clip. Returns the layers that have ended,
    /// with their clips.
    fn end_layers(
        &mut self,
        ended: Vec<LayerId>,
        mut requested: Mut<'_, ClipLayers>,
    ) -> Vec<(LayerId, ClipRef)> {
        for id in self.layers.without_clips() {
            requested.remove(id);
            self.layers.end(id);
        }
        let finished = ended.into_iter().filter_map(|id| {
            let layer = requested.get(id)?;
            let clip = layer.play.clip.clone();
            if layer.removes_itself {
                requested.remove(id);
                self.layers.end(id);
            }
            Some((id, clip))
        });
        finished.collect()
    }
}
