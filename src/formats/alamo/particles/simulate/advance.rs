//! Advances all particle systems by one frame, on all threads.
//!
//! What does not concern one system alone is collected, and done at the end: restarts, events and warnings.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::record::ParticleRecords;
use crate::formats::alamo::particles::simulate::control::{
    DespawnWhenFinished, ParticleBudget, ParticleDemand, ParticleEmission, ParticleGround,
    ParticleSeed, ParticleSpeed, ParticleTint, ParticlesFinished, Rank, Viewers,
};
use crate::formats::alamo::particles::simulate::instance::{Frame, RunningParticles, Wanted};
use crate::formats::alamo::particles::simulate::mesh::EmissionSurface;
use crate::formats::alamo::particles::simulate::stage::{NewBirth, Surroundings};
use crate::load::warnings::WarningLog;
use crate::root::environment::Wind;
use bevy::camera::primitives::Aabb;
use bevy::ecs::batching::BatchingStrategy;
use bevy::ecs::query::{QueryItem, ROQueryItem};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::utils::Parallel;

/// Fewer systems are advanced on one thread, because starting tasks takes longer.
const MIN_BATCH: usize = 64;

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
pub(crate) struct Environment<'w, 's> {
    assets: Res<'w, Assets<AloParticles>>,
    wind: Res<'w, Wind>,
    ground: Res<'w, ParticleGround>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    viewers: Viewers<'w, 's>,
    budget: Res<'w, ParticleBudget>,
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

/// A system that is over.
#[derive(Clone, Copy, Debug)]
struct Finished {
    /// [`RunningParticles::order`].
    order: u64,
    owner: Entity,
    despawns: bool,
}

/// What a thread collects in a frame.
#[derive(Default)]
pub(crate) struct Collected {
    /// Memory for the births of one system.
    births: Vec<NewBirth>,
    /// The systems that are due, and whose births may exceed the budget with those of all systems together.
    due: Vec<(Rank, Entity)>,
    /// The sum of the particles that the systems may have at once.
    demand: u64,
    /// The count of particles, if all systems together could already exceed the budget in the last frame.
    living: usize,
    /// The owners of systems that were restarted.
    restarted: Vec<Entity>,
    finished: Vec<Finished>,
    /// The systems whose births were dropped for the first time, with [`RunningParticles::order`].
    limited: Vec<(u64, Entity)>,
}

impl Collected {
    /// Adds what another thread has collected.
    fn append(&mut self, other: &mut Self) {
        self.due.append(&mut other.due);
        let demand = core::mem::take(&mut other.demand);
        self.demand = self.demand.saturating_add(demand);
        self.living += core::mem::take(&mut other.living);
        self.restarted.append(&mut other.restarted);
        self.finished.append(&mut other.finished);
        self.limited.append(&mut other.limited);
    }
}

/// The values that all systems share in a frame.
struct Step<'a, 'w, 's> {
    environment: &'a Environment<'w, 's>,
    /// Seconds of the frame.
    seconds: f64,
    /// The velocity of the wind.
    wind: Vec3,
    /// Whether all systems together could exceed the budget in the last frame, so that their order matters.
    was_tight: bool,
}

impl Step<'_, '_, '_> {
    /// Advances a system. If the budget may be exceeded, its births are left for later.
    fn run(
        &self,
        item: QueryItem<'_, '_, Running>,
        controls: ROQueryItem<'_, '_, Controls>,
        collected: &mut Collected,
    ) {
        let (entity, mut running, mut records, transform, visibility, surface, bounds) = item;
        let (running, records) = (&mut *running, &mut *records);
        let (emission, speed, seed, tint, despawns) = controls;
        let wanted = Wanted {
            emission: emission.copied().unwrap_or_default(),
            seed: seed.map(|seed| seed.0),
            seconds: self.seconds * speed.map_or(1.0, |speed| speed.checked()),
        };
        if running.is_as_wanted(wanted.emission) {
            running.tick(&wanted)
        } else {
            let Some(particles) = self.environment.assets.get(&records.particles) else {
                return;
            };
            running.apply(&wanted, particles, records);
            if wanted.emission == ParticleEmission::Restarting {
                collected.restarted.push(running.owner);
            }
        }
        let vertices = surface.map_or(0, EmissionSurface::len);
        let per_system = self.environment.budget.per_system;
        let [before, demand] = running.update_demand(vertices, per_system);
        collected.demand = collected.demand.saturating_add(demand);
        // A system without growth stays within its share, even if the sum of all grows beyond the budget in this frame.
        let is_left = self.was_tight || demand > before;
        records.elapsed = running.elapsed();
        let tint = tint.map_or(LinearRgba::WHITE, |tint| tint.0.into());
        if records.tint != tint {
            records.tint = tint;
        }
        let is_visible = visibility.get();
        if running.is_due(is_visible) {
            if is_left {
                let viewers = &self.environment.viewers;
                let rank = viewers.rank(bounds, &transform.affine(), running.order);
                collected.due.push((rank, entity));
            } else {
                let births = &mut collected.births;
                if self.advance(running, records, transform, surface, births, per_system)
                    && running.is_first_warning()
                {
                    collected.limited.push((running.order, entity));
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
        if self.was_tight
            && let Some(particles) = self.environment.assets.get(&records.particles)
        {
            collected.living += running.remove_dead(particles, records);
        }
        if running.take_finished(records) {
            collected.finished.push(Finished {
                order: running.order,
                owner: running.owner,
                despawns,
            });
        }
    }

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
        let environment = self.environment;
        let Some(particles) = environment.assets.get(&records.particles) else {
            return false;
        };
        let world_from_system = transform.affine();
        if !world_from_system.is_finite() {
            return false;
        }
        let mesh = surface.and_then(|surface| {
            let transform = environment.transforms.get(surface.entity).ok()?;
            Some((surface, transform.affine()))
        });
        let position = Vec3::from(world_from_system.translation);
        let count = running.remove_some_dead(particles, records, limit);
        let frame = Frame {
            particles,
            surroundings: Surroundings {
                world_from_system,
                wind: self.wind,
                ground: environment.ground.height(position),
                world_from_mesh: mesh.map(|(_, transform)| transform),
            },
            mesh: mesh.map(|(surface, _)| &*surface.mesh),
            room: limit.saturating_sub(count),
        };
        running.advance(&frame, records, births)
    }
}

/// What each thread collects, and all of it.
type Buffers<'s> = (Local<'s, Parallel<Collected>>, Local<'s, Collected>);

/// Advances all systems by one frame.
pub(crate) fn simulate(
    mut commands: Commands,
    time: Res<Time<Virtual>>,
    mut demand: ResMut<ParticleDemand>,
    environment: Environment,
    (mut systems, mut controls): (Query<Running>, Query<Controls>),
    mut log: ResMut<WarningLog>,
    (mut threads, mut collected): Buffers,
) {
    let step = Step {
        environment: &environment,
        seconds: time.delta_secs_f64(),
        wind: environment.wind.velocity(),
        was_tight: demand.0 > environment.budget.total as u64,
    };
    let run = |collected: &mut Collected, item: QueryItem<Running>| {
        if let Ok(controls) = controls.get(item.1.owner) {
            step.run(item, controls, collected);
        }
    };
    if systems.iter().len() < MIN_BATCH {
        for item in &mut systems {
            run(&mut collected, item);
        }
    } else {
        let strategy = BatchingStrategy::new().min_batch_size(MIN_BATCH);
        let tasks = systems.par_iter_mut().batching_strategy(strategy);
        tasks.for_each_init(
            || threads.borrow_local_mut(),
            |collected, item| run(collected, item),
        );
        for other in threads.iter_mut() {
            collected.append(other);
        }
    }
    demand.0 = core::mem::take(&mut collected.demand);
    let is_tight = demand.0 > environment.budget.total as u64;
    if is_tight && !step.was_tight {
        collected.living = environment.remove_dead(&mut systems);
    }
    let is_tight = is_tight || step.was_tight;
    let queries = (&mut systems, &controls);
    advance_by_rank(&step, queries, is_tight, &mut collected, &mut log);
    for owner in collected.restarted.drain(..) {
        if let Ok((Some(mut emission), ..)) = controls.get_mut(owner) {
            *emission = ParticleEmission::Playing;
        }
    }
    // In the order of their creation, whatever the threads.
    collected.limited.sort_unstable();
    for (_, entity) in collected.limited.drain(..) {
        if let Ok((_, _, records, ..)) = systems.get(entity) {
            warn_limited(&mut log, records, environment.budget.per_system);
        }
    }
    collected.finished.sort_unstable_by_key(|it| it.order);
    for Finished {
        owner, despawns, ..
    } in collected.finished.drain(..)
    {
        commands.trigger(ParticlesFinished { entity: owner });
        if despawns {
            commands.entity(owner).try_despawn();
        }
    }
}

/// Adds the births that were left. If all systems together may exceed the budget, first those of the systems that are the
/// largest on the screen.
fn advance_by_rank(
    step: &Step,
    (systems, controls): (&mut Query<Running>, &Query<Controls>),
    is_tight: bool,
    collected: &mut Collected,
    log: &mut WarningLog,
) {
    let budget = &step.environment.budget;
    let mut living = core::mem::take(&mut collected.living);
    collected.due.sort_unstable();
    for (_, entity) in collected.due.drain(..) {
        let Ok((_, mut running, mut records, transform, _, surface, _)) = systems.get_mut(entity)
        else {
            continue;
        };
        let (running, records) = (&mut *running, &mut *records);
        let count = count(records);
        let limit = if is_tight {
            count + budget.total.saturating_sub(living)
        } else {
            usize::MAX
        };
        let limit = limit.min(budget.per_system);
        let births = &mut collected.births;
        if step.advance(running, records, transform, surface, births, limit)
            && running.is_first_warning()
        {
            if limit < budget.per_system {
                warn_budget(log, budget.total);
            } else {
                collected.limited.push((running.order, entity));
            }
        }
        living += self::count(records).saturating_sub(count);
        if running.take_finished(records) {
            collected.finished.push(Finished {
                order: running.order,
                owner: running.owner,
                despawns: controls.get(running.owner).is_ok_and(|controls| controls.4),
            });
        }
    }
}

/// The count of particles, of which some may be dead.
fn count(records: &ParticleRecords) -> usize {
    let counts = records.emitters.iter().map(|records| records.len());
    counts.sum()
}

/// Warns that births are dropped, once for all systems together.
fn warn_budget(log: &mut WarningLog, total: usize) {
    let message =
        format!("allows {total} particles of all systems together; further births are dropped");
    log.warn_once(None, "`ParticleBudget::total`", &message);
}

/// Warns that births are dropped, once for each file.
fn warn_limited(log: &mut WarningLog, records: &ParticleRecords, limit: usize) {
    let path = records.particles.path();
    let path = path.map(|path| path.without_label().to_string());
    let name = path.as_deref().unwrap_or("a particle system");
    let message = format!(
        "has more than {limit} particles, which is `ParticleBudget::per_system`; further births are dropped"
    );
    log.warn_once(Some(records.particles.id().untyped()), name, &message);
}
