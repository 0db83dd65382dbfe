//! Named clips of a model, with a speed and an end behavior for each.

use crate::load::names::{equals_folded, folded};
use crate::root::clip_ref::{ClipRef, Repeat};
use bevy::prelude::*;
use std::sync::Arc;

/// Named clips of a model, in addition to the clips of its file. A manifest's clips are inserted as this component.
///
/// [`PlayClip`](crate::root::PlayClip) looks up a name here first, then in the model's file.
///
/// Insert it on the root, and change it at any time. Playback continues if only the
/// speed or the end behavior changes. It restarts if its name now refers to a different clip.
///
/// All entities of one manifest share one list of clips.
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

/// A clip with a name, a speed and an end behavior.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone, Debug, PartialEq)]
pub struct NamedClip {
    /// The name (case-insensitive).
    pub name: String,
    /// The clip that is played under this name.
    ///
    /// It can be another name in the same list. Then the speeds are multiplied, and the first `repeat` that is not
    /// [`Repeat::FromManifest`] applies. Each name is looked up at most once, so `walk` can refer to the file's `walk`.
    pub clip: ClipRef,
    /// A factor for [`PlayClip::speed`](crate::root::PlayClip::speed).
    pub speed: f32,
    /// The end behavior if [`PlayClip::repeat`](crate::root::PlayClip::repeat) is [`Repeat::FromManifest`].
    /// `FromManifest` here uses the end behavior of `clip`.
    pub repeat: Repeat,
    /// The distance that the model covers in one pass through the clip, for [`FollowVelocity`](crate::root::FollowVelocity).
    /// `None` here uses the stride of `clip`, if that is another name.
    pub stride: Option<f32>,
}

/// The first clip of the model without a name, at its own speed.
impl Default for NamedClip {
    fn default() -> Self {
        Self {
            name: String::new(),
            clip: ClipRef::Index(0),
            speed: 1.0,
            repeat: Repeat::FromManifest,
            stride: None,
        }
    }
}

impl ModelClips {
    /// Creates the component from a list. If several clips have the same name, the first is used.
    pub fn new(clips: impl IntoIterator<Item = NamedClip>) -> Self {
        clips.into_iter().collect()
    }

    /// The first clip with this name (case-insensitive).
    pub fn get(&self, name: &str) -> Option<&NamedClip> {
        self.0.get(self.index_of(name)?)
    }

    /// The index of the first clip with this name (case-insensitive).
    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        let name = folded(name);
        self.0
            .iter()
            .position(|clip| equals_folded(&clip.name, &name))
    }
}
