//! Where the particles of a system are, for the camera.
//!
//! The bounds of an asset contain every particle that may exist, in all rotations of the system. They are so large that
//! the particles would be a few pixels.

use bevy::prelude::*;
use bevy_classic_models::alamo::AloParticles;
use bevy_classic_models::alamo::particles::Properties;
use classic_models_support::stage::corners;

/// The most times at which the particles are evaluated.
const TIMES: u64 = 60;

/// The most particles that are evaluated in total.
const PARTICLES: u64 = 300_000;

/// One of this many parts of the visible area is ignored on each side, so that a few sparks do not make all else small.
const OUTERMOST: f64 = 40.0;

/// The edge of a particle on one axis, and how much of it is visible.
type Edge = (f32, f64);

/// The corners of a box around nearly everything that is visible of a system at rest, in the file's space and units.
pub fn particle_corners(particles: &AloParticles) -> [Vec3; 8] {
    let times = (PARTICLES / particles.max_alive().max(1)).clamp(2, TIMES);
    let seconds = seconds(particles);
    // The lower and the upper edges on each axis.
    let mut edges: [Vec<Edge>; 6] = Default::default();
    for index in 0..times {
        let time = seconds * index as f64 / (times - 1) as f64;
        let state = particles.evaluate(0, time);
        for (of, living) in particles.emitters.iter().zip(&state.emitters) {
            for particle in living {
                let half = 0.5 * particle.appearance.size.abs();
                let opacity = opacity(&of.emitter.properties, particle.appearance.color);
                let visible = f64::from(half * half) * f64::from(opacity);
                if !(visible > 0.0 && visible.is_finite()) {
                    continue;
                }
                let center = particle.motion.position;
                for (edges, center) in edges.chunks_exact_mut(2).zip(center) {
                    edges[0].push((center - half, visible));
                    edges[1].push((-(center + half), visible));
                }
            }
        }
    }
    let [x, right, y, back, z, top] = edges.map(quantile);
    let low = || Some(Vec3::new(x?, y?, z?));
    let high = || Some(-Vec3::new(right?, back?, top?));
    match (low(), high()) {
        (Some(low), Some(high)) => corners(low, high),
        _ => corners(particles.bounds.min.into(), particles.bounds.max.into()),
    }
}

/// How much a particle changes what is behind it, from 0 to 1, if its texture is white and opaque.
fn opacity(properties: &Properties, [red, green, blue, alpha]: [f32; 4]) -> f32 {
    const ADDITIVE: [u32; 2] = [1, 4];
    const MODULATE: [u32; 2] = [3, 6];
    let mode = properties.effective_blend_mode();
    if mode == 0 {
        1.0
    } else if ADDITIVE.contains(&mode) {
        red.max(green).max(blue)
    } else if MODULATE.contains(&mode) {
        // The color is added to that of the texture, and white changes nothing.
        1.0 - red.min(green).min(blue)
    } else {
        alpha
    }
}

/// The edge before which a small share is visible; `None` without edges, or if the edge is not finite.
fn quantile(mut edges: Vec<Edge>) -> Option<f32> {
    edges.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut rest = edges.iter().map(|(_, visible)| visible).sum::<f64>() / OUTERMOST;
    let edge = edges.iter().find(|(_, visible)| {
        rest -= visible;
        rest < 0.0
    });
    edge.map(|(edge, _)| *edge).filter(|edge| edge.is_finite())
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

#[cfg(test)]
mod tests {
    use super::{opacity, quantile};
    use bevy_classic_models::alamo::particles::Properties;

    #[test]
    fn small_shares_of_the_visible_area_are_ignored() {
        assert_eq!(quantile(Vec::new()), None);
        assert_eq!(quantile(vec![(f32::NEG_INFINITY, 1.0)]), None);
        assert_eq!(
            quantile(vec![(2.0, 1.0), (-9.0, 0.01), (1.0, 1.0)]),
            Some(1.0)
        );
        assert_eq!(quantile(vec![(2.0, 1.0), (-9.0, 0.2)]), Some(-9.0));
    }

    #[test]
    fn opacity_follows_the_blend_mode() {
        let color = [0.5, 0.25, 0.125, 0.75];
        for (blend_mode, expected) in [(0, 1.0), (1, 0.5), (2, 0.75), (3, 0.875), (15, 0.5)] {
            let properties = Properties {
                blend_mode,
                ..Properties::default()
            };
            assert_eq!(opacity(&properties, color), expected, "{blend_mode}");
        }
    }
}
