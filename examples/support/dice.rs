//! Chance that repeats itself.

/// Numbers that look random and are the same in every run.
pub struct Dice(u32);

impl Dice {
    /// Dice of their own for each seed.
    pub fn new(seed: u32) -> Self {
        Self(seed)
    }

    /// From 0 up to 1.
    pub fn roll(&mut self) -> f32 {
        // A Weyl sequence, its steps mixed by the finaliser of MurmurHash3.
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
        bits = (bits ^ (bits >> 13)).wrapping_mul(0xc2b2_ae35);
        bits ^= bits >> 16;
        (bits >> 8) as f32 / (1 << 24) as f32
    }

    /// One of so many; 0 if there are none.
    pub fn choose(&mut self, count: usize) -> usize {
        (self.roll() * count as f32) as usize
    }
}
