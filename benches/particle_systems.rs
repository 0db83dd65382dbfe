//! Measures the CPU time of running particle systems: births, idle systems, and many living particles. The last
//! measurement draws them, and needs an adapter, which may be a software one.
//!
//! Each result is compared with a limit. The baseline, measured in the same run, is the same count of entities with the
//! same bounds, which Bevy culls alike.
//!
//! `cargo bench --bench particle_systems -- 0.01` runs with 1 % of the systems.

#[path = "support/particle_draws.rs"]
mod particle_draws;

use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::camera::Camera3d;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::VisibilityClass;
use bevy::prelude::*;
use bevy_classic_models::alamo::particles::write::write;
use bevy_classic_models::alamo::particles::{Emitter, ParticleFile, Properties, Shape};
use bevy_classic_models::alamo::{
    AloParticleSystem, AloParticles, ParticleBudget, ParticleEmission, ParticleRecords,
};
use bevy_classic_models::prelude::*;
use classic_models_support::bench_models::median;
use classic_models_support::gpuless;
use std::path::Path;
use std::time::Instant;

const FRAMES: usize = 60;

/// Seconds between frames.
const STEP: f32 = 1.0 / 60.0;

/// Maximum nanoseconds per birth, with its record.
const BIRTH_LIMIT: f64 = 60.0;

/// Maximum nanoseconds per idle emitter instance and frame.
const IDLE_LIMIT: f64 = 100.0;

/// Maximum microseconds per frame for the scene with many particles, and for drawing it.
const CROWD_LIMIT: f64 = 500.0;

/// No births are dropped.
const BUDGET: ParticleBudget = ParticleBudget {
    total: 10_000_000,
    per_system: 65_536,
};

const IDLE_SYSTEMS: usize = 10_000;
const BIRTH_SYSTEMS: usize = 100;
/// Each has two emitters.
const CROWD_SYSTEMS: usize = 1_000;

fn main() {
    let mut arguments = std::env::args().filter_map(|text| text.parse::<f64>().ok());
    let share = arguments.next().unwrap_or(1.0);
    let count = |full: usize| ((full as f64 * share) as usize).max(1);
    measure_births(count(BIRTH_SYSTEMS));
    measure_idle(count(IDLE_SYSTEMS));
    measure_crowd(count(CROWD_SYSTEMS));
    particle_draws::measure(count(CROWD_SYSTEMS));
}

fn emitter(properties: Properties) -> Emitter<'static> {
    let mut emitter = Emitter::new("emitter");
    emitter.properties = properties;
    emitter.velocity = Shape::Sphere {
        radius: 2.0,
        surface: true,
    }
    .into();
    emitter.position = Shape::Sphere {
        radius: 1.0,
        surface: false,
    }
    .into();
    emitter
}

fn stream(rate: u32, lifetime: f32) -> Emitter<'static> {
    emitter(Properties {
        particles_per_second: rate,
        lifetime,
        outward_speed: 1.0,
        random_lifetime: 0.25,
        random_scale: 0.5,
        random_rotation_direction: true,
        ..Properties::default()
    })
}

/// Adds an asset source with the file `p_bench.alo`, a particle system of these emitters.
fn particle_file(app: &mut App, emitters: Vec<Emitter<'static>>) {
    let mut file = ParticleFile::new("p_bench");
    file.emitters = emitters;
    for (index, emitter) in (0..).zip(&mut file.emitters) {
        emitter.properties.index = index;
    }
    let root = Dir::default();
    root.insert_asset(Path::new("p_bench.alo"), write(&file).unwrap());
    let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
        Box::new(MemoryAssetReader { root: root.clone() })
    };
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
}

/// An app with a camera and a particle system of these emitters.
fn app(emitters: Vec<Emitter<'static>>) -> (App, Handle<AloParticles>) {
    let mut app = App::new();
    particle_file(&mut app, emitters);
    app.add_plugins(gpuless::plugins(Path::new("unused"), false))
        .add_plugins(ClassicModelsPlugins)
        .insert_resource(BUDGET);
    gpuless::finish(&mut app);
    let camera = Transform::from_xyz(0.0, 0.0, 50.0);
    app.world_mut().spawn((Camera3d::default(), camera));
    let server = app.world().resource::<AssetServer>().clone();
    let system: Handle<AloParticles> = server.load("p_bench.alo#Particles");
    let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&system);
    assert!(gpuless::wait_until(&mut app, is_loaded), "did not load");
    (app, system)
}

fn spawn(app: &mut App, system: &Handle<AloParticles>, count: usize) {
    let systems =
        (0..count).map(|_| (AloParticleSystem(system.clone()), ParticleEmission::Playing));
    app.world_mut().spawn_batch(systems.collect::<Vec<_>>());
    gpuless::step(app, STEP);
}

/// The median duration of a frame, in microseconds.
fn median_frame(app: &mut App) -> f64 {
    for _ in 0..5 {
        gpuless::step(app, STEP);
    }
    let times = (0..FRAMES).map(|_| {
        let start = Instant::now();
        gpuless::step(app, STEP);
        start.elapsed().as_secs_f64() * 1e6
    });
    median(times.collect())
}

/// The median duration of a frame with entities that are culled alike, in microseconds.
fn baseline(count: usize) -> f64 {
    let (mut app, _) = app(vec![stream(1, 1.0)]);
    let bounds = Aabb::from_min_max(Vec3::NEG_ONE, Vec3::ONE);
    let entity = |_| {
        let mut class = VisibilityClass::default();
        class.push(core::any::TypeId::of::<ParticleRecords>());
        (Transform::IDENTITY, Visibility::Inherited, class, bounds)
    };
    let entities = (0..count).map(entity);
    app.world_mut().spawn_batch(entities.collect::<Vec<_>>());
    median_frame(&mut app)
}

fn living(app: &mut App) -> usize {
    let mut systems = app.world_mut().query::<&ParticleRecords>();
    let systems = systems.iter(app.world());
    let records = systems.flat_map(|records| &records.emitters);
    records.map(|records| records.len()).sum()
}

fn pause(app: &mut App) {
    let mut systems = app.world_mut().query::<&mut ParticleEmission>();
    for mut emission in systems.iter_mut(app.world_mut()) {
        *emission = ParticleEmission::Paused;
    }
}

/// Text that says how a value compares with its limit.
fn verdict(value: f64, limit: f64) -> String {
    let ratio = value / limit;
    match value <= limit {
        true => format!("{ratio:.2} of the limit {limit}"),
        false => format!("{ratio:.2} times the limit {limit}, ABOVE THE LIMIT"),
    }
}

fn measure_births(count: usize) {
    const RATE: u32 = 6_000;
    let (mut app, system) = app(vec![stream(RATE, 0.5)]);
    spawn(&mut app, &system, count);
    for _ in 0..60 {
        gpuless::step(&mut app, STEP);
    }
    let with = median_frame(&mut app);
    let particles = living(&mut app);
    pause(&mut app);
    let without = median_frame(&mut app);
    let births = f64::from(RATE) * f64::from(STEP) * count as f64;
    let each = (with - without) * 1e3 / births;
    println!("{births:.0} births per frame of {count} emitters, {particles} records");
    println!("  a frame              {with:10.1} µs");
    println!("  without births       {without:10.1} µs");
    println!(
        "  per birth            {each:10.1} ns: {}",
        verdict(each, BIRTH_LIMIT)
    );
    println!();
}

fn measure_idle(count: usize) {
    let idle = emitter(Properties {
        in_bursts: true,
        bursts: 1,
        lifetime: 1e6,
        ..Properties::default()
    });
    let (mut app, system) = app(vec![idle]);
    spawn(&mut app, &system, count);
    let with = median_frame(&mut app);
    assert_eq!(living(&mut app), count);
    let without = baseline(count);
    let each = (with - without) * 1e3 / count as f64;
    println!("{count} idle emitter instances with a living particle");
    println!("  a frame              {with:10.1} µs");
    println!("  other entities       {without:10.1} µs");
    println!(
        "  per instance         {each:10.1} ns: {}\n",
        verdict(each, IDLE_LIMIT)
    );
}

fn measure_crowd(count: usize) {
    let (mut app, system) = app(vec![stream(60, 1.0), stream(60, 1.0)]);
    spawn(&mut app, &system, count);
    for _ in 0..70 {
        gpuless::step(&mut app, STEP);
    }
    let with = median_frame(&mut app);
    let particles = living(&mut app);
    let without = baseline(count);
    let added = with - without;
    println!("{particles} records in {} emitter instances", 2 * count);
    println!("  a frame              {with:10.1} µs");
    println!("  other entities       {without:10.1} µs");
    println!(
        "  all systems          {added:10.1} µs: {}\n",
        verdict(added, CROWD_LIMIT)
    );
}
