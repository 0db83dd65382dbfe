//! The systems that play [`PlayClip`](crate::root::PlayClip) on the models of a format whose clips are Bevy
//! `AnimationClip`s.
//!
//! In each frame, [`ClipDriver::play`] advances each root's clips and writes them to its `AnimationPlayer`
//! ([`Animator::update`]). Then Bevy poses the bones.

use crate::load::checks::is_asset_loading;
use crate::load::warnings::ModelWarnings;
use crate::playback::graph::rest_bones::Bones;
use crate::playback::skeletal::animator::{AnimatedRoot, Animator, ClipRequest};
use crate::playback::skeletal::clip_provider::ClipProvider;
use crate::playback::skeletal::events::OwnGraph;
use crate::root::clips::ModelClips;
use crate::root::events::{ModelEvents, send_events};
use crate::root::layers::{ClipLayers, LayerFinished};
use crate::root::masks::ModelMasks;
use crate::root::play::{ClipFinished, Playback, ResolvedClip};
use bevy::animation::AnimationPlayer;
use bevy::animation::graph::AnimationGraphHandle;
use bevy::asset::AssetServer;
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::component::{Component, Mutable};
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::{HookContext, RemovedComponents};
use bevy::ecs::message::MessageWriter;
use bevy::ecs::query::{Or, With};
use bevy::ecs::system::{Commands, Query, Res, SystemParam};
use bevy::ecs::world::{DeferredWorld, EntityRef, World};
use bevy::time::Time;
use std::sync::Arc;

/// A root component that wraps an [`Animator`].
pub(crate) trait ClipPlayer: Component<Mutability = Mutable> {
    /// The component on the root of a spawned model.
    type Instance: Component;
    /// The component on every bone.
    type Bone: Component;
    /// The data that instances of one model share.
    type Model: Send + Sync + 'static;

    /// The model of an instance.
    fn model(instance: &Self::Instance) -> &Arc<Self::Model>;

    /// The entities of the bones, which have an `AnimationTargetId`.
    fn bones(instance: &Self::Instance) -> &[Entity];

    fn animator(&self) -> &Animator<Self::Model>;

    fn animator_mut(&mut self) -> &mut Animator<Self::Model>;
}

/// The root components that playback reads and writes.
type PlayedRoot<P> = (
    Ref<'static, <P as ClipPlayer>::Instance>,
    Option<Ref<'static, ResolvedClip>>,
    Option<Ref<'static, ModelClips>>,
    Option<Ref<'static, ModelEvents>>,
    Option<&'static ModelMasks>,
    Option<&'static mut Playback>,
    Option<&'static mut ClipLayers>,
    &'static mut P,
    &'static mut AnimationPlayer,
    Option<&'static AnimationGraphHandle>,
    &'static mut OwnGraph,
);

/// A root that has a clip or layers to play.
type Plays = Or<(With<ResolvedClip>, With<ClipLayers>)>;

/// Plays the selected clips on the models of one format.
#[derive(SystemParam)]
pub(crate) struct ClipDriver<'w, 's, P: ClipPlayer> {
    commands: Commands<'w, 's>,
    time: Res<'w, Time>,
    warnings: ModelWarnings<'w, 's>,
    finished: MessageWriter<'w, ClipFinished>,
    finished_layers: MessageWriter<'w, LayerFinished>,
    playing: Query<'w, 's, Entity, (Plays, With<<P as ClipPlayer>::Instance>)>,
    stopped: RemovedComponents<'w, 's, ResolvedClip>,
    removed_layers: RemovedComponents<'w, 's, ClipLayers>,
    roots: Query<'w, 's, PlayedRoot<P>>,
    bones: Bones<'w, 's, <P as ClipPlayer>::Bone>,
}

impl<P: ClipPlayer> ClipDriver<'_, '_, P> {
    /// Starts, stops and advances clips, and sends their events.
    ///
    /// Visits only the models that have a [`PlayClip`](crate::root::PlayClip) or [`ClipLayers`], and those that just
    /// lost them.
    pub(crate) fn play<B: ClipProvider<Model = P::Model>>(&mut self, provider: &mut B) {
        let edits = provider.take_edits();
        let seconds = self.time.delta_secs();
        let playing = &self.playing;
        let stopped = self.stopped.read().chain(self.removed_layers.read());
        let stopped = stopped.filter(|root| !playing.contains(*root));
        for entity in playing.iter().chain(stopped) {
            let Ok(root) = self.roots.get_mut(entity) else {
                continue;
            };
            let (instance, play, named, events, masks, playback, layers, state, player, graph, own) =
                root;
            let (mut playback, mut state, mut player, mut own) = (playback, state, player, own);
            let animator = state.bypass_change_detection().animator_mut();
            let are_events_changed = instance.is_changed()
                || play.as_ref().is_some_and(Ref::is_changed)
                || layers.as_ref().is_some_and(DetectChanges::is_changed)
                || named.as_ref().is_some_and(Ref::is_changed)
                || events.as_ref().is_some_and(Ref::is_changed);
            let root = AnimatedRoot {
                entity,
                request: ClipRequest {
                    play: play.as_ref(),
                    named: named.as_deref(),
                    masks,
                    events: events.as_deref(),
                    is_edited: animator.is_any_edited::<B>(&edits),
                    are_events_changed,
                },
                model: P::model(&instance),
                skeleton: P::bones(&instance),
                player: player.bypass_change_detection(),
                playback: playback
                    .as_mut()
                    .map(DetectChangesMut::bypass_change_detection),
                layers,
                graph,
                own_graph: own.bypass_change_detection(),
                commands: self.commands.entity(entity),
            };
            let outcome = animator.update(root, provider, &mut self.bones, seconds);
            for warning in outcome.warnings {
                self.warnings.warn_once(entity, &warning);
            }
            if let Some(clip) = outcome.ended {
                self.finished.write(ClipFinished { entity, clip });
            }
            for (layer, clip) in outcome.ended_layers {
                self.finished_layers.write(LayerFinished {
                    entity,
                    layer,
                    clip,
                });
            }
            send_events(&mut self.commands, entity, outcome.events);
        }
    }
}

/// Whether a requested clip of a root or of its layers is loading.
pub(crate) fn is_clip_loading<P: ClipPlayer>(world: &World, entity: EntityRef<'_>) -> bool {
    let (Some(player), Some(server)) = (entity.get::<P>(), world.get_resource::<AssetServer>())
    else {
        return false;
    };
    let mut clips = player.animator().pending_clips();
    clips.any(|clip| is_asset_loading(server, clip))
}

/// Removes the animator's graph from a root that is no longer a model, and stops its player. A component hook.
pub(crate) fn on_animator_removed<P: ClipPlayer>(
    mut world: DeferredWorld<'_>,
    context: HookContext,
) {
    let root = context.entity;
    let graph = world.get::<AnimationGraphHandle>(root);
    let own = world.get::<OwnGraph>(root);
    if !own.is_some_and(|own| own.is(graph)) {
        return;
    }
    if let Some(mut player) = world.get_mut::<AnimationPlayer>(root) {
        player.stop_all();
    }
    let mut commands = world.commands();
    if let Ok(mut root) = commands.get_entity(root) {
        root.try_remove::<AnimationGraphHandle>();
    }
}
