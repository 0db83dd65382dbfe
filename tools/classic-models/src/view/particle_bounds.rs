//! Where the particles of a system are, for the camera.
//!
//! The bounds of an asset contain every particle that may exist, in all rotations of the system. They are so large that
//! the particles would be a few pixels.

use bevy::prelude::*;
use bevy_classic_models::alamo::AloParticles;
use classic_models_support::stage::corners;

/// The most times at which the particles are evaluated.
const TIMES: u64 = 60;

/// The most particles that are evaluated in total.
const PARTICLES: u64 = 300_000;

/// Out of this many particles, the outermost on each side is ignored, so that a few sparks do not make all else small.
const OUTERMOST: usize = 40;

/// The corners of a box around nearly all particles of a system at rest, in the file's space and units.
pub fn particle_corners(particles: &AloParticles) -> [Vec3; 8] {
    let times = (PARTICLES / particles.max_alive().max(1)).clamp(2, TIMES);
    let seconds = seconds(particles);
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    for index in 0..times {
        let time = seconds * index as f64 / (times - 1) as f64;
        for particle in particles.evaluate(0, time).emitters.iter().flatten() {
            let center = Vec3::from(particle.motion.position);
            let half = Vec3::splat(0.5 * particle.appearance.size.abs());
            lows.push(center - half);
            highs.push(-(center + half));
        }
    }
    match (quantile(&lows), quantile(&highs)) {
        (Some(low), Some(high)) => corners(low, -high),
        _ => corners(particles.bounds.min.into(), particles.bounds.max.into()),
    }
}

/// A small quantile of each axis; `None` without positions, or if one is not finite.
fn quantile(positions: &[Vec3]) -> Option<Vec3> {
    let axis = |axis: usize| {
        let mut values: Vec<f32> = positions.iter().map(|at| at[axis]).collect();
        values.sort_unstable_by(f32::total_cmp);
        values.get(values.len() / OUTERMOST).copied()
    };
    let quantile = Vec3::new(axis(0)?, axis(1)?, axis(2)?);
    quantile.is_finite().then_some(quantile)
}

/// Seconds after which most systems are over, or look as before: two of the longest lives, because particles can spawn
/// others.
pub fn seconds(particles: &AloParticles) -> f64 {
    const MOST: f64 = 60.0;
    let ends = particles.emitters.iter().map(|of| {
        let properties = &of.emitter.properties;
        f64::from(properties.initial_delay + 2.0 * properties.lifetime)
    });
    // `max` returns the other operand for NaN.
    ends.fold(0.0, f64::max).min(MOST)
}
