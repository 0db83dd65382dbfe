//! Events of clips: [`ModelEvents`] on a root names frames of its clips, and [`ModelEvent`] is sent when a clip passes
//! them.
//!
//! Which frames a clip has passed is computed in `advance`, and which events belong to the clip that plays in
//! `clip_events`.

use crate::root::play::ClipRef;
use bevy::prelude::*;
use std::sync::Arc;

/// Frames of a model's clips at which a [`ModelEvent`] is sent. A manifest's events are inserted as this component.
///
/// Insert it on the root, and change it at any time. It applies to the clips that
/// [`PlayClip`](crate::root::PlayClip) and [`ClipLayers`](crate::root::ClipLayers) play, on ALO, ABC and MDL models. All entities
/// of one manifest share one list.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelEvents(pub Arc<[ClipEvent]>);

impl ModelEvents {
    /// Creates the component from a list. Events at one time are sent in the order of the list.
    pub fn new(events: impl IntoIterator<Item = ClipEvent>) -> Self {
        events.into_iter().collect()
    }
}

impl PartialEq for ModelEvents {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl FromIterator<ClipEvent> for ModelEvents {
    fn from_iter<T: IntoIterator<Item = ClipEvent>>(events: T) -> Self {
        Self(events.into_iter().collect())
    }
}

/// An event at a frame of a clip.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct ClipEvent {
    /// The clip, as in [`PlayClip::clip`](crate::root::PlayClip::clip).
    ///
    /// A name in [`ModelClips`](crate::root::ModelClips) is that clip: the event is sent only if the clip plays under this
    /// name, or under a name that refers to it. A clip of the file sends its events under every name, and in every part
    /// of it that contains the frame.
    pub clip: ClipRef,
    /// The index of the frame in `clip`, from 0: a frame of an ALA animation, a keyframe of an ABC animation, or a pose
    /// of an MDL clip.
    pub frame: u32,
    /// The name of the event. Several events may have the same name.
    pub name: String,
}

impl ClipEvent {
    /// An event at a frame of a clip.
    pub fn new(clip: impl Into<ClipRef>, frame: u32, name: impl Into<String>) -> Self {
        Self {
            clip: clip.into(),
            frame,
            name: name.into(),
        }
    }
}

/// Sent to the root when its clip passes a frame that has an event: an entry of [`ModelEvents`] or of a manifest, a keyframe
/// string of an ABC file, or a sound or surface effect of
/// [`AloLoaderSettings::sound_table`](crate::alamo::AloLoaderSettings::sound_table).
///
/// A clip passes a frame when its time reaches the frame and moves on. So an event is sent once per pass, in the order
/// of playback, at any speed and in both directions. A clip sends
///
/// * the event of its first frame when it starts to move, and again in each loop;
/// * the event of its last frame at the end of each loop, or once when it ends;
/// * nothing for frames that are skipped because [`Playback::time`](crate::root::Playback::time) was set;
/// * nothing while it is paused, fades out, or has a speed of 0.
///
/// The clip of a layer sends events as that of [`PlayClip`](crate::root::PlayClip) does, whatever the layer's mask and
/// weight, until the layer is removed or replaced. Events of the clip of `PlayClip` precede those of layers, which are
/// sent from the bottom layer to the top one.
///
/// If a clip passes itself several times in one frame of the app, it sends the events of each pass, up to 64 passes.
///
/// Events are sent in `PostUpdate`, before the [`ClipFinished`](crate::root::ClipFinished) of the same frame. Once the root
/// is despawned, no further event is sent to it. Clips of ABC files send their keyframe strings also if they play in an
/// animation graph of your own: on the root of their model, and as long as the file is loaded as an `Abc` on any entity with
/// an `AnimationPlayer`.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct ModelEvent {
    /// The root, or the entity of the `AnimationPlayer`.
    pub entity: Entity,
    /// [`ClipEvent::name`], the keyframe string (`FOOTSTEP_KEY`), or the name of the sound or surface effect.
    pub name: String,
    /// [`ClipEvent::clip`]. For an event of a file the model's animation: its name, or its index if an earlier animation
    /// of the file has the same name.
    pub clip: ClipRef,
    /// [`ClipEvent::frame`], or the index of the keyframe in the file's animation, or the frame that is nearest to the time of a
    /// sound.
    pub frame: u32,
    /// The bone at which it happens, for surface effects of Alamo animations.
    pub bone: Option<String>,
}

/// An event that a file stores in one of its clips.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredEvent {
    /// The index of its frame in the clip.
    pub frame: u32,
    /// Seconds from the start of the clip.
    pub seconds: f32,
    /// The string in the file, such as `FOOTSTEP_KEY`.
    pub string: Arc<str>,
    /// The bone at which it happens, if the file names one.
    pub bone: Option<Arc<str>>,
}

/// An event that a clip has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassedEvent<'a> {
    pub(crate) clip: &'a ClipRef,
    pub(crate) frame: u32,
    pub(crate) name: &'a str,
    pub(crate) bone: Option<&'a str>,
}

impl<'a> From<&'a ClipEvent> for PassedEvent<'a> {
    fn from(event: &'a ClipEvent) -> Self {
        Self {
            clip: &event.clip,
            frame: event.frame,
            name: &event.name,
            bone: None,
        }
    }
}

impl PassedEvent<'_> {
    /// The event to send to an entity.
    pub(crate) fn sent_to(self, entity: Entity) -> ModelEvent {
        ModelEvent {
            entity,
            name: self.name.to_owned(),
            clip: self.clip.clone(),
            frame: self.frame,
            bone: self.bone.map(str::to_owned),
        }
    }
}

/// Sends events to an entity, in this order, until it is despawned.
pub(crate) fn send_events(
    commands: &mut Commands<'_, '_>,
    entity: Entity,
    events: impl IntoIterator<Item: for<'a> EntityEvent<Trigger<'a>: Default>>,
) {
    let events: Vec<_> = events.into_iter().collect();
    if events.is_empty() {
        return;
    }
    commands.queue(move |world: &mut World| {
        for event in events {
            // An observer of an earlier event may have despawned it.
            if world.get_entity(entity).is_err() {
                return;
            }
            world.trigger(event);
            // Applies the commands of its observers.
            world.flush();
        }
    });
}
