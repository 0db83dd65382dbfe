//! The definition of a clip.

use crate::warden::pose::Stance;

/// A clip definition.
pub struct Clip {
    /// Its name.
    pub name: &'static str,
    /// Index of the last keyframe.
    pub last: u16,
    /// Milliseconds between two keyframes.
    pub step: u32,
    /// Whether the last keyframe equals the first.
    pub loops: bool,
    /// Speed of the relative wind, in units per second to the back.
    pub speed: f32,
    /// The stance at a time in seconds.
    pub stance: fn(f32) -> Stance,
    /// Events, as strings for the game, with their keyframes.
    pub events: &'static [(u16, &'static str)],
    /// Half the size of the collision box, in the file's units and axes.
    pub dims: [f32; 3],
}

impl Clip {
    /// Its duration in seconds.
    pub fn seconds(&self) -> f32 {
        f32::from(self.last) * self.step as f32 / 1000.0
    }
}
