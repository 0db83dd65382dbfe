//! Components of a model's root that choose what it plays, and what tells where it is.

use crate::scene::clip_ref::{ClipRef, Repeat};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::message::Message;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::world::DeferredWorld;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// Plays a clip of a model.
///
/// A clip that does not exist, or cannot be loaded, is a warning. It never finishes: no [`ClipFinished`] is written, and
/// [`Playback::finished`] stays false. Meanwhile a Quake model shows its frame 0, and other models rest. The clip begins
/// when a reload brings it.
///
/// Put it on the entity that has the `WorldAssetRoot`, when spawning it or at any time later.
/// A change of `clip`, `repeat` or `start` begins anew; a change of anything else goes on from where
/// the clip is. To begin the same clip again or to jump in it, set [`Playback::time`].
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Playback, ResolvedClip)]
#[component(on_remove = remove_resolved_clip)]
pub struct PlayClip {
    /// Which clip.
    pub clip: ClipRef,
    /// What happens at its end.
    pub repeat: Repeat,
    /// Seconds of the clip per second of time; negative plays backwards.
    pub speed: f32,
    /// Where to begin, in seconds. `None` is the beginning (the end if `speed` is negative), but for a
    /// frame group of an MDL model that loops it is the time of the client's clock, as in the games:
    /// with a phase of the entity's own if the model's synctype is random, and not if it is that of the
    /// frame's time.
    pub start: Option<f32>,
    /// Seconds over which what showed when the clip was chosen fades into it: the pose of an MDL model, the
    /// clips that play on others, which go on meanwhile.
    pub fade: f32,
    /// Whether to interpolate between the poses of an MDL model. Animations of ALO models say that
    /// themselves, and those of ABC models always do.
    pub interpolate: bool,
    /// Whether time stands still, that of a fade as well (which a speed of 0 does not stop).
    pub paused: bool,
}

impl PlayClip {
    /// Plays a clip over and over.
    pub fn looping(clip: impl Into<ClipRef>) -> Self {
        Self {
            clip: clip.into(),
            repeat: Repeat::Loop,
            speed: 1.0,
            start: None,
            fade: 0.0,
            interpolate: true,
            paused: false,
        }
    }

    /// Plays a clip as a manifest states it, and over and over where none does.
    pub fn from_manifest(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::FromManifest,
            ..Self::looping(clip)
        }
    }

    /// Plays a clip once and stays in its last pose.
    pub fn once(clip: impl Into<ClipRef>) -> Self {
        Self {
            repeat: Repeat::Once,
            ..Self::looping(clip)
        }
    }

    /// Sets the speed; negative plays backwards.
    #[must_use]
    pub fn with_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Begins `start` seconds into the clip.
    #[must_use]
    pub fn starting_at(self, start: f32) -> Self {
        Self {
            start: Some(start),
            ..self
        }
    }

    /// Fades from what shows now, over so many seconds: see [`fade`](Self::fade).
    #[must_use]
    pub fn with_fade(self, fade: f32) -> Self {
        Self { fade, ..self }
    }

    /// Shows each pose unchanged until the next one's time.
    #[must_use]
    pub fn without_interpolation(self) -> Self {
        Self {
            interpolate: false,
            ..self
        }
    }

    /// Stands still.
    #[must_use]
    pub fn paused(self) -> Self {
        Self {
            paused: true,
            ..self
        }
    }
}

/// Where in its clip a model is. Required by [`PlayClip`], and kept over hot reloads.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct Playback {
    /// Seconds since the beginning of the clip; set it to jump.
    pub time: f32,
    /// Whether a clip that plays once has come to its end.
    pub finished: bool,
}

/// Written when a clip that plays once comes to its end. A clip that does not exist never does.
#[derive(Message, Clone, Debug, PartialEq)]
pub struct ClipFinished {
    /// The entity that has the [`PlayClip`].
    pub entity: Entity,
    /// The clip, as [`PlayClip::clip`] names it. It can be compared with a name: `finished.clip == "die"`.
    pub clip: ClipRef,
}

/// What a [`PlayClip`] comes to; nothing until it is seen for the first time. Required by it.
///
/// It is not registered for reflection, because what is registered gets into saved worlds. Bevy leaves out what is not
/// cloned where it spawns a scene that has a [`PlayClip`], and would refuse it otherwise.
#[derive(Component, Debug, Default, PartialEq)]
#[component(clone_behavior = Ignore)]
pub(crate) struct ResolvedClip(pub(super) Option<ResolvedPlay>);

/// A clip as it is to be played.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResolvedPlay {
    /// With a clip of a file or a part of one, and with the speed and the end that are stated.
    pub(crate) play: PlayClip,
    /// The clip as the user names it.
    pub(crate) asked: ClipRef,
    /// The end as the user asks for it.
    pub(super) asked_repeat: Repeat,
    /// What names of [`ModelClips`](super::ModelClips) state: how fast the clip is, and its end.
    pub(super) named: (f32, Repeat),
}

impl ResolvedClip {
    pub(crate) fn get(&self) -> Option<&ResolvedPlay> {
        self.0.as_ref()
    }
}

/// Where there is no [`PlayClip`] any more, nothing is asked for.
pub(super) fn remove_resolved_clip(mut world: DeferredWorld<'_>, context: HookContext) {
    if let Ok(mut root) = world.commands().get_entity(context.entity) {
        root.try_remove::<ResolvedClip>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_compare_with_names_in_any_case() {
        let die = ClipRef::from("Die");
        let owned = "dIE".to_owned();
        assert!(die == "die" && die == *"DIE" && die == owned);
        assert!(die != "dies" && ClipRef::from(0) != "0");
        assert!(ClipRef::part("die", 0..2) != "die");
    }
}
