//! Playback of clips: which clip a [`PlayClip`](crate::root::PlayClip) names, its frames, times and events.
//!
//! `skeletal` plays clips on the bones of models.

// For maintainers: curves over the data of one format do not belong here.

pub(crate) mod advance;
pub(crate) mod clip_events;
pub(crate) mod frames;
pub(crate) mod properties;
pub(crate) mod resolve;
pub(crate) mod root_motion;
pub(crate) mod skeletal;
