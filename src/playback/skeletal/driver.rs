//! The systems that play [`PlayClip`] on the models of a format whose clips are Bevy `AnimationClip`s.
//!
//! In each frame, [`ClipDriver::play`] updates each root's `AnimationPlayer` ([`Animator::update`]). Then Bevy advances
//! the player and poses the bones. Then [`follow_player`] writes the player's time to [`Playback`].

use crate::load::checks::is_asset_loading;
use crate::load::warnings::ModelWarnings;
use crate::playback::graph::rest_bones::Bones;
use crate::playback::skeletal::active_clips::ClipSource;
use crate::playback::skeletal::animator::{AnimatedRoot, Animator, ClipRequest};
use crate::playback::skeletal::clip_provider::ClipProvider;
use crate::playback::skeletal::links::Skeleton;
use crate::playback::skeletal::requests::PlayRequests;
use crate::root::clips::ModelClips;
use crate::root::layers::{ClipLayers, LayerFinished};
use crate::root::masks::ModelMasks;
use crate::root::play::{ClipFinished, PlayClip, Playback, ResolvedClip};
use bevy::animation::graph::AnimationGraphHandle;
use bevy::animation::{AnimationClip, AnimationPlayer};
use bevy::asset::{AssetServer, Assets};
use bevy::ecs::change_detection::{DetectChangesMut, Ref};
use bevy::ecs::component::{Component, Mutable};
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::query::{Or, With};
use bevy::ecs::system::{Commands, Query, Res, SystemParam};
use bevy::ecs::world::{DeferredWorld, EntityRef, World};
use bevy::time::Time;
use std::sync::Arc;

/// A root component that wraps an [`Animator`].
pub(crate) trait ClipPlayer: Component<Mutability = Mutable> {
    /// The component on the root of a spawned model.
    type Instance: Skeleton;
    /// The component on every bone.
    type Bone: Component;
    /// The data that instances of one model share.
    type Model: Send + Sync + 'static;
    /// The source of a clip.
    type Source: ClipSource + Send + Sync + 'static;

    /// The model of an instance.
    fn model(instance: &Self::Instance) -> &Arc<Self::Model>;

    fn animator(&self) -> &Animator<Self::Model, Self::Source>;

    fn animator_mut(&mut self) -> &mut Animator<Self::Model, Self::Source>;
}

/// The root components that playback reads and writes.
type PlayedRoot<P> = (
    &'static <P as ClipPlayer>::Instance,
    Option<Ref<'static, ResolvedClip>>,
    Option<&'static ModelClips>,
    Option<&'static ModelMasks>,
    Option<&'static mut Playback>,
    Option<&'static mut ClipLayers>,
    &'static mut P,
    &'static mut AnimationPlayer,
    Option<&'static AnimationGraphHandle>,
);

/// Plays the selected clips on the models of one format.
#[derive(SystemParam)]
pub(crate) struct ClipDriver<'w, 's, P: ClipPlayer> {
    commands: Commands<'w, 's>,
    time: Res<'w, Time>,
    warnings: ModelWarnings<'w, 's>,
    requests: PlayRequests<'w, 's, <P as ClipPlayer>::Instance>,
    roots: Query<'w, 's, PlayedRoot<P>>,
    bones: Bones<'w, 's, <P as ClipPlayer>::Bone>,
}

impl<P: ClipPlayer> ClipDriver<'_, '_, P> {
    /// Starts and stops clips, and advances cross-fades.
    ///
    /// Visits only the models that have a [`PlayClip`] or [`ClipLayers`], and those that just lost them.
    pub(crate) fn play<B: ClipProvider<Model = P::Model, Source = P::Source>>(
        &mut self,
        provider: &mut B,
    ) {
        let edits = provider.take_edits();
        let seconds = self.time.delta_secs();
        for entity in self.requests.roots() {
            let Ok(root) = self.roots.get_mut(entity) else {
                continue;
            };
            let (instance, play, named, masks, mut playback, layers, mut state, mut player, graph) =
                root;
            let animator = state.bypass_change_detection().animator_mut();
            let root = AnimatedRoot {
                request: ClipRequest {
                    play: play.as_ref(),
                    named,
                    masks,
                    is_edited: animator.is_any_edited::<B>(&edits),
                },
                model: P::model(instance),
                skeleton: instance.bones(),
                player: player.bypass_change_detection(),
                playback: playback
                    .as_mut()
                    .map(DetectChangesMut::bypass_change_detection),
                layers,
                graph,
                commands: self.commands.entity(entity),
            };
            for warning in animator.update(root, provider, &mut self.bones, seconds) {
                self.warnings.warn_once(entity, &warning);
            }
        }
    }
}

/// The root components from which [`follow_player`] computes [`Playback`].
type Followed<'w, P> = (
    Entity,
    Option<(&'w PlayClip, &'w mut Playback)>,
    Option<&'w mut ClipLayers>,
    &'w mut P,
    &'w mut AnimationPlayer,
);

/// A root that plays something.
type Plays = Or<(With<PlayClip>, With<ClipLayers>)>;

/// Writes [`Playback`] and the playback states of layers. Writes [`ClipFinished`] and [`LayerFinished`] for clips that
/// have just ended, and removes layers that end with their clips.
pub(crate) fn follow_player<P: ClipPlayer>(
    clips: Res<Assets<AnimationClip>>,
    mut finished: MessageWriter<ClipFinished>,
    mut finished_layers: MessageWriter<LayerFinished>,
    mut roots: Query<Followed<'static, P>, Plays>,
) {
    for (entity, play, layers, mut animator, mut player) in &mut roots {
        let animator = animator.bypass_change_detection().animator_mut();
        let player = player.bypass_change_detection();
        if let Some((play, mut playback)) = play {
            let playback = playback.bypass_change_detection();
            if animator.read_player(player, playback, &clips) {
                finished.write(ClipFinished {
                    entity,
                    clip: play.clip.clone(),
                });
            }
        }
        if let Some(layers) = layers {
            for (layer, clip) in animator.read_layers(player, layers, &clips) {
                finished_layers.write(LayerFinished {
                    entity,
                    layer,
                    clip,
                });
            }
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
    let animator = world.get::<P>(root);
    if !animator.is_some_and(|animator| animator.animator().owns(graph)) {
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
