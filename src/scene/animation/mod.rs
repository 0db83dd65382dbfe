//! What formats share whose clips are Bevy's: how a [`PlayClip`](super::PlayClip) is played on an
//! `AnimationPlayer`, and what curves move.
//!
//! What may not enter: curves over the data of one format, and what a clip of it leaves unsaid.

mod animator;
mod binder;
mod clip_parts;
mod driver;
#[cfg(feature = "lithtech")]
mod events;
mod frames;
mod lanes;
mod links;
mod properties;
mod rotations;
mod settle;

pub(crate) use animator::Animator;
pub(crate) use binder::{Binder, GraphAssets, is_in_use};
pub(crate) use clip_parts::{ClipParts, edited_clips};
pub(crate) use driver::{ClipDriver, ClipPlayer, follow_player, on_animator_removed};
#[cfg(feature = "lithtech")]
pub(crate) use events::{EventTrack, trigger_events};
pub(crate) use frames::{Frames, STILL};
pub(crate) use lanes::{ClipSource, Lane, Lanes, node};
pub(crate) use links::{Skeleton, link_bones};
pub(crate) use properties::{Rotation, Scale, Translation, says};
pub(crate) use rotations::slerp;
