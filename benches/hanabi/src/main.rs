//! Compares the CPU time of 2,000 particle systems with that of `bevy_hanabi`, on the same adapter.
//!
//! The effect is one that both can express: 50 births per second from a ball, a life of one second, a velocity away
//! from the center, constant acceleration, and tracks of color and size. Each crate runs in an app of its own, which
//! renders to a small image. The time of an app with no effects is subtracted.
//!
//! `cargo run --release --manifest-path benches/hanabi/Cargo.toml -- 0.1` runs with a tenth of the systems. With the
//! argument `no-driver`, nothing is drawn: a software driver computes for so long between two frames that the measured threads
//! find nothing in the processor's caches.

mod cpu_time;
mod no_driver;

use bevy::app::PluginGroupBuilder;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::error_handler::RenderErrorHandler;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::RenderDevice;
use bevy_classic_models::alamo::particles::write::write;
use bevy_classic_models::alamo::particles::{Emitter, ParticleFile, Properties, Shape};
use bevy_classic_models::alamo::{
    AloParticleSystem, AloParticles, ParticleBudget, ParticleRecords, ParticleStatistics,
};
use bevy_classic_models::prelude::*;
use bevy_hanabi::prelude::{
    AccelModifier, Attribute, ColorOverLifetimeModifier, EffectAsset, ExprWriter, HanabiPlugin,
    ParticleEffect, SetAttributeModifier, SetPositionSphereModifier, SetVelocitySphereModifier,
    ShapeDimension, SizeOverLifetimeModifier, SpawnerSettings,
};
use classic_models_support::bench_models::median;
use classic_models_support::headless::{self, Headless};
use std::path::Path;

const SYSTEMS: usize = 2_000;
/// Births per second of a system.
const RATE: u32 = 50;
/// Seconds between frames.
const STEP: f32 = 1.0 / 60.0;
/// Frames before the measurement. After a second, as many particles die as are born.
const WARM_UP: usize = 75;
const FRAMES: usize = 40;
/// The same without a driver.
const FRAMES_WITHOUT_DRIVER: usize = 400;
/// The largest share of the compared crate's time.
const LIMIT: f64 = 0.25;

fn main() {
    let mut arguments = std::env::args().filter_map(|text| text.parse::<f64>().ok());
    let share = arguments.next().unwrap_or(1.0);
    let count = ((SYSTEMS as f64 * share) as usize).max(1);
    let ours = added_time(count, our_app, spawn_ours);
    let theirs = added_time(count, hanabi_app, spawn_hanabi);
    println!(
        "{count} systems, {} particles, CPU time per frame",
        count * RATE as usize
    );
    println!("  bevy_classic_models  {ours:10.1} µs");
    println!("  bevy_hanabi          {theirs:10.1} µs");
    let ratio = ours / theirs;
    let verdict = if ratio <= LIMIT {
        ""
    } else {
        ", ABOVE THE LIMIT"
    };
    println!("  ratio                {ratio:10.3} (limit {LIMIT}){verdict}");
}

/// Microseconds of CPU time that `count` systems add to a frame.
fn added_time(count: usize, app: fn() -> App, spawn: fn(&mut Headless, usize)) -> f64 {
    let mut app = app();
    app.insert_resource(RenderErrorHandler(|error, _, _| panic!("{error:?}")));
    let mut headless = Headless::start(app, UVec2::splat(64));
    let target = headless.render_target();
    let camera = Transform::from_xyz(0.0, 0.0, 300.0).looking_at(Vec3::ZERO, Vec3::Y);
    headless
        .app
        .world_mut()
        .spawn((Camera3d::default(), target, camera));
    let without = frame_time(&mut headless);
    spawn(&mut headless, count);
    let with = frame_time(&mut headless);
    println!("  ({without:.1} µs without systems, {with:.1} µs with them)");
    with - without
}

/// The median CPU time of a frame, in microseconds.
fn frame_time(headless: &mut Headless) -> f64 {
    for _ in 0..WARM_UP {
        step(headless);
    }
    let frames = match is_without_driver() {
        true => FRAMES_WITHOUT_DRIVER,
        false => FRAMES,
    };
    let times = (0..frames).map(|_| {
        let start = cpu_time::of_app();
        step(headless);
        (cpu_time::of_app() - start).as_secs_f64() * 1e6
    });
    median(times.collect())
}

/// Runs a frame until the adapter has drawn it. Otherwise the commands of all frames could fill the memory.
fn step(headless: &mut Headless) {
    headless.step(STEP);
    let render_world = headless.app.sub_app(RenderApp).world();
    let device = render_world.resource::<RenderDevice>().wgpu_device();
    let all = PollType::wait_indefinitely();
    device.poll(all).expect("the adapter draws the frame");
}

/// Bevy's plugins, for an app without a window.
fn plugins() -> PluginGroupBuilder {
    let plugins = headless::plugins(Path::new("unused"), false);
    match is_without_driver() {
        true => plugins.set(no_driver::render_plugin()),
        false => plugins,
    }
}

fn is_without_driver() -> bool {
    std::env::args().any(|argument| argument == "no-driver")
}

/// The transform of a system in a square grid.
fn place(index: usize, count: usize) -> Transform {
    let side = (count as f32).sqrt().ceil();
    let column = index as f32 % side - 0.5 * side;
    let row = (index as f32 / side).floor() - 0.5 * side;
    Transform::from_xyz(4.0 * column, 4.0 * row, 0.0)
}

fn our_app() -> App {
    let mut emitter = Emitter::new("emitter");
    emitter.properties = Properties {
        particles_per_second: RATE,
        lifetime: 1.0,
        outward_speed: 2.0,
        acceleration: [0.0, 0.0, 1.0],
        ..Properties::default()
    };
    let ball = Shape::Sphere {
        radius: 1.0,
        surface: false,
    };
    emitter.position = ball.into();
    let mut file = ParticleFile::new("p_bench");
    file.emitters = vec![emitter];
    let root = Dir::default();
    let bytes = write(&file).expect("the file is valid");
    root.insert_asset(Path::new("p_bench.alo"), bytes);
    let mut app = App::new();
    let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
        Box::new(MemoryAssetReader { root: root.clone() })
    };
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
        .add_plugins(plugins())
        .add_plugins(ClassicModelsPlugins)
        .insert_resource(ParticleBudget {
            total: 10_000_000,
            ..ParticleBudget::default()
        });
    app
}

fn spawn_ours(headless: &mut Headless, count: usize) {
    let server = headless.app.world().resource::<AssetServer>().clone();
    let file: Handle<AloParticles> = server.load("p_bench.alo#Particles");
    headless.wait_until("the file is loaded", |_| {
        server.is_loaded_with_dependencies(&file)
    });
    let systems = (0..count).map(|index| (AloParticleSystem(file.clone()), place(index, count)));
    headless
        .app
        .world_mut()
        .spawn_batch(systems.collect::<Vec<_>>());
    for _ in 0..WARM_UP {
        step(headless);
    }
    let world = headless.app.world_mut();
    let living: usize = world
        .query::<&ParticleRecords>()
        .iter(world)
        .flat_map(|records| &records.emitters)
        .map(|records| records.len())
        .sum();
    assert!(living >= count * RATE as usize, "{living} particles live");
    let render_world = headless.app.sub_app(RenderApp).world();
    let statistics = render_world.resource::<ParticleStatistics>();
    assert_eq!(statistics.draws, count, "systems are not drawn");
}

fn hanabi_app() -> App {
    let mut app = App::new();
    app.add_plugins(plugins()).add_plugins(HanabiPlugin);
    app
}

fn spawn_hanabi(headless: &mut Headless, count: usize) {
    let world = headless.app.world_mut();
    let effect = world
        .resource_mut::<Assets<EffectAsset>>()
        .add(hanabi_effect());
    let effects =
        (0..count).map(|index| (ParticleEffect::new(effect.clone()), place(index, count)));
    world.spawn_batch(effects.collect::<Vec<_>>());
}

fn hanabi_effect() -> EffectAsset {
    let writer = ExprWriter::new();
    let zero = || writer.lit(Vec3::ZERO).expr();
    let position = SetPositionSphereModifier {
        center: zero(),
        radius: writer.lit(1.0).expr(),
        dimension: ShapeDimension::Volume,
    };
    let velocity = SetVelocitySphereModifier {
        center: zero(),
        speed: writer.lit(2.0).expr(),
    };
    let age = SetAttributeModifier::new(Attribute::AGE, writer.lit(0.0).expr());
    let lifetime = SetAttributeModifier::new(Attribute::LIFETIME, writer.lit(1.0).expr());
    let acceleration = AccelModifier::new(writer.lit(Vec3::Y).expr());
    let mut colors = bevy_hanabi::Gradient::new();
    colors.add_key(0.0, Vec4::ONE);
    colors.add_key(1.0, Vec4::ZERO);
    let mut sizes = bevy_hanabi::Gradient::new();
    sizes.add_key(0.0, Vec3::splat(0.1));
    sizes.add_key(1.0, Vec3::splat(0.5));
    let rate = SpawnerSettings::rate((RATE as f32).into());
    EffectAsset::new(2 * RATE, rate, writer.finish())
        .init(position)
        .init(velocity)
        .init(age)
        .init(lifetime)
        .update(acceleration)
        .render(ColorOverLifetimeModifier::new(colors))
        .render(SizeOverLifetimeModifier {
            gradient: sizes,
            screen_space_size: false,
        })
}
