//! Playback of frames: clips, events and time.

pub(crate) mod player;
