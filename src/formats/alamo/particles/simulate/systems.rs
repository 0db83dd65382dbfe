//! The systems that start particle systems, and update their bounds.

use crate::formats::alamo::particles::asset::{AloParticleSystem, AloParticles};
use crate::formats::alamo::particles::computed::is_computed;
use crate::formats::alamo::particles::record::ParticleRecords;
use crate::formats::alamo::particles::simulate::control::{ParticleBudget, ParticleDemand};
use crate::formats::alamo::particles::simulate::instance::RunningParticles;
use crate::formats::alamo::particles::simulate::mesh::EmissionSurface;
use crate::formats::alamo::particles::simulate::proxies::OfProxy;
use crate::formats::alamo::parts::billboard::AloSceneRoot;
use crate::spawn::format::transformed_bounds;
use crate::spawn::instance::RandomSeed;
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::prelude::*;

/// On a system that has particles that the shader cannot compute.
#[derive(Component)]
pub(crate) struct ComputedParticles;

/// A system with particles that the shader cannot compute.
type ComputedSystem = (
    &'static mut ParticleRecords,
    &'static GlobalTransform,
    &'static ViewVisibility,
);

/// Computes the particles of visible systems that the shader cannot compute.
pub(crate) fn compute_particles(
    assets: Res<Assets<AloParticles>>,
    mut systems: Query<ComputedSystem, With<ComputedParticles>>,
) {
    let systems = systems.par_iter_mut();
    systems.for_each(|(mut records, transform, visibility)| {
        if visibility.get()
            && let Some(particles) = assets.get(&records.particles)
        {
            records.compute(particles, &transform.affine());
        }
    });
}

/// Starts particle systems whose file was loaded or has changed.
#[derive(SystemParam)]
pub(crate) struct Starter<'w, 's> {
    assets: Res<'w, Assets<AloParticles>>,
    scene_roots: Query<'w, 's, &'static ChildOf, With<AloSceneRoot>>,
    of_proxies: Query<'w, 's, &'static OfProxy>,
    seeds: Query<'w, 's, &'static RandomSeed>,
    surfaces: Query<'w, 's, &'static EmissionSurface>,
    budget: Res<'w, ParticleBudget>,
    demand: ResMut<'w, ParticleDemand>,
    started: Local<'s, u64>,
}

impl Starter<'_, '_> {
    /// Starts a system. `before` is its state before a reload of its file.
    fn start(
        &mut self,
        commands: &mut Commands,
        entity: Entity,
        system: &AloParticleSystem,
        before: Option<&RunningParticles>,
    ) {
        let Some(particles) = self.assets.get(&system.0) else {
            return;
        };
        // The root of a scene is controlled by the root of the model.
        let parent = self.scene_roots.get(entity);
        let owner = parent.map_or(entity, ChildOf::parent);
        *self.started += 1;
        let seed = match self.of_proxies.get(entity) {
            Ok(proxy) => proxy.seed,
            Err(_) => RandomSeed::of_root(self.seeds.get(owner).ok(), *self.started),
        };
        let running = RunningParticles::new(owner, *self.started, seed, particles);
        let mut running = match before {
            Some(before) => running.after_reload(before),
            None => running,
        };
        let vertices = self.surfaces.get(entity).map_or(0, EmissionSurface::len);
        let [_, own] = running.update_demand(vertices, self.budget.per_system);
        self.demand.0 = self.demand.0.saturating_add(own);
        let records = ParticleRecords::new(system.0.clone(), particles);
        let bounds = Aabb::from_min_max(particles.bounds.min.into(), particles.bounds.max.into());
        let mut entity = commands.entity(entity);
        entity.try_insert((running, records, bounds));
        if particles.prepared().any(is_computed) {
            entity.try_insert(ComputedParticles);
        } else {
            entity.try_remove::<ComputedParticles>();
        }
    }
}

/// Running systems whose handle may have changed.
type SystemChanged = (With<RunningParticles>, Changed<AloParticleSystem>);

/// Starts systems whose file is loaded, and restarts those whose file has changed.
pub(crate) fn start_systems(
    mut commands: Commands,
    mut events: MessageReader<AssetEvent<AloParticles>>,
    mut starter: Starter,
    waiting: Query<(Entity, &AloParticleSystem), Without<RunningParticles>>,
    changed: Query<(Entity, &AloParticleSystem, &ParticleRecords), SystemChanged>,
    running: Query<(Entity, &AloParticleSystem, &RunningParticles)>,
) {
    let reloaded: Vec<AssetId<AloParticles>> = events
        .read()
        .filter_map(|event| match event {
            AssetEvent::Modified { id } => Some(*id),
            _ => None,
        })
        .collect();
    for (entity, system) in &waiting {
        starter.start(&mut commands, entity, system, None);
    }
    for (entity, system, records) in &changed {
        if records.particles != system.0 {
            // The components are replaced, not removed: each `ParticleRecords` that is added adds a visibility class.
            starter.start(&mut commands, entity, system, None);
        }
    }
    if !reloaded.is_empty() {
        for (entity, system, before) in &running {
            if reloaded.contains(&system.0.id()) {
                starter.start(&mut commands, entity, system, Some(before));
            }
        }
    }
}

/// Removes everything of a system with its component.
pub(crate) fn on_system_removed(removed: On<Remove, AloParticleSystem>, mut commands: Commands) {
    commands
        .entity(removed.entity)
        .try_remove::<(RunningParticles, ParticleRecords, ComputedParticles, Aabb)>();
}

/// A system whose bounds may change.
type Bounded = (
    &'static mut RunningParticles,
    &'static mut ParticleRecords,
    &'static GlobalTransform,
    &'static mut Aabb,
    Option<&'static EmissionSurface>,
);

/// Updates the bounds of systems that have moved, whose particles are born on a mesh, or that have wind.
pub(crate) fn update_bounds(
    assets: Res<Assets<AloParticles>>,
    mut systems: Query<Bounded>,
    transforms: Query<&GlobalTransform>,
) {
    for (mut running, mut records, transform, mut bounds, surface) in &mut systems {
        let position = transform.translation_vec3a();
        if !running.has_strayed(position) && surface.is_none() {
            continue;
        }
        let Some(particles) = assets.get(&records.particles) else {
            continue;
        };
        let world_from_system = transform.affine();
        let mut all = particles.bounds;
        let mesh = surface.and_then(|surface| {
            let mesh = transforms.get(surface.entity).ok()?.affine();
            transformed_bounds(&(world_from_system.inverse() * mesh), &surface.bounds)
        });
        if let Some(mesh) = mesh {
            all = Aabb3d {
                min: all.min + mesh.min,
                max: all.max + mesh.max,
            };
        }
        if let Some(of_records) = records.bounds(particles, &world_from_system) {
            all = all.merge(&of_records);
        }
        let all = Aabb::from_min_max(all.min.into(), all.max.into());
        bounds.set_if_neq(all);
    }
}
