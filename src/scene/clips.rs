//! Clips by names of their own, and what is stated about how they play.

use crate::scene::clip_ref::{ClipRef, Repeat};
use crate::scene::matching::{folded, is_folded};
use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use std::sync::Arc;

/// Clips of a model by names of their own, which [`PlayClip`](super::PlayClip) then knows besides those of the
/// files: those of a manifest. They go before a file's.
///
/// Put it on the entity that has the `WorldAssetRoot`, and change it at any time: what plays goes on with
/// another speed or another end from where it is, and begins anew where its name stands for another clip.
///
/// All entities of one manifest share its clips.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelClips(pub Arc<[NamedClip]>);

impl PartialEq for ModelClips {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl FromIterator<NamedClip> for ModelClips {
    fn from_iter<T: IntoIterator<Item = NamedClip>>(clips: T) -> Self {
        Self(clips.into_iter().collect())
    }
}

/// A clip by a name of its own.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct NamedClip {
    /// Its name, by which it is found in any case.
    pub name: String,
    /// What plays under it. That may have a name of its own too: then the speeds of both count, and the end
    /// that the first states. Each name is looked up once at most, so `walk` may stand for the file's `walk`.
    pub clip: ClipRef,
    /// How fast, times [`PlayClip::speed`](super::PlayClip::speed).
    pub speed: f32,
    /// What happens at its end where a [`PlayClip`](super::PlayClip) leaves that to it
    /// ([`Repeat::FromManifest`]); `FromManifest` here leaves it to what plays under it.
    pub repeat: Repeat,
}

impl ModelClips {
    /// Clips by names of their own. Of several of one name the first counts.
    pub fn new(clips: impl IntoIterator<Item = NamedClip>) -> Self {
        clips.into_iter().collect()
    }

    /// The first clip of a name, in any case.
    pub fn get(&self, name: &str) -> Option<&NamedClip> {
        self.0.get(self.place(name)?)
    }

    /// Which that is.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let name = folded(name);
        self.0.iter().position(|clip| is_folded(&clip.name, &name))
    }
}
