//! Playback shared by the formats whose clips are Bevy `AnimationClip`s: plays a
//! [`PlayClip`](super::PlayClip) on an `AnimationPlayer`, and names the transform parts that curves animate.
//!
//! Curves over the data of one format, and the rules for bones that a format's clip does not animate, do not belong
//! here.

mod active_clips;
mod additive;
mod animator;
mod bone_set;
mod clip_parts;
mod clip_provider;
mod clip_state;
mod driver;
mod event_track;
mod events;
#[cfg(any(feature = "alamo", all(feature = "lithtech", feature = "crowd")))]
mod frame_rate;
#[cfg(feature = "lithtech")]
mod frame_times;
mod frames;
mod graph;
mod layers;
mod links;
mod pending;
mod properties;
mod requests;
mod rest_bones;
mod rest_curves;
mod rotations;
mod selected_clips;
mod shared_graphs;

#[cfg(feature = "lithtech")]
pub(crate) use active_clips::ActiveClips;
pub(crate) use active_clips::ClipSource;
#[cfg(any(feature = "lithtech", all(feature = "alamo", feature = "crowd")))]
pub(crate) use active_clips::node;
pub(crate) use animator::Animator;
pub(crate) use bone_set::BoneName;
pub(crate) use clip_parts::{ClipParts, edited_clips};
pub(crate) use clip_provider::{ClipProvider, GraphAssets, is_edited_copy};
pub(crate) use driver::{
    ClipDriver, ClipPlayer, follow_player, is_clip_loading, on_animator_removed,
};
#[cfg(feature = "lithtech")]
pub(crate) use event_track::{EventTrack, TrackEvent};
#[cfg(any(feature = "alamo", all(feature = "lithtech", feature = "crowd")))]
pub(crate) use frame_rate::FrameRate;
#[cfg(feature = "lithtech")]
pub(crate) use frame_times::{FrameTimes, SINGLE_FRAME_SECONDS, keyframe_at};
pub(crate) use frames::Frames;
pub(crate) use links::{Skeleton, link_bones};
#[cfg(any(feature = "alamo", all(feature = "lithtech", feature = "crowd")))]
pub(crate) use properties::Scale;
#[cfg(feature = "alamo")]
pub(crate) use properties::has_curve_for;
pub(crate) use properties::{Rotation, Translation};
pub(crate) use rotations::slerp;
pub(crate) use selected_clips::{EventDriver, SelectedClips};
pub(crate) use shared_graphs::SharedGraphs;

use bevy::animation::transition::expire_completed_transitions;
use bevy::animation::{AnimationPlugin, advance_animations};
use bevy::app::{AnimationSystems, App, Plugin, PostUpdate};
use bevy::ecs::schedule::IntoScheduleConfigs;
use events::send_clip_events;

/// Adds Bevy's animation and the system that sends the events of clips, if they are missing.
pub(crate) fn add_animation(app: &mut App) {
    if !app.is_plugin_added::<AnimationPlugin>() {
        app.add_plugins(AnimationPlugin);
    }
    if !app.is_plugin_added::<ClipEventsPlugin>() {
        app.add_plugins(ClipEventsPlugin);
    }
}

/// Sends the events of clips that play on an `AnimationPlayer`.
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
