//! The warden's clips: functions from a time to a stance, with their animation events.

mod attack;
mod clip;
mod die;
mod guard;
mod walk;

pub use clip::Clip;

/// All clips. The first keyframe of the first clip is the bind pose.
pub const CLIPS: [Clip; 4] = [guard::CLIP, walk::CLIP, attack::CLIP, die::CLIP];
