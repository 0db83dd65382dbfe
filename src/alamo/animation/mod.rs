//! Converts Alamo animations to Bevy clips, and plays them.
//!
//! - `packed` samples tracks that stay packed as in the file, and `visibility` shows and hides bones. `curves` makes both
//!   of a file, and `tracks` poses bones without Bevy's animation.
//! - `clip` converts a file to an `AnimationClip`; `asset` and `loader` make assets.
//! - `pairing` finds the animation files of a model, and `binding` the tracks that do not match a model.
//! - `source` is a clip with its animation, and `files` loads animations for code that works on any format.
//! - `timing` converts seconds to frames, and `targets` identifies bones.
//! - `player` has the component that plays [`PlayClip`](crate::scene::PlayClip), and `graphs` the clips and graphs that
//!   it plays.
//!
//! Parsing belongs in [`ala`](crate::alamo::ala). Code that shows and hides parts of a model belongs in
//! `alamo::appearance`: here clips only decide about the visibility of bones.

mod asset;
mod binding;
mod clip;
mod curves;
mod files;
mod graphs;
mod loader;
mod packed;
mod pairing;
mod player;
mod plugin;
mod source;
mod targets;
mod timing;
mod tracks;
mod visibility;

pub use asset::{Ala, AlaAssetLabel, AlaBoneInfo, AloAnimation};
pub use binding::BoneMismatch;
pub use clip::clip;
pub use curves::{AlaCurves, BoneCurves};
pub(super) use files::{frames_of_animation, frames_of_clip};
pub use loader::AlaLoader;
pub use packed::{PackedRotations, PackedVectors};
pub use pairing::animation_name;
pub(super) use pairing::find_animations;
pub use player::AloAnimator;
pub(super) use plugin::AnimationPlugin;
#[cfg(feature = "crowd")]
pub(super) use source::AlaSource;
pub use targets::bone_target;
pub use tracks::AlaTracks;
#[cfg(feature = "crowd")]
pub(super) use visibility::visibility_evaluator;
pub use visibility::{DefaultVisibilityCurve, VisibilityCurve};
