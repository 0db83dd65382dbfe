//! Plays clips on an `AnimationPlayer`, for the formats whose clips are Bevy `AnimationClip`s.

// For maintainers: the rules for bones that a format's clip does not animate belong to the format.

pub(crate) mod active_clips;
pub(crate) mod animator;
pub(crate) mod clip_provider;
pub(crate) mod driver;
pub(crate) mod events;
pub(crate) mod layers;
pub(crate) mod links;
pub(crate) mod pending;
pub(crate) mod playing_clip;

use crate::playback::skeletal::events::send_clip_events;
use bevy::animation::transition::expire_completed_transitions;
use bevy::animation::{AnimationPlugin, advance_animations};
use bevy::app::{AnimationSystems, App, Plugin, PostUpdate};
use bevy::ecs::schedule::IntoScheduleConfigs;

/// Adds Bevy's animation and the system that sends the events of clips in users' graphs, if they are missing.
pub(crate) fn add_animation(app: &mut App) {
    if !app.is_plugin_added::<AnimationPlugin>() {
        app.add_plugins(AnimationPlugin);
    }
    if !app.is_plugin_added::<ClipEventsPlugin>() {
        app.add_plugins(ClipEventsPlugin);
    }
}

/// Sends the events of clips that play in users' graphs.
struct ClipEventsPlugin;

impl Plugin for ClipEventsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            PostUpdate,
            send_clip_events
                .after(advance_animations)
                .before(expire_completed_transitions)
                .in_set(AnimationSystems),
        );
    }
}
