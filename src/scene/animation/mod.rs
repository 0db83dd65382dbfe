//! Playback shared by the formats whose clips are Bevy `AnimationClip`s: plays a
//! [`PlayClip`](super::PlayClip) on an `AnimationPlayer`, and names the transform parts that curves animate.
//!
//! Curves over the data of one format, and the rules for bones that a format's clip does not animate, do not belong
//! here.

mod active_clips;
mod animator;
mod clip_parts;
mod clip_provider;
mod driver;
#[cfg(feature = "lithtech")]
mod events;
#[cfg(feature = "alamo")]
mod frame_rate;
#[cfg(feature = "lithtech")]
mod frame_times;
mod frames;
mod links;
mod properties;
mod requests;
mod rest_bones;
mod rotations;

#[cfg(feature = "alamo")]
pub(crate) use active_clips::ActiveClip;
pub(crate) use active_clips::{ActiveClips, ClipSource, node};
pub(crate) use animator::Animator;
pub(crate) use clip_parts::{ClipParts, edited_clips};
pub(crate) use clip_provider::{ClipProvider, GraphAssets, is_in_use};
pub(crate) use driver::{ClipDriver, ClipPlayer, follow_player, on_animator_removed};
#[cfg(feature = "lithtech")]
pub(crate) use events::{EventTrack, trigger_events};
#[cfg(feature = "alamo")]
pub(crate) use frame_rate::FrameRate;
#[cfg(feature = "lithtech")]
pub(crate) use frame_times::{FrameTimes, SINGLE_FRAME_SECONDS};
pub(crate) use frames::Frames;
pub(crate) use links::{Skeleton, link_bones};
pub(crate) use properties::{Rotation, Translation};
#[cfg(feature = "alamo")]
pub(crate) use properties::{Scale, has_curve_for};
pub(crate) use rotations::slerp;
