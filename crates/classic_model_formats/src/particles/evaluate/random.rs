//! Random numbers that are a function of (seed, emitter instance, particle, purpose), without state.
//!
//! Two evaluations of the same particle draw the same numbers, in any order.

use crate::particles::file::SpawnEvent;

/// The increment of SplitMix64: 2⁶⁴ divided by the golden ratio.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijection of 64 bits whose outputs look random: the finalizer of SplitMix64.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), with the constants of
/// Stafford's variant 13.
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A key that depends on another key and a number.
fn derived(key: u64, number: u64) -> u64 {
    mixed(key ^ mixed(number.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// Identifies an instance of an emitter: one per root and system, and one per particle that spawns an emitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceKey(u64);

impl InstanceKey {
    /// The instance of a root emitter. Systems with different seeds draw different numbers.
    pub fn of_root(seed: u64, emitter: u32) -> Self {
        Self(derived(mixed(seed), emitter.into()))
    }

    /// The instance that a particle of this instance spawns.
    #[must_use]
    pub fn of_child(self, particle: ParticleNumber, event: SpawnEvent) -> Self {
        self.of_nth_child(particle, event, 0)
    }

    /// As [`of_child`](Self::of_child), for one of several emitters that the particle spawns at the same event.
    #[must_use]
    pub fn of_nth_child(self, particle: ParticleNumber, event: SpawnEvent, nth: u32) -> Self {
        let event: u64 = match event {
            SpawnEvent::Death => 1,
            SpawnEvent::Life => 2,
        };
        Self(derived(
            Draws::new(self, particle).0,
            event << 32 | u64::from(nth),
        ))
    }
}

/// Identifies a particle of an emitter instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParticleNumber {
    /// The round of its birth, from 0.
    pub round: u64,
    /// Its number in the round, from 0.
    pub index: u32,
}

/// What a random number is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The first number of the velocity's shape.
    Velocity = 1,
    /// The first number of the position's shape.
    Position = 4,
    /// Life.
    Life = 7,
    /// Size.
    Size = 8,
    /// Direction of rotation.
    Direction = 9,
    /// Fixed angle.
    Angle = 10,
    /// The first of four numbers of the color.
    Color = 11,
    /// Vertex or surface point of a mesh: three numbers.
    Mesh = 15,
    /// The first of five numbers of the velocity of a plug-in.
    PluginVelocity = 18,
    /// The first of five numbers of the position of a plug-in.
    PluginPosition = 23,
    /// Speed away from the center.
    OutwardSpeed = 28,
    /// Direction of the angle at birth.
    StartDirection = 29,
    /// The part of the texture: four numbers.
    Texture = 30,
    /// Width of the quad divided by its height.
    Aspect = 34,
}

/// The random numbers of one particle. The default is that of no particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draws(u64);

impl Draws {
    /// The numbers of a particle.
    pub fn new(instance: InstanceKey, ParticleNumber { round, index }: ParticleNumber) -> Self {
        Self(derived(derived(instance.0, round), index.into()))
    }

    /// A number from 0 to below 1, a multiple of 2⁻²⁴. `offset` selects one of several numbers for a purpose.
    pub fn unit(self, purpose: Purpose, offset: u8) -> f32 {
        let counter = purpose as u64 + u64::from(offset);
        let bits = mixed(self.0.wrapping_add(counter.wrapping_mul(GOLDEN)));
        // 24 bits are exact in an `f32`.
        (bits >> 40) as f32 / (1 << 24) as f32
    }

    /// A number between two bounds in any order. Finite for finite bounds.
    pub fn between(self, purpose: Purpose, offset: u8, a: f32, b: f32) -> f32 {
        let t = self.unit(purpose, offset);
        let extent = b - a;
        if extent.is_finite() {
            a + extent * t
        } else {
            a * (1.0 - t) + b * t
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn particle(index: u32) -> ParticleNumber {
        ParticleNumber { round: 3, index }
    }

    #[test]
    fn units_are_uniform_and_independent_of_neighbors() {
        const COUNT: u32 = 100_000;
        let instance = InstanceKey::of_root(7, 0);
        let draw = |index| Draws::new(instance, particle(index)).unit(Purpose::Life, 0);
        let mut buckets = [0_u32; 64];
        let (mut product, mut sum) = (0.0, 0.0);
        for index in 0..COUNT {
            let value = draw(index);
            assert!((0.0..1.0).contains(&value));
            buckets[(value * 64.0) as usize] += 1;
            sum += f64::from(value);
            product += f64::from((value - 0.5) * (draw(index + 1) - 0.5));
        }
        let count = f64::from(COUNT);
        // Five standard deviations each.
        assert!((sum / count - 0.5).abs() < 5.0 / (12.0 * count).sqrt());
        assert!((product / count).abs() < 5.0 / 12.0 / count.sqrt());
        let expected = count / 64.0;
        let chi_square = buckets
            .iter()
            .map(|found| (f64::from(*found) - expected).powi(2) / expected);
        let chi_square: f64 = chi_square.sum();
        // 63 degrees of freedom: mean 63, standard deviation 11.2.
        assert!((20.0..120.0).contains(&chi_square), "{chi_square}");
    }

    #[test]
    fn every_part_of_the_key_changes_the_numbers() {
        let root = InstanceKey::of_root(1, 2);
        let keys = [
            root,
            InstanceKey::of_root(2, 1),
            InstanceKey::of_root(2, 2),
            root.of_child(particle(0), SpawnEvent::Death),
            root.of_child(particle(0), SpawnEvent::Life),
            root.of_child(particle(1), SpawnEvent::Life),
        ];
        let mut numbers = Vec::new();
        for key in keys {
            for (round, index) in [(0, 0), (0, 1), (1, 0), (1 << 40, 0)] {
                let draws = Draws::new(key, ParticleNumber { round, index });
                numbers.push(draws.unit(Purpose::Velocity, 0).to_bits());
                numbers.push(draws.unit(Purpose::Velocity, 1).to_bits());
                numbers.push(draws.unit(Purpose::Life, 0).to_bits());
            }
        }
        let count = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), count);
    }

    #[test]
    fn bounds_may_be_equal_reversed_or_far_apart() {
        let draws = |index| Draws::new(InstanceKey::of_root(0, 0), particle(index));
        for index in 0..1000 {
            let draws = draws(index);
            assert_eq!(draws.between(Purpose::Life, 0, 1.0, 1.0), 1.0);
            assert!((-2.0..=3.0).contains(&draws.between(Purpose::Life, 0, 3.0, -2.0)));
            assert!(
                draws
                    .between(Purpose::Life, 0, -f32::MAX, f32::MAX)
                    .is_finite()
            );
        }
    }
}
