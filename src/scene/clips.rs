//! Clips by names of their own, and what is stated about how they play.

use crate::scene::play::{ClipRef, Repeat};
use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// Clips of a model by names of their own, which [`PlayClip`](super::PlayClip) then knows besides those of the
/// files: those of a manifest. They go before a file's.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelClips(pub Vec<NamedClip>);

/// A clip by a name of its own.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct NamedClip {
    /// Its name, by which it is found in any case.
    pub name: String,
    /// What plays under it.
    pub clip: ClipRef,
    /// How fast, times [`PlayClip::speed`](super::PlayClip::speed).
    pub speed: f32,
    /// What happens at its end where a [`PlayClip`](super::PlayClip) leaves that to it
    /// ([`Repeat::AsStated`]).
    pub repeat: Repeat,
}

impl ModelClips {
    /// The first clip of a name, in any case.
    pub fn get(&self, name: &str) -> Option<&NamedClip> {
        let name = name.to_lowercase();
        self.0.iter().find(|clip| clip.name.to_lowercase() == name)
    }
}
