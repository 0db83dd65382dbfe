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

/// The outermost on each side are ignored, one in this many, so that a few sparks do not make all else small.
const OUTERMOST: f32 = 16.0;

/// The height of the ground, at which particles of some emitters die, bounce or stop.
const GROUND: f32 = 0.0;

/// Particles with less alpha are not visible.
const VISIBLE: f32 = 0.04;

/// A side of a particle on one axis, and how much of the picture the particle fills.
type Side = (Vec3, f32);

/// The corners of a box around nearly all that is visible of a system at rest over its life, in the file's space and units.
pub fn particle_corners(particles: &AloParticles) -> [Vec3; 8] {
    let times = (PARTICLES / particles.max_alive().max(1)).clamp(2, TIMES);
    let seconds = seconds(particles);
    let grounded = grounded(particles);
    let (mut lows, mut highs): (Vec<Side>, Vec<Side>) = (Vec::new(), Vec::new());
    for index in 0..times {
        let time = seconds * index as f64 / (times - 1) as f64;
        let state = particles.evaluate(0, time);
        for (emitter, is_grounded) in state.emitters.iter().zip(&grounded) {
            for particle in emitter {
                let [.., alpha] = particle.appearance.color;
                if alpha < VISIBLE {
                    continue;
                }
                let mut center = Vec3::from(particle.motion.position);
                // The states are those without a ground.
                if *is_grounded {
                    center.z = center.z.max(GROUND);
                }
                let size = particle.appearance.size.abs();
                let half = Vec3::splat(0.5 * size);
                lows.push((center - half, alpha * size));
                highs.push((-(center + half), alpha * size));
            }
        }
    }
    match (quantile(&lows), quantile(&highs)) {
        (Some(low), Some(high)) => corners(low, -high),
        _ => corners(particles.bounds.min.into(), particles.bounds.max.into()),
    }
}

/// For each emitter, whether its particles stay above the ground: its own do, or those that spawn them.
fn grounded(particles: &AloParticles) -> Vec<bool> {
    let mut grounded: Vec<bool> = Vec::new();
    for of in &particles.emitters {
        let own = of.emitter.properties.ground != 0;
        let parent = of.emitter.parent.map(|parent| parent.emitter as usize);
        let spawner = parent.and_then(|parent| particles.emitters.get(parent));
        grounded.push(own || spawner.is_some_and(|of| of.emitter.properties.ground != 0));
    }
    grounded
}

/// A small quantile of each axis, by how much the particles fill; `None` without positions, or if one is not finite.
fn quantile(sides: &[Side]) -> Option<Vec3> {
    let total: f32 = sides.iter().map(|(_, weight)| weight).sum();
    let axis = |axis: usize| {
        let mut values: Vec<(f32, f32)> = sides.iter().map(|(at, of)| (at[axis], *of)).collect();
        values.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut below = 0.0;
        let found = values.iter().find(|(_, weight)| {
            below += weight;
            below > total / OUTERMOST
        });
        found.or(values.last()).map(|(value, _)| *value)
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
