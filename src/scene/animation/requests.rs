//! The models that have a clip to play.

use crate::scene::play::ResolvedClip;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::With;
use bevy::ecs::system::{Query, SystemParam};

/// The roots of a format that have a clip to play, or had one in the previous frame.
#[derive(SystemParam)]
pub(crate) struct PlayRequests<'w, 's, Instance: Component> {
    playing: Query<'w, 's, Entity, (With<ResolvedClip>, With<Instance>)>,
    stopped: RemovedComponents<'w, 's, ResolvedClip>,
}

impl<Instance: Component> PlayRequests<'_, '_, Instance> {
    /// Roots with a [`PlayClip`](crate::scene::PlayClip), and those that just lost it.
    pub(crate) fn roots(&mut self) -> impl Iterator<Item = Entity> {
        let playing = &self.playing;
        let stopped = self.stopped.read();
        let stopped = stopped.filter(|root| !playing.contains(*root));
        playing.iter().chain(stopped)
    }
}
