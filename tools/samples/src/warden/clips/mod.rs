//! The warden's clips: functions from a time to a stance, and what the game is told meanwhile.

mod attack;
mod die;
mod guard;
mod walk;

use super::pose::Stance;

/// A clip in the making.
pub struct Clip {
    /// Its name.
    pub name: &'static str,
    /// How many keyframes follow the first.
    pub last: u16,
    /// Milliseconds between two.
    pub step: u32,
    /// Whether the last keyframe is the first.
    pub loops: bool,
    /// How fast the air goes by, in units per second to the back.
    pub speed: f32,
    /// The stance at a time in seconds.
    pub stance: fn(f32) -> Stance,
    /// What the game is told at keyframes.
    pub events: &'static [(u16, &'static str)],
    /// Half the size of the box that the game collides with, in the file's units and axes.
    pub dims: [f32; 3],
}

impl Clip {
    /// How long it takes, in seconds.
    pub fn seconds(&self) -> f32 {
        f32::from(self.last) * self.step as f32 / 1000.0
    }
}

/// All clips. The first keyframe of the first is how the model is bound.
pub const CLIPS: [Clip; 4] = [guard::CLIP, walk::CLIP, attack::CLIP, die::CLIP];
