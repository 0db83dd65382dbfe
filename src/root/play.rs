//! Components of a model's root that control the playback of clips and report its state.

use crate::root::clip_ref::{ClipRef, Repeat};
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

/// Plays a clip of a model.
///
/// A clip that is missing or cannot be loaded causes a warning. It never finishes: no [`ClipFinished`] is sent, and
/// [`Playback::finished`] stays false. Until a reload provides the clip, a Quake model shows its frame 0, and other
/// models show their rest pose.
///
/// Insert it on the root, at any time. Changing `clip`, `repeat` or `start` restarts
/// playback; changing another field does not. To restart the same clip or to seek, set [`Playback::time`].
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(Playback, ResolvedClip)]
#[component(on_remove = remove_resolved_clip)]
pub struct PlayClip {
    /// The clip to play.
    pub clip: ClipRef,
    /// The behavior at the end of the clip.
    pub repeat: Repeat,
    /// Seconds of the clip per second of time; a negative speed plays backwards.
    pub speed: f32,
    /// The start time in seconds. `None` is the beginning, or the end if `speed` is negative.
    ///
    /// For a looping frame group of an MDL model, `None` is the time of the client's clock, as in the games. With a
    /// random synctype, each entity has its own phase. With the synctype of frame time, playback starts at the
    /// beginning.
    pub start: Option<f32>,
    /// The duration of the cross-fade into the clip, in seconds. An MDL model fades from the pose that it showed last.
    /// Other models fade from the active clips, which continue to play during the fade.
    pub fade: f32,
    /// Whether to interpolate between the poses of an MDL model. Ignored by other formats: animations of ALO models
    /// specify their interpolation, and those of ABC models always interpolate.
    pub interpolate: bool,
    /// Whether playback and cross-fades are paused. A speed of 0 does not pause cross-fades.
    pub paused: bool,
}

/// The first clip of the model, in a loop.
impl Default for PlayClip {
    fn default() -> Self {
        Self {
            clip: ClipRef::default(),
            repeat: Repeat::Loop,
            speed: 1.0,
            start: None,
            fade: 0.0,
            interpolate: true,
            paused: false,
        }
    }
}

impl PlayClip {
    /// Plays a clip in a loop.
    pub fn looping(clip: impl Into<ClipRef>) -> Self {
        Self {
            clip: clip.into(),
            ..Self::default()
        }
    }

    /// Plays a clip with the end behavior of its manifest; loops if no manifest specifies one.
    pub fn from_manifest(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::FromManifest,
            ..Self::looping(clip)
        }
    }

    /// Plays a clip once and stops at its last pose.
    pub fn once(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::Once,
            ..Self::looping(clip)
        }
    }

    /// Sets the speed; a negative speed plays backwards.
    #[must_use]
    pub fn with_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Starts `start` seconds into the clip.
    #[must_use]
    pub fn starting_at(self, start: f32) -> Self {
        Self {
            start: Some(start),
            ..self
        }
    }

    /// Sets the duration of the cross-fade in seconds: see [`fade`](Self::fade).
    #[must_use]
    pub fn with_fade(self, fade: f32) -> Self {
        Self { fade, ..self }
    }

    /// Disables interpolation between the poses of an MDL model.
    #[must_use]
    pub fn without_interpolation(self) -> Self {
        Self {
            interpolate: false,
            ..self
        }
    }

    /// Pauses playback.
    #[must_use]
    pub fn paused(self) -> Self {
        Self {
            paused: true,
            ..self
        }
    }
}

/// The playback state of a model's clip. Required by [`PlayClip`]. Hot reloads keep it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct Playback {
    /// Seconds since the beginning of the clip; set it to seek.
    pub time: f32,
    /// Whether a clip with [`Repeat::Once`] has ended.
    pub finished: bool,
    /// The seconds from the start of the clip to its end, as of the last frame. 0 while the requested clip does not play.
    pub duration: f32,
}

/// Sent to the root when a clip with [`Repeat::Once`] ends. It is not sent for missing clips.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct ClipFinished {
    /// The entity that has the [`PlayClip`].
    pub entity: Entity,
    /// The clip as specified in [`PlayClip::clip`]. It can be compared with a name: `finished.clip == "die"`.
    pub clip: ClipRef,
}

/// The resolved form of a [`PlayClip`]; `None` until it is resolved for the first time. Required by [`PlayClip`].
///
/// It is not registered for reflection, because saved worlds contain registered components. `clone_behavior = Ignore`
/// lets Bevy spawn scenes that contain a [`PlayClip`]: otherwise it rejects unregistered components.
#[derive(Component, Debug, Default, PartialEq)]
#[component(clone_behavior = Ignore)]
pub(crate) struct ResolvedClip(pub(crate) Option<ResolvedPlay>);

/// A clip with all names resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResolvedPlay {
    /// The request with a clip of a file or a part of one, and with the speed and end behavior of
    /// [`ModelClips`](crate::root::ModelClips) applied.
    pub(crate) play: PlayClip,
    /// The clip as requested.
    pub(crate) requested: ClipRef,
    /// The end behavior as requested.
    pub(crate) requested_repeat: Repeat,
    /// The speed and end behavior of the clip's entries in [`ModelClips`](crate::root::ModelClips).
    pub(crate) named: (f32, Repeat),
    /// The stride of the first of these entries that has one.
    pub(crate) stride: Option<f32>,
}

impl ResolvedPlay {
    /// The stride and the speed of the clip's entries in [`ModelClips`](crate::root::ModelClips).
    pub(crate) fn stride_and_speed(&self) -> (Option<f32>, f32) {
        (self.stride, self.named.0)
    }
}

impl ResolvedClip {
    pub(crate) fn get(&self) -> Option<&ResolvedPlay> {
        self.0.as_ref()
    }
}

/// Removes the [`ResolvedClip`] together with the [`PlayClip`].
pub(crate) fn remove_resolved_clip(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Ok(mut root) = world.commands().get_entity(context.entity) {
        root.try_remove::<ResolvedClip>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clip_names_are_compared_case_insensitively() {
        let die = ClipRef::from("Die");
        let owned = "dIE".to_owned();
        assert!(die == "die" && die == *"DIE" && die == owned);
        assert!(die != "dies" && ClipRef::from(0) != "0");
        assert!(ClipRef::part("die", 0..2) != "die");
    }
}
