//! The systems that start and advance particle systems.

use crate::alamo::billboard::AloSceneRoot;
use crate::alamo::particles::asset::AloParticles;
use crate::alamo::particles::components::AloParticleSystem;
use crate::alamo::particles::record::ParticleRecords;
use crate::alamo::particles::simulate::budget::{ParticleDemand, Rank, Viewers};
use crate::alamo::particles::simulate::control::{
    DespawnWhenFinished, ParticleEmission, ParticleSeed, ParticleSpeed, ParticleTint,
    ParticlesFinished,
};
use crate::alamo::particles::simulate::environment::{ParticleBudget, ParticleGround};
use crate::alamo::particles::simulate::instance::{Frame, RunningParticles, Wanted};
use crate::alamo::particles::simulate::mesh::EmissionSurface;
use crate::alamo::particles::simulate::proxies::OfProxy;
use crate::alamo::particles::simulate::stage::{NewBirth, Surroundings};
use crate::scene::{RandomSeed, WarningLog, Wind, transformed_bounds};
use bevy::asset::{AssetEvent, AssetId, Assets};
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::ViewVisibility;
use bevy::color::LinearRgba;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::message::MessageReader;
use bevy::ecs::observer::On;
use bevy::ecs::query::{Changed, Has, With, Without};
use bevy::ecs::system::{Commands, Local, Query, Res, ResMut, SystemParam};
use bevy::math::Vec3;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::time::{Time, Virtual};
use bevy::transform::components::GlobalTransform;

/// Starts particle systems whose file was loaded or has changed.
#[derive(SystemParam)]
pub(super) struct Starter<'w, 's> {
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
            Err(_) => RandomSeed::of_root(owner, self.seeds.get(owner).ok()),
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
        commands
            .entity(entity)
            .try_insert((running, records, bounds));
    }
}

/// Running systems whose handle may have changed.
type SystemChanged = (With<RunningParticles>, Changed<AloParticleSystem>);

/// Starts systems whose file is loaded, and restarts those whose file has changed.
pub(super) fn start_systems(
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
pub(super) fn on_system_removed(removed: On<Remove, AloParticleSystem>, mut commands: Commands) {
    commands
        .entity(removed.entity)
        .try_remove::<(RunningParticles, ParticleRecords, Aabb)>();
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
pub(super) fn update_bounds(
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

/// The components on the owner of a system.
type Controls = (
    Option<&'static mut ParticleEmission>,
    Option<&'static ParticleSpeed>,
    Option<&'static ParticleSeed>,
    Option<&'static ParticleTint>,
    Has<DespawnWhenFinished>,
);

/// The components of a running system.
type Running = (
    Entity,
    &'static mut RunningParticles,
    &'static mut ParticleRecords,
    &'static GlobalTransform,
    &'static ViewVisibility,
    Option<&'static EmissionSurface>,
    &'static Aabb,
);

/// What surrounds all systems.
#[derive(SystemParam)]
pub(super) struct Environment<'w, 's> {
    assets: Res<'w, Assets<AloParticles>>,
    wind: Res<'w, Wind>,
    ground: Res<'w, ParticleGround>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
}

impl Environment<'_, '_> {
    /// Adds the births of a system that are due. Returns whether some were dropped.
    fn advance(
        &self,
        running: &mut RunningParticles,
        records: &mut ParticleRecords,
        transform: &GlobalTransform,
        surface: Option<&EmissionSurface>,
        births: &mut Vec<NewBirth>,
        limit: usize,
    ) -> bool {
        let Some(particles) = self.assets.get(&records.particles) else {
            return false;
        };
        let world_from_system = transform.affine();
        if !world_from_system.is_finite() {
            return false;
        }
        let mesh = surface.and_then(|surface| {
            let transform = self.transforms.get(surface.entity).ok()?;
            Some((surface, transform.affine()))
        });
        let position = Vec3::from(world_from_system.translation);
        let count = running.remove_dead(particles, records);
        let frame = Frame {
            particles,
            surroundings: Surroundings {
                world_from_system,
                wind: self.wind.velocity(),
                ground: self.ground.height(position),
                world_from_mesh: mesh.map(|(_, transform)| transform),
            },
            mesh: mesh.map(|(surface, _)| &*surface.mesh),
            room: limit.saturating_sub(count),
        };
        running.advance(&frame, records, births)
    }
}

impl Environment<'_, '_> {
    /// Removes the dead particles of all systems, and returns the count of the others.
    fn remove_dead(&self, systems: &mut Query<Running>) -> usize {
        let mut count = 0;
        for (_, mut running, mut records, ..) in systems {
            if let Some(particles) = self.assets.get(&records.particles) {
                count += running.remove_dead(particles, &mut records);
            }
        }
        count
    }
}

/// Memory that is used again in each frame: births, and the systems that are due.
type Buffers<'s> = (Local<'s, Vec<NewBirth>>, Local<'s, Vec<(Rank, Entity)>>);

/// Advances all systems by one frame.
pub(super) fn simulate(
    mut commands: Commands,
    time: Res<Time<Virtual>>,
    (budget, mut demand): (Res<ParticleBudget>, ResMut<ParticleDemand>),
    (environment, viewers): (Environment, Viewers),
    (mut systems, mut controls): (Query<Running>, Query<Controls>),
    mut log: ResMut<WarningLog>,
    (mut births, mut due): Buffers,
) {
    let seconds = time.delta_secs_f64();
    // If all systems together cannot exceed the budget, their order does not matter.
    let was_tight = demand.0 > budget.total as u64;
    let mut is_tight = was_tight;
    let mut all = 0_u64;
    let mut living = 0;
    due.clear();
    for (entity, mut running, mut records, transform, visibility, surface, bounds) in &mut systems {
        let (running, records) = (&mut *running, &mut *records);
        let Ok((emission, speed, seed, tint, despawns)) = controls.get_mut(running.owner) else {
            continue;
        };
        let wanted = Wanted {
            emission: emission.as_deref().copied().unwrap_or_default(),
            seed: seed.map(|seed| seed.0),
            seconds: seconds * speed.map_or(1.0, |speed| speed.checked()),
        };
        match running.is_as_wanted(wanted.emission) {
            true => running.tick(&wanted),
            false => {
                let Some(particles) = environment.assets.get(&records.particles) else {
                    continue;
                };
                running.apply(&wanted, particles, records);
                if let Some(mut emission) = emission
                    && *emission == ParticleEmission::Restarting
                {
                    *emission = ParticleEmission::Playing;
                }
            }
        }
        let vertices = surface.map_or(0, EmissionSurface::len);
        let [before, own] = running.update_demand(vertices, budget.per_system);
        all = all.saturating_add(own);
        // If the sum grows beyond the budget in this frame, the systems before this one have stayed within their share.
        demand.0 = demand.0.saturating_sub(before).saturating_add(own);
        is_tight |= demand.0 > budget.total as u64;
        records.elapsed = running.elapsed();
        let tint = tint.map_or(LinearRgba::WHITE, |tint| tint.0.into());
        if records.tint != tint {
            records.tint = tint;
        }
        let is_visible = visibility.get();
        if running.is_due(is_visible) {
            if is_tight {
                let rank = viewers.rank(bounds, &transform.affine(), running.order);
                due.push((rank, entity));
            } else {
                let limit = budget.per_system;
                if environment.advance(running, records, transform, surface, &mut births, limit) {
                    warn_limited(&mut log, running, records, &budget, limit);
                }
            }
        } else if is_visible {
            running.note_position(transform.translation_vec3a());
        } else {
            running.forget_position();
        }
        if is_visible {
            running.update_times(records);
        }
        if is_tight && let Some(particles) = environment.assets.get(&records.particles) {
            living += running.remove_dead(particles, records);
        }
        if running.take_finished(records) {
            finish(&mut commands, running.owner, despawns);
        }
    }
    demand.0 = all;
    if is_tight && !was_tight {
        living = environment.remove_dead(&mut systems);
    }
    due.sort_unstable();
    for (_, entity) in due.iter() {
        let Ok((_, mut running, mut records, transform, _, surface, _)) = systems.get_mut(*entity)
        else {
            continue;
        };
        let (running, records) = (&mut *running, &mut *records);
        let count = count(records);
        let limit = budget
            .per_system
            .min(count + budget.total.saturating_sub(living));
        if environment.advance(running, records, transform, surface, &mut births, limit) {
            warn_limited(&mut log, running, records, &budget, limit);
        }
        living += self::count(records).saturating_sub(count);
        if running.take_finished(records) {
            let despawns = controls.get(running.owner).is_ok_and(|controls| controls.4);
            finish(&mut commands, running.owner, despawns);
        }
    }
}

/// The count of particles, of which some may be dead.
fn count(records: &ParticleRecords) -> usize {
    let counts = records.emitters.iter().map(|records| records.len());
    counts.sum()
}

fn finish(commands: &mut Commands, owner: Entity, despawns: bool) {
    commands.trigger(ParticlesFinished { entity: owner });
    if despawns {
        commands.entity(owner).try_despawn();
    }
}

/// Warns that births are dropped, once for each file, and once for all systems together.
fn warn_limited(
    log: &mut WarningLog,
    running: &mut RunningParticles,
    records: &ParticleRecords,
    budget: &ParticleBudget,
    limit: usize,
) {
    if core::mem::replace(&mut running.is_warned, true) {
        return;
    }
    if limit < budget.per_system {
        let total = budget.total;
        let message =
            format!("allows {total} particles of all systems together; further births are dropped");
        return log.warn_once(None, "`ParticleBudget::total`", &message);
    }
    let path = records.particles.path();
    let path = path.map(|path| path.without_label().to_string());
    let name = path.as_deref().unwrap_or("a particle system");
    let limit = budget.per_system;
    let message = format!(
        "has more than {limit} particles, which is `ParticleBudget::per_system`; further births are dropped"
    );
    log.warn_once(Some(records.particles.id().untyped()), name, &message);
}
