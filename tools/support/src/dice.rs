//! Pseudo-random numbers that are the same in every run.

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
