//! Drawing of many particle systems: draws, memory, and the CPU time of the render world.
//!
//! The app renders to a small image. The times are those that the systems add to an app without any.

use crate::{BUDGET, CROWD_LIMIT, FRAMES, STEP, particle_file, stream, verdict};
use bevy::prelude::*;
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy_classic_models::alamo::particles::evaluate::BirthRecord;
use bevy_classic_models::alamo::{
    AloParticleSystem, AloParticles, EmitterRecords, ParticleRecords, ParticleStatistics,
};
use classic_models_support::bench_models::median;
use classic_models_support::headless::{self, Headless};
use std::path::Path;
use std::time::Instant;

/// Frames before a measurement. After a second, as many particles die as are born.
const WARM_UP: usize = 75;

/// The parts of a frame that are measured.
const PARTS: [&str; 3] = ["extract", "queue", "prepare"];

/// The begins and ends of the parts in the last frame.
#[derive(Resource, Default)]
struct Stamps([Option<Instant>; 6]);

fn stamp<const INDEX: usize>(mut stamps: ResMut<Stamps>) {
    stamps.0[INDEX] = Some(Instant::now());
}

/// Measures systems of two emitters each.
pub fn measure(count: usize) {
    let mut stage = stage();
    let without = parts(&mut stage);
    let server = stage.app.world().resource::<AssetServer>().clone();
    let file: Handle<AloParticles> = server.load("p_bench.alo#Particles");
    stage.wait_until("the file is loaded", |_| {
        server.is_loaded_with_dependencies(&file)
    });
    let systems = (0..count).map(|index| {
        let side = (count as f32).sqrt().ceil();
        let (column, row) = (index as f32 % side, (index as f32 / side).floor());
        let place = Vec3::new(column - 0.5 * side, row - 0.5 * side, 0.0) * 4.0;
        let transform = Transform::from_translation(place);
        (AloParticleSystem(file.clone()), transform)
    });
    let world = stage.app.world_mut();
    world.spawn_batch(systems.collect::<Vec<_>>());
    let with = parts(&mut stage);
    println!("{count} systems of two emitters in view of one camera");
    let render_world = stage.app.sub_app(RenderApp).world();
    let statistics = *render_world.resource::<ParticleStatistics>();
    print_draws(&statistics, 2 * count);
    print_memory(&mut stage.app, &statistics);
    let added: Vec<f64> = with.iter().zip(without).map(|(a, b)| a - b).collect();
    for (name, time) in PARTS.iter().zip(&added) {
        println!("  {name:20} {time:10.1} µs more than without systems");
    }
    let sum = added.iter().sum();
    println!(
        "  all three            {sum:10.1} µs: {}",
        verdict(sum, CROWD_LIMIT)
    );
}

fn stage() -> Headless {
    let mut app = App::new();
    particle_file(&mut app, vec![stream(60, 1.0), stream(60, 1.0)]);
    app.add_plugins(headless::plugins(Path::new("unused"), false))
        .add_plugins(bevy_classic_models::ClassicModelsPlugins)
        .insert_resource(BUDGET);
    let render_app = app.sub_app_mut(RenderApp);
    render_app.init_resource::<Stamps>().add_systems(
        Render,
        (
            stamp::<2>
                .after(RenderSystems::PrepareViews)
                .before(RenderSystems::Queue),
            stamp::<3>
                .after(RenderSystems::Queue)
                .before(RenderSystems::PhaseSort),
            stamp::<4>
                .after(RenderSystems::PrepareResources)
                .before(RenderSystems::PrepareBindGroups),
            stamp::<5>
                .after(RenderSystems::PrepareBindGroups)
                .before(RenderSystems::Render),
        ),
    );
    let mut extract = render_app.take_extract().expect("Bevy extracts");
    render_app.set_extract(move |main, render| {
        let begin = Instant::now();
        extract(main, render);
        let end = Instant::now();
        let mut stamps = render.resource_mut::<Stamps>();
        (stamps.0[0], stamps.0[1]) = (Some(begin), Some(end));
    });
    let mut stage = Headless::start(app, UVec2::splat(64));
    let target = stage.render_target();
    let camera = Transform::from_xyz(0.0, 0.0, 300.0).looking_at(Vec3::ZERO, Vec3::Y);
    let world = stage.app.world_mut();
    world.spawn((Camera3d::default(), target, camera));
    stage
}

/// The median time of each part of a frame, in microseconds.
fn parts(stage: &mut Headless) -> [f64; 3] {
    for _ in 0..WARM_UP {
        stage.step(STEP);
    }
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..FRAMES {
        stage.step(STEP);
        let stamps = stage.app.sub_app(RenderApp).world().resource::<Stamps>();
        let (pairs, _) = stamps.0.as_chunks::<2>();
        for (times, pair) in times.iter_mut().zip(pairs) {
            let [Some(begin), Some(end)] = pair else {
                panic!("a part of the frame did not run");
            };
            times.push((*end - *begin).as_secs_f64() * 1e6);
        }
    }
    times.map(median)
}

fn print_draws(statistics: &ParticleStatistics, limit: usize) {
    let draws = statistics.draws;
    println!(
        "  draws                {draws:10}: {}",
        verdict(draws as f64, limit as f64)
    );
}

/// Prints the memory of the records by the capacities of their buffers, and that of the GPU's buffers.
fn print_memory(app: &mut App, statistics: &ParticleStatistics) {
    let mut systems = app.world_mut().query::<&ParticleRecords>();
    let (mut records, mut slots, mut bytes) = (0, 0, 0);
    for system in systems.iter(app.world()) {
        bytes += size_of::<ParticleRecords>();
        bytes += system.emitters.capacity() * size_of::<EmitterRecords>();
        for emitter in &system.emitters {
            records += emitter.len();
            slots += emitter.capacity();
        }
    }
    let slot = size_of::<BirthRecord>();
    bytes += slots * slot;
    let each = |bytes: f64| bytes / records as f64;
    let (cpu, gpu) = (each(bytes as f64), each(statistics.buffer_bytes as f64));
    println!("  records              {records:10} in {slots} slots of {slot} bytes");
    println!("  memory of the CPU    {cpu:10.1} bytes per record");
    println!(
        "  memory of the GPU    {gpu:10.1} bytes per record, and {} unused bytes",
        statistics.spare_bytes
    );
}
