//! Alamo animations as Bevy plays them: curves that decode while they are sampled, visibility that
//! blends, and what binds a clip to a model and plays it.
//!
//! `curves` samples what stays packed as in the file, `visibility` shows and hides bones, `clip` makes
//! an `AnimationClip` of a file, `asset` and `loader` an asset of that; `pairing` knows which files are
//! a model's, `binding` whether a clip is for a model, `source` is a clip with its animation, `files` has animations
//! for code that works on any format, `timing` converts frames and seconds, `targets` identifies bones. `player` has the component that plays
//! [`PlayClip`](crate::scene::PlayClip), `graphs` the clips and graphs that it plays, and `rest` completes clips that
//! fade.
//!
//! What may not enter: bytes of files, which [`ala`](crate::alamo::ala) has taken apart, and what parts of
//! a model show, which is for its skeleton's bones alone to say here.

mod asset;
mod binding;
mod clip;
mod curves;
mod files;
mod graphs;
mod loader;
mod pairing;
mod player;
mod plugin;
mod rest_pose;
mod source;
mod targets;
mod timing;
mod visibility;

pub use crate::alamo::components::BoneVisibility;
pub use asset::{Ala, AlaAssetLabel, AlaBoneInfo, AloAnimation};
pub use binding::BoneMismatch;
pub use clip::clip;
pub use curves::{AlaCurves, BoneCurves, PackedRotations, PackedVectors};
pub(super) use files::{frames_of_animation, frames_of_clip};
pub use loader::AlaLoader;
pub(super) use pairing::find_animations;
pub use player::AloAnimator;
pub(super) use plugin::AnimationPlugin;
pub use targets::bone_target;
pub use visibility::{DefaultVisibilityCurve, VisibilityCurve};
