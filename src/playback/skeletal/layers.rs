//! The layers that play on a model over its active clips, and their weights.

use crate::playback::advance::ClipSelection;
use crate::playback::clip_events::EventTables;
use crate::playback::skeletal::active_clips::{Pending, PendingState, PlayingClip};
use crate::playback::skeletal::bone_set::BoneSet;
use crate::playback::skeletal::clips::Clips;
use crate::playback::skeletal::rig::{Rig, RigBone};
use crate::root::events::PassedEvent;
use crate::root::layers::{BoneMask, ClipLayer, ClipLayers, LayerId, ModelMasks};
use crate::root::play::{ModelClips, ResolvedPlay};
use bevy::prelude::*;
use std::sync::Arc;

/// The most layers that fade out at the same time.
const MAX_FADING: usize = 8;

/// The layers of a model, the bottom one first.
#[derive(Debug, Default)]
pub(crate) struct ActiveLayers {
    layers: Vec<ActiveLayer>,
    /// The tables by which the layers' clips and masks were resolved.
    clips: Option<ModelClips>,
    masks: Option<ModelMasks>,
}

/// A layer that is requested or fades out.
#[derive(Debug)]
struct ActiveLayer {
    id: LayerId,
    /// Whether it is in [`ClipLayers`]. Otherwise it fades out.
    is_requested: bool,
    selection: ClipSelection,
    resolved: ResolvedPlay,
    additive: bool,
    mask: BoneMask,
    bones: BoneSet,
    /// The weight without fades.
    weight: f32,
    fade_out: f32,
    removes_itself: bool,
    /// Whether its clip was searched for.
    is_selected: bool,
    /// The requested clip until it is loaded.
    pending: Option<Pending>,
    playing: Option<PlayingClip>,
    /// Whether its clip starts in this frame.
    starts: bool,
    /// The progress of the fades of its start and its removal, from 0 to 1.
    fade: f32,
    /// The progress of all fades, with that at the end of its clip.
    envelope: f32,
}

/// A layer that plays, for code that blends.
#[derive(Debug)]
pub(crate) struct PlayedLayer<'a> {
    pub(crate) playing: &'a PlayingClip,
    pub(crate) bones: &'a BoneSet,
    pub(crate) additive: bool,
    /// From 0 to 1, with fades.
    pub(crate) weight: f32,
}

/// The layers that a root requests, and the tables that resolve them.
pub(crate) struct LayerRequest<'a> {
    /// `None` without [`ClipLayers`].
    pub(crate) layers: Option<&'a ClipLayers>,
    pub(crate) is_changed: bool,
    pub(crate) clips: Option<&'a ModelClips>,
    pub(crate) masks: Option<&'a ModelMasks>,
    /// Whether the model or a clip that plays was edited.
    pub(crate) is_other_file: bool,
}

impl ActiveLayers {
    /// The layers that play, the bottom one first.
    pub(crate) fn playing(&self) -> impl Iterator<Item = PlayedLayer<'_>> {
        self.layers.iter().filter_map(ActiveLayer::played)
    }

    /// The requested layers that remove themselves and whose clips cannot play.
    pub(crate) fn without_clips(&self) -> Vec<LayerId> {
        let layers = self.layers.iter();
        let without = layers.filter(|layer| {
            layer.is_requested
                && layer.removes_itself
                && layer.is_selected
                && layer.pending.is_none()
                && layer.playing.is_none()
        });
        without.map(|layer| layer.id).collect()
    }

    /// The requested clips that are not loaded yet.
    pub(crate) fn pending_clips(&self) -> impl Iterator<Item = &Handle<AnimationClip>> {
        let requested = self.layers.iter().filter(|layer| layer.is_requested);
        let pending = requested.filter_map(|layer| layer.pending.as_ref());
        pending.map(|pending| &pending.source.clip)
    }

    /// The current weight of a layer; `None` if it does not play.
    pub(crate) fn weight(&self, id: LayerId) -> Option<f32> {
        let mut layers = self.layers.iter();
        let layer = layers.find(|layer| layer.id == id && layer.is_requested)?;
        Some(layer.played()?.weight)
    }

    /// Starts, changes and removes layers as requested, and advances their fades. Returns whether
    /// clips have started or stopped.
    pub(crate) fn update<F: Rig>(
        &mut self,
        request: &LayerRequest<'_>,
        model: &Arc<F::Model>,
        clips: &mut Clips<'_, '_, F>,
        seconds: f32,
        warnings: &mut Vec<String>,
    ) -> bool {
        if request.layers.is_none() && self.layers.is_empty() {
            return false;
        }
        let mut changes = request.is_other_file;
        let are_masks_changed = self.masks.as_ref() != request.masks;
        let is_other_table = are_masks_changed || self.clips.as_ref() != request.clips;
        // The layers may have been requested before the model was loaded.
        if request.is_changed || request.is_other_file || is_other_table {
            changes |= are_masks_changed | self.apply_requests(request);
            self.clips = request.clips.cloned();
            self.masks = request.masks.cloned();
        }
        let count = self.layers.len();
        match request.layers {
            Some(_) => self.layers.retain_mut(|layer| layer.advance_fade(seconds)),
            None => self.layers.clear(),
        }
        changes |= count != self.layers.len();
        for layer in &mut self.layers {
            if !layer.is_selected || request.is_other_file {
                changes |= layer.select(request.clips, &**model, clips, warnings);
            }
            changes |= layer.start_pending(&**model, clips, warnings);
        }
        if changes {
            self.resolve_masks::<F>(request.masks, model, warnings);
            for layer in &mut self.layers {
                if let Some(playing) = &mut layer.playing {
                    playing.bind(clips, model);
                }
            }
        }
        changes
    }

    /// Applies the requested layers. Returns whether a mask has changed or a layer was removed.
    fn apply_requests(&mut self, request: &LayerRequest<'_>) -> bool {
        let requested = |id| request.layers.and_then(|layers| layers.get(id));
        let mut changes = false;
        for active in self.layers.iter_mut().filter(|active| active.is_requested) {
            changes |= active.apply(requested(active.id), request.clips);
        }
        for (id, layer) in request.layers.into_iter().flat_map(ClipLayers::iter) {
            let mut active = self.layers.iter();
            if !active.any(|active| active.id == id && active.is_requested) {
                self.layers.push(ActiveLayer::new(id, layer, request.clips));
            }
        }
        // A layer that was replaced fades out below its successor.
        self.layers
            .sort_by_key(|layer| (layer.id, layer.is_requested));
        changes | self.limit_fading()
    }

    /// Removes the bottom ones of too many layers that fade out. Otherwise layers would accumulate if each was replaced
    /// before the end of the previous fade. Returns whether there were too many.
    fn limit_fading(&mut self) -> bool {
        let fading = self.layers.iter().filter(|layer| !layer.is_requested);
        let mut excess = fading.count().saturating_sub(MAX_FADING);
        let is_any = excess > 0;
        self.layers.retain(|layer| {
            let is_removed = excess > 0 && !layer.is_requested;
            excess -= usize::from(is_removed);
            !is_removed
        });
        is_any
    }

    /// Resolves the masks of all layers.
    fn resolve_masks<F: Rig>(
        &mut self,
        masks: Option<&ModelMasks>,
        model: &F::Model,
        warnings: &mut Vec<String>,
    ) {
        let bones: Vec<RigBone<'_>> = F::bones(model).collect();
        for layer in &mut self.layers {
            layer.bones = BoneSet::resolve(&layer.mask, masks, &bones, warnings);
        }
    }

    /// Advances the clips. Writes the playback states of the requested layers, and returns the layers whose clips have
    /// just ended. Calls `send` with each event that requested clips pass.
    pub(crate) fn advance<F: Rig>(
        &mut self,
        requested: &mut ClipLayers,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        tables: EventTables<'_>,
        seconds: f32,
        mut send: impl FnMut(PassedEvent<'_>),
    ) -> Vec<LayerId> {
        let mut ended = Vec::new();
        for layer in &mut self.layers {
            let is_requested = layer.is_requested && layer.playing.is_some();
            let seek = if is_requested {
                requested.take_seek(layer.id)
            } else {
                None
            };
            let has_ended = layer.advance(seek, seconds);
            if layer.is_requested
                && let Some(playing) = &mut layer.playing
            {
                let play = Some(&layer.resolved);
                playing.send_events(play, tables, model, clips, &mut send);
                requested.set_playback(layer.id, playing.playback);
                ended.extend(has_ended.then_some(layer.id));
            }
        }
        ended
    }

    /// Ends a layer that has removed itself. It does not fade out any more.
    pub(crate) fn end(&mut self, id: LayerId) {
        let mut layers = self.layers.iter_mut();
        if let Some(layer) = layers.find(|layer| layer.id == id && layer.is_requested) {
            layer.is_requested = false;
            layer.fade = 0.0;
        }
    }
}

impl ActiveLayer {
    fn new(id: LayerId, layer: &ClipLayer, clips: Option<&ModelClips>) -> Self {
        let resolved = ResolvedPlay::new(&layer.play, clips);
        Self {
            id,
            is_requested: true,
            selection: ClipSelection::new(Some(&resolved)),
            resolved,
            additive: layer.additive,
            mask: layer.mask.clone(),
            bones: BoneSet::ALL,
            weight: layer.weight,
            fade_out: layer.fade_out,
            removes_itself: layer.removes_itself,
            is_selected: false,
            pending: None,
            playing: None,
            starts: false,
            fade: 0.0,
            envelope: 0.0,
        }
    }

    /// Applies a request. If it is `None` or for another clip, the layer fades out. Returns whether the mask has
    /// changed.
    fn apply(&mut self, layer: Option<&ClipLayer>, clips: Option<&ModelClips>) -> bool {
        let resolved = layer.map(|layer| ResolvedPlay::new(&layer.play, clips));
        let Some((layer, resolved)) = layer.zip(resolved).filter(|(layer, resolved)| {
            self.selection.matches(Some(resolved)) && self.additive == layer.additive
        }) else {
            self.is_requested = false;
            // From here on, only the fade of the removal counts.
            self.fade = self.envelope;
            return false;
        };
        self.resolved = resolved;
        self.weight = layer.weight;
        self.fade_out = layer.fade_out;
        self.removes_itself = layer.removes_itself;
        let is_other_mask = self.mask != layer.mask;
        self.mask.clone_from(&layer.mask);
        is_other_mask
    }

    /// Advances the fade. Returns false once the layer has faded out.
    fn advance_fade(&mut self, seconds: f32) -> bool {
        let step = |duration: f32| {
            if duration > 0.0 && duration.is_finite() {
                seconds / duration
            } else {
                1.0
            }
        };
        if !self.is_requested {
            self.fade -= step(self.fade_out);
            return self.fade > 0.0 && self.playing.is_some();
        }
        if self.playing.is_some() && !self.resolved.play.paused {
            self.fade = (self.fade + step(self.resolved.play.fade)).min(1.0);
        }
        true
    }

    /// Selects the requested clip, which starts once it is loaded. Returns whether a clip stops.
    fn select<F: Rig>(
        &mut self,
        named: Option<&ModelClips>,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        warnings: &mut Vec<String>,
    ) -> bool {
        self.is_selected = true;
        let source = clips.find_requested(&self.resolved, named, model, warnings);
        let Some(source) = source else {
            self.pending = None;
            return self.playing.take().is_some();
        };
        self.pending = Some(Pending::new(source, self.playing.is_some()));
        false
    }

    /// Starts the pending clip once it is loaded. If that fails, the previous one stops. Returns whether
    /// clips have started or stopped.
    fn start_pending<F: Rig>(
        &mut self,
        model: &F::Model,
        clips: &Clips<'_, '_, F>,
        warnings: &mut Vec<String>,
    ) -> bool {
        let Some(pending) = &mut self.pending else {
            return false;
        };
        match pending.poll(Some(&self.resolved), model, clips, warnings) {
            PendingState::Loading => return false,
            PendingState::Unplayable => {
                // Other layers may play after a reload.
                if self.removes_itself {
                    self.pending = None;
                }
                return self.playing.take().is_some();
            }
            PendingState::Ready => {}
        }
        let Some(Pending { source, .. }) = self.pending.take() else {
            return false;
        };
        if let Some(playing) = &mut self.playing {
            playing.source = source;
            return true;
        }
        self.playing = Some(PlayingClip::new(source));
        self.starts = true;
        let fade_in = self.resolved.play.fade;
        self.fade = if fade_in > 0.0 && fade_in.is_finite() {
            0.0
        } else {
            1.0
        };
        true
    }

    fn played(&self) -> Option<PlayedLayer<'_>> {
        let playing = self.playing.as_ref()?;
        Some(PlayedLayer {
            playing,
            bones: &self.bones,
            additive: self.additive,
            // NaN is 0.
            weight: if self.weight > 0.0 {
                self.weight.min(1.0) * self.envelope
            } else {
                0.0
            },
        })
    }

    /// Advances the clip, which first jumps to `seek`. Returns whether it has just ended.
    fn advance(&mut self, seek: Option<f32>, seconds: f32) -> bool {
        let Some(playing) = &mut self.playing else {
            return false;
        };
        let play = &self.resolved.play;
        playing.apply(play);
        let starts = core::mem::take(&mut self.starts);
        match (starts, seek) {
            (true, _) => playing.restart(seek.or(play.start)),
            (false, Some(time)) => playing.playback.time = time,
            (false, None) => {}
        }
        // A clip shows its start time for one frame before it advances.
        let seconds = if starts || play.paused { 0.0 } else { seconds };
        let has_ended = playing.advance(seconds);
        let fades = self.fade_out > 0.0 && self.fade_out.is_finite();
        let at_end = if fades && self.is_requested && self.removes_itself {
            (playing.seconds_to_end() / self.fade_out).clamp(0.0, 1.0)
        } else {
            1.0
        };
        self.envelope = self.fade.min(at_end);
        has_ended
    }
}
