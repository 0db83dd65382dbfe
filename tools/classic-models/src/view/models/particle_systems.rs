//! Finds the particle systems of models: those of files, proxies and attachments. Gives each a seed, so that it has the
//! same particles in each run. Does not play them.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{
    AloParticleSystem, AloParticles, AloProxy, AloSceneRoot, ParticleEmission, ParticleRecords,
    ParticleSeed, ParticleSet,
};

/// Gives particle systems the components that control them.
pub struct ParticleSystemsPlugin;

impl Plugin for ParticleSystemsPlugin {
    fn build(&self, app: &mut App) {
        // After systems are created, and before they begin.
        app.add_systems(PostUpdate, insert_controls.in_set(ParticleSet::Bounds));
    }
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
