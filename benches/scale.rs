//! Costs that grow with the number of models: of idle ones, of those whose speed changes in every frame, and of
//! those of a manifest with many clips. No GPU is needed.
//!
//! Each figure is compared with a limit, or with a peer that is measured in the same run: the same entities without
//! this crate's components, or the same model without a manifest.
//!
//! `cargo bench --bench scale -- 0.01` does it with a hundredth of the models.

mod support;

use bevy::animation::{AnimatedBy, AnimationPlayer};
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::ecs::bundle::NoBundleEffect;
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Vectors};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write_unchecked};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as FileMesh, Vertex};
use bevy_classic_models::alamo::{Alo, AloInstance};
use bevy_classic_models::alamo::{AloAnimator, AloBone, AloPart};
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;
use classic_models_support::gpuless;
use peak_alloc::PeakAlloc;
use std::path::Path;
use std::time::Instant;
use support::{Size, median, synthetic};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const FRAMES: usize = 60;

/// Seconds between frames, as the clips see it.
const STEP: f32 = 1.0 / 60.0;

const IDLE_MODELS: usize = 10_000;
const BONES: usize = 120;

/// Microseconds per idle model and frame.
const IDLE_LIMIT: f64 = 0.05;

const PACED_MODELS: usize = 5_000;

/// Microseconds per model and frame that a change of the speed may add.
const SPEED_LIMIT: f64 = 0.2;

const MANIFEST_MODELS: usize = 10_000;
const CLIPS: usize = 60;

/// How many times as long as a model without a manifest one with a manifest may take to be spawned.
const SPAWN_LIMIT: f64 = 2.0;

/// Bytes that a manifest may add to an entity.
const MEMORY_LIMIT: f64 = 4096.0;

fn main() {
    let mut numbers = std::env::args().filter_map(|text| text.parse::<f64>().ok());
    let share = numbers.next().unwrap_or(1.0);
    let count = |full: usize| ((full as f64 * share) as usize).max(1);
    idle(count(IDLE_MODELS));
    paced(count(PACED_MODELS));
    spawned(count(MANIFEST_MODELS));
}

/// An app whose files are in memory.
fn app(files: &[(&str, Vec<u8>)]) -> App {
    let root = Dir::default();
    for (path, bytes) in files {
        root.insert_asset(Path::new(path), bytes.clone());
    }
    let mut app = App::new();
    let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
        Box::new(MemoryAssetReader { root: root.clone() })
    };
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
        // What Bevy does about transforms would only be noise.
        .add_plugins(gpuless::plugins(Path::new("unused"), false).disable::<TransformPlugin>())
        .add_plugins(ClassicModelsPlugins);
    gpuless::finish(&mut app);
    app
}

fn load<A: Asset>(app: &mut App, path: &'static str) -> Handle<A> {
    let server = app.world().resource::<AssetServer>().clone();
    let asset: Handle<A> = server.load(path);
    let is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&asset);
    assert!(gpuless::wait_until(app, is_loaded), "{path} is not loaded");
    asset
}

/// Waits until so many entities have a component.
fn wait_for<C: Component>(app: &mut App, count: usize) {
    let are_there = |world: &mut World| world.query::<&C>().iter(world).count() == count;
    assert!(gpuless::wait_until(app, are_there), "not all are there");
}

/// What a frame takes in the middle, in microseconds.
fn frame(app: &mut App) -> f64 {
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

/// Whether a figure is within its limit, for tables.
fn verdict(figure: f64, limit: f64) -> &'static str {
    match figure <= limit {
        true => "within the limit",
        false => "BEYOND THE LIMIT",
    }
}

/// A model with so many bones and one triangle.
fn model(bones: usize) -> Vec<u8> {
    let bone = |index: usize| {
        let parent = index.checked_sub(1).map(|index| (index / 3) as u32);
        Bone::new(format!("Bone_{index:03}"), parent, [0.0, 0.0, 1.0])
    };
    let mut file = AloFile::new((0..bones).map(bone).collect());
    let vertex = |position| Vertex {
        position,
        normal: [0.0, 0.0, 1.0],
        tex_coords: [[0.0; 2]; 4],
        tangent: [1.0, 0.0, 0.0],
        binormal: [0.0, 1.0, 0.0],
        color: [1.0; 4],
        bone_indices: [0; 4],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
    };
    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(vertex);
    let buffers = SubmeshBuffers::new(&vertices, &[[0, 1, 2]]);
    let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]);
    file.meshes = vec![FileMesh::new("Mesh", 0, vec![submesh])];
    write_unchecked(&file)
}

/// Models that never play anything, with all their bones.
fn idle(count: usize) {
    let mut app = app(&[("station.alo", model(BONES))]);
    let model: Handle<Alo> = load(&mut app, "station.alo");
    let server = app.world().resource::<AssetServer>();
    let scene = server.load::<WorldAsset>("station.alo#Scene");
    let roots = (0..count).map(|_| WorldAssetRoot(scene.clone()));
    let roots: Vec<Entity> = app
        .world_mut()
        .spawn_batch(roots.collect::<Vec<_>>())
        .collect();
    wait_for::<AloInstance>(&mut app, count);
    let with = frame(&mut app);
    strip(app.world_mut(), &roots);
    let without = frame(&mut app);
    drop(model);
    let each = (with - without) / count as f64;
    println!("{count} idle models of {BONES} bones");
    println!("  a frame              {with:10.1} µs");
    println!("  without components   {without:10.1} µs");
    println!(
        "  per model            {each:10.4} µs, limit {IDLE_LIMIT}: {}\n",
        verdict(each, IDLE_LIMIT)
    );
}

/// Takes from entities what this crate has put on them, and leaves all else.
fn strip(world: &mut World, roots: &[Entity]) {
    let mut parts = world.query_filtered::<Entity, Or<(With<AloBone>, With<AloPart>)>>();
    let parts: Vec<Entity> = parts.iter(world).collect();
    for entity in parts {
        let mut entity = world.entity_mut(entity);
        entity.remove::<(AloBone, AloPart, AnimatedBy)>();
    }
    for root in roots {
        let mut root = world.entity_mut(*root);
        root.remove::<(AloInstance, AloAnimator, AnimationPlayer)>();
    }
    world.flush();
}

/// What the game changes in every frame.
#[derive(Resource, Clone, Copy, PartialEq)]
enum Changes {
    Nothing,
    Speed,
    Clip,
}

fn change(changes: Res<Changes>, time: Res<Time>, mut models: Query<&mut PlayClip>) {
    let speed = 1.0 + (time.elapsed_secs() * 7.0).sin() * 0.5;
    match *changes {
        Changes::Nothing => {}
        Changes::Speed => {
            for mut play in &mut models {
                play.speed = speed;
            }
        }
        Changes::Clip => {
            let clip = (time.elapsed_secs() * 60.0) as usize % CLIPS;
            let name = format!("clip_{clip:02}");
            for mut play in &mut models {
                play.clip = name.as_str().into();
            }
        }
    }
}

/// Models of a manifest with many clips, whose speed changes in every frame.
fn paced(count: usize) {
    let size = Size {
        rows: 3,
        columns: 3,
        poses: CLIPS + 1,
        skin: 4,
    };
    let clip = |number: usize| {
        let next = number + 1;
        format!("(name: \"clip_{number:02}\", frames: ({number}, {next})),")
    };
    let clips: String = (0..CLIPS).map(clip).collect();
    let manifest = format!("(model: \"wave.mdl\", clips: [{clips}], play: \"clip_30\")");
    let mut app = app(&[
        ("wave.mdl", synthetic("wave", &size).bytes),
        ("wave.model.ron", manifest.into_bytes()),
    ]);
    app.insert_resource(Changes::Nothing)
        .add_systems(Update, change);
    let manifest = load::<ModelManifest>(&mut app, "wave.model.ron");
    let roots: Vec<_> = (0..count).map(|_| ClassicModel(manifest.clone())).collect();
    app.world_mut().spawn_batch(roots);
    wait_for::<MdlAnimator>(&mut app, count);
    let mut measure = |changes: Changes| {
        app.insert_resource(changes);
        frame(&mut app)
    };
    let [still, speed, clip] = [Changes::Nothing, Changes::Speed, Changes::Clip].map(&mut measure);
    let each = |time: f64| (time - still) / count as f64;
    println!("{count} models of a manifest with {CLIPS} clips");
    println!("  a frame              {still:10.1} µs");
    println!(
        "  a speed adds         {:10.4} µs per model, limit {SPEED_LIMIT}: {}",
        each(speed),
        verdict(each(speed), SPEED_LIMIT)
    );
    println!(
        "  another clip adds    {:10.4} µs per model, {:.1} times as much\n",
        each(clip),
        each(clip) / each(speed).max(1e-6)
    );
}

/// What it took to spawn models.
struct Spawned {
    /// Microseconds per model.
    time: f64,
    /// Bytes per model.
    memory: f64,
}

/// Entities of one manifest with many clips, beside as many of the same model without a manifest.
fn spawned(count: usize) {
    let manifest = r#"(model: "unit.alo", clips: [(file: "anims/*.ala")], play: "clip_30")"#;
    let animations: Vec<_> = (0..CLIPS).map(animation).collect();
    let mut files = vec![
        ("unit.model.ron", manifest.as_bytes().to_vec()),
        ("unit.alo", model(2)),
    ];
    let animations = animations.iter();
    files.extend(animations.map(|(path, bytes)| (path.as_str(), bytes.clone())));
    let mut app = app(&files);
    let manifest = load::<ModelManifest>(&mut app, "unit.model.ron");
    let server = app.world().resource::<AssetServer>();
    let scene = server.load::<WorldAsset>("unit.alo#Scene");
    // One of each, so that what is made once is there.
    let clip: Handle<AnimationClip> = server.load("anims/clip_30.ala#Clip");
    let play = || PlayClip::looping(clip.clone());
    app.world_mut().spawn(ClassicModel(manifest.clone()));
    app.world_mut()
        .spawn((WorldAssetRoot(scene.clone()), play()));
    wait_for::<AloInstance>(&mut app, 2);
    let bare: Vec<_> = (0..count)
        .map(|_| (WorldAssetRoot(scene.clone()), play()))
        .collect();
    let bare = spawn_all(&mut app, bare, 2 + count);
    let of_manifest: Vec<_> = (0..count).map(|_| ClassicModel(manifest.clone())).collect();
    let of_manifest = spawn_all(&mut app, of_manifest, 2 + 2 * count);
    let times = of_manifest.time / bare.time;
    let added = of_manifest.memory - bare.memory;
    println!("{count} entities of a manifest with {CLIPS} clips in files");
    println!("  spawning             {:10.2} µs each", of_manifest.time);
    println!("  without a manifest   {:10.2} µs each", bare.time);
    println!(
        "  that is              {times:10.2} times, limit {SPAWN_LIMIT}: {}",
        verdict(times, SPAWN_LIMIT)
    );
    println!(
        "  memory               {:10.0} bytes each",
        of_manifest.memory
    );
    println!("  without a manifest   {:10.0} bytes each", bare.memory);
    println!(
        "  a manifest adds      {added:10.0} bytes each, limit {MEMORY_LIMIT}: {}",
        verdict(added, MEMORY_LIMIT)
    );
}

/// Spawns entities and waits until all models are there.
fn spawn_all<B: Bundle<Effect: NoBundleEffect>>(
    app: &mut App,
    bundles: Vec<B>,
    all: usize,
) -> Spawned {
    let count = bundles.len() as f64;
    let before = HEAP.current_usage() as f64;
    let start = Instant::now();
    app.world_mut().spawn_batch(bundles);
    gpuless::step(app, STEP);
    let first = start.elapsed();
    wait_for::<AloInstance>(app, all);
    Spawned {
        time: first.as_secs_f64() * 1e6 / count,
        memory: (HEAP.current_usage() as f64 - before) / count,
    }
}

/// A short animation of a bone.
fn animation(number: usize) -> (String, Vec<u8>) {
    let mut bone = BoneTracks::new("Bone_001", 1, [0.0; 3]);
    let places = [[0.0; 3], [number as f32, 0.0, 1.0]];
    bone.translation = Vectors::from_frames(&places);
    let document = AlaDocument {
        version: 1,
        frames: 2,
        fps: 30.0,
        bones: vec![bone],
    };
    let bytes = bevy_classic_models::alamo::ala::write::write(&document);
    let path = format!("anims/clip_{number:02}.ala");
    (path, bytes.expect("it can be written"))
}
