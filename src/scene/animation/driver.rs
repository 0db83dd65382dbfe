//! The systems that play [`PlayClip`] on the models of a format whose clips are Bevy `AnimationClip`s.
//!
//! In each frame, [`ClipDriver::play`] updates each root's `AnimationPlayer` ([`Animator::update`]). Then Bevy advances
//! the player and poses the bones. Then [`follow_player`] writes the player's time to [`Playback`].

use crate::scene::animation::active_clips::ClipSource;
use crate::scene::animation::animator::{AnimatedRoot, Animator, ClipRequest};
use crate::scene::animation::clip_provider::ClipProvider;
use crate::scene::animation::links::Skeleton;
use crate::scene::animation::requests::PlayRequests;
use crate::scene::animation::rest_bones::Bones;
use crate::scene::clips::ModelClips;
use crate::scene::play::{ClipFinished, PlayClip, Playback, ResolvedClip};
use crate::scene::warnings::ModelWarnings;
use bevy::animation::graph::AnimationGraphHandle;
use bevy::animation::{AnimationClip, AnimationPlayer};
use bevy::asset::Assets;
use bevy::ecs::change_detection::{DetectChangesMut, Ref};
use bevy::ecs::component::{Component, Mutable};
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::system::{Commands, Query, Res, SystemParam};
use bevy::ecs::world::DeferredWorld;
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
    Option<&'static mut Playback>,
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
    /// Visits only the models that have a [`PlayClip`], and those that just lost it.
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
            let (instance, play, named, mut playback, mut player_state, mut player, graph) = root;
            let animator = player_state.bypass_change_detection().animator_mut();
            let root = AnimatedRoot {
                request: ClipRequest {
                    play: play.as_ref(),
                    named,
                    is_edited: B::any_edited(&edits, animator.active_clips()),
                },
                model: P::model(instance),
                skeleton: instance.bones(),
                player: player.bypass_change_detection(),
                playback: playback
                    .as_mut()
                    .map(DetectChangesMut::bypass_change_detection),
                graph,
                commands: self.commands.entity(entity),
            };
            if let Some(warning) = animator.update(root, provider, &mut self.bones, seconds) {
                self.warnings.warn_once(entity, &warning);
            }
        }
    }
}

/// The root components from which [`follow_player`] computes [`Playback`].
type Followed<'w, P> = (
    Entity,
    &'w PlayClip,
    &'w mut Playback,
    &'w mut P,
    &'w mut AnimationPlayer,
);

/// Writes [`Playback`], and [`ClipFinished`] for clips that have just ended.
pub(crate) fn follow_player<P: ClipPlayer>(
    clips: Res<Assets<AnimationClip>>,
    mut finished: MessageWriter<ClipFinished>,
    mut roots: Query<Followed<'static, P>>,
) {
    for (entity, play, mut playback, mut animator, mut player) in &mut roots {
        let animator = animator.bypass_change_detection().animator_mut();
        let player = player.bypass_change_detection();
        let playback = playback.bypass_change_detection();
        if animator.read_player(player, playback, &clips) {
            finished.write(ClipFinished {
                entity,
                clip: play.clip.clone(),
            });
        }
    }
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
