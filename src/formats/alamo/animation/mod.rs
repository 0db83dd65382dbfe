//! Converts Alamo animations to Bevy clips, and plays them.
//!
//! - `packed` samples tracks that stay packed as in the file, and `visibility` shows and hides bones. `curves` makes both
//!   of a file, and `tracks` poses bones without Bevy's animation.
//! - `clip` converts a file to an `AnimationClip`; `asset` and `loader` make assets.
//! - `pairing` finds the animation files of a model, and `binding` the tracks that do not match a model.
//! - `files` loads animations for code that works on any format, and `rig` describes bones and clips for playback.
//! - `sounds` adds the events of the games' table of sounds, and `sound_events` loads how they sound.
//! - `timing` converts seconds to frames.
//!
//! Parsing belongs in [`ala`](crate::alamo::ala). Code that shows and hides parts of a model belongs in
//! `alamo::appearance`: here clips only decide about the visibility of bones.

pub(crate) mod asset;
pub(crate) mod binding;
pub(crate) mod clip;
pub(crate) mod packed;
pub(crate) mod pairing;
pub(crate) mod plugin;
pub(crate) mod rig;
pub(crate) mod sampler;
pub(crate) mod sound_events;
pub(crate) mod sounds;
pub(crate) mod visibility;
