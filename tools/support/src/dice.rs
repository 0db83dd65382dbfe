//! Pseudo-random numbers and rays that are the same in every run.

use bevy::prelude::*;

/// A pseudo-random number generator.
pub struct Dice(u32);

impl Dice {
    /// A generator whose sequence depends only on the seed.
    pub fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// The next number, from 0 up to but not including 1.
    pub fn roll(&mut self) -> f32 {
        // A Weyl sequence, its steps mixed by the finalizer of MurmurHash3.
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
        bits = (bits ^ (bits >> 13)).wrapping_mul(0xc2b2_ae35);
        bits ^= bits >> 16;
        (bits >> 8) as f32 / (1 << 24) as f32
    }

    /// A random index below `count`; 0 if `count` is 0.
    pub fn choose(&mut self, count: usize) -> usize {
        (self.roll() * count as f32) as usize
    }

    /// From `low` up to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.roll()
    }
}

/// A pseudo-random ray over a square with sides of `extent`. It starts up to `range` above `height`, and aims at a point at
/// that height.
pub fn random_ray(index: u32, extent: f32, height: f32, range: f32) -> Ray3d {
    let random = |salt: u32| {
        let hash = (index * 4 + salt).wrapping_mul(0x9e37_79b1);
        let hash = (hash ^ hash >> 15).wrapping_mul(0x85eb_ca6b);
        (hash ^ hash >> 13) as f32 / u32::MAX as f32
    };
    let origin = Vec3::new(
        random(0) * extent,
        height + random(1) * range,
        random(2) * extent,
    );
    let target = Vec3::new(random(3) * extent, height, random(1) * extent);
    Ray3d::new(origin, Dir3::new(target - origin).unwrap_or(Dir3::NEG_Y))
}
