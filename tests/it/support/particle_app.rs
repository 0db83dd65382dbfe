//! Particle systems in an app without a GPU, with a camera that sees them.

use crate::gpuless;
use crate::support::prelude::*;
use bevy::camera::Camera3d;
use bevy_classic_models::alamo::ParticlesFinished;
use classic_models_fixtures::particles::bytes;
pub use classic_models_fixtures::particles::{burst, stream};

/// The roots that were sent a [`ParticlesFinished`], in order.
#[derive(Resource, Default)]
pub struct Finished(pub Vec<Entity>);

pub struct ParticleApp {
    pub app: TestApp,
    pub camera: Entity,
}

impl ParticleApp {
    /// An app with the file `p_test.alo`.
    pub fn new(emitters: Vec<Emitter<'static>>) -> Self {
        Self::with_files(&[("p_test.alo", bytes(emitters))])
    }

    pub fn with_files(files: &[(&str, Vec<u8>)]) -> Self {
        let mut app = TestApp::new(files);
        let world = app.world();
        world.init_resource::<Finished>();
        world.add_observer(
            |finished: On<ParticlesFinished>, mut all: ResMut<Finished>| {
                all.0.push(finished.entity);
            },
        );
        let transform = Transform::from_xyz(0.0, 0.0, 100.0);
        let camera = world.spawn((Camera3d::default(), transform)).id();
        Self { app, camera }
    }

    pub fn world(&mut self) -> &mut World {
        self.app.world()
    }

    /// Runs frames of `seconds` each.
    /// Steps have any length from now on: Bevy limits them to a quarter of a second, and runs `FixedUpdate` 64 times for each
    /// second.
    pub fn allow_long_steps(&mut self) {
        let world = self.app.world();
        let mut time = world.resource_mut::<Time<Virtual>>();
        time.set_max_delta(Duration::MAX);
        world.insert_resource(Time::<Fixed>::from_seconds(1e6));
    }

    pub fn run(&mut self, frames: u32, seconds: f32) {
        for _ in 0..frames {
            self.app.step(seconds);
        }
    }

    /// Spawns the scene of a file, and waits until its system runs. No time passes.
    pub fn spawn(&mut self, path: &'static str, bundle: impl Bundle) -> Entity {
        let root = self.app.spawn(path, bundle);
        self.wait_for_system(root);
        root
    }

    pub fn spawn_test(&mut self, bundle: impl Bundle) -> Entity {
        self.spawn("p_test.alo#Scene", bundle)
    }

    pub fn wait_for_system(&mut self, root: Entity) {
        let runs = gpuless::wait_until(&mut self.app.app, |world| {
            !systems_below(world, root).is_empty()
        });
        assert!(runs, "no particle system runs");
    }

    /// The entity of the only particle system below a root, or of the root itself.
    #[track_caller]
    pub fn system(&mut self, root: Entity) -> Entity {
        let systems = systems_below(self.world(), root);
        assert_eq!(systems.len(), 1, "particle systems");
        systems[0]
    }

    #[track_caller]
    pub fn records(&mut self, root: Entity) -> &ParticleRecords {
        let system = self.system(root);
        self.world().get::<ParticleRecords>(system).unwrap()
    }

    pub fn particles(&mut self, root: Entity) -> AloParticles {
        let system = self.system(root);
        let handle = self
            .world()
            .get::<AloParticleSystem>(system)
            .unwrap()
            .0
            .clone();
        let assets = self.world().resource::<Assets<AloParticles>>();
        assets.get(&handle).unwrap().clone()
    }

    /// The records of the living particles of an emitter, and their ages.
    #[track_caller]
    pub fn living(&mut self, root: Entity, emitter: usize) -> Vec<(BirthRecord, f64)> {
        let particles = self.particles(root);
        let prepared = particles.prepared_emitter(emitter).unwrap();
        let records = self.records(root).emitters.iter();
        let records = records.filter(|records| records.emitter() == emitter);
        let living = records.flat_map(|records: &EmitterRecords| {
            let ages = records
                .records()
                .map(|record| (*record, records.age(record)));
            ages.filter(|(record, age)| prepared.is_alive(record, *age))
        });
        living.collect()
    }

    /// The count of living particles of all emitters.
    #[track_caller]
    pub fn count(&mut self, root: Entity) -> usize {
        let emitters = self.particles(root).emitters.len();
        (0..emitters)
            .map(|emitter| self.living(root, emitter).len())
            .sum()
    }

    /// The positions of the living particles of an emitter in the world, in the order of birth.
    #[track_caller]
    pub fn positions(&mut self, root: Entity, emitter: usize) -> Vec<Vec3> {
        let particles = self.particles(root);
        let prepared = particles.prepared_emitter(emitter).unwrap();
        let system = self.system(root);
        let transform = *self.world().get::<GlobalTransform>(system).unwrap();
        let records = self.records(root).emitters.iter();
        let records = records.filter(|records| records.emitter() == emitter);
        let drawn = records.flat_map(|records| records.drawn(prepared));
        let positions = drawn.map(|particle| {
            let position = Vec3::from(particle.motion.position);
            match prepared.is_linked {
                true => transform.transform_point(position),
                false => position,
            }
        });
        positions.collect()
    }

    /// How often a root was sent a [`ParticlesFinished`].
    pub fn finished(&mut self, root: Entity) -> usize {
        let all = &self.world().resource::<Finished>().0;
        all.iter().filter(|entity| **entity == root).count()
    }
}

impl TestWorld for ParticleApp {
    fn app(&self) -> &App {
        &self.app.app
    }

    fn app_mut(&mut self) -> &mut App {
        &mut self.app.app
    }
}

/// The entities below a root that have particles.
fn systems_below(world: &mut World, root: Entity) -> Vec<Entity> {
    let mut systems = world.query_filtered::<Entity, With<ParticleRecords>>();
    let systems: Vec<Entity> = systems.iter(world).collect();
    let is_below = |entity: &Entity| {
        let parent = |entity: &Entity| world.get::<ChildOf>(*entity).map(ChildOf::parent);
        core::iter::successors(Some(*entity), parent).any(|ancestor| ancestor == root)
    };
    systems.into_iter().filter(is_below).collect()
}
