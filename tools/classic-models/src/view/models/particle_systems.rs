//! The particle systems of models: those of files, proxies and attachments, and where their particles are. Gives each a seed,
//! so that it has the same particles in each run. Does not play them.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::particles::Properties;
use bevy_classic_models::alamo::{
    AloParticleSystem, AloParticles, AloProxy, AloSceneRoot, ParticleEmission, ParticleRecords,
    ParticleSeed, ParticleSet,
};
use classic_models_support::stage::corners;

/// Gives particle systems the components that control them.
pub fn particle_systems_plugin(app: &mut App) {
    // After systems are created, and before they begin.
    app.add_systems(PostUpdate, insert_controls.in_set(ParticleSet::Bounds));
}

/// On the root of a particle system that was opened as a file.
#[derive(Component)]
pub struct ParticleFile(pub Handle<AloParticles>);

/// A particle system that was spawned.
type NewSystem = (Entity, Option<&'static ChildOf>, Has<AloSceneRoot>);

/// The seed of a file's system is 0, as in `inspect --simulate`. Systems of several proxies differ.
fn insert_controls(
    mut commands: Commands,
    systems: Query<NewSystem, Added<AloParticleSystem>>,
    proxies: Query<&AloProxy>,
) {
    for (entity, parent, is_scene_root) in &systems {
        let parent = parent.map(ChildOf::parent);
        let proxy = parent.and_then(|parent| proxies.get(parent).ok());
        let seed = proxy.map_or(0, |proxy| proxy.index as u64 + 1);
        let owner = parent.filter(|_| is_scene_root).unwrap_or(entity);
        if let Ok(mut owner) = commands.get_entity(owner) {
            owner
                .try_insert(ParticleSeed(seed))
                .try_insert_if_new(ParticleEmission::default());
        }
    }
}

/// A running particle system.
type RunningSystem = (
    Entity,
    &'static ParticleRecords,
    Option<&'static Name>,
    Has<AloSceneRoot>,
);

/// The running particle systems of models.
#[derive(SystemParam)]
pub struct ModelSystems<'w, 's> {
    systems: Query<'w, 's, RunningSystem>,
    parents: Query<'w, 's, &'static ChildOf>,
}

/// A running particle system of a model.
pub struct ModelSystem<'a> {
    entity: Entity,
    /// The entity whose components control the system.
    pub owner: Entity,
    pub name: &'a str,
    pub records: &'a ParticleRecords,
}

impl ModelSystems<'_, '_> {
    /// The systems of a model, in the order of their entities.
    pub fn of(&self, root: Entity) -> Vec<ModelSystem<'_>> {
        let is_below = |system: Entity| {
            let mut ancestors = self.parents.iter_ancestors(system);
            ancestors.any(|ancestor| ancestor == root)
        };
        let systems = self.systems.iter();
        let systems = systems.filter(|(entity, ..)| is_below(*entity));
        let systems = systems.map(|(entity, records, name, is_scene_root)| {
            let parent = self.parents.get(entity).ok().map(ChildOf::parent);
            ModelSystem {
                entity,
                owner: parent.filter(|_| is_scene_root).unwrap_or(entity),
                name: name.map_or("", Name::as_str),
                records,
            }
        });
        let mut systems: Vec<_> = systems.collect();
        systems.sort_unstable_by_key(|system| system.entity);
        systems
    }
}

/// The time since the start and the count of living particles of each system and emitter.
pub fn status_lines(systems: &[ModelSystem<'_>], assets: &Assets<AloParticles>) -> Vec<String> {
    let mut lines = Vec::new();
    for system in systems {
        let Some(particles) = assets.get(&system.records.particles) else {
            continue;
        };
        let counts = system.records.alive(particles);
        let count: usize = counts.iter().sum();
        let elapsed = system.records.elapsed;
        lines.push(format!(
            "{}: {elapsed:.2} s, {count} particles",
            system.name
        ));
        let names = particles.emitters.iter().map(|of| &of.emitter.name);
        lines.extend(
            names
                .zip(counts)
                .map(|(name, n)| format!("    {name}: {n}")),
        );
    }
    lines
}

/// The most times at which the particles are evaluated.
const TIMES: u64 = 60;

/// The most particles that are evaluated in total.
const PARTICLES: u64 = 300_000;

/// One of this many parts of the visible area is ignored on each side, so that a few sparks do not make all else small.
const OUTERMOST: f64 = 40.0;

/// The edge of a particle on one axis, and how much of it is visible.
type Edge = (f32, f64);

/// Reduces the bounds of particle systems to their particles at [`fullest_time`].
#[derive(Resource)]
pub struct BoundsAtFullestTime;

/// The times at which the particles of a system are evaluated, in seconds.
fn times(particles: &AloParticles) -> impl Iterator<Item = f64> {
    let times = (PARTICLES / particles.max_alive().max(1)).clamp(2, TIMES);
    let seconds = seconds(particles);
    (0..times).map(move |index| seconds * index as f64 / (times - 1) as f64)
}

/// A visible particle.
struct Seen {
    center: [f32; 3],
    /// Half of its size.
    half: f32,
    opacity: f32,
}

/// The visible particles of a system at a time.
fn seen_at(particles: &AloParticles, time: f64) -> Vec<Seen> {
    let state = particles.evaluate(0, time);
    let emitters = particles.emitters.iter().zip(&state.emitters);
    let seen = emitters.flat_map(|(of, living)| {
        living.iter().map(|particle| Seen {
            center: particle.motion.position,
            half: 0.5 * particle.appearance.size.abs(),
            opacity: opacity(&of.emitter.properties, particle.appearance.color),
        })
    });
    let is_visible = |seen: &Seen| seen.half * seen.half * seen.opacity > 0.0;
    seen.filter(|seen| is_visible(seen) && seen.half.is_finite())
        .collect()
}

/// The time at which most of a system is visible. Size counts less than opacity: fading smoke is large.
pub fn fullest_time(particles: &AloParticles) -> f64 {
    let visible = |time: f64| -> f32 {
        let seen = seen_at(particles, time).into_iter();
        seen.map(|seen| seen.half.sqrt() * seen.opacity.powi(2))
            .sum()
    };
    let times = times(particles).map(|time| (time, visible(time)));
    let most = times.reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.map_or(0.0, |(time, _)| time)
}

/// The corners of a box around nearly everything that is visible of a system at rest, in the file's space and units.
pub fn particle_corners(particles: &AloParticles) -> [Vec3; 8] {
    corners_at(particles, times(particles))
}

/// The corners of a box around nearly everything that is visible of a system at these times.
pub fn corners_at(particles: &AloParticles, times: impl Iterator<Item = f64>) -> [Vec3; 8] {
    // The lower and the upper edges on each axis.
    let mut edges: [Vec<Edge>; 6] = Default::default();
    for seen in times.flat_map(|time| seen_at(particles, time)) {
        let visible = f64::from(seen.half * seen.half) * f64::from(seen.opacity);
        for (edges, center) in edges.chunks_exact_mut(2).zip(seen.center) {
            edges[0].push((center - seen.half, visible));
            edges[1].push((-(center + seen.half), visible));
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
