//! The models that have clips to play.

use crate::root::layers::ClipLayers;
use crate::root::play::ResolvedClip;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Or, With};
use bevy::ecs::system::{Query, SystemParam};

/// A root that has a clip or layers to play.
pub(crate) type Plays = Or<(With<ResolvedClip>, With<ClipLayers>)>;

/// The roots of a format that have a clip or layers to play, or had them in the previous frame.
#[derive(SystemParam)]
pub(crate) struct PlayRequests<'w, 's, Instance: Component> {
    playing: Query<'w, 's, Entity, (Plays, With<Instance>)>,
    stopped: RemovedComponents<'w, 's, ResolvedClip>,
    removed_layers: RemovedComponents<'w, 's, ClipLayers>,
}

impl<Instance: Component> PlayRequests<'_, '_, Instance> {
    /// Roots with a [`PlayClip`](crate::root::PlayClip) or [`ClipLayers`], and those that just lost them.
    pub(crate) fn roots(&mut self) -> impl Iterator<Item = Entity> {
        let playing = &self.playing;
        let stopped = self.stopped.read().chain(self.removed_layers.read());
        let stopped = stopped.filter(|root| !playing.contains(*root));
        playing.iter().chain(stopped)
    }
}
