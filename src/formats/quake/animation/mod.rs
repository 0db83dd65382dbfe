//! Playback of frames: clips, events and time.

pub(crate) mod advance;
pub(crate) mod events;
pub(crate) mod player;
