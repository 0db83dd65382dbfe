//! Measures crowds of the sample walker and the sample warden against the same models as scenes.
//!
//! Limits: this crate's systems take at most 0.3 µs per member and frame; the main world of scenes takes at least 30 times
//! that of a crowd; there is one draw per pair of mesh and material; baking takes at most 50 ns per bone and frame.
//! Deforming vertices have no limit: their baking time is printed per texel.
//!
//! `cargo bench --bench crowd_models -- --count 1000` runs with another count than 10,000. Scenes are at most 1,000.

use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::ecs::schedule::SingleThreadedExecutor;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Rotations, write};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write_unchecked};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as FileMesh, Vertex};
use bevy_classic_models::alamo::{AloCrowd, AloCrowdMaterial, AloInstance};
use bevy_classic_models::lithtech::{AbcCrowd, AbcCrowdMaterial};
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::ClassicModelsSystems;
use bevy_classic_models::spawn::ModelInstance;
use classic_models_support::bench_models::median;
use classic_models_support::capture::wait_for_gpu;
use classic_models_support::dice::Dice;
use classic_models_support::draws::{DrawCount, DrawCountPlugin};
use classic_models_support::headless::{self, Headless};
use classic_models_support::{gpuless, grid};
use std::path::Path;
use std::time::Instant;

const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");

/// A model to measure, and the clips that its instances play.
struct Sample {
    name: &'static str,
    path: &'static str,
    clips: &'static [&'static str],
}

const WALKER: Sample = Sample {
    name: "walker",
    path: "models/walker.alo",
    clips: &["MOVE_00", "ATTACK_00", "DIE_00"],
};

const WARDEN: Sample = Sample {
    name: "warden",
    path: "models/warden.abc",
    clips: &["walk", "attack"],
};

const MEMBERS: usize = 10_000;

/// Scenes of which the time is measured at most. The time per scene does not depend on their count.
const MAX_SCENES: usize = 1000;

/// Models that are rendered at most. Scenes have two lights each, which a software renderer draws slowly.
const MAX_RENDERED: usize = 100;

/// Frames that are rendered before the first that is measured, and those that are measured.
const RENDERED_FRAMES: (usize, usize) = (5, 5);

const FRAMES: usize = 60;

/// Frames before the first that is measured.
const WARM_UP: usize = 10;

/// Seconds of animation time between frames.
const STEP: f32 = 1.0 / 60.0;

/// Meters between two models.
const SPACING: f32 = 4.0;

/// Bytes of a texel of baked clips.
const TEXEL: usize = 16;

const SYSTEMS_LIMIT: f64 = 0.3;
const FRAME_LIMIT: f64 = 30.0;
const BAKE_LIMIT: f64 = 50.0;

fn main() {
    let count = option("--count").and_then(|count| count.parse().ok());
    let members = count.unwrap_or(MEMBERS).max(1);
    let scenes = members.min(MAX_SCENES);
    println!("main world, without a renderer");
    compare(&WALKER, members, scenes);
    compare(&WARDEN, members, scenes);
    bake();
    println!("\nrendered");
    for sample in [&WALKER, &WARDEN] {
        for is_crowd in [true, false] {
            render(sample, is_crowd, members.min(MAX_RENDERED));
        }
    }
}

/// Prints the times of crowds and scenes of a model. Returns those of crowds.
fn compare(sample: &Sample, members: usize, scenes: usize) -> MainWorld {
    let crowd = main_world(sample, true, members);
    let name = sample.name;
    println!(
        "{name}: our systems for {members} members: {:.3} µs per member and frame (limit {SYSTEMS_LIMIT})",
        crowd.systems
    );
    let scene = main_world(sample, false, scenes);
    println!(
        "{name}: frame: {:.3} µs per member, {:.3} µs per scene of {scenes}: {:.1} × (limit {FRAME_LIMIT})",
        crowd.frame,
        scene.frame,
        scene.frame / crowd.frame
    );
    println!(
        "{name}: baked clips: {} KiB in all",
        crowd.clip_bytes / 1024
    );
    crowd
}

/// The argument after an option.
fn option(name: &str) -> Option<String> {
    std::env::args()
        .skip_while(|argument| argument != name)
        .nth(1)
}

/// Microseconds per model and frame.
struct MainWorld {
    systems: f64,
    frame: f64,
    clip_bytes: usize,
}

/// The times at which the sections of this crate's systems begin and end, and the sum of their durations in seconds.
#[derive(Resource, Default)]
struct Sections {
    start: Option<Instant>,
    seconds: f64,
}

fn begin(mut sections: ResMut<Sections>) {
    sections.start = Some(Instant::now());
}

fn end(mut sections: ResMut<Sections>) {
    let start = sections.start.take();
    sections.seconds += start.map_or(0.0, |start| start.elapsed().as_secs_f64());
}

/// Measures the systems in the sets of this crate. `PostUpdate` runs on one thread, so that no other system runs
/// meanwhile.
fn measure_sections(app: &mut App) {
    use ClassicModelsSystems::{Appearance, Crowds, Play};
    app.init_resource::<Sections>()
        .edit_schedule(PostUpdate, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        })
        .add_systems(
            PostUpdate,
            (
                begin.before(Play),
                end.after(Play).before(bevy::app::AnimationSystems),
                begin
                    .after(bevy::app::AnimationSystems)
                    .before(Appearance)
                    .before(Crowds),
                end.after(Appearance)
                    .after(Crowds)
                    .before(TransformSystems::Propagate),
            )
                .chain(),
        );
}

/// Spawns models with various clips, phases and speeds.
fn spawn(world: &mut World, sample: &Sample, is_crowd: bool, count: usize) {
    let scene: Handle<WorldAsset> = world
        .resource::<AssetServer>()
        .load(format!("{}#Scene", sample.path));
    for (index, position) in grid::square(count, SPACING).enumerate() {
        let mut dice = Dice::new(index as u32);
        let clip = sample.clips[dice.choose(sample.clips.len())];
        let play = PlayClip::looping(clip)
            .starting_at(dice.roll())
            .with_speed(dice.between(0.75, 1.25));
        let transform = Transform::from_translation(position).with_scale(Vec3::splat(0.4));
        let mut root = world.spawn((WorldAssetRoot(scene.clone()), play, transform));
        if is_crowd {
            root.insert(Crowd);
        }
    }
}

/// Whether all models are spawned and all clips are baked.
fn is_spawned(world: &mut World, count: usize) -> bool {
    let spawned = world.query::<&ModelInstance>().iter(world).count();
    let mut alo = world.query::<&AloCrowd>();
    let mut abc = world.query::<&AbcCrowd>();
    let alo = alo
        .iter(world)
        .all(|member| !member.is_baking() && !member.meshes().is_empty());
    let abc = abc
        .iter(world)
        .all(|member| !member.is_baking() && !member.meshes().is_empty());
    spawned == count && alo && abc
}

fn main_world(sample: &Sample, is_crowd: bool, count: usize) -> MainWorld {
    let mut app = App::new();
    app.add_plugins((
        gpuless::plugins(Path::new(ASSETS), false),
        ClassicModelsPlugins,
    ));
    measure_sections(&mut app);
    gpuless::finish(&mut app);
    spawn(app.world_mut(), sample, is_crowd, count);
    assert!(gpuless::wait_until(&mut app, |world| is_spawned(
        world, count
    )));
    measure_frames(&mut app, count)
}

fn measure_frames(app: &mut App, count: usize) -> MainWorld {
    for _ in 0..WARM_UP {
        gpuless::step(app, STEP);
    }
    let (mut frames, mut systems) = (Vec::new(), Vec::new());
    for _ in 0..FRAMES {
        app.world_mut().resource_mut::<Sections>().seconds = 0.0;
        let start = Instant::now();
        gpuless::step(app, STEP);
        frames.push(start.elapsed().as_secs_f64());
        systems.push(app.world().resource::<Sections>().seconds);
    }
    let per_model = 1e6 / count as f64;
    MainWorld {
        systems: median(systems) * per_model,
        frame: median(frames) * per_model,
        clip_bytes: clip_bytes(app.world()),
    }
}

/// The bytes of the textures with baked clips.
fn clip_bytes(world: &World) -> usize {
    let images = world.resource::<Assets<Image>>();
    let alo = world.resource::<Assets<AloCrowdMaterial>>().iter();
    let alo = alo.map(|(_, material)| material.extension.poses.id());
    let abc = world.resource::<Assets<AbcCrowdMaterial>>().iter();
    let abc = abc.map(|(_, material)| material.extension.poses.id());
    let textures: HashSet<_> = alo.chain(abc).collect();
    let texels = textures.iter().filter_map(|texture| {
        let size = images.get(*texture)?.texture_descriptor.size;
        Some((size.width * size.height) as usize)
    });
    texels.sum::<usize>() * TEXEL
}

const BAKED_BONES: u32 = 100;
const BAKED_FRAMES: u32 = 600;

/// Runs of which the shortest is printed.
const BAKED_RUNS: usize = 9;

/// A model of a chain of bones, each with a triangle, and a clip that turns all of them.
fn chain() -> [(&'static str, Vec<u8>); 2] {
    let identity = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.1],
    ];
    let bones = (0..BAKED_BONES).map(|index| Bone {
        name: format!("Bone{index}").into(),
        parent: index.checked_sub(1),
        visible: true,
        billboard: 0,
        is_v1: false,
        matrix: identity,
    });
    let mut model = AloFile::new(bones.collect());
    let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]];
    let vertices = corners.map(|position| Vertex {
        position,
        normal: [0.0, 0.0, 1.0],
        ..default()
    });
    let buffers = SubmeshBuffers::new(&vertices, &[[0, 1, 2]]);
    let meshes = (0..BAKED_BONES).map(|index| {
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", Vec::new());
        FileMesh::new(format!("Mesh{index}"), index, vec![submesh])
    });
    model.meshes = meshes.collect();
    let tracks = (0..BAKED_BONES).map(|index| {
        let mut tracks = BoneTracks::new(format!("Bone{index}"), index, [0.0, 0.0, 0.1]);
        let rotations = (0..BAKED_FRAMES).map(|frame| {
            let angle = 0.02 * (0.1 * frame as f32 + index as f32).sin();
            Quat::from_rotation_x(angle).to_array()
        });
        tracks.rotation = Rotations::from_frames(&rotations.collect::<Vec<_>>());
        tracks
    });
    let clip = AlaDocument {
        version: 2,
        frames: BAKED_FRAMES,
        fps: 30.0,
        bones: tracks.collect(),
    };
    [
        ("chain.alo", write_unchecked(&model)),
        (
            "chain_TURN_00.ala",
            write(&clip).expect("the clip is valid"),
        ),
    ]
}

/// Measures the time from the request of a clip until it is baked, in frames without anything else.
fn bake() {
    let root = Dir::default();
    for (path, bytes) in chain() {
        root.insert_asset(Path::new(path), bytes);
    }
    let mut app = App::new();
    let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
        Box::new(MemoryAssetReader { root: root.clone() })
    };
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
        .add_plugins((
            gpuless::plugins(Path::new("unused"), false),
            ClassicModelsPlugins,
        ));
    gpuless::finish(&mut app);
    let (seconds, _) = baking_time(&mut app, "chain.alo#Scene", "TURN_00");
    let count = f64::from(BAKED_BONES) * f64::from(BAKED_FRAMES);
    println!(
        "baking {BAKED_BONES} bones and {BAKED_FRAMES} frames: {:.1} ns per bone and frame (limit {BAKE_LIMIT})",
        seconds * 1e9 / count
    );
    let mut app = App::new();
    app.add_plugins((
        gpuless::plugins(Path::new(ASSETS), false),
        ClassicModelsPlugins,
    ));
    gpuless::finish(&mut app);
    for clip in WARDEN.clips {
        let path = format!("{}#Scene", WARDEN.path);
        let (seconds, bytes) = baking_time(&mut app, &path, clip);
        println!(
            "baking {clip} of the warden: {:.2} ms, {} KiB, {:.1} ns per texel",
            seconds * 1e3,
            bytes / 1024,
            seconds * 1e9 / (bytes / TEXEL) as f64
        );
    }
}

/// The shortest time from the request of a clip until it is baked, in seconds, and the bytes of the texture with the clip
/// and the rest pose.
fn baking_time(app: &mut App, path: &str, clip: &'static str) -> (f64, usize) {
    let server = app.world().resource::<AssetServer>();
    let scene = server.load::<WorldAsset>(path.to_owned());
    let (mut shortest, mut bytes) = (f64::INFINITY, 0);
    for _ in 0..BAKED_RUNS {
        let world = app.world_mut();
        let root = world.spawn((WorldAssetRoot(scene.clone()), Crowd)).id();
        assert!(gpuless::wait_until(app, |world| is_loaded(world, root)));
        let play = PlayClip::looping(clip);
        app.world_mut().entity_mut(root).insert(play);
        let start = Instant::now();
        let mut was_baking = false;
        loop {
            gpuless::step(app, 0.0);
            let is_baking = is_baking(app.world(), root);
            if was_baking && !is_baking {
                break;
            }
            was_baking |= is_baking;
            assert!(start.elapsed().as_secs() < 60, "the clip was not baked");
        }
        shortest = shortest.min(start.elapsed().as_secs_f64());
        bytes = clip_bytes(app.world());
        app.world_mut().despawn(root);
        gpuless::step(app, 0.0);
    }
    (shortest, bytes)
}

/// Whether a model is spawned, and its clips are loaded.
fn is_loaded(world: &World, root: Entity) -> bool {
    let server = world.resource::<AssetServer>();
    let alo = world.get::<AloInstance>(root);
    let is_alo_loaded = alo.is_none_or(|instance| {
        let mut animations = instance.model().animations.iter();
        animations.all(|animation| server.is_loaded_with_dependencies(&animation.ala))
    });
    world.get::<ModelInstance>(root).is_some() && is_alo_loaded
}

fn is_baking(world: &World, root: Entity) -> bool {
    let alo = world.get::<AloCrowd>(root).map(AloCrowd::is_baking);
    let abc = world.get::<AbcCrowd>(root).map(AbcCrowd::is_baking);
    alo.or(abc).unwrap_or(false)
}

/// Prints the time per frame and the draws of models in view.
fn render(sample: &Sample, is_crowd: bool, count: usize) {
    let mut app = App::new();
    app.add_plugins((
        headless::plugins(Path::new(ASSETS), false),
        ClassicModelsPlugins,
        DrawCountPlugin,
    ));
    let mut stage = Headless::start(app, UVec2::new(640, 360));
    let target = stage.render_target();
    let world = stage.app.world_mut();
    let width = (count as f32).sqrt() * SPACING;
    world.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, width * 0.9, width * 1.2).looking_at(Vec3::ZERO, Vec3::Y),
        target,
    ));
    world.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(1.0, 2.0, 1.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    spawn(world, sample, is_crowd, count);
    stage.wait_until("all models are spawned", |world| is_spawned(world, count));
    let mut times = Vec::new();
    let (before, measured) = RENDERED_FRAMES;
    for frame in 0..before + measured {
        let start = Instant::now();
        stage.step(STEP);
        wait_for_gpu(&stage);
        if frame >= before {
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let world = stage.app.world_mut();
    let mut alo = world.query::<(&Mesh3d, &MeshMaterial3d<AloCrowdMaterial>)>();
    let mut abc = world.query::<(&Mesh3d, &MeshMaterial3d<AbcCrowdMaterial>)>();
    let alo = alo.iter(world);
    let alo = alo.map(|(mesh, material)| (mesh.id(), material.id().untyped()));
    let abc = abc.iter(world);
    let abc = abc.map(|(mesh, material)| (mesh.id(), material.id().untyped()));
    let pairs: HashSet<_> = alo.chain(abc).collect();
    let draws = world.resource::<DrawCount>().get();
    println!(
        "{} as {}: {count} models, {:.2} ms per frame, {draws} opaque draws, {} distinct pairs of crowd meshes and materials",
        sample.name,
        if is_crowd { "a crowd" } else { "scenes" },
        median(times) * 1e3,
        pairs.len()
    );
}
