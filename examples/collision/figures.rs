//! What the rays cost, over the latest frames.

use bevy::prelude::*;
use std::collections::VecDeque;
use std::time::Duration;

/// Frames that the figures on screen are of.
const FRAMES: usize = 60;

/// The rays of one frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    pub rays: usize,
    pub hits: usize,
    /// How long the first ray took, which takes note of what has moved.
    pub first: Duration,
    /// How long all rays took, the first included.
    pub all: Duration,
}

/// The rays of the latest frames.
#[derive(Resource)]
pub struct Figures {
    samples: VecDeque<Sample>,
    /// How many frames are kept.
    frames: usize,
}

impl Default for Figures {
    fn default() -> Self {
        Self::new(FRAMES)
    }
}

impl Figures {
    /// Keeps so many frames.
    pub fn new(frames: usize) -> Self {
        Self {
            samples: VecDeque::new(),
            frames,
        }
    }

    pub fn add(&mut self, sample: Sample) {
        if self.samples.len() >= self.frames {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
    }

    /// The sum of all frames, and how many they are.
    pub fn sum(&self) -> (Sample, usize) {
        let add = |sum: Sample, sample: &Sample| Sample {
            rays: sum.rays + sample.rays,
            hits: sum.hits + sample.hits,
            first: sum.first + sample.first,
            all: sum.all + sample.all,
        };
        let sum = self.samples.iter().fold(Sample::default(), add);
        (sum, self.samples.len())
    }
}

impl Sample {
    /// In a second that nothing else is done in.
    pub fn rays_per_second(&self) -> f64 {
        self.rays as f64 / self.all.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// The part of the rays that meet something, in percent.
    pub fn percent_hit(&self) -> f64 {
        100.0 * self.hits as f64 / self.rays.max(1) as f64
    }
}

/// Milliseconds of each of so many frames.
pub fn per_frame(time: Duration, frames: usize) -> f64 {
    1e3 * time.as_secs_f64() / frames.max(1) as f64
}
