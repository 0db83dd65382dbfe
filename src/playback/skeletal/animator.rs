//! Plays a [`PlayClip`](crate::root::PlayClip) on an `AnimationPlayer`, for formats whose clips are Bevy
//! `AnimationClip`s.
//!
//! The player is on the root entity, which survives a reload of the model. To blend clips in another way, don't add a
//! `PlayClip`, and give the root a graph of your own.

use crate::playback::graph::bone_set::BoneSet;
use crate::playback::graph::build::{GraphLayout, shared_graph};
use crate::playback::graph::rest_bones::{Bones, restore_rest_pose};
use crate::playback::playing::ClipSelection;
use crate::playback::skeletal::active_clips::{ActiveClips, ClipSource, node};
use crate::playback::skeletal::clip_provider::ClipProvider;
use crate::playback::skeletal::clip_state::{must_pause, read_clip, write_clip};
use crate::playback::skeletal::layers::{ActiveLayers, LayerRequest, PlayedLayer};
use crate::playback::skeletal::pending::{Pending, PendingState};
use crate::root::clip_ref::ClipRef;
use crate::root::clips::ModelClips;
use crate::root::layers::{ClipLayers, LayerId};
use crate::root::masks::ModelMasks;
use crate::root::play::{PlayClip, Playback, ResolvedClip, ResolvedPlay};
use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle, AnimationNodeIndex};
use bevy::animation::{AnimationClip, AnimationPlayer};
use bevy::asset::{AssetId, Assets, Handle};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Mut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::EntityCommands;
use std::sync::Arc;

/// The clip that a root requests.
pub(crate) struct ClipRequest<'a> {
    pub(crate) play: Option<&'a Ref<'a, ResolvedClip>>,
    /// The clips that the root names itself.
    pub(crate) named: Option<&'a ModelClips>,
    /// The masks that the root names.
    pub(crate) masks: Option<&'a ModelMasks>,
    /// Whether any clip that plays was edited.
    pub(crate) is_edited: bool,
}

impl<'a> ClipRequest<'a> {
    fn clip(&self) -> Option<&'a ResolvedPlay> {
        self.play.and_then(|play| play.get())
    }
}

/// The playback state of a spawned model. Each format has a root component that wraps it.
#[derive(Debug)]
pub(crate) struct Animator<M, S> {
    active: ActiveClips<S>,
    /// The layers over the active clips.
    layers: ActiveLayers<S>,
    /// The nodes of the graph that this animator has inserted last.
    layout: GraphLayout,
    /// The request when the clip was selected.
    selection: Option<ClipSelection>,
    /// The requested clip until it is loaded. The previous clips play on meanwhile.
    pending: Option<Pending<S>>,
    /// The model that the clips are adapted to. A reload changes it.
    model: Option<Arc<M>>,
    /// The graph that this animator has inserted on the root.
    graph: Option<Handle<AnimationGraph>>,
    /// [`Playback::time`] as last written. If it differs now, the user has set it.
    time: f32,
}

/// The data of a model's root in one frame.
pub(crate) struct AnimatedRoot<'a, M> {
    pub(crate) request: ClipRequest<'a>,
    pub(crate) model: &'a Arc<M>,
    /// The entities of the bones.
    pub(crate) skeleton: &'a [Entity],
    pub(crate) player: &'a mut AnimationPlayer,
    pub(crate) playback: Option<&'a mut Playback>,
    pub(crate) layers: Option<Mut<'a, ClipLayers>>,
    /// The current graph of the root. It may be the user's.
    pub(crate) graph: Option<&'a AnimationGraphHandle>,
    pub(crate) commands: EntityCommands<'a>,
}

/// A clip that is selected and plays.
pub(crate) struct SelectedSource<'a, S> {
    /// The layer; `None` for the clip of a [`PlayClip`].
    pub(crate) layer: Option<LayerId>,
    pub(crate) node: AnimationNodeIndex,
    pub(crate) source: &'a S,
    /// The request, if it still exists.
    pub(crate) play: Option<&'a ResolvedPlay>,
    /// Whether the request is for another clip, which is loading.
    pub(crate) is_previous: bool,
}

/// A change of the active clips.
struct Change<S> {
    /// The clip to start.
    starts: Option<Pending<S>>,
    /// Whether all clips stop.
    stops: bool,
    ends_fade: bool,
    /// Whether the model or a clip has changed.
    is_other_file: bool,
    /// Whether clips that play must be adapted again.
    rebinds: bool,
    /// Whether layers start or stop.
    changes_layers: bool,
}

impl<S> Change<S> {
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

impl<M, S> Default for Animator<M, S> {
    fn default() -> Self {
        Self {
            active: ActiveClips::default(),
            layers: ActiveLayers::default(),
            layout: GraphLayout::default(),
            selection: None,
            pending: None,
            model: None,
            graph: None,
            time: 0.0,
        }
    }
}

impl<M, S: ClipSource> Animator<M, S> {
    /// The selected clip, once it plays.
    pub(crate) fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.active
            .selected()
            .map(|(_, selected)| selected.source.clip())
    }

    /// The weight of the selected clip: below 1 during a fade, and 0 if no clip plays.
    pub(crate) fn weight(&self) -> f32 {
        if self.active.is_empty() {
            0.0
        } else {
            1.0 - self.active.fade_remaining()
        }
    }

    /// The time of the selected clip when [`read_player`](Self::read_player) was called last, in seconds.
    #[inline]
    pub(crate) fn time(&self) -> f32 {
        self.time
    }

    /// The current weight of a layer; `None` if it does not play.
    pub(crate) fn layer_weight(&self, layer: LayerId) -> Option<f32> {
        self.layers.weight(layer)
    }

    /// Updates a root's player for one frame. Returns warnings about the model.
    ///
    /// Bevy then advances the player and poses the bones, and [`read_player`](Self::read_player) reads the clip's time.
    pub(crate) fn update<B: ClipProvider<Model = M, Source = S>, C: Component>(
        &mut self,
        root: AnimatedRoot<'_, M>,
        provider: &mut B,
        bones: &mut Bones<'_, '_, C>,
        seconds: f32,
    ) -> Vec<String> {
        let (model, player, graph) = (root.model, root.player, root.graph);
        let (request, mut requested_layers) = (root.request, root.layers);
        let (is_edited, play) = (request.is_edited, request.clip());
        let play = play.map(|resolved| &resolved.play);
        let mut warnings = Vec::new();
        // The layers that play on have other nodes in a new graph.
        let layers_before: Vec<_> = self.played_layers().collect();
        if self.owns(graph) {
            let layout = self.layout;
            self.layers.save_states(player, |index| layout.layer(index));
        }
        // The clips that start and stop depend on the request, on the loaded assets and on the fade.
        let mut change = self.decide(&request, model, seconds, provider, &mut warnings);
        let layers = LayerRequest {
            layers: requested_layers.as_deref(),
            is_changed: requested_layers
                .as_ref()
                .is_some_and(|layers| layers.is_changed()),
            clips: request.named,
            masks: request.masks,
            is_other_file: change.is_other_file,
        };
        change.changes_layers =
            self.layers
                .update(&layers, model, provider, seconds, &mut warnings);
        let restarts = change.restarts();
        if change.is_any() {
            let mut before: Vec<_> = self.played_clips().collect();
            before.extend(layers_before);
            if self.owns(graph) {
                self.active.save_states(player);
            }
            let fade = play.map_or(0.0, |play| play.fade);
            self.apply(change, fade, model, provider);
            self.set_graph(graph, root.commands, player, model, provider);
            let before = (B::KEEPS_UNANIMATED && !is_edited).then_some(&*before);
            let resetting = self.active.selected().map(|(_, selected)| selected);
            let resetting = resetting.filter(|selected| B::resets_scale(&selected.source));
            let resetting = resetting.map(|selected| selected.clip.clone());
            let now: Vec<_> = self.played_clips().chain(self.played_layers()).collect();
            restore_rest_pose(
                provider,
                (model, root.skeleton),
                (&now, resetting),
                before,
                bones,
            );
        }
        // Speed, repetition, time and weights may change in any frame.
        let clips = provider.clips();
        if let (Some(play), Some(playback)) = (play, root.playback) {
            self.write_player(player, play, playback, restarts, (seconds, clips));
        }
        if let Some(requested) = &mut requested_layers {
            let requested = requested.bypass_change_detection();
            let node = |index| self.layout.layer(index);
            self.layers
                .write_player(player, node, requested, clips, seconds);
        }
        warnings
    }

    /// The active clips and the bones that they may animate.
    fn played_clips(&self) -> impl Iterator<Item = (Handle<AnimationClip>, BoneSet)> {
        let active = self.active.iter();
        active.map(|active| (active.clip.clone(), BoneSet::ALL))
    }

    /// The clips of the layers and the bones that they may animate.
    fn played_layers(&self) -> impl Iterator<Item = (Handle<AnimationClip>, BoneSet)> {
        let layers = self.layers.playing();
        layers.map(|layer| (layer.clip.clone(), layer.bones.clone()))
    }

    /// Whether any clip that plays was edited.
    pub(crate) fn is_any_edited<B: ClipProvider<Model = M, Source = S>>(
        &self,
        edits: &B::Edits,
    ) -> bool {
        let is_copied = self.layers.sources().next().is_some();
        let active = self.active.iter().map(|active| &active.source);
        let mut sources = active.chain(self.layers.sources());
        sources.any(|source| B::is_edited(edits, source, is_copied))
    }

    /// The layers that play, and the nodes of their clips.
    pub(crate) fn active_layers(
        &self,
    ) -> impl Iterator<Item = (PlayedLayer<'_, S>, AnimationNodeIndex)> {
        let layers = self.layers.playing().enumerate();
        layers.map(|(index, layer)| (layer, self.layout.layer(index)))
    }

    /// The graph in which the clips play.
    pub(crate) fn graph(&self) -> Option<AssetId<AnimationGraph>> {
        self.graph.as_ref().map(Handle::id)
    }

    /// The clips that are selected and play: that of a request, then those of the layers, the bottom one first.
    pub(crate) fn selected_clips<'a>(
        &'a self,
        play: Option<&'a ResolvedPlay>,
    ) -> impl Iterator<Item = SelectedSource<'a, S>> {
        let own = self.active.selected();
        let own = own.map(|(index, selected)| SelectedSource {
            layer: None,
            node: node(index),
            source: &selected.source,
            play,
            is_previous: self.is_waiting(),
        });
        let layers = self.layers.requested().map(|layer| SelectedSource {
            layer: Some(layer.id),
            node: self.layout.layer(layer.index),
            source: layer.source,
            play: Some(layer.play),
            is_previous: false,
        });
        own.into_iter().chain(layers)
    }

    /// The requested clips of the root and of its layers that are not loaded yet.
    pub(crate) fn pending_clips(&self) -> impl Iterator<Item = &Handle<AnimationClip>> {
        let own = self.pending.as_ref().map(|pending| pending.source.clip());
        own.into_iter().chain(self.layers.pending_clips())
    }

    /// The clips that play.
    pub(crate) fn active_clips(&self) -> &ActiveClips<S> {
        &self.active
    }

    /// Decides which clips start and stop in this frame, and advances the fade.
    fn decide(
        &mut self,
        request: &ClipRequest<'_>,
        model: &Arc<M>,
        seconds: f32,
        provider: &impl ClipProvider<Model = M, Source = S>,
        warnings: &mut Vec<String>,
    ) -> Change<S> {
        let is_same = |previous: &Arc<M>| Arc::ptr_eq(previous, model);
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
            self.select(&mut change, request, model, provider, warnings);
        }
        if self.pending.is_some() {
            self.start_pending(&mut change, clip, model, provider, warnings);
        }
        let is_paused = change.restarts() || clip.is_none_or(|clip| clip.play.paused);
        change.ends_fade = !is_paused && self.active.advance_fade(seconds);
        change
    }

    /// Selects the requested clip, which starts once it is loaded.
    fn select(
        &mut self,
        change: &mut Change<S>,
        request: &ClipRequest<'_>,
        model: &M,
        provider: &impl ClipProvider<Model = M, Source = S>,
        warnings: &mut Vec<String>,
    ) {
        let clip = request.clip();
        let selection = self.selection.as_ref();
        let is_same = selection.is_some_and(|selection| selection.matches(clip));
        self.selection = Some(ClipSelection::new(clip));
        let source = clip.and_then(|clip| {
            let source = provider.find(&clip.play.clip, model);
            if source.is_none() {
                let names = provider.names(model);
                warnings.push(clip.missing_clip_warning(request.named, &names));
            }
            source
        });
        let pending = self.pending.as_ref();
        let has_started = pending.is_none_or(|pending| pending.continues);
        let continues = is_same && has_started && !self.active.is_empty();
        self.pending = source.map(|source| Pending::new(source, continues));
        change.stops = self.pending.is_none();
    }

    /// Starts the pending clip once it is loaded. If that fails, the previous clips stop.
    fn start_pending(
        &mut self,
        change: &mut Change<S>,
        clip: Option<&ResolvedPlay>,
        model: &M,
        provider: &impl ClipProvider<Model = M, Source = S>,
        warnings: &mut Vec<String>,
    ) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        match pending.poll(clip, model, provider, warnings) {
            PendingState::Loading => {}
            PendingState::Ready => change.starts = self.pending.take(),
            PendingState::Unplayable => {
                change.stops |= !self.active.is_empty();
                pending.continues = false;
            }
        }
    }

    /// Whether a clip plays.
    fn is_playing(&self) -> bool {
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
        change: Change<S>,
        fade: f32,
        model: &Arc<M>,
        provider: &mut impl ClipProvider<Model = M, Source = S>,
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
        for active in self.active.iter_mut() {
            // If an edit has left a clip without frames, its previous version fades out.
            if let Some(clip) = provider.clip_for_model(&active.source, model) {
                active.clip = clip;
            }
        }
    }

    /// Whether this animator has inserted the root's current graph. Otherwise the graph is the user's.
    pub(crate) fn owns(&self, current: Option<&AnimationGraphHandle>) -> bool {
        self.graph.is_some() && current.map(|current| &current.0) == self.graph.as_ref()
    }

    /// Inserts the graph of the clips that play on the root, and restarts the player with these clips in their saved
    /// states. Removes the graph if no clip plays.
    fn set_graph(
        &mut self,
        current: Option<&AnimationGraphHandle>,
        mut root: EntityCommands<'_>,
        player: &mut AnimationPlayer,
        model: &Arc<M>,
        provider: &mut impl ClipProvider<Model = M, Source = S>,
    ) {
        let owns = self.owns(current);
        self.graph = None;
        if !self.is_playing() {
            if owns {
                player.stop_all();
                root.try_remove::<AnimationGraphHandle>();
            }
            return;
        }
        self.layout = GraphLayout::of(provider, &self.active, &self.layers);
        self.active.restore_states(player);
        let layout = self.layout;
        layout.play_constant(player);
        self.layers
            .restore_states(player, |index| layout.layer(index));
        let graph = shared_graph(provider, &self.active, &self.layers, model);
        if current.is_none_or(|current| current.0 != graph) {
            root.try_insert(AnimationGraphHandle(graph.clone()));
        }
        self.graph = Some(graph);
    }

    fn set_weights(&self, player: &mut AnimationPlayer, play: &PlayClip, seconds: f32) {
        for (index, weight) in self.active.weights().enumerate() {
            if let Some(animation) = player.animation_mut(node(index)) {
                animation.set_weight(weight);
                if play.paused || must_pause(animation.speed(), seconds) {
                    animation.pause()
                } else {
                    animation.resume()
                };
            }
        }
    }

    /// Writes weights, speed, repetition and time to the player.
    fn write_player(
        &mut self,
        player: &mut AnimationPlayer,
        play: &PlayClip,
        playback: &mut Playback,
        restarts: bool,
        (seconds, clips): (f32, &Assets<AnimationClip>),
    ) {
        self.set_weights(player, play, seconds);
        let Some((index, selected)) = self.active.selected() else {
            // No clip plays that could be at its end.
            playback.finished = false;
            return;
        };
        if self.is_waiting() {
            return;
        }
        let clip = clips.get(&selected.clip);
        let duration = clip.map_or(0.0, AnimationClip::duration);
        if let Some(animation) = player.animation_mut(node(index)) {
            let frame = (seconds, duration);
            write_clip(animation, play, playback, &mut self.time, restarts, frame);
        }
    }

    /// Writes the player's time to `playback`. Returns whether the clip has just ended.
    pub(crate) fn read_player(
        &mut self,
        player: &mut AnimationPlayer,
        playback: &mut Playback,
        clips: &Assets<AnimationClip>,
    ) -> bool {
        // While the requested clip is not loaded, the clip that plays is another one.
        let is_other_clip = self.is_waiting();
        let selected = self.active.selected();
        let clip = selected.and_then(|(_, selected)| clips.get(&selected.clip));
        let duration = clip.map_or(0.0, AnimationClip::duration);
        playback.duration = if is_other_clip { 0.0 } else { duration };
        let Some((index, _)) = selected else {
            return false;
        };
        let (Some(_), Some(animation)) = (clip, player.animation_mut(node(index))) else {
            return false;
        };
        read_clip(animation, playback, &mut self.time, duration, is_other_clip)
    }

    /// Writes the player's times to the layers. Removes those that remove themselves and have ended or have no clip.
    /// Returns the layers that have just ended, with their clips.
    pub(crate) fn read_layers(
        &mut self,
        player: &mut AnimationPlayer,
        mut requested: Mut<'_, ClipLayers>,
        clips: &Assets<AnimationClip>,
    ) -> Vec<(LayerId, ClipRef)> {
        let layout = self.layout;
        let node = |index| layout.layer(index);
        let all = requested.bypass_change_detection();
        let ended = self.layers.read_player(player, node, all, clips);
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
